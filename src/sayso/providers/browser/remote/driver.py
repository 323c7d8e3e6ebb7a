"""The driver of a browser: what every kind of browser does alike, and what each kind must say for itself.

A `BrowserDriver` stands for one browser and connects to it, a `BrowserSession` is that connection with the browser's
tabs, and a `BrowserPage` is what one tab shows. The drivers for the Chromium family (`cdp`) and for Firefox (`bidi`)
subclass all three.
"""

import base64
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec import Struct

from sayso.core.errors import ProviderError, Refused, SaysoError, SetupError, Uncertain
from sayso.core.plan import Facts
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.browser.model import PageAt, ReopenTabs, TabAt
from sayso.providers.browser.remote import connection
from sayso.providers.browser.remote.connection import SECONDS, CallError, ConnectionLost, ProtocolClient
from sayso.providers.browser.remote.navigation import (
    LOADING,
    LoadWatch,
    must_be_shown,
    must_not_ask,
    page_action,
)
from sayso.providers.browser.remote.settings import (
    BrowserKind,
    Endpoint,
    WantedBrowser,
    explain_unserved,
    find_endpoint,
    leads_to,
    must_not_lead_to,
)

T = TypeVar("T")
Mouse = Literal["moved", "pressed", "released"]

FRONT_LOOKS, FRONT_PAUSE = 100, 0.02
"""How often to look whether a tab has come to the front, and how many seconds to pause between two looks."""


def read_page_functions() -> str:
    """Return the functions that are called within a page, as one object in JavaScript."""
    return Path(__file__).with_name("page.js").read_text("utf-8")


class TabSnapshot(Struct, frozen=True):
    """A tab as the browser has it now."""

    id: str
    window: str
    url: str
    title: str
    opener: str
    active: bool
    """It is in front in its window."""


class ScriptOutcome(Struct, frozen=True):
    """How a script ended: its value as text, or its error."""

    text: str = ""
    error: str = ""
    unreadable: bool = False
    """It is no script, so that nothing of it ran."""


class ActionBounds(Struct, frozen=True):
    """What an action must keep within: `ports` are those of sayso's own pages, `downloads` is where files may go."""

    ports: frozenset[int]
    downloads: Path | None = None


class RunningBrowser(Struct, frozen=True):
    """A browser of sayso's own that runs; `lacks` is the option it was started without, empty if it has it."""

    port: int
    lacks: str = ""


class BrowserPage(ABC):
    """The page that a tab shows, bound to this one load of it."""

    def __init__(self, tab: str) -> None:
        self.tab = tab

    @property
    @abstractmethod
    def url(self) -> str:
        """Return its whole address."""

    @property
    @abstractmethod
    def fact(self) -> PageAt:
        """Return the fact that the tab shows this load of the page."""

    @abstractmethod
    def refresh(self) -> None:
        """Look at what the tab shows now, and be bound to that from here on."""

    @abstractmethod
    def call(self, into: type[T], method: str, *, seconds: float = SECONDS, **params: Any) -> T:
        """Call a method of the protocol on this page."""

    @abstractmethod
    def call_function(self, into: type[T], name: str, *data: Any, seconds: float = SECONDS, gesture: bool = False) -> T:
        """Call one of the functions of `page.js`, with data as JSON. Raises `ProviderError` for a page that hangs."""

    def wait_until_loaded(self, seconds: float = LOADING) -> None:
        """Wait until the page has loaded, at most this long; what there is then is what there is."""
        self.call_function(bool, "waitUntilLoaded", round(seconds * 1000), seconds=seconds + SECONDS)

    @abstractmethod
    def accessible_name(self) -> tuple[str, str]:
        """Return role and name of the element that was found last; empty where the browser has none."""

    def screenshot(self) -> bytes:
        """Return a picture of the visible part. Raises `SetupError` if the browser takes none."""
        try:
            return base64.b64decode(self._screenshot())
        except CallError as error:
            raise SetupError("the browser takes no picture of this page", "page.picture") from error

    @abstractmethod
    def _screenshot(self) -> str:
        """Return a picture as base64."""

    def mouse(self, what: Mouse, x: float, y: float) -> None:
        """Move, press or release the mouse. Raises `ProviderError` (`page.left`) if the page is gone."""
        try:
            self._mouse(what, x, y)
        except CallError as error:
            raise page_left() from error

    @abstractmethod
    def _mouse(self, what: Mouse, x: float, y: float) -> None: ...

    @abstractmethod
    def evaluate(self, code: str, seconds: float) -> ScriptOutcome:
        """Run a script in the page itself, as the page's own scripts run.

        Raises `TimeoutError` for one that does not end, and `CallError` if the page goes away beneath it.
        """

    @abstractmethod
    def type_text(self, text: str) -> None:
        """Put text in place of what is selected, as if typed; an empty text deletes it."""

    @abstractmethod
    def watch(self) -> LoadWatch:
        """Return a watch on what the page loads and asks from now on."""

    @contextmanager
    def watched(self) -> Generator[LoadWatch]:
        """Wait, after the block, until what the page began to load is there."""
        watch = self.watch()
        try:
            yield watch
            watch.wait()
        finally:
            watch.stop()

    @contextmanager
    def loading(self) -> Generator[None]:
        """Wait as `watched` does. Raises `ProviderError` for what the page asks."""
        with self.watched() as watch:
            yield
        must_not_ask(watch.dialogs)

    @abstractmethod
    def go(self, url: str) -> Facts:
        """Go to an address; return the facts of the arrival. Raises `ProviderError` if the tab stays as it is."""

    @abstractmethod
    def keep_place(self, url: str) -> Callable[[], None]:
        """Return how to come back to what the tab, which shows `url`, shows now."""


