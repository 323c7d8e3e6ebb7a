"""A browser of the Chromium family: which one, and the connection to it."""

import itertools
import re
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.core.ports import Clock
from sayso.providers.browser.cdp import protocol
from sayso.providers.browser.remote import connection, settings
from sayso.providers.browser.remote.backend import Dialog
from sayso.providers.browser.remote.connection import Devtools, Event, Lost, No
from sayso.providers.browser.remote.driver import OpenTab
from sayso.providers.browser.remote.settings import Endpoint, Kind, Wanted

KIND = Kind("browser.cdp_url", "http://127.0.0.1:9222", "browser", "sayso browser")
USUAL_PROFILES = (
    "chromium", "google-chrome", "google-chrome-beta", "google-chrome-unstable", "microsoft-edge",
    "microsoft-edge-beta", "microsoft-edge-dev", "BraveSoftware/Brave-Browser", "BraveSoftware/Brave-Browser-Beta",
    "BraveSoftware/Brave-Browser-Nightly", "vivaldi", "vivaldi-snapshot", "opera", "opera-beta",
)  # fmt: skip
"""Where browsers of this family keep the profile that a person lives in, in a folder of settings."""
PACKAGED = ("snap/*/common", "snap/*/current/.config", ".var/app/*/config")
"""Where packages that have a home of their own keep their settings, beneath a person's home."""

_AWAY = re.compile(r"MAP \*:(\d+) ~NOTFOUND")


def endpoint(wanted: Wanted, own: str) -> Endpoint:
    """Return where the browser listens. Raises `SetupError` for what the settings must allow first."""
    return settings.endpoint(KIND, wanted, own)


def is_own(command_line: str, folder: Path) -> bool:
    """Say whether a browser runs on sayso's own profile: by now somebody else may listen where it did."""
    return str(folder) in _beginnings(option(command_line, "user-data-dir"))


def must_not_be_lived_in(command_line: str, home: str) -> None:
    """Raise `SetupError` when a browser runs on the profile that the person lives in, or does not say on which."""
    folder = option(command_line, "user-data-dir")
    places = [Path(home, ".config"), *(place for pattern in PACKAGED for place in Path(home).glob(pattern))]
    usual = {(place / name).resolve() for place in places for name in USUAL_PROFILES}
    if not folder or any(Path(beginning).resolve() in usual for beginning in _beginnings(folder)):
        raise KIND.profile_in_use()


def _beginnings(folder: str) -> list[str]:
    """Return what a folder may be called whose end cannot be told from what follows it."""
    words = folder.split(" ")
    return [" ".join(words[:count]) for count in range(1, len(words) + 1)]


def option(command_line: str, name: str) -> str:
    """Return the value of the last option of this name, empty when there is none. Nothing is quoted in such a line."""
    found = re.findall(rf"(?:^| )--{re.escape(name)}=(.*?)(?= --|$)", command_line, re.DOTALL)
    return found[-1] if found else ""


def ports_kept_away(command_line: str) -> frozenset[int]:
    """Return the ports that a browser was started to keep away from, whatever host they are on.

    A rule before them, an exception or a proxy could lead there all the same; then they count for nothing.
    """
    rules = option(command_line, "host-resolver-rules")
    if "exclude" in rules.lower() or " --proxy-" in command_line:
        return frozenset()
    first = itertools.takewhile(bool, (_AWAY.fullmatch(rule.strip()) for rule in rules.split(",")))
    return frozenset(int(rule[1]) for rule in first if rule)


LOADING = 10.0


class Waiting:
    """What was heard of one page since this began."""

    def __init__(self, devtools: Devtools, session: str, frame: str) -> None:
        self._devtools = devtools
        self._session = session
        self._frame = frame
        self._going = False
        self.dialogs: list[Dialog] = []
        devtools.tell("Page.enable", session)
        devtools.tell("Page.setInterceptFileChooserDialog", session, enabled=True, cancel=True)
        self.stop = devtools.listen(self._heard)

    def _heard(self, event: Event) -> None:
        if event.session != self._session:
            return
        match event.method:
            case "Page.frameStartedLoading" | "Page.frameStartedNavigating":
                self._going = self._going or event.read(protocol.InFrame).frame_id == self._frame
            case "Page.frameStoppedLoading":
                self._going = self._going and event.read(protocol.InFrame).frame_id != self._frame
            case "Page.javascriptDialogOpening":
                asked = event.read(Dialog)
                self.dialogs.append(asked)
                self._devtools.say("Page.handleJavaScriptDialog", self._session, accept=asked.type == "alert")
            case "Page.fileChooserOpened":
                self.dialogs.append(Dialog("file"))
            case _:
                pass

    def until_there(self) -> None:
        """Wait until the page that was gone to is there."""
        self._devtools.wait(lambda: not self._going, LOADING)


TAB = [{"type": "tab"}]
PAGE = [{"type": "page"}]
SHORT = 8
"""How much of a browser's own id stands in front of each tab's, so that another browser's tab is never taken for it."""


