"""Addresses are shown, or it is said why not and nothing has changed."""

import threading
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.core.ports import Tells
from sayso.providers.browser.facts import TabAt
from sayso.providers.browser.provider import BROWSER
from sayso.testing.trying import Trial
from tests.desktop_env.browser import Answer, Around
from tests.desktop_env.session import wait_for
from tests.providers.browser.conftest import Making, Showing

pytestmark = pytest.mark.needs("chromium")


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
    ("http://127.0.0.1:1/", "UNSAFE_PORT"),
]


@pytest.mark.req("T-23")
@pytest.mark.parametrize(("url", "said"), WRONG)
async def test_what_cannot_be_had_leaves_the_page_that_was_there(page: Showing, around: Around, url: str, said: str):
    trial = page("<input id=q>")
    before = around.chromium.shown()

    with pytest.raises(ProviderError, match=said):
        await trial.do(await trial.plan("url.open", url=url, new_tab=False))

    assert around.chromium.shown() == before


@pytest.mark.req("T-23")
@pytest.mark.parametrize(("url", "said"), WRONG)
async def test_what_cannot_be_had_leaves_the_page_that_was_still_coming(
    making: Making, around: Around, url: str, said: str
):
    first_is_over = threading.Event()
    around.web.asked.clear()

    def late() -> Answer:
        if around.web.asked.count("/late") == 1:
            first_is_over.wait(5)
        return 200, {"content-type": "text/html"}, b"<title>late</title>"

    around.web.pages["/late"] = late
    coming = around.web.url("/late")
    around.chromium.arrange([coming])
    trial = Trial(BROWSER, making())

    try:
        with pytest.raises(ProviderError, match=said):
            await trial.do(await trial.plan("url.open", url=url, new_tab=False))
    finally:
        first_is_over.set()

    assert around.chromium.shown() == [coming]
    wait_for(lambda: around.chromium.evaluate("document.title") == "late", "the page that was coming")


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
    assert told.startswith("its page cannot be shown: ")
    assert said in told
    assert around.chromium.shown() == before


def a_file() -> tuple[int, dict[str, str], bytes]:
    return 200, {"content-type": "application/x-thing", "content-disposition": "attachment; filename=../../x.sh"}, b"hi"


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

    found = [path for path in scratch_home.rglob("*") if path.is_file()]
    assert {path.parent for path in found} <= {downloads}
    assert within or not found


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
async def test_the_tools_of_the_browser_itself_are_no_page(page: Showing, around: Around, new_tab: bool):
    trial = page("")
    before = around.chromium.shown()

    with pytest.raises(Refused, match="the browser's own DevTools"):
        await trial.do(await trial.plan("url.open", url=f"{around.chromium.url}/json/version", new_tab=new_tab))

    assert around.chromium.shown() == before
