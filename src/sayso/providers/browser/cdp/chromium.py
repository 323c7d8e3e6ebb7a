"""The browser itself: connected to when it is first needed, asked for its tabs, and let go of."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

import msgspec

from sayso.core.errors import ProviderError
from sayso.core.ports import Clock
from sayso.core.values import dataclass
from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.where import KIND, is_own, must_not_be_lived_in, ports_kept_away
from sayso.providers.browser.live import wires
from sayso.providers.browser.live.calling import Devtools, Lost, No
from sayso.providers.browser.live.ports import OpenTab
from sayso.providers.browser.live.where import Endpoint

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


@dataclass(frozen=True, slots=True)
class Connected:
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
            path = at.path or _path(fetched(at, "/json/version"))
            devtools = Devtools(wires.wire(at.host, at.port, path), self._clock)
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
            return devtools.ask(said.Machine, "SystemInfo.getInfo").command_line
        except (No, Lost, TimeoutError):
            return ""


def open_tabs(now: Connected) -> list[OpenTab]:
    """Return the tabs, in the order of windows and then of tabs."""
    found = _targets(now)
    asked = [{"targetId": target.target_id} for target in found]
    windows = now.devtools.ask_all(said.Window, "Browser.getWindowForTarget", asked)
    placed: list[tuple[int, int, OpenTab]] = []
    for order, (target, window) in enumerate(zip(found, windows, strict=True)):
        if isinstance(window, No):
            continue  # it was closed just now, or is no tab of a window
        at = target.embedder_data or said.Placed(tab_strip_index=order)
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


def _targets(now: Connected) -> tuple[said.Target, ...]:
    found = now.devtools.ask(said.Targets, "Target.getTargets", filter=TAB).target_infos
    # Before there were targets for tabs, each page of a window was its tab.
    return found or now.devtools.ask(said.Targets, "Target.getTargets", filter=PAGE).target_infos


def name(now: Connected, target: str) -> str:
    """Return what a target is called: which browser, and which of its targets."""
    return f"{now.key}.{target}"


def target_of(now: Connected, tab: str) -> str:
    """Return the target that a tab is, empty when it is one of another browser, or of one that has ended."""
    key, _, target = tab.partition(".")
    return target if key == now.key else ""


def fetched(at: Endpoint, path: str) -> bytes:
    """Return what the browser's own list says. Raises `Lost`."""
    return wires.fetched(at.host, at.port, path)


def _path(version: bytes) -> str:
    try:
        url = msgspec.json.decode(version, type=said.Version).websocket_debugger_url
    except msgspec.MsgspecError as no:
        raise Lost("what answers there is no browser's DevTools") from no
    if not url:
        raise Lost("what answers there is no browser's DevTools")
    return "/" + url.partition("//")[2].partition("/")[2]
