"""What a session was shown is remembered for it alone, and a run goes by what there was as it began."""

from sayso.core.plan import Fact
from sayso.runtime.shown import MOST, Shown

ONE, OTHER = (Fact("a"),), (Fact("b"), Fact("c"))


def test_the_last_thing_shown_of_each_store_counts_for_its_session():
    shown = Shown()

    shown.keep("s", ("tabs",), ONE)
    shown.keep("s", ("mail",), ONE)
    shown.keep("s", ("tabs",), OTHER)
    shown.keep("other", ("tabs",), ONE)

    assert shown.to("s", "run_1") == {"tabs": OTHER, "mail": ONE}
    assert shown.to("other", "run_2") == {"tabs": ONE}
    assert shown.to("never", "run_3") == {}


def test_a_run_goes_by_what_was_shown_as_it_began():
    shown = Shown()
    shown.keep("s", ("tabs",), ONE)
    begun, nothing = shown.to("s", "run_1"), shown.to("other", "run_2")

    shown.keep("s", ("tabs",), OTHER)
    shown.keep("other", ("tabs",), OTHER)

    assert (begun, shown.to("s", "run_1")) == ({"tabs": ONE}, {"tabs": ONE})
    assert (nothing, shown.to("other", "run_2")) == ({}, {})
    assert shown.to("s", "run_3") == {"tabs": OTHER}


def test_of_too_many_sessions_the_one_not_heard_of_for_longest_goes():
    shown = Shown()
    shown.keep("first", ("tabs",), ONE)
    for number in range(MOST - 1):
        shown.keep(str(number), ("tabs",), ONE)

    shown.keep("first", ("tabs",), OTHER)
    shown.keep("new", ("tabs",), ONE)

    assert shown.to("0", "a") == {}
    assert (shown.to("first", "b"), shown.to("1", "c")) == ({"tabs": OTHER}, {"tabs": ONE})


def test_of_too_many_runs_the_oldest_is_taken_for_a_new_one():
    shown = Shown()
    shown.to("s", "first")
    for number in range(MOST - 1):
        shown.to("s", str(number))
    shown.keep("s", ("tabs",), ONE)
    kept = shown.to("s", "first")

    shown.to("s", "one more")

    assert (kept, shown.to("s", "first")) == ({}, {"tabs": ONE})
