"""Addresses are shown, or it is said why not and nothing has changed."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.core.ports import Tells
from sayso.providers.browser.bidi.opening import again
from sayso.providers.browser.facts import TabAt
from sayso.providers.browser.own_pages import announced
from sayso.providers.browser.provider import BROWSER
from sayso.testing.trying import Trial
from tests.desktop_env.browser import Around
from tests.providers.browser.bidi.conftest import Speaking
from tests.providers.browser.cdp.test_opening import a_file
from tests.providers.browser.conftest import Making, Showing

pytestmark = pytest.mark.needs("firefox-esr")


@pytest.mark.req("S4-32", "S1-38", "T-40", "C-27")
async def test_an_address_that_is_open_already_opens_once_more(page: Showing, around: Around):
    trial = page("")
    url = around.chromium.shown()[0]

    (left,) = await trial.do(await trial.plan("url.open", url=url, browser="chrome"))

    (fact,) = left.facts
    assert isinstance(fact, TabAt)
    assert around.chromium.shown() == [url, url]


@pytest.mark.req("T-45", "S1-38")
async def test_where_a_redirect_leads_is_what_was_opened(page: Showing, around: Around):
    trial = page("")
    around.web.pages["/from"] = (302, {"location": "/to"}, b"")

    (left,) = await trial.do(await trial.plan("url.open", url=around.web.url("/from"), new_tab=False))

    assert left.facts[0] == TabAt(left.facts[0].about, around.web.url("/to"))


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


@pytest.mark.req("T-23")
@pytest.mark.parametrize(("url", "said"), WRONG)
async def test_a_new_tab_for_what_cannot_be_had_says_so_and_can_be_taken_back(
    page: Showing, around: Around, url: str, said: str
):
    trial = page("")
    before = around.chromium.shown()

    plan = await trial.plan("url.open", url=url)
    (left,) = await trial.do(plan)
    opened = around.chromium.shown()
    backend = trial.backend
    assert isinstance(backend, Tells)
    told = backend.tells(plan.changes[0].do, left)
    await trial.take_back(plan, [left])

    assert opened == [url, *before]
    assert told == f"its page cannot be shown: {said}"
    assert around.chromium.shown() == before


async def test_a_page_that_answers_nothing_leaves_no_tab_behind(page: Showing, around: Around):
    trial = page("")
    around.web.pages["/nothing"] = (204, {}, b"")
    before = around.chromium.shown()

    with pytest.raises(ProviderError, match="answered nothing"):
        await trial.do(await trial.plan("url.open", url=around.web.url("/nothing")))

    assert around.chromium.shown() == before


@pytest.mark.req("BR-07")
@pytest.mark.parametrize("new_tab", [True, False])
async def test_a_file_is_no_page_and_is_not_kept(page: Showing, around: Around, scratch_home: Path, new_tab: bool):
    downloads = scratch_home / "Downloads"
    downloads.mkdir()
    around.web.pages["/file"] = a_file
    trial = page("", roots=(str(downloads),))
    before = around.chromium.shown()

    with pytest.raises(ProviderError, match="a file to download and no page; nothing was downloaded"):
        await trial.do(await trial.plan("url.open", url=around.web.url("/file"), new_tab=new_tab))

    assert around.chromium.shown() == before
    assert list(downloads.iterdir()) == []


@pytest.mark.req("BR-07")
@pytest.mark.parametrize("within", [True, False])
async def test_a_file_that_a_click_brings_lies_within_the_roots_or_nowhere(
    page: Showing, around: Around, scratch_home: Path, within: bool
):
    downloads = scratch_home / "Downloads"
    downloads.mkdir()
    around.web.pages["/file"] = a_file
    trial = page("<a id=d href=/file download='../../.bashrc'>x</a>", roots=(str(downloads),) if within else ())

    await trial.do(await trial.plan("page.click", selector="#d"))

    files = [path for home in (scratch_home, around.chromium.session.home) for path in home.rglob("*")]
    found = [path for path in files if path.name.endswith((".sh", "bashrc"))]
    assert {path.parent for path in found} <= {downloads}
    assert bool(found) is within


async def test_a_page_that_asks_before_it_is_left_stays(page: Showing, around: Around):
    trial = page("<input id=q><script>onbeforeunload = e => { e.preventDefault(); return 'x' }</script>")
    await trial.do(await trial.plan("page.click", selector="#q"))
    before = around.chromium.shown()

    with pytest.raises(ProviderError, match="asks before it is left"):
        await trial.do(await trial.plan("url.open", url=around.web.url("/away"), new_tab=False))

    assert around.chromium.shown() == before
    around.chromium.arrange([around.web.url("/next")])


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
