"""A session with a Chromium browser: lists its tabs, finds the tab in front, and opens, closes and reopens tabs."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import msgspec

from sayso.core.errors import ProviderError, Refused
from sayso.providers.browser.cdp import protocol
from sayso.providers.browser.cdp.guard import guard_ports, keep_away_option
from sayso.providers.browser.cdp.page import PAUSE, ChromiumPage, open_page
from sayso.providers.browser.model import ReopenTabs, TabAt
from sayso.providers.browser.remote import connection
from sayso.providers.browser.remote.connection import (
    SECONDS,
    CallError,
    Ignored,
    ProtocolClient,
    ProtocolEvent,
    ProtocolMessage,
)
from sayso.providers.browser.remote.driver import ActionBounds, BrowserSession, TabSnapshot
from sayso.providers.browser.remote.settings import Endpoint

TAB, PAGE = [{"type": "tab"}], [{"type": "page"}]
BOTH = [*TAB, *PAGE]
KEY_LENGTH = 8
"""Each tab's id begins with this many characters of the browser's own id, so that tabs of two browsers differ."""
CLOSING = 10.0
SHOWING = 30.0
FOCUS = 0.5
"""Seconds to wait for a page to report whether it has the focus; no answer counts as no."""


class _Infos(ProtocolMessage, frozen=True):
    target_infos: tuple[msgspec.Raw, ...]


class ChromiumSession(BrowserSession):
    """A connection to a browser of the Chromium family."""

    def __init__(self, client: ProtocolClient, endpoint: Endpoint, kept_away: frozenset[int], path: str) -> None:
        super().__init__(client, endpoint, kept_away)
        self._key = path.rpartition("/")[2][:KEY_LENGTH]
        self._brought = ""
        """The tab that this session brought to the front last."""
        self._without_screen = False
        """Whether several pages reported the focus at once, as they do without a screen; they are then no longer asked.
        """
        self._shown: tuple[str, ...] = ()
        """The front tabs of all windows at the time when `_last_shown` was fetched."""
        self._last_shown = ""
        """The tab of `_shown` that was in front most recently, as the browser reported."""

    @property
    def key(self) -> str:
        """Return the identifier of this run of the browser."""
        return self._key

    def name(self, target: str) -> str:
        """Return the tab's id for a target of the browser."""
        return f"{self._key}.{target}"

    def target(self, tab: str) -> str:
        """Return the browser's target for a tab; empty if the tab belongs to another run or another browser."""
        return tab.partition(".")[2] if self.knows(tab) else ""

    def tabs(self) -> list[TabSnapshot]:
        found = self._targets()
        asked = [{"targetId": target.target_id} for target in found]
        windows = self.client.call_all(protocol.TargetWindow, "Browser.getWindowForTarget", asked)
        placed: list[tuple[int, int, TabSnapshot]] = []
        for order, (target, window) in enumerate(zip(found, windows, strict=True)):
            if isinstance(window, CallError):
                continue  # the tab was just closed, or it is in no window
            at = target.embedder_data or protocol.Placed(tab_strip_index=order)
            id_, in_window = self.name(target.target_id), str(window.window_id)
            tab = TabSnapshot(id_, in_window, target.url, target.title, target.opener_id, at.tab_active)
            placed.append((window.window_id, at.tab_strip_index, tab))
        return [tab for _, _, tab in sorted(placed, key=lambda one: one[:2])]

    def _targets(self) -> tuple[protocol.Target, ...]:
        # Older browsers have no targets for tabs; in these, each page of a window is its own tab.
        return self.list_targets(TAB) or self.list_targets(PAGE)

    def list_targets(self, kinds: list[dict[str, str]]) -> tuple[protocol.Target, ...]:
        """Return the targets of these kinds."""
        return self.client.call(protocol.TargetList, "Target.getTargets", filter=kinds).target_infos

    def _raw_tabs(self) -> Sequence[msgspec.Raw]:
        return self._infos(TAB) or self._infos(PAGE)

    def _infos(self, kinds: list[dict[str, str]]) -> tuple[msgspec.Raw, ...]:
        return self.client.call(_Infos, "Target.getTargets", filter=kinds).target_infos

    def _find_tab(self, tab: str) -> TabAt:
        asked = self.target(tab)
        target = self.client.call(protocol.OneTarget, "Target.getTargetInfo", targetId=asked).target_info
        return TabAt(tab, target.url, target.opener_id)

    def front(self, tabs: Sequence[TabSnapshot]) -> str:
        shown = [tab.id for tab in tabs if tab.active]
        if len(shown) <= 1:
            return shown[0] if shown else self._most_recent([tab.id for tab in tabs])
        focused = [] if self._without_screen else [tab for tab in shown if self._has_focus(tab)]
        self._without_screen = self._without_screen or len(focused) > 1
        if len(focused) == 1:
            return focused[0]
        if self._brought in shown:
            return self._brought
        # The browser's answer changes only when another tab comes to the front of its window.
        if self._shown != tuple(shown):
            self._shown, self._last_shown = tuple(shown), self._most_recent(shown)
        return self._last_shown

    def _has_focus(self, tab: str) -> bool:
        asks = {"expression": "document.hasFocus()", "returnByValue": True}
        try:
            with self.page(tab) as page:
                return page.call(protocol.CdpEvaluation, "Runtime.evaluate", seconds=FOCUS, **asks).result.value is True
        except (ProviderError, CallError):
            return False

    def _most_recent(self, among: Sequence[str]) -> str:
        """Return the one of these tabs that was in front most recently, as the browser's list says.

        A browser that is controlled through a pipe has no such list; then it is the tab of the newest window.
        """
        if self.endpoint.socket is not None:
            return among[-1] if among else ""
        body = connection.fetch(self.endpoint.host, self.endpoint.port, "/json/list?for_tab")
        listed = msgspec.json.decode(body, type=list[protocol.ListedTarget])
        return next((tab for tab in (self.name(target.id) for target in listed) if tab in among), "")

    def _activate(self, tab: str) -> None:
        target = self.target(tab)
        window = self.client.call(protocol.ShownWindow, "Browser.getWindowForTarget", targetId=target)
        if window.bounds.window_state == "minimized":
            self.client.run("Browser.setWindowBounds", windowId=window.window_id, bounds={"windowState": "normal"})
        self.client.run("Target.activateTarget", targetId=target)
        self._brought = tab

    @contextmanager
    def page(self, tab: str) -> Generator[ChromiumPage]:
        with open_page(self.client, tab, self.target(tab)) as page:
            yield page

    def _must_be_holdable(self, bounds: ActionBounds) -> None:
        """Do nothing: whether the guard works in this browser is known only after it begins."""

    @contextmanager
    def held(self, bounds: ActionBounds, *, files: bool = False) -> Generator[None]:
        """Keep the browser within the limits during the block; with `files`, a download is allowed.

        After the block, until the connection closes, downloads that a page begins go to the downloads folder, or are
        blocked if there is none.
        """
        self.client.run("Browser.setDownloadBehavior", eventsEnabled=True, **_downloading(bounds, files=files))
        try:
            with guard_ports(self.client, bounds.ports - self.kept_away):
                yield
        finally:
            self.client.post("Browser.setDownloadBehavior", **_downloading(bounds, files=True))

    def _new_tab(self) -> str:
        made = self.client.call(protocol.Created, "Target.createTarget", url="about:blank", forTab=True)
        return self.name(made.target_id)

    def open_empty_tab(self) -> None:
        self.client.run("Target.createTarget", url="about:blank", background=True)

    def close_tabs(self, tabs: Sequence[str]) -> set[str]:
        gone: set[str] = set()

        def hear(event: ProtocolEvent) -> None:
            if event.method == "Target.targetDestroyed":
                gone.add(self.name(event.read(protocol.Gone).target_id))

        stop = self.client.listen(hear)
        try:
            self.client.run("Target.setDiscoverTargets", discover=True, filter=BOTH)
            self.client.call_all(Ignored, "Target.closeTarget", [{"targetId": self.target(tab)} for tab in tabs])
            self.client.wait(lambda: gone.issuperset(tabs), CLOSING)
        finally:
            stop()
            self.client.post("Target.setDiscoverTargets", discover=False)
        return set() if gone.issuperset(tabs) else set(tabs) & {tab.id for tab in self.tabs()}

    @contextmanager
    def reopen_tabs(self, step: ReopenTabs, bounds: ActionBounds) -> Generator[list[str]]:
        """Open tabs again, in each window from left to right; yield their ids.

        The id of a tab that did not open is empty. Each tab opens empty, with an address that identifies it. When all
        are open, the browser is kept within the limits and the tabs load their pages. A tab opens to the right of
        another one, so a tab that was the first of a window that is still open becomes the second.
        """
        new = _NewTabs(self)
        empty = [f"about:blank#{number}" for number in range(len(step.urls))]
        there = self.tabs()
        windows: dict[str, _ReopenedWindow] = {}
        with ExitStack() as pages:
            for url, window, place in zip(empty, step.windows, step.places, strict=True):
                if window not in windows:
                    windows[window] = _ReopenedWindow(
                        self, new, pages, [tab.id for tab in there if tab.window == window]
                    )
                windows[window].open(url, place)
        with self.held(bounds):
            yield new.navigate(empty, step.urls)

    def quit(self) -> None:
        self.client.run("Browser.close")

    def missing_option(self, ports: frozenset[int]) -> str:
        return keep_away_option(ports)