def page_left() -> ProviderError:
    """Return the error for a page that went away while something was done in it."""
    return ProviderError("the page was left meanwhile", "page.left")


def tab_closed() -> ProviderError:
    """Return the error for a tab that is not there."""
    return ProviderError("the tab is no longer open", "tab.closed")


def page_hangs() -> ProviderError:
    """Return the error for a page that does not answer."""
    return ProviderError("the page does not answer", "page.hangs")


class _ListedTab(Struct, frozen=True):
    url: str = ""


class BrowserSession(ABC):
    """A connection to a browser: its tabs, and what is done with them."""

    def __init__(self, client: ProtocolClient, endpoint: Endpoint, kept_away: frozenset[int]) -> None:
        self.client = client
        self.endpoint = endpoint
        self.kept_away = kept_away
        """The ports that this browser was started to keep away from."""

    @property
    @abstractmethod
    def key(self) -> str:
        """Return what tells this run of the browser from any other; the ids of its tabs begin with it."""

    def knows(self, tab: str) -> bool:
        """Say whether an id is one of this run of the browser, open or not."""
        return tab.partition(".")[0] == self.key

    @abstractmethod
    def tabs(self) -> list[TabSnapshot]:
        """Return the tabs, in the order of windows and then of tabs."""

    @abstractmethod
    def front(self, tabs: Sequence[TabSnapshot]) -> str:
        """Return the id of the tab in front, empty if none is open."""

    def raw(self, ports: frozenset[int]) -> str:
        """Return the browser's own list of its tabs as JSON, without those on one of these ports (S4-40)."""
        listed = self._raw_tabs()
        return f"[{','.join(bytes(tab).decode() for tab in listed if not leads_to(_url(tab), ports))}]"

    @abstractmethod
    def _raw_tabs(self) -> Sequence[msgspec.Raw]: ...

    @abstractmethod
    def page(self, tab: str) -> AbstractContextManager[BrowserPage]:
        """Yield the page of a tab. Raises `ProviderError` if the tab is gone, or its page does not answer."""

    def closed_off(self, bounds: ActionBounds) -> frozenset[int]:
        """Return the ports that nothing may lead to: those of sayso's own pages, and where the browser is driven."""
        return bounds.ports | {self.endpoint.port}

    @abstractmethod
    def held(self, bounds: ActionBounds, *, files: bool = False) -> AbstractContextManager[None]:
        """Hold the browser to its bounds while something is done in it; with `files` one may be downloaded.

        Raises `SetupError` for a browser that cannot be held to them.
        """

    def tab_fact(self, tab: str, bounds: ActionBounds) -> TabAt:
        """Return the fact of what a tab shows now. Raises `Refused` if that is sayso's own page."""
        shown = self._find_tab(tab)
        must_not_lead_to(shown.url, self.closed_off(bounds))
        return shown

    @abstractmethod
    def _find_tab(self, tab: str) -> TabAt:
        """Return what one tab shows."""

    def open_tab(self, url: str, bounds: ActionBounds) -> Facts:
        """Open an address in a new tab in front.

        No tab stays behind for what is no page; one whose page cannot be reached stays, and a fact says so.
        """
        must_not_lead_to(url, self.closed_off(bounds))
        self._must_be_holdable(bounds)
        try:
            tab = self._new_tab()
        except CallError as error:
            raise not_opened(error) from error
        try:
            with self.held(bounds), self.page(tab) as page:
                facts = page.go(url)
            return (self.tab_fact(tab, bounds), *facts)
        except (ProviderError, Refused):
            self.close_tabs([tab])
            raise

    @abstractmethod
    def _must_be_holdable(self, bounds: ActionBounds) -> None:
        """Raise `SetupError` for a browser that cannot be held to its bounds, as far as that is known before."""

    @abstractmethod
    def _new_tab(self) -> str:
        """Open an empty tab in front and return its id."""

    def navigate_tab(self, tab: str, url: str, bounds: ActionBounds) -> Facts:
        """Show an address in a tab. If it cannot be shown, the tab comes back to the page it had."""
        must_not_lead_to(url, self.closed_off(bounds))
        with self.held(bounds), self.page(tab) as page, page_action() as action:
            come_back = page.keep_place(self.tab_fact(tab, bounds).url)
            try:
                facts = must_be_shown(url, page.go(url))
                left = self.tab_fact(tab, bounds)
            except (ProviderError, Refused, TimeoutError):
                action.begin("it was sent to another address")
                come_back()
                action.undone()
                raise
            page.refresh()
            return (left, page.fact, *facts)

    def bring_to_front(self, tab: str) -> None:
        """Bring a tab and its window to the front. Raises `ProviderError` if it is gone, `Uncertain` if it stays."""
        try:
            self._activate(tab)
        except (CallError, ProviderError) as error:
            raise ProviderError("the tab is no longer open; nothing was changed", "tab.closed") from error
        for _ in range(FRONT_LOOKS):
            if self.front(self.tabs()) == tab:
                return
            self.client.pause(FRONT_PAUSE)
        raise Uncertain("the browser did not bring the tab to the front")

    @abstractmethod
    def _activate(self, tab: str) -> None: ...

    @abstractmethod
    def open_empty_tab(self) -> None:
        """Open an empty tab behind the others."""

    @abstractmethod
    def close_tabs(self, tabs: Sequence[str]) -> set[str]:
        """Close these tabs in this order; return those that are still there after a while."""

    @abstractmethod
    def reopen_tabs(self, step: ReopenTabs, bounds: ActionBounds) -> AbstractContextManager[list[str]]:
        """Open tabs again, each in its window at its place, or in a new window if that one has no tab left.

        Yields their ids, empty for one that did not open, as they begin to show their pages, held to the bounds.
        """

    @abstractmethod
    def quit(self) -> None:
        """End the browser, with all its tabs."""

    @abstractmethod
    def missing_option(self, ports: frozenset[int]) -> str:
        """Return the option or preference that keeps a browser away from these ports."""


