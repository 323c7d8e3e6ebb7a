"""The facts of the apps store are each about one thing, by names that stay."""

from sayso.core.codec import Codec
from sayso.core.plan import Fact
from sayso.providers.apps.facts import FACTS, Installed, Running, WindowAt, moved_on


def test_every_fact_has_a_name_of_its_own():
    names = [fact.fact for fact in FACTS]

    assert all(names)
    assert sorted(Codec((), FACTS).facts) == sorted([*names, "as_left"])


def test_what_moved_on_is_named_as_a_person_knows_it():
    assert moved_on(Running("Notes", ("1",))) == "Notes was started or ended since this was planned"
    assert moved_on(Installed("Notes", "n")) == "Notes is no longer the application it was when this was planned"
    assert (
        moved_on(WindowAt("w", "Notes", 0, 0, 1, 1)) == "the window of Notes was moved or closed since this was planned"
    )
    assert moved_on(Fact("x")) == "“x” is no longer as it was when this was planned"
