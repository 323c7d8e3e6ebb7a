"""What came of a step is told in words, and so is what its way back does not bring."""

from sayso.providers.browser.facts import Again, Asked, NotShown, TabAt
from sayso.providers.browser.live.telling import foretold, told_of
from sayso.providers.browser.steps import Navigate, ReopenTabs, SwitchBack


def test_what_is_opened_anew_is_not_what_it_was():
    one = foretold(ReopenTabs("default", ("u",), ("w",), (1,)))
    two = foretold(ReopenTabs("default", ("u", "v"), ("w", "w"), (1, 2)))

    assert one.startswith("its address is opened anew: what was typed there, how far it was scrolled")
    assert two.startswith("their addresses are opened anew")
    assert foretold(Navigate("default", "t", "u")) == one
    assert foretold(SwitchBack("default")) == ""


def test_what_came_of_it_is_told_where_it_is_less_than_was_wanted():
    assert told_of((TabAt("t", "u"), Again("default"))) == ""
    assert told_of((NotShown("t", "no"), Asked("t", "it asked"))) == "its page cannot be shown: no, it asked"
    assert told_of((Again("default", 2, 1),)) == "2 not at the place it had, 1 not loaded yet"
