"""What the settings say must not be kept is in nothing that is kept of an ask."""

from sayso.assembly.asking import kept
from sayso.core.proposal import Proposal
from sayso.testing.sessions import an_exchange

HIDDEN = "the whole long body"
PROPOSAL = Proposal(0, "x", "mail.send", {"to": ["ana@example.org"], "body": HIDDEN})
SAID = an_exchange(words=f"write {HIDDEN}", reply=f'{{"body": "{HIDDEN}"}}', trace={"response": HIDDEN, "n": [HIDDEN]})


def test_a_value_that_a_pattern_names_is_nowhere():
    left = kept(SAID, [PROPOSAL], ("mail.send.body",))

    assert HIDDEN not in str(left)
    assert left.words == "write [redacted]"
    assert left.session == SAID.session


def test_what_no_pattern_names_stays_as_it_is():
    assert kept(SAID, [PROPOSAL], ("mail.send.subject",)) is SAID
    assert kept(SAID, [PROPOSAL], ()) is SAID
