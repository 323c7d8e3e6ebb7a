"""On Gmail a message is archived where it is: the label of the inbox goes, and comes back."""

import pytest

from sayso.core.errors import Uncertain
from sayso.core.plan import CannotTell
from sayso.providers.mail import MAIL
from sayso.providers.mail.imap.backend import Imap
from sayso.providers.mail.model import MoveMessages
from sayso.testing.harness import Trial
from tests.mail_env.gmail import Gmail
from tests.providers.mail.imap.gmail_letters import OLD, ONE, TWO, places


@pytest.mark.req("S3-39")
async def test_to_archive_takes_off_the_label_of_the_inbox_and_undo_puts_it_back(google: Gmail, mail: Imap):
    trial = Trial(MAIL, mail)
    plan = await trial.plan("mail.archive", ids=[ONE, TWO])

    lefts = await trial.do(plan)

    assert [("\\Inbox" in one.labels) for one in google.mails] == [False, False, False]
    assert len(google.said("UID STORE")) == 1
    assert await places(trial) == {ONE: "archive", TWO: "archive", OLD: "archive"}
    assert not google.said("MOVE")
    await trial.take_back(plan, lefts)
    assert await places(trial) == {ONE: "inbox", TWO: "inbox", OLD: "archive"}
    assert google.mails[0].labels == {"\\Inbox", "\\Important", "Two words"}


async def test_a_cut_while_archiving_is_uncertain_and_never_done_again(google: Gmail, mail: Imap):
    trial = Trial(MAIL, mail)
    plan = await trial.plan("mail.archive", ids=[ONE])
    google.cuts = "UID STORE"
    (change,) = plan.changes
    assert isinstance(change.do, MoveMessages)

    with pytest.raises(Uncertain):
        await mail.apply(change.do, change.expects)

    assert "\\Inbox" not in google.mails[0].labels
    assert isinstance(await mail.settle(change.do, change.expects), CannotTell)
    assert len(google.said("UID STORE")) == 1
