"""A Firefox opens addresses."""

from pathlib import Path

import msgspec
import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.browser import BROWSER
from sayso.providers.browser.address import announce_page
from sayso.providers.browser.bidi import protocol
from sayso.providers.browser.bidi.navigation import Opens, again, close_tabs
from sayso.providers.browser.model import ReopenTabs
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Around
from tests.providers.browser.bidi.conftest import Speaking
from tests.providers.browser.conftest import Making, Showing


@pytest.mark.thorough
@pytest.mark.needs("firefox-esr")
@pytest.mark.req("S4-31")
def test_they_are_gone_and_the_others_stay(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url(f"/{number}") for number in range(5)])

    with spoken().connected() as now:
        wanted = [tab.id for tab in reversed(now.tabs())][:3]
        left = close_tabs(now.now, wanted)

    assert left == set()
    assert around.chromium.shown() == [around.web.url("/0"), around.web.url("/1")]


WRONG = [
    ("http://nobody.invalid/", "nobody knows a site of this name"),
    ("http://127.0.0.1:1/", "Firefox does not go to that port"),
]


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("T-23")
@pytest.mark.parametrize(("url", "said"), WRONG)
async def test_what_cannot_be_had_leaves_the_page_that_was_there(page: Showing, around: Around, url: str, said: str):
    trial = page("<input id=q>")
    around.chromium.evaluate("q.value = 'typed'")
    before = around.chromium.shown()

    with pytest.raises(ProviderError, match=said):
        await trial.do(await trial.plan("url.open", url=url, new_tab=False))

    assert around.chromium.shown() == before
    assert around.chromium.evaluate("q.value") in {"typed", ""}


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("BR-08", "SE-03")
async def test_where_the_browser_is_driven_from_is_no_page(page: Showing, around: Around):
    trial = page("")
    before = around.chromium.shown()
    url = f"http://127.0.0.1:{around.chromium.port}/session"

    for new_tab in (True, False):
        with pytest.raises(Refused, match="the browser's own DevTools"):
            await trial.do(await trial.plan("url.open", url=url, new_tab=new_tab))

    assert around.chromium.shown() == before


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("S4-46")
def test_tabs_open_again_where_they_stood(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url(f"/{number}") for number in range(3)])
    new = tuple(around.web.url(f"/new/{number}") for number in range(4))

    with spoken().connected() as now:
        there = now.tabs()
        window = there[0].window
        step = ReopenTabs("default", new, (window, window, "gone", "gone"), (2, 4, 1, 2))
        with again(Opens(now.now, frozenset(), None), step) as made:
            found = [(tab.id, tab.window) for tab in now.tabs()]

    one, two, three = (tab.id for tab in there)
    assert [tab for tab, _ in found] == [one, made[0], two, made[1], three, made[2], made[3]]
    assert [len({window for _, window in part}) for part in (found[:5], found[5:], found)] == [1, 1, 2]


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
async def test_in_a_firefox_that_was_not_told_nothing_is_opened(around: Around, making: Making, scratch_home: Path):
    around.chromium.arrange([around.web.url("/1")])
    trial = Trial(BROWSER, making())

    with (
        announce_page(str(scratch_home.parent / "sayso"), around.held.port),
        pytest.raises(ProviderError, match=r"nothing is done in its pages; add this line to the file user\.js"),
    ):
        await trial.do(await trial.plan("url.open", url=around.web.url("/2")))

    assert around.chromium.shown() == [around.web.url("/1")]


def test_a_session_tells_process_and_profile():
    told = b'{"sessionId": "a", "capabilities": {"moz:processID": 7, "moz:profile": "/p", "browserVersion": "1"}}'

    assert msgspec.json.decode(told, type=protocol.New) == protocol.New("a", protocol.Capabilities(7, "/p", "1"))


def test_a_tab_may_have_no_opener():
    told = b'{"contexts": [{"context": "a", "url": "u", "clientWindow": "w", "originalOpener": null, "children": []}]}'

    assert msgspec.json.decode(told, type=protocol.Tree).contexts == (protocol.Context("a", "u", "w"),)