class Front:
    """What is known of the front beyond what the browser tells."""

    def __init__(self) -> None:
        self.brought = ""
        """The tab that was brought there last."""
        self.on_no_screen = False
        """Every page says that it has the attention."""
        self.among: tuple[str, ...] = ()
        """The tabs in front of their windows when the browser was last asked which of them was there last."""
        self.last = ""
        """Which of them was."""


class Connected(Struct, frozen=True):
    """A connection that stands."""

    devtools: Devtools
    at: Endpoint
    key: str
    """What tells this run of the browser from any other."""
    kept_away: frozenset[int]
    front: Front


class Chromium:
    """One browser. Everything here waits; several threads take turns."""

    def __init__(self, find: Callable[[], Endpoint], home: str, clock: Clock, *, lived_in: bool = False) -> None:
        self._find = find
        self._home = home
        self._clock = clock
        self._lived_in = lived_in
        self._now: Connected | None = None
        self._turn = threading.RLock()

    @contextmanager
    def connected(self) -> Generator[Connected]:
        """Yield the connection, for one thread. Raises `ProviderError` where no browser answers, and `SetupError`."""
        with self._turn:
            if self._now is None:
                self._now = self._connect()
            try:
                yield self._now
            except (Lost, TimeoutError):
                self.close()
                raise

    def close(self) -> None:
        """Let go of the browser; it goes on."""
        now, self._now = self._now, None
        if now is not None:
            now.devtools.close()

    def _connect(self) -> Connected:
        at = self._find()
        try:
            path = at.path or _path(fetch_targets(at, "/json/version"))
            devtools = Devtools(connection.wire(at.host, at.port, path), self._clock)
        except Lost as no:
            if at.own is not None:
                raise KIND.not_running() from no
            raise ProviderError(f"no browser answers: {no}", "browser.not_running") from no
        try:
            line = self._command_line(devtools)
            self._must_be_meant(at, line)
        except BaseException:
            devtools.close()
            raise
        return Connected(devtools, at, path.rpartition("/")[2][:SHORT], ports_kept_away(line), Front())

    def _must_be_meant(self, at: Endpoint, line: str) -> None:
        if at.own is not None and not is_own(line, at.own):
            raise KIND.not_running()
        if at.own is None and not self._lived_in:
            must_not_be_lived_in(line, self._home)

    def _command_line(self, devtools: Devtools) -> str:
        try:
            return devtools.ask(protocol.Machine, "SystemInfo.getInfo").command_line
        except (No, Lost, TimeoutError):
            return ""


def open_tabs(now: Connected) -> list[OpenTab]:
    """Return the tabs, in the order of windows and then of tabs."""
    found = _targets(now)
    asked = [{"targetId": target.target_id} for target in found]
    windows = now.devtools.ask_all(protocol.Window, "Browser.getWindowForTarget", asked)
    placed: list[tuple[int, int, OpenTab]] = []
    for order, (target, window) in enumerate(zip(found, windows, strict=True)):
        if isinstance(window, No):
            continue  # it was closed just now, or is no tab of a window
        at = target.embedder_data or protocol.Placed(tab_strip_index=order)
        tab = OpenTab(
            name(now, target.target_id),
            str(window.window_id),
            target.url,
            target.title,
            target.opener_id,
            at.tab_active,
        )
        placed.append((window.window_id, at.tab_strip_index, tab))
    return [tab for _, _, tab in sorted(placed, key=lambda one: one[:2])]


def targets(now: Connected) -> set[str]:
    """Return which targets are tabs; much sooner told than where each of them is."""
    return {target.target_id for target in _targets(now)}


def _targets(now: Connected) -> tuple[protocol.Target, ...]:
    found = now.devtools.ask(protocol.Targets, "Target.getTargets", filter=TAB).target_infos
    # Before there were targets for tabs, each page of a window was its tab.
    return found or now.devtools.ask(protocol.Targets, "Target.getTargets", filter=PAGE).target_infos


def name(now: Connected, target: str) -> str:
    """Return what a target is called: which browser, and which of its targets."""
    return f"{now.key}.{target}"


def target_of(now: Connected, tab: str) -> str:
    """Return the target that a tab is, empty when it is one of another browser, or of one that has ended."""
    key, _, target = tab.partition(".")
    return target if key == now.key else ""


def fetch_targets(at: Endpoint, path: str) -> bytes:
    """Return what the browser's own list says. Raises `Lost`."""
    return connection.fetch_targets(at.host, at.port, path)


def _path(version: bytes) -> str:
    try:
        url = msgspec.json.decode(version, type=protocol.Version).websocket_debugger_url
    except msgspec.MsgspecError as no:
        raise Lost("what answers there is no browser's DevTools") from no
    if not url:
        raise Lost("what answers there is no browser's DevTools")
    return "/" + url.partition("//")[2].partition("/")[2]
