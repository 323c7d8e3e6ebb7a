"""A browser that does not run is no error to look for; one that runs says what it was not told."""

from pathlib import Path

import pytest

from sayso.core.ports import Ground
from sayso.providers.browser.cdp.driver import Spoke, chromium, inspect_browser, running
from sayso.providers.browser.cdp.session import KIND, Chromium
from sayso.providers.browser.remote.settings import Endpoint, Running, Wanted
from sayso.runtime.system import RandomIds, SystemClock
from tests.desktop_env.browser import Around


def ground(home: Path) -> Ground:
    return Ground({}, str(home), str(home / "own"), (), SystemClock(), RandomIds())


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
