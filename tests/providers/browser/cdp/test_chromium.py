"""A browser is connected to when it is needed, and again after it was lost."""

import socket
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.chromium import Chromium, name, open_tabs, target_of
from sayso.providers.browser.live.calling import Lost
from sayso.providers.browser.live.where import Endpoint
from sayso.runtime.clock import SystemClock
from tests.desktop_env.browser import Around, serving


def nobody() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def a_browser(port: int, own: Path | None = None, home: str = "/home/ana") -> Chromium:
    return Chromium(lambda: Endpoint("127.0.0.1", port, own=own), home, SystemClock())


def test_nobody_there_is_told_with_what_to_do():
    for own, wanted in ((None, "no browser answers: nothing answers at"), (Path("/own"), "sayso browser")):
        with pytest.raises(ProviderError, match=wanted), a_browser(nobody(), own).connected():
            pass


def test_somebody_else_there_is_no_browser():
    with serving() as site:
        for said_there in ("<html>", "{}", '{"webSocketDebuggerUrl": ""}'):
            site.pages["/json/version"] = said_there

            with pytest.raises(ProviderError, match="no browser's DevTools"), a_browser(site.port).connected():
                pass


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-09")
def test_another_browser_where_sayso_had_its_own_is_not_taken_for_it(around: Around):
    browser = a_browser(around.chromium.port, Path("/home/ana/.sayso/browser"))

    with pytest.raises(ProviderError, match="no browser is running for sayso"), browser.connected():
        pass


@pytest.mark.needs("chromium")
@pytest.mark.req("BR-09")
def test_a_real_browser_on_the_profile_of_the_person_is_left_alone(around: Around, tmp_path: Path):
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config" / "chromium").symlink_to(around.chromium.profile)
    browser = a_browser(around.chromium.port, home=str(tmp_path))

    with pytest.raises(SetupError, match="the profile you live in"), browser.connected():
        pass


@pytest.mark.needs("chromium")
def test_a_lost_connection_is_made_anew(around: Around):
    browser = a_browser(around.chromium.port)
    with browser.connected() as first:
        pass
    with pytest.raises(Lost), browser.connected():
        raise Lost("gone")
    with browser.connected() as second:
        key = second.key
    browser.close()

    assert first is not second
    assert key == around.chromium.path.rpartition("/")[2][:8]


@pytest.mark.needs("chromium")
@pytest.mark.req("T-41", "S4-28")
def test_tabs_come_in_the_order_of_windows_and_then_of_tabs(around: Around):
    urls = [around.web.url(f"/{number}") for number in range(5)]
    around.chromium.arrange(urls[:2], urls[2:])
    browser = a_browser(around.chromium.port)

    with browser.connected() as now:
        tabs = open_tabs(now)
        pages = now.devtools.ask(said.Targets, "Target.getTargets").target_infos
    browser.close()

    assert [tab.url for tab in tabs] == urls
    assert len({tab.window for tab in tabs[:2]}) == len({tab.window for tab in tabs[2:]}) == 1
    assert sum(page.type == "page" for page in pages) == 5
    assert target_of(now, tabs[0].id) == tabs[0].id.partition(".")[2]
    assert target_of(now, "another1.ABC") == ""
    assert name(now, "ABC") == f"{now.key}.ABC"
