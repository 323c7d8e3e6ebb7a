"""Who asks without saying more is asked nothing and shown nothing."""

from sayso.assistant.answer import CORRECTIONS, Asker
from sayso.assistant.hears import Nobody
from sayso.runtime.answering import Nobody as NobodyAnswers


def test_without_more_nobody_decides_and_nobody_hears():
    asker = Asker()

    assert (asker.session, asker.dry_run, asker.corrections) == ("", False, CORRECTIONS)
    assert isinstance(asker.approver, NobodyAnswers)
    assert isinstance(asker.hears, Nobody)