def _url(tab: msgspec.Raw) -> str:
    return msgspec.json.decode(tab, type=_ListedTab).url


def not_opened(error: CallError) -> ProviderError:
    """Return the error for a browser that opens no tab."""
    return ProviderError(f"the browser opens no tab: {error}", "tab.not_opened")


class BrowserDriver(ABC):
    """One browser. Everything here waits; several threads take turns."""

    kind: ClassVar[BrowserKind]

    def __init__(self, context: BackendContext, wanted: WantedBrowser) -> None:
        self.wanted = wanted
        self._context = context

    @abstractmethod
    def connected(self) -> AbstractContextManager[BrowserSession]:
        """Yield a session, for one thread. Raises `ProviderError` if no browser answers, and `SetupError`."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the browser; it goes on."""

    def running(self, ports: frozenset[int]) -> RunningBrowser | None:
        """Return how it runs; None if it does not. Raises `SetupError` if nothing here could speak to it."""
        connection.must_be_installed()
        try:
            with self.connected() as session:
                exposed = ports - session.kept_away
                return RunningBrowser(session.endpoint.port, session.missing_option(exposed) if exposed else "")
        except ProviderError as error:
            if error.code != "browser.not_running":
                raise
            return None

    def quit(self) -> None:
        with self.connected() as session:
            session.quit()

    def capabilities(self, ports: frozenset[int]) -> tuple[Capability, ...]:
        """Say whether it answers, and how it is kept away from sayso's own pages. Changes nothing in it."""
        try:
            connection.must_be_installed()
            with self.connected() as session:
                endpoint, kept_away = session.endpoint, session.kept_away
        except SaysoError as error:
            return (explain_unserved(self.kind, self.wanted, error),)
        named = self.kind.named
        whose = "a profile of sayso's own" if endpoint.own is not None else "the settings name it"
        serves = Capability("tabs and pages", f"{named} at {endpoint.host}:{endpoint.port}", whose)
        if ports - kept_away:
            return serves, self._describe_exposed(endpoint, ports, kept_away)
        itself = f"{named} itself"
        return serves, Capability("own pages", itself, "it was started to keep away from sayso's own pages")

    @abstractmethod
    def _describe_exposed(self, endpoint: Endpoint, ports: frozenset[int], kept_away: frozenset[int]) -> Capability:
        """Say what follows if the browser was not started to keep away from all of these ports."""

    def _endpoint(self) -> Endpoint:
        return find_endpoint(self.kind, self.wanted, self._context.own)

    def _dial(self, endpoint: Endpoint) -> tuple[str, ProtocolClient]:
        """Return a connection to the browser that listens there, and its path. Raises `ProviderError` if none does."""
        try:
            path = self._path(endpoint)
            transport = connection.open_transport(endpoint.host, endpoint.port, path)
        except ConnectionLost as lost:
            if endpoint.own is not None:
                raise self.kind.not_running() from lost
            raise ProviderError(f"no browser answers: {lost}", "browser.not_running") from lost
        return path, ProtocolClient(transport, self._context.clock)

    @abstractmethod
    def _path(self, endpoint: Endpoint) -> str: ...

    def _must_be_meant(self, endpoint: Endpoint, profile: str) -> None:
        """Raise for a browser that took the place of sayso's own, or that runs on the profile a person lives in."""
        if endpoint.own is not None and not self._is_own(profile, endpoint.own):
            raise self.kind.not_running()
        if endpoint.own is None and not self.wanted.default_profile:
            self._must_not_be_lived_in(profile)

    @abstractmethod
    def _is_own(self, profile: str, folder: Path) -> bool: ...

    @abstractmethod
    def _must_not_be_lived_in(self, profile: str) -> None: ...
