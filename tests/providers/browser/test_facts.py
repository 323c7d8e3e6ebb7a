"""The facts of the tabs store are each about one thing, by names that stay."""

from sayso.core.codec import Codec
from sayso.providers.browser.facts import FACTS, Closed, ElementAt, Front, PageAt, TabAt, moved_on


def test_every_fact_has_a_name_of_its_own():
    names = [fact.fact for fact in FACTS]

    assert all(names)
    assert sorted(Codec((), FACTS).facts) == sorted([*names, "as_left"])


def test_what_moved_on_is_named_as_a_person_knows_it():
    assert moved_on(TabAt("t", "https://a.example")) == (
        "the tab that showed https://a.example was closed or shows another page by now"
    )
    assert moved_on(Front("default", "t")) == "another tab was brought to the front since"
    assert (
        moved_on(PageAt("t", "https://a.example", "1")) == "the page https://a.example was left or loaded again since"
    )
    assert moved_on(ElementAt("t #a b", "", "")) == "what “#a b” finds on the page is not what it was"
    assert moved_on(Closed("t")) == "the tabs are no longer as they were"
