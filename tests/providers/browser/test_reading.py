"""What a look at the browser tells is bound to what was seen."""

from dataclasses import replace

import pytest

from sayso.core.pretend import Seen
from sayso.providers.browser.facts import ElementAt, PageAt, TabAt
from sayso.providers.browser.reading import Reads, Settings
from sayso.providers.browser.world import World, closed, opened, planted
from sayso.testing.fakes import NumberedIds

PAGE = {"url": "https://a.example/", "elements": [{"selector": "#a", "name": "A", "value": "x"}]}


def reads(world: World, *sites: str) -> Reads:
    return Reads(Seen(lambda: world), NumberedIds(), Settings(confirm_sites=sites))


async def test_tabs_are_bound_to_their_id_and_address():
    snapshot = await reads(planted({})).snapshot("chrome")

    assert snapshot.tabs[2].fact == TabAt("tab-3", "https://www.reddit.com/")


async def test_a_page_is_bound_to_the_load_that_was_seen():
    page = await reads(planted({"windows": [{"tabs": [PAGE]}]})).page()

    assert page.fact == PageAt("tab-1", "https://a.example/", "1")


async def test_what_a_field_holds_stands_in_no_fact():
    element = await reads(planted({"windows": [{"tabs": [PAGE]}]})).element("#a")

    assert element.value == "x"
    assert isinstance(element.fact, ElementAt)
    assert len(element.fact.value) == 64


async def test_numbers_that_were_given_out_stay():
    world = planted({})
    world = replace(world, numbers=tuple(tab.id for tab in world.tabs))
    world, new = opened(closed(world, ("tab-2",)), "https://new.example")

    snapshot = await reads(world).snapshot("default")

    assert {tab.id: tab.index for tab in snapshot.tabs} == {"tab-1": 1, "tab-3": 3, "tab-4": 4, "tab-5": 5, new.id: 0}
    assert snapshot.closed == {2}


@pytest.mark.parametrize(
    ("url", "asks"),
    [
        ("https://bank.test/x", True),
        ("https://www.bank.test", True),
        ("https://bank.test.evil.test", False),
        ("https://evilbank.test", False),
        ("https://bank.test@evil.test", False),
    ],
)
def test_a_listed_site_asks_with_all_below_it(url: str, asks: bool):
    assert reads(World(), "bank.test").confirmed(url) == asks
