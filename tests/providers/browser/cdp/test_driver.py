"""A Chromium that runs, that does not, and the tab in front of it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.core.ports import Backend, BackendContext
from sayso.providers.browser import BROWSER
from sayso.providers.browser.address import announce_page
from sayso.providers.browser.cdp.driver import Spoke, bring, chromium, front, inspect_browser, running
from sayso.providers.browser.cdp.session import KIND, Chromium, open_tabs
from sayso.providers.browser.remote.backend import Live
from sayso.providers.browser.remote.settings import Endpoint, Running, Wanted
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.browser import BrowserSuite
from sayso.testing.harness import Trial
from tests.desktop_env import browser
from tests.desktop_env.browser import Around
from tests.desktop_env.session import Session, wait_for
from tests.providers.browser.conftest import Making


def ground(home: Path) -> BackendContext:
    return BackendContext({}, str(home), str(home / "own"), (), SystemClock(), RandomIds())


def test_none_runs(tmp_path: Path):
    assert running(chromium(ground(tmp_path), Wanted()), frozenset()) is None


@pytest.mark.needs("chromium")
def test_one_that_runs_says_what_it_lacks(around: Around, tmp_path: Path):
    browser = chromium(ground(tmp_path), Wanted(around.chromium.url))
    port = around.chromium.port

    told = running(browser, frozenset({around.kept_away.port}))
    lacking = running(browser, frozenset({9}))
    browser.close()

    assert told == Running(port)
    assert lacking == Running(port, "--host-resolver-rules=MAP *:9 ~NOTFOUND")


def nobody() -> Endpoint:
    raise KIND.not_running()


@pytest.mark.req("X-05")
def test_without_one_it_is_said_how_to_start_one():
    (one,) = inspect_browser(Chromium(nobody, "/home/ana", SystemClock()), frozenset(), Wanted())

    assert (one.served, one.fix) == ("", "sayso browser")
    assert "no browser is running for sayso" in one.why


@pytest.mark.needs("chromium")
def test_one_that_was_not_told_is_named_with_the_option_it_lacks(around: Around):
    chromium = Chromium(lambda: Endpoint("127.0.0.1", around.chromium.port), "/home/ana", SystemClock())

    told = inspect_browser(chromium, frozenset({around.kept_away.port}), Wanted())
    lacking = inspect_browser(chromium, frozenset({around.kept_away.port, 9}), Wanted())
    chromium.close()

    assert [one.name for one in told] == ["tabs and pages", "own pages"]
    assert told[0].served == f"the browser at 127.0.0.1:{around.chromium.port}"
    assert told[1].served == "the browser itself"
    assert "--host-resolver-rules=MAP *:9 ~NOTFOUND" in lacking[1].why


@pytest.mark.needs("chromium")
def test_tabs_front_and_words_are_those_of_the_browser(around: Around):
    urls = [around.web.url(f"/{number}") for number in range(3)]
    around.chromium.arrange(urls)
    browser = Spoke(Chromium(lambda: Endpoint("127.0.0.1", around.chromium.port), "/home/ana", SystemClock()))

    with browser.connected() as now:
        tabs = now.tabs()
        raw = now.raw(frozenset())
        knows = [now.knows(tabs[0].id), now.knows("another1.X")]
        closed_off = now.hands(frozenset({1}), Path("/nowhere")).closed_off
        front = now.front(tabs)
    browser.close()

    assert [tab.url for tab in tabs] == urls
    assert all(url in raw for url in urls)
    assert (knows, front) == ([True, False], tabs[0].id)
    assert closed_off == {1, around.chromium.port}


@pytest.mark.needs("chromium")
class TestCdp(BrowserSuite):
    """The suite on a real browser."""

    @pytest.fixture(autouse=True)
    def _two_windows(self, around: Around, making: Making) -> None:
        urls = [around.web.url(f"/{number}") for number in range(1, 6)]
        around.chromium.arrange(urls[:2], urls[2:])
        titles = {f"/{number}" for number in range(1, 6)}
        wait_for(lambda: {each["title"] for each in around.chromium.get("/json/list")} >= titles, "their titles")
        self.making = making
        self.elsewhere = around.web.url("/elsewhere")

    def make(self) -> Backend:
        return self.making()


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-02", "SE-01")
async def test_pages_of_the_browser_itself_are_left_alone(around: Around, making: Making):
    around.chromium.arrange(["chrome://version/"])

    with pytest.raises(ProviderError, match="is no page of the web, and is left alone"):
        await Trial(BROWSER, making()).answer("page.text")
    around.chromium.arrange([around.web.url("/next")])


def fronted(port: int, *urls: str) -> list[str]:
    """Bring these to the front, one after the other; return what is told to be there each time."""
    chromium = Chromium(lambda: Endpoint("127.0.0.1", port), "/home/ana", SystemClock())
    told: list[str] = []
    with chromium.connected() as now:
        for url in urls:
            bring(now, next(tab.id for tab in open_tabs(now) if tab.url == url))
            tabs = open_tabs(now)
            told.append(next(tab.url for tab in tabs if tab.id == front(now, tabs)))
    chromium.close()
    return told


@pytest.mark.needs("chromium")
@pytest.mark.req("S4-29")
def test_without_a_screen_it_is_the_one_that_was_brought_there(around: Around):
    urls = [around.web.url(f"/{number}") for number in range(4)]
    around.chromium.arrange(urls[:2], urls[2:])
    order = [urls[2], urls[0], urls[3], urls[1], urls[3]]

    assert fronted(around.chromium.port, *order) == order


@pytest.mark.needs("chromium")
@pytest.mark.req("S4-29")
def test_on_a_screen_it_is_the_one_with_the_attention(
    around: Around, x_session: Session, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(browser, "FLAGS", tuple(flag for flag in browser.FLAGS if not flag.startswith("--headless")))
    made = browser.Chromium(x_session)
    urls = [around.web.url(f"/{number}") for number in range(4)]
    made.arrange(urls[:2], urls[2:])
    order = [urls[2], urls[0], urls[3], urls[1]]

    assert fronted(made.port, *order) == order
    x_session.end(made.process)


@pytest.mark.needs("chromium")
def test_a_tab_that_is_gone_is_told(around: Around):
    around.chromium.arrange([around.web.url("/1"), around.web.url("/2")])
    chromium = Chromium(lambda: Endpoint("127.0.0.1", around.chromium.port), "/home/ana", SystemClock())

    with chromium.connected() as now, pytest.raises(ProviderError, match="no longer open; nothing was changed"):
        bring(now, f"{now.key}.GONE")
    chromium.close()


@pytest.mark.needs("chromium")
@pytest.mark.req("S4-40", "T-109")
async def test_the_browsers_own_words_name_every_tab_and_are_cut(around: Around, making: Callable[..., Live]):
    urls = [around.web.url(f"/{number}") for number in (1, 2)]
    around.chromium.arrange(urls)
    wait_for(lambda: {"/1", "/2"} <= {each["title"] for each in around.chromium.get("/json/list")}, "the titles")
    reads = making().reads

    raw = await reads.raw(10_000)

    assert {(tab["url"], tab["title"], tab["type"]) for tab in json.loads(raw)} == {
        (urls[0], "/1", "tab"),
        (urls[1], "/2", "tab"),
    }
    assert await reads.raw(7) == raw[:7]


@pytest.mark.needs("chromium")
@pytest.mark.req("S4-40", "BR-01")
async def test_pages_of_sayso_itself_are_not_among_them(
    around: Around, making: Callable[..., Live], scratch_home: Path
):
    around.chromium.arrange([around.web.url("/1"), around.free.url("/approve")])
    reads = making().reads

    before = await reads.raw(10_000)
    with announce_page(str(scratch_home.parent / "sayso"), around.free.port):
        raw = await reads.raw(10_000)

    assert "/approve" in before
    assert [tab["url"] for tab in json.loads(raw)] == [around.web.url("/1")]
