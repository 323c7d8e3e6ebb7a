"""A Firefox that does not run is no error to look for."""

from pathlib import Path

import pytest

from sayso.core.ports import Ground
from sayso.providers.browser.bidi.driver import firefox, inspect_browser, running
from sayso.providers.browser.remote.settings import Wanted
from sayso.runtime.system import RandomIds, SystemClock
from tests.desktop_env.browser import Around
from tests.providers.browser.bidi.conftest import Speaking


def test_none_runs(tmp_path: Path):
    ground = Ground({}, str(tmp_path), str(tmp_path / "own"), (), SystemClock(), RandomIds())

    assert running(firefox(ground, Wanted()), frozenset()) is None


@pytest.mark.req("X-05")
def test_without_one_it_is_said_how_to_start_one(tmp_path: Path):
    ground = Ground({}, str(tmp_path), str(tmp_path / "own"), (), SystemClock(), RandomIds())

    (one,) = inspect_browser(firefox(ground, Wanted()), frozenset(), Wanted())

    assert (one.served, one.fix) == ("", "sayso browser --firefox")
    assert "no browser is running for sayso" in one.why


@pytest.mark.needs("firefox-esr")
def test_one_that_was_not_told_is_named_with_the_line_it_lacks(around: Around, tmp_path: Path):
    ground = Ground({}, str(tmp_path), str(tmp_path / "own"), (), SystemClock(), RandomIds())
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
