"""A browser is spoken to where it may be: on this machine, and not on the profile that the person lives in."""

import socket
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.browser.cdp import protocol
from sayso.providers.browser.cdp.session import (
    KIND,
    Chromium,
    Waiting,
    endpoint,
    is_own,
    must_not_be_lived_in,
    name,
    open_tabs,
    option,
    ports_kept_away,
    target_of,
)
from sayso.providers.browser.remote.backend import Dialog
from sayso.providers.browser.remote.connection import Devtools, Lost
from sayso.providers.browser.remote.settings import Endpoint, Wanted, is_loopback
from sayso.runtime.system import SystemClock
from sayso.testing.fakes import FakeClock
from tests.desktop_env.browser import Around, serving


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("http://127.0.0.1:9222", Endpoint("127.0.0.1", 9222)),
        ("http://localhost:9222/", Endpoint("localhost", 9222)),
        ("127.0.0.1:9222", Endpoint("127.0.0.1", 9222)),
        ("ws://[::1]:9222/devtools/browser/ab-cd", Endpoint("::1", 9222, "/devtools/browser/ab-cd")),
    ],
)
def test_the_settings_say_where(url: str, found: Endpoint):
    assert endpoint(Wanted(url), "/nowhere") == found


@pytest.mark.parametrize("url", ["ftp://127.0.0.1:1", "http://127.0.0.1", "http://:9", "http://127.0.0.1:x", "://"])
def test_what_is_no_such_address_is_named(url: str):
    with pytest.raises(SetupError, match=r"write it like http://127\.0\.0\.1:9222"):
        endpoint(Wanted(url), "/nowhere")


@pytest.mark.req("BR-09", "SE-03")
@pytest.mark.parametrize("host", ["10.0.0.5", "browser.example", "localhost.example", "128.0.0.1", "[2001:db8::1]"])
def test_a_browser_elsewhere_is_not_spoken_to_until_the_settings_say_so(host: str):
    wanted = Wanted(f"http://{host}:9222")

    with pytest.raises(SetupError, match=r"browser\.remote = true"):
        endpoint(wanted, "/nowhere")

    assert endpoint(Wanted(wanted.url, remote=True), "/nowhere").port == 9222


