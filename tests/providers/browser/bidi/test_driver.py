"""A Firefox that runs, that does not, and the tab in front of it."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.core.ports import Backend, BackendContext
from sayso.providers.browser.bidi.driver import Spoke, bring, firefox, front, inspect_browser, running
from sayso.providers.browser.remote.settings import Wanted
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.browser import BrowserSuite
from tests.desktop_env import firefox as desktop
from tests.desktop_env.browser import Around
from tests.desktop_env.session import Session
from tests.providers.browser.bidi.conftest import Speaking
from tests.providers.browser.conftest import Making


def test_none_runs(tmp_path: Path):
    ground = BackendContext({}, str(tmp_path), str(tmp_path / "own"), (), SystemClock(), RandomIds())

    assert running(firefox(ground, Wanted()), frozenset()) is None


@pytest.mark.req("X-05")
def test_without_one_it_is_said_how_to_start_one(tmp_path: Path):
    ground = BackendContext({}, str(tmp_path), str(tmp_path / "own"), (), SystemClock(), RandomIds())

    (one,) = inspect_browser(firefox(ground, Wanted()), frozenset(), Wanted())

    assert (one.served, one.fix) == ("", "sayso browser --firefox")
    assert "no browser is running for sayso" in one.why


@pytest.mark.needs("firefox-esr")
def test_one_that_was_not_told_is_named_with_the_line_it_lacks(around: Around, tmp_path: Path):
    ground = BackendContext({}, str(tmp_path), str(tmp_path / "own"), (), SystemClock(), RandomIds())
    browser = firefox(ground, Wanted(around.chromium.url))

    told = inspect_browser(browser, frozenset({around.kept_away.port, 8737}), Wanted())
    lacking = inspect_browser(browser, frozenset({around.kept_away.port, 9}), Wanted())

    assert [one.name for one in told] == ["tabs and pages", "own pages"]
    assert told[0].served == f"Firefox at 127.0.0.1:{around.chromium.port}"
    assert told[1].served == "Firefox itself"
    assert lacking[1].served == ""
    wanted = ",".join(str(port) for port in sorted({9, 8737, around.kept_away.port}))
    assert f'user_pref("network.security.ports.banned", "{wanted}");' in lacking[1].why


@pytest.mark.needs("firefox-esr")
@pytest.mark.req("S4-40", "BR-01")
def test_tabs_front_and_words_are_those_of_the_browser(around: Around, spoken: Speaking):
    urls = [around.web.url("/1"), around.free.url("/approve")]
    around.chromium.arrange(urls)

    with spoken().connected() as now:
        tabs = now.tabs()
        raw = now.raw(frozenset({around.free.port}))
        closed_off = now.hands(frozenset({1}), Path("/nowhere")).closed_off
        front = now.front(tabs)

    assert [tab.url for tab in tabs] == urls
    assert urls[0] in raw
    assert "/approve" not in raw
    assert front == tabs[0].id
    assert closed_off == {1, around.chromium.port}


@pytest.mark.thorough
@pytest.mark.needs("firefox-esr")
class TestBidi(BrowserSuite):
    """The suite on a real Firefox."""

    @pytest.fixture(autouse=True)
    def _two_windows(self, around: Around, making: Making) -> None:
        urls = [around.web.url(f"/{number}") for number in range(1, 6)]
        around.chromium.arrange(urls[:2], urls[2:])
        self.making = making
        self.elsewhere = around.web.url("/elsewhere")

    def make(self) -> Backend:
        return self.making()


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("S4-29")
def test_it_is_the_one_that_was_brought_there(around: Around, spoken: Speaking):
    urls = [around.web.url(f"/{number}") for number in range(4)]
    around.chromium.arrange(urls[:2], urls[2:])
    order = [urls[2], urls[0], urls[3], urls[1], urls[3]]
    told: list[tuple[str, str]] = []
    for url in order:
        with spoken().connected() as now:
            bring(now.now, next(tab.id for tab in now.tabs() if tab.url == url))
            tabs = now.tabs()
            there = next(tab.url for tab in tabs if tab.id == front(now.now, tabs))
        told.append((there, around.chromium.shown()[0]))

    assert told == [(url, url) for url in order]


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
def test_a_tab_that_is_gone_is_told_and_without_tabs_none_is_in_front(around: Around, spoken: Speaking):
    around.chromium.arrange([around.web.url("/1")])

    with spoken().connected() as now:
        gone = f"{now.tabs()[0].id}9"
        with pytest.raises(ProviderError, match="no longer open; nothing was changed"):
            bring(now.now, gone)
        assert front(now.now, []) == ""


@pytest.mark.needs("firefox-esr")
@pytest.mark.thorough
@pytest.mark.req("S4-29")
def test_on_a_screen_it_is_the_one_with_the_attention(
    around: Around, x_session: Session, scratch_home: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(desktop, "FLAGS", tuple(flag for flag in desktop.FLAGS if flag != "--headless"))
    made = desktop.Firefox(x_session)
    urls = [around.web.url(f"/{number}") for number in range(4)]
    made.arrange(urls[:2], urls[2:])
    ground = BackendContext({}, str(scratch_home), str(scratch_home.parent / "sayso"), (), SystemClock(), RandomIds())
    browser = Spoke(firefox(ground, Wanted(made.url)))
    order, told = [urls[2], urls[0], urls[3], urls[1]], list[str]()

    for url in order:
        with browser.connected() as now:
            bring(now.now, next(tab.id for tab in now.tabs() if tab.url == url))
        with browser.connected() as now:
            tabs = now.tabs()
            told.append(next(tab.url for tab in tabs if tab.id == front(now.now, tabs)))

    assert told == order
    x_session.end(made.process)
