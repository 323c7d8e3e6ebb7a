"""The driver for browsers of the Chromium family."""

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from sayso.core.errors import ProviderError, SaysoError, Uncertain
from sayso.core.plan import Facts
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.browser.cdp import navigation, protocol
from sayso.providers.browser.cdp.guard import flag
from sayso.providers.browser.cdp.navigation import Opens
from sayso.providers.browser.cdp.page import Inside, inside
from sayso.providers.browser.cdp.session import (
    KIND,
    PAGE,
    TAB,
    Chromium,
    Connected,
    endpoint,
    fetch_targets,
    name,
    open_tabs,
    target_of,
)
from sayso.providers.browser.model import ReopenTabs, TabAt
from sayso.providers.browser.remote import connection
from sayso.providers.browser.remote.backend import Live
from sayso.providers.browser.remote.connection import No
from sayso.providers.browser.remote.driver import OpenTab
from sayso.providers.browser.remote.settings import Running, Wanted, explain_unserved, leads_to, read_settings

SOON = 0.5
"""Seconds for a page to say whether it has the attention; one that hangs has not."""

LOOKS, PAUSE = 100, 0.02
"""How often is looked at most whether a tab has come to the front, and how many seconds lie between two looks."""


def front(now: Connected, tabs: Sequence[OpenTab]) -> str:
    """Return the id of the tab in front, empty when none is open."""
    shown = [tab.id for tab in tabs if tab.active]
    if len(shown) <= 1:
        return shown[0] if shown else _last_seen(now, [tab.id for tab in tabs])
    attended = [] if now.front.on_no_screen else [tab for tab in shown if _has_attention(now, tab)]
    now.front.on_no_screen = now.front.on_no_screen or len(attended) > 1
    if len(attended) == 1:
        return attended[0]
    if now.front.brought in shown:
        return now.front.brought
    # The browser's answer changes only when another tab comes to the front of its window.
    if now.front.among != tuple(shown):
        now.front.among, now.front.last = tuple(shown), _last_seen(now, shown)
    return now.front.last


def _has_attention(now: Connected, tab: str) -> bool:
    try:
        with inside(now, tab) as page:
            asked = page.ask(
                protocol.Ran, "Runtime.evaluate", seconds=SOON, expression="document.hasFocus()", returnByValue=True
            )
    except (ProviderError, No):
        return False
    return asked.result.value is True


def _last_seen(now: Connected, among: Sequence[str]) -> str:
    told = msgspec.json.decode(fetch_targets(now.at, "/json/list?for_tab"), type=list[protocol.Listed])
    return next((tab for tab in (name(now, target.id) for target in told) if tab in among), "")


def bring(now: Connected, tab: str) -> None:
    """Bring a tab and its window to the front. Raises `ProviderError` when it is gone, `Uncertain` when it stays."""
    target = target_of(now, tab)
    try:
        shown = now.devtools.ask(protocol.Shown, "Browser.getWindowForTarget", targetId=target)
        if shown.bounds.window_state == "minimized":
            now.devtools.tell("Browser.setWindowBounds", windowId=shown.window_id, bounds={"windowState": "normal"})
        now.devtools.tell("Target.activateTarget", targetId=target)
    except No as no:
        raise ProviderError("the tab is no longer open; nothing was changed", "tab.closed") from no
    now.front.brought = tab
    for _ in range(LOOKS):
        if front(now, open_tabs(now)) == tab:
            return
        now.devtools.wait(lambda: False, PAUSE)
    raise Uncertain("the browser did not bring the tab to the front")


def running(browser: Chromium, ports: frozenset[int]) -> Running | None:
    """Return how it runs; None when it does not. Raises `SetupError` where nothing here could speak to it."""
    connection.must_be_there()
    try:
        with browser.connected() as now:
            exposed = ports - now.kept_away
            return Running(now.at.port, flag(exposed) if exposed else "")
    except ProviderError as no:
        if no.code != "browser.not_running":
            raise
        return None


def end(browser: Chromium) -> None:
    """End it, with all its tabs."""
    with browser.connected() as now:
        now.devtools.tell("Browser.close")


class _Told(protocol.Base, frozen=True):
    target_infos: tuple[msgspec.Raw, ...]


def raw_tabs(now: Connected, ports: frozenset[int]) -> str:
    """Return the JSON of all tabs but those of sayso's own pages."""
    infos = _infos(now, TAB) or _infos(now, PAGE)
    return f"[{','.join(bytes(info).decode() for info in infos if not _is_own(info, ports))}]"


def _infos(now: Connected, kinds: list[dict[str, str]]) -> tuple[msgspec.Raw, ...]:
    return now.devtools.ask(_Told, "Target.getTargets", filter=kinds).target_infos


