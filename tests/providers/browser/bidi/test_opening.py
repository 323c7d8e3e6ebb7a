"""Addresses are shown, or it is said why not and nothing has changed."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.browser.bidi.opening import again
from sayso.providers.browser.own_pages import announced
from sayso.providers.browser.provider import BROWSER
from sayso.testing.trying import Trial
from tests.desktop_env.browser import Around
from tests.providers.browser.bidi.conftest import Speaking
from tests.providers.browser.conftest import Making, Showing

pytestmark = pytest.mark.needs("firefox-esr")


WRONG = [
    ("http://nobody.invalid/", "nobody knows a site of this name"),
    ("http://127.0.0.1:1/", "Firefox does not go to that port"),
]


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


@pytest.mark.req("BR-08", "SE-03")
@pytest.mark.parametrize("new_tab", [True, False])
async def test_where_the_browser_is_driven_from_is_no_page(page: Showing, around: Around, new_tab: bool):
    trial = page("")
    before = around.chromium.shown()
    url = f"http://127.0.0.1:{around.chromium.port}/session"

    with pytest.raises(Refused, match="the browser's own DevTools"):
        await trial.do(await trial.plan("url.open", url=url, new_tab=new_tab))

    assert around.chromium.shown() == before


@pytest.mark.req("S4-46")
def test_a_tab_opens_again_where_it_stood(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url(f"/{number}") for number in range(3)])

    with spoken().connected() as now:
        beside = again(now.now, now.tabs(), around.web.url("/second"), 2)
        alone = again(now.now, [], around.web.url("/alone"), 5)
        found = [(tab.id, tab.window) for tab in now.tabs()]

    assert found[1][0] == beside
    assert found[-1][0] == alone
    assert len({window for _, window in found}) == 2


async def test_in_a_firefox_that_was_not_told_nothing_is_opened(around: Around, making: Making, scratch_home: Path):
    around.chromium.arrange([around.web.url("/1")])
    trial = Trial(BROWSER, making())

    with (
        announced(str(scratch_home.parent / "sayso"), around.held.port),
        pytest.raises(ProviderError, match=r"nothing is done in its pages; add this line to the file user\.js"),
    ):
        await trial.do(await trial.plan("url.open", url=around.web.url("/2")))

    assert around.chromium.shown() == [around.web.url("/1")]
