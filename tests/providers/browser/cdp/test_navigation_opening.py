"""Addresses are shown, or it is said why not and nothing has changed."""

import threading
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.browser import BROWSER
from sayso.testing.harness import Trial
from tests.desktop_env.browser import Answer, Around
from tests.desktop_env.session import wait_for
from tests.patience import patience
from tests.providers.browser.conftest import Making, Showing, a_file

pytestmark = pytest.mark.needs("chromium")


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
            first_is_over.wait(patience())
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


@pytest.mark.req("BR-07")
@pytest.mark.parametrize("within", [True, False])
async def test_a_file_that_comes_after_the_click_was_done_lies_within_the_roots_or_nowhere(
    page: Showing, around: Around, scratch_home: Path, within: bool
):
    downloads = scratch_home / "Downloads"
    downloads.mkdir()
    done = threading.Event()
    around.web.pages["/file"] = a_file
    around.web.pages["/done"] = lambda: (200, {}, b"%d" % done.wait(patience()))
    around.web.asked.clear()
    late = "<a id=d href=/file></a><button id=b onclick='fetch(`/done`).then(() => d.click())'>x</button>"
    trial = page(late, roots=(str(downloads),) if within else ())

    await trial.do(await trial.plan("page.click", selector="#b"))
    before = list(around.web.asked)
    done.set()
    wait_for(lambda: "/file" in around.web.asked, "the file that comes late")
    wait_for(lambda: not within or list(downloads.glob("*.sh")), "the file")

    found = [path for home in (scratch_home, around.chromium.session.home) for path in home.rglob("*.sh*")]
    assert "/file" not in before
    assert {path.parent for path in found} == ({downloads} if within else set())


@pytest.mark.req("BR-08", "SE-03")
async def test_the_tools_of_the_browser_itself_are_no_page(page: Showing, around: Around):
    trial = page("")
    before = around.chromium.shown()

    for new_tab in (True, False):
        with pytest.raises(Refused, match="the browser's own DevTools"):
            await trial.do(await trial.plan("url.open", url=f"{around.chromium.url}/json/version", new_tab=new_tab))

    assert around.chromium.shown() == before
