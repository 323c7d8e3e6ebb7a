"""What serves something is a value; nothing is asked for, and nothing else is there, unless that is said."""

from sayso.core.capability import Capability, Fit, Other


def test_nothing_is_asked_for_unless_it_is_said():
    one = Capability("speech", "", "nothing speaks")

    assert (one.fix, one.others, one.asked) == ("", (), False)
    assert (Other("spd-say", "it is not installed").fix, Fit(here=True, says="x").fix) == ("", "")