def test_only_the_name_itself_counts_as_this_machine():
    found = {host: is_loopback(host) for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost", "127.1", "a.localhost")}

    assert [host for host, is_here in found.items() if is_here] == ["127.0.0.1", "127.9.9.9", "::1", "localhost"]


@pytest.mark.parametrize("told", [None, "", "x", "1\ny", "\n"])
def test_without_a_browser_of_its_own_it_says_how_to_start_one(tmp_path: Path, told: str | None):
    folder = KIND.profile(str(tmp_path))
    folder.mkdir()
    if told is not None:
        (folder / "sayso-port").write_text(told)

    with pytest.raises(ProviderError, match="sayso browser"):
        endpoint(Wanted(), str(tmp_path))


def test_its_own_browser_has_told_where_it_listens(tmp_path: Path):
    folder = KIND.profile(str(tmp_path))
    folder.mkdir()
    (folder / "sayso-port").write_text("9333")

    assert endpoint(Wanted(), str(tmp_path)) == Endpoint("127.0.0.1", 9333, own=folder)


@pytest.mark.req("BR-09")
@pytest.mark.parametrize(
    "line",
    [
        "",
        "/usr/bin/chromium --remote-debugging-port=9222",
        "chromium --user-data-dir=/home/ana/.config/chromium",
        "chrome --user-data-dir=/x --user-data-dir=/home/ana/.config/google-chrome/",
        "chrome --user-data-dir=/home/ana/.config/../.config/microsoft-edge --headless",
        "chrome --user-data-dir=/home/ana/.config/chromium about:blank",
        "vivaldi --user-data-dir=",
    ],
)
def test_the_profile_that_the_person_lives_in_is_left_alone(line: str):
    with pytest.raises(SetupError, match=r"browser\.default_profile = true"):
        must_not_be_lived_in(line, "/home/ana")


@pytest.mark.req("BR-09")
@pytest.mark.parametrize(
    ("place", "profile"),
    [
        ("snap/chromium/common", "chromium"),
        (".var/app/com.google.Chrome/config", "google-chrome"),
        (".var/app/org.chromium.Chromium/config", "chromium"),
    ],
)
def test_the_profile_of_a_packaged_browser_is_left_alone_too(tmp_path: Path, place: str, profile: str):
    (tmp_path / place / profile).mkdir(parents=True)

    with pytest.raises(SetupError, match=r"browser\.default_profile = true"):
        must_not_be_lived_in(f"chromium --user-data-dir={tmp_path / place / profile} about:blank", str(tmp_path))


@pytest.mark.parametrize("line", ["chromium --user-data-dir=/home/ana/other", "x --user-data-dir=/a b --headless"])
def test_any_other_profile_may_be_spoken_to(line: str):
    must_not_be_lived_in(line, "/home/ana")


def test_the_last_of_an_option_counts():
    assert option("x --a=1 --a=2 --ab=3", "a") == "2"
    assert option("x --ab=3", "a") == ""


def test_a_browser_says_which_ports_it_keeps_away_from():
    line = (
        "chromium --host-resolver-rules=MAP *:8737 ~NOTFOUND, MAP *:9 ~NOTFOUND, MAP a:7 ~NOTFOUND, MAP *:6 1.1.1.1 --x"
    )

    assert ports_kept_away(line) == {8737, 9}


def test_its_own_browser_is_known_by_its_profile():
    assert is_own("chromium --user-data-dir=/own/browser --headless", Path("/own/browser"))
    assert not is_own("chromium --user-data-dir=/own/browser2 --headless", Path("/own/browser"))
    assert not is_own("chromium", Path("/own/browser"))


@pytest.mark.req("BR-01")
@pytest.mark.parametrize(
    "options",
    [
        "--host-resolver-rules=MAP *:8737 ~NOTFOUND, EXCLUDE localhost",
        "--host-resolver-rules=MAP *.test 127.0.0.1, MAP *:8737 ~NOTFOUND",
        "--host-resolver-rules=MAP *:8737 ~NOTFOUND --proxy-server=127.0.0.1:3128",
        "--proxy-pac-url=http://x/ --host-resolver-rules=MAP *:8737 ~NOTFOUND",
    ],
)
def test_a_browser_that_may_get_there_all_the_same_keeps_away_from_nothing(options: str):
    assert ports_kept_away(f"chromium --headless {options} about:blank") == frozenset()


Told = tuple[str, dict[str, Any]]


class Wire:
    """Answers every call, and brings what it was given, one text at a time."""

    def __init__(self, *events: Told, session: str) -> None:
        self.sent: list[dict[str, Any]] = []
        self._coming: list[dict[str, Any]] = []
        self._events = [{"method": f"Page.{name}", "params": told, "sessionId": session} for name, told in events]
        self.waited = 0
        """How often something was waited for that did not come."""

    def send(self, *texts: bytes) -> None:
        self.sent += [msgspec.json.decode(text) for text in texts]
        self._coming += [{"id": call["id"], "result": {}} for call in self.sent[-len(texts) :]]

    def receive(self, seconds: float) -> list[bytes]:
        if not self._coming + self._events:
            self.waited += 1
            raise TimeoutError
        return [msgspec.json.encode((self._coming or self._events).pop(0))]

    def close(self) -> None:
        """Nothing to close."""


def waited(*events: Told, session: str = "s") -> tuple[Waiting, Wire]:
    wire = Wire(*events, session=session)
    devtools = Devtools(wire, FakeClock())
    waiting = Waiting(devtools, "s", "main")
    devtools.wait(lambda: False, 1)  # until all has been heard
    return waiting, wire


def answers(wire: Wire) -> list[bool]:
    return [call["params"]["accept"] for call in wire.sent if call["method"] == "Page.handleJavaScriptDialog"]


STARTED, STOPPED = ("frameStartedLoading", {"frameId": "main"}), ("frameStoppedLoading", {"frameId": "main"})


@pytest.mark.parametrize(
    "events", [(STARTED, STOPPED), (("frameStartedLoading", {"frameId": "other"}),), (STARTED, STOPPED, STOPPED), ()]
)
def test_what_has_come_or_is_not_waited_for_takes_no_time(events: tuple[Told, ...]):
    waiting, wire = waited(*events)
    before = wire.waited

    waiting.until_there()

    assert wire.waited == before


def test_what_is_still_coming_is_waited_for():
    waiting, wire = waited(STARTED)
    before = wire.waited

    waiting.until_there()

    assert wire.waited == before + 1


@pytest.mark.parametrize("kind", ["alert", "confirm", "prompt", "beforeunload"])
def test_only_an_alert_gets_a_yes(kind: str):
    waiting, wire = waited(("javascriptDialogOpening", {"type": kind, "message": "Sure?"}))

    assert waiting.dialogs == [Dialog(kind, "Sure?")]
    assert answers(wire) == [kind == "alert"]


def test_a_file_that_is_asked_for_is_a_question_too():
    waiting, wire = waited(("fileChooserOpened", {}))

    assert waiting.dialogs == [Dialog("file")]
    assert answers(wire) == []


def test_what_other_pages_do_does_not_matter():
    waiting, wire = waited(("javascriptDialogOpening", {"type": "confirm"}), session="another")

    assert waiting.dialogs == []
    assert answers(wire) == []


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
        pages = now.devtools.ask(protocol.Targets, "Target.getTargets").target_infos
    browser.close()

    assert [tab.url for tab in tabs] == urls
    assert len({tab.window for tab in tabs[:2]}) == len({tab.window for tab in tabs[2:]}) == 1
    assert sum(page.type == "page" for page in pages) == 5
    assert target_of(now, tabs[0].id) == tabs[0].id.partition(".")[2]
    assert target_of(now, "another1.ABC") == ""
    assert name(now, "ABC") == f"{now.key}.ABC"
