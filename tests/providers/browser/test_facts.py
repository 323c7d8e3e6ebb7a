"""The facts of the tabs store are each about one thing, by names that stay."""

from sayso.core.codec import Codec
from sayso.providers.browser.facts import FACTS


def test_every_fact_has_a_name_of_its_own():
    names = [fact.fact for fact in FACTS]

    assert all(names)
    assert sorted(Codec((), FACTS).facts) == sorted([*names, "as_left"])