def _downloading(bounds: ActionBounds, *, files: bool) -> dict[str, Any]:
    if files and bounds.downloads is not None:
        return {"behavior": "allow", "downloadPath": str(bounds.downloads)}
    return {"behavior": "deny"}


class _NewTabs:
    """Finds the tabs that were opened since this object was made, by the addresses that they were opened with."""

    def __init__(self, session: ChromiumSession) -> None:
        self._session = session
        self._before = {target.target_id for target in session.list_targets(BOTH)}

    def find(self, urls: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
        """Wait until tabs with these addresses are open; return their ids and the targets of their pages, by address.

        The tab and its page have the same target in browsers without tab targets.
        """
        tabs, pages = dict[str, str](), dict[str, str]()
        for _ in range(round(SECONDS / PAUSE)):
            for target in self._session.list_targets(BOTH):
                if target.target_id not in self._before:
                    (tabs if target.type == "tab" else pages)[target.url] = target.target_id
            if pages.keys() >= set(urls):
                break
            self._session.client.pause(PAUSE)
        return {url: self._session.name(tab) for url, tab in (tabs or pages).items()}, pages

    def navigate(self, empty: Sequence[str], urls: Sequence[str]) -> list[str]:
        """Load one of the addresses in each empty tab, all at once; return the ids of the tabs."""
        client = self._session.client
        tabs, pages = self.find(empty)
        asked = [{"targetId": pages.get(before, ""), "flatten": True} for before in empty]
        attached = client.call_all(protocol.AttachedSession, "Target.attachToTarget", asked)
        sessions = {
            one.session_id: {"url": url}
            for one, url in zip(attached, urls, strict=True)
            if not isinstance(one, CallError)
        }
        client.call_in(Ignored, "Page.navigate", sessions, seconds=SHOWING)
        for session in sessions:
            client.post("Target.detachFromTarget", sessionId=session)
        return [tabs.get(before, "") for before in empty]


class _ReopenedWindow:
    """A window in which tabs are reopened; `tabs` are its tabs from left to right."""

    def __init__(self, session: ChromiumSession, new: _NewTabs, pages: ExitStack, tabs: list[str]) -> None:
        self._session = session
        self._new = new
        self._pages = pages
        self._tabs = tabs
        self._opened: list[str] = []
        self._page: ChromiumPage | None = None

    def open(self, url: str, place: int) -> None:
        """Open an empty tab at this position; if that fails, at the end of the window.

        If the window has no tab any more, open a new window.
        """
        before = min(max(place - 1, 1), len(self._tabs))
        if not self._tabs or not self._open_beside(self._tabs[before - 1], url):
            self._session.client.run("Target.createTarget", url=url, newWindow=not self._tabs)
        self._tabs.insert(before, url)
        self._opened.append(url)

    def _open_beside(self, left: str, url: str) -> bool:
        """Open a tab right after another one, as a link in that tab would; return whether this worked."""
        if left not in self._opened[-1:]:  # the tab opened last is already in front
            self._session.client.post("Target.activateTarget", targetId=self._session.target(left))
        try:
            return self._opener(left).call_function(bool, "openTabBeside", url, gesture=True)
        except (ProviderError, Refused, CallError, TimeoutError):
            self._page = None
            return False

    def _opener(self, left: str) -> ChromiumPage:
        """Return the page from which tabs are opened: the first reopened tab, or `left` if none is reopened yet."""
        if self._page is None and self._opened:
            first = self._opened[0]
            tab = self._new.find([first])[0].get(first, "")
            self._page = self._pages.enter_context(self._session.page(tab))
            self._page.wait_until_loaded()
        return self._page or self._pages.enter_context(self._session.page(left))
