"""Each fact is asked of the browser again, and the first that is no longer so is named."""

from collections.abc import Iterator
from typing import cast

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact
from sayso.providers.browser.facts import Closed, Front, NotShown, PageAt, TabAt
from sayso.providers.browser.live.calling import Lost
from sayso.providers.browser.live.checking import must_hold
from sayso.providers.browser.live.ports import OpenTab, Spoken
from tests.desktop_env.browser import Around
from tests.providers.browser.conftest import Making


@pytest.fixture
def now(around: Around, making: Making) -> Iterator[Spoken]:
    around.chromium.arrange([around.web.url("/1"), around.web.url("/2")])
    backend = making()
    with backend.browser.connected() as now:
        yield now


def test_what_is_so_holds(now: Spoken):
    one, two = now.tabs()
    with now.inside(one.id) as page:
        fact = page.fact

    must_hold(
        now,
        (TabAt(one.id, one.url), Closed(f"{one.id}X"), Front("default", one.id, two.id), fact, NotShown("x", "y")),
    )


def test_what_is_not_so_does_not(now: Spoken):
    one, two = now.tabs()
    wrong: list[Fact] = [
        TabAt(one.id, two.url),
        TabAt(one.id, one.url, "opener"),
        TabAt("other.X", one.url),
        Closed(one.id),
        Front("default", two.id),
        Front("default", one.id, f"{one.id}X"),
        PageAt(one.id, one.url, "another load"),
    ]

    for fact in wrong:
        with pytest.raises(ProviderError, match="nothing was changed"):
            must_hold(now, (TabAt(one.id, one.url), fact))


class Ended:
    """A browser that is no more."""

    def tabs(self) -> list[OpenTab]:
        raise Lost("it ended")


@pytest.mark.req("BR-10", "T-23")
def test_a_browser_is_asked_also_where_nothing_is_expected_of_it():
    with pytest.raises(Lost):
        must_hold(cast("Spoken", Ended()), ())