def _is_own(info: msgspec.Raw, ports: frozenset[int]) -> bool:
    return leads_to(msgspec.json.decode(info, type=protocol.Target).url, ports)


def chromium(ground: BackendContext, wanted: Wanted) -> Chromium:
    """Return the browser that is wanted; it is connected to when it is needed."""
    return Chromium(lambda: endpoint(wanted, ground.own), ground.home, ground.clock, lived_in=wanted.default_profile)


def inspect_browser(browser: Chromium, ports: frozenset[int], wanted: Wanted) -> tuple[Capability, ...]:
    """Look, without changing anything in it."""
    try:
        connection.must_be_there()
        with browser.connected() as now:
            at, exposed = now.at, ports - now.kept_away
    except SaysoError as no:
        return (explain_unserved(KIND, wanted, no),)
    whose = "a profile of sayso's own" if at.own is not None else "the settings name it"
    serves = Capability("tabs and pages", f"the browser at {at.host}:{at.port}", whose)
    if not exposed:
        return serves, Capability(
            "own pages", "the browser itself", "it was started to keep away from sayso's own pages"
        )
    return serves, Capability(
        "own pages",
        "sayso, while an action goes on",
        f"the browser was not started to keep away from sayso's own pages; start it with '{flag(exposed)}'",
    )


class Spoken(Struct, frozen=True):
    """A connection that stands."""

    now: Connected

    def tabs(self) -> list[OpenTab]:
        """Return the tabs, in the order of windows and then of tabs."""
        return open_tabs(self.now)

    def front(self, tabs: Sequence[OpenTab]) -> str:
        """Return the id of the tab in front, empty when none is open."""
        return front(self.now, tabs)

    def raw(self, ports: frozenset[int]) -> str:
        """Return the JSON of all tabs but those of sayso's own pages."""
        return raw_tabs(self.now, ports)

    def knows(self, tab: str) -> bool:
        """Say whether an id is one of this run of the browser, open or not."""
        return target_of(self.now, tab) != ""

    def inside(self, tab: str) -> AbstractContextManager[Inside]:
        """Yield the page of a tab."""
        return inside(self.now, tab)

    def hands(self, ports: frozenset[int], downloads: Path | None) -> "Hands":
        """Return what acts over it."""
        return Hands(self.now, Opens(self.now, ports, downloads))


class Hands(Spoken, frozen=True):
    """A connection that something is done over."""

    opens: Opens

    @property
    def closed_off(self) -> frozenset[int]:
        """Return the ports that nothing may lead to."""
        return self.opens.closed_off

    def held(self, *, files: bool = False) -> AbstractContextManager[None]:
        """Hold the browser to its bounds while something is done in it; with `files` one may be downloaded."""
        return self.opens.held(files=files)

    def shown(self, tab: str) -> TabAt:
        """Return the fact of what a tab shows now."""
        return navigation.tab_fact(self.opens, tab)

    def opened(self, url: str) -> Facts:
        """Open an address in a new tab in front."""
        return navigation.open_tab(self.opens, url)

    def navigated(self, tab: str, url: str) -> Facts:
        """Show an address in a tab."""
        return navigation.navigate_tab(self.opens, tab, url)

    def bring(self, tab: str) -> None:
        """Bring a tab and its window to the front."""
        bring(self.now, tab)

    def empty_tab(self) -> None:
        """Open an empty tab behind the others."""
        self.now.devtools.tell("Target.createTarget", url="about:blank", background=True)

    def end(self, tabs: Sequence[str]) -> set[str]:
        """Close these tabs in this order; return those that are still there after a while."""
        return navigation.close_tabs(self.now, tabs)

    def again(self, step: ReopenTabs) -> AbstractContextManager[list[str]]:
        """Open tabs again, each in its window at its place; yield their ids as they begin to show their pages."""
        return navigation.again(self.opens, step)


class Spoke(Struct, frozen=True):
    """One browser, spoken to."""

    chromium: Chromium

    @contextmanager
    def connected(self) -> Generator[Spoken]:
        """Yield the connection, for one thread."""
        with self.chromium.connected() as now:
            yield Spoken(now)

    def close(self) -> None:
        """Let go of the browser; it goes on."""
        self.chromium.close()


def build(ground: BackendContext) -> Live:
    """Return a backend for the browser that the settings name, or for sayso's own. It is connected to when needed."""
    said = read_settings(ground, KIND)
    browser = chromium(ground, said.wanted)
    return Live("cdp", ground, said, Spoke(browser), lambda ports: inspect_browser(browser, ports, said.wanted))
