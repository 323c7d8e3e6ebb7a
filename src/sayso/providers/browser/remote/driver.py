"""The base classes of a browser driver: what all kinds of browsers share, and what each kind implements.

A `BrowserDriver` represents one browser and connects to it. A `BrowserSession` is that connection and gives access to
the tabs. A `BrowserPage` is the page that one tab shows. The drivers for the Chromium family (`cdp`) and for Firefox
(`bidi`) subclass all three.
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
from sayso.providers.browser.remote.connection import SECONDS, CallError, ConnectionLost, ProtocolClient, Transport
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
    is_loopback,
    leads_to,
    must_not_lead_to,
)

T = TypeVar("T")
Mouse = Literal["moved", "pressed", "released"]

FRONT_LOOKS, FRONT_PAUSE = 100, 0.02
"""The most checks whether a tab has come to the front, and the seconds between two checks."""


def read_page_functions() -> str:
    """Return the source of `page.js`: one JavaScript object with the functions that run in a page."""
    return Path(__file__).with_name("page.js").read_text("utf-8")


class TabSnapshot(Struct, frozen=True):
    """The current state of a tab."""

    id: str
    window: str
    url: str
    title: str
    opener: str
    active: bool
    """Whether this is the tab in front of its window."""


class ScriptOutcome(Struct, frozen=True):
    """The result of a script: its value as text, or its error."""

    text: str = ""
    error: str = ""
    unreadable: bool = False
    """Whether the script has a syntax error, so that none of it ran."""


class ActionBounds(Struct, frozen=True):
    """Limits for an action: `ports` are those of sayso's own pages, `downloads` is the folder for downloaded files."""

    ports: frozenset[int]
    downloads: Path | None = None


class RunningBrowser(Struct, frozen=True):
    """A running browser that sayso started; `lacks` is the option it should have been started with, or empty."""

    port: int
    """The port that it listens on; 0 if it listens on none."""
    lacks: str = ""


class BrowserPage(ABC):
    """The page that a tab shows. An object is bound to one load of the page; `refresh` binds it to the present one."""

    def __init__(self, tab: str) -> None:
        self.tab = tab

    @property
    @abstractmethod
    def url(self) -> str:
        """Return the whole address of the page."""

    @property
    @abstractmethod
    def fact(self) -> PageAt:
        """Return the fact that the tab shows this load of the page."""

    @abstractmethod
    def refresh(self) -> None:
        """Bind this object to the page that the tab shows now."""

    @abstractmethod
    def call(self, into: type[T], method: str, *, seconds: float = SECONDS, **params: Any) -> T:
        """Call a method of the browser's protocol on this page, and return its answer."""

    @abstractmethod
    def call_function(self, into: type[T], name: str, *data: Any, seconds: float = SECONDS, gesture: bool = False) -> T:
        """Call a function of `page.js`, with arguments as JSON. Raises `ProviderError` if the page hangs."""

    def wait_until_loaded(self, seconds: float = LOADING) -> None:
        """Wait until the page has loaded, at most `seconds`; a slow page is then used as it is."""
        self.call_function(bool, "waitUntilLoaded", round(seconds * 1000), seconds=seconds + SECONDS)

    @abstractmethod
    def accessible_name(self) -> tuple[str, str]:
        """Return role and name of the element that was found last; empty if the browser gives none."""

    def screenshot(self) -> bytes:
        """Return a picture of the visible part of the page. Raises `SetupError` if the browser takes none."""
        try:
            return base64.b64decode(self._screenshot())
        except CallError as error:
            raise SetupError("the browser takes no picture of this page", "page.picture") from error

    @abstractmethod
    def _screenshot(self) -> str:
        """Return a picture of the visible part as base64."""

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
        """Run a script with the same rights as the page's own scripts.

        Raises `TimeoutError` if the script does not end in time, and `CallError` if the page is left while the script
        runs.
        """

    @abstractmethod
    def type_text(self, text: str) -> None:
        """Replace the selected text, as if the person typed; an empty text deletes it."""

    @abstractmethod
    def watch(self) -> LoadWatch:
        """Return a watch that records what the page loads and asks from now on."""

    @contextmanager
    def watched(self) -> Generator[LoadWatch]:
        """Watch the page during the block, and afterwards wait until it has loaded what it began to load."""
        watch = self.watch()
        try:
            yield watch
            watch.wait()
        finally:
            watch.stop()

    @contextmanager
    def loading(self) -> Generator[None]:
        """Wait as `watched` does. Raises `ProviderError` if the page asks a question that only a person may answer."""
        with self.watched() as watch:
            yield
        must_not_ask(watch.dialogs)

    @abstractmethod
    def go(self, url: str) -> Facts:
        """Go to an address and return facts about the arrival.

        Raises `ProviderError` if the tab still shows its old page.
        """

    @abstractmethod
    def keep_place(self, url: str) -> Callable[[], None]:
        """Return a function that makes the tab show its present page (`url`) again."""


def page_left() -> ProviderError:
    """Return the error for a page that was left during an action."""
    return ProviderError("the page was left meanwhile", "page.left")


def tab_closed() -> ProviderError:
    """Return the error for a tab that is no longer open."""
    return ProviderError("the tab is no longer open", "tab.closed")


def page_hangs() -> ProviderError:
    """Return the error for a page that does not answer."""
    return ProviderError("the page does not answer", "page.hangs")


class _ListedTab(Struct, frozen=True):
    url: str = ""


class BrowserSession(ABC):
    """A connection to a browser, through which its tabs are read and changed."""

    def __init__(self, client: ProtocolClient, endpoint: Endpoint, kept_away: frozenset[int]) -> None:
        self.client = client
        self.endpoint = endpoint
        self.kept_away = kept_away
        """The ports that this browser refuses to open because of how it was started."""

    @property
    @abstractmethod
    def key(self) -> str:
        """Return the identifier of this run of the browser; the ids of its tabs begin with it."""

    def knows(self, tab: str) -> bool:
        """Return whether an id belongs to a tab of this run of the browser, open or closed."""
        return tab.partition(".")[0] == self.key

    @abstractmethod
    def tabs(self) -> list[TabSnapshot]:
        """Return the tabs, ordered by window and then by position."""

    @abstractmethod
    def front(self, tabs: Sequence[TabSnapshot]) -> str:
        """Return the id of the tab in front; empty if no tab is open."""

    def raw(self, ports: frozenset[int]) -> str:
        """Return the browser's own list of its tabs as JSON, without tabs on these ports (S4-40)."""
        listed = self._raw_tabs()
        return f"[{','.join(bytes(tab).decode() for tab in listed if not leads_to(_url(tab), ports))}]"

    @abstractmethod
    def _raw_tabs(self) -> Sequence[msgspec.Raw]: ...

    @abstractmethod
    def page(self, tab: str) -> AbstractContextManager[BrowserPage]:
        """Yield the page of a tab. Raises `ProviderError` if the tab is gone or its page does not answer."""

    def closed_off(self, bounds: ActionBounds) -> frozenset[int]:
        """Return the ports that no action may open: those of sayso's own pages, and that of the browser's DevTools."""
        return bounds.ports | ({self.endpoint.port} - {0})

    @abstractmethod
    def held(self, bounds: ActionBounds, *, files: bool = False) -> AbstractContextManager[None]:
        """Keep the browser within the limits during the block; with `files`, a download is allowed.

        Raises `SetupError` if this browser cannot be kept within the limits.
        """

    def tab_fact(self, tab: str, bounds: ActionBounds) -> TabAt:
        """Return the fact about the address that a tab shows now. Raises `Refused` if it is sayso's own page."""
        shown = self._find_tab(tab)
        must_not_lead_to(shown.url, self.closed_off(bounds))
        return shown

    @abstractmethod
    def _find_tab(self, tab: str) -> TabAt:
        """Return the fact about the address that a tab shows."""

    def open_tab(self, url: str, bounds: ActionBounds) -> Facts:
        """Open an address in a new tab in front, and return facts about it.

        If the address is not a page, such as a file to download, the tab is closed again. If the page cannot be
        reached, the tab stays open, and a fact says why.
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
        """Raise `SetupError` if it is already known that this browser cannot be kept within the limits."""

    @abstractmethod
    def _new_tab(self) -> str:
        """Open an empty tab in front and return its id."""

    def navigate_tab(self, tab: str, url: str, bounds: ActionBounds) -> Facts:
        """Show an address in a tab; if that fails, show the earlier page again."""
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
        """Bring a tab and its window to the front.

        Raises `ProviderError` if the tab is gone, and `Uncertain` if the browser does not bring it to the front in
        time.
        """
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
        """Close these tabs in this order; return those that are still open after the waiting time."""

    @abstractmethod
    def reopen_tabs(self, step: ReopenTabs, bounds: ActionBounds) -> AbstractContextManager[list[str]]:
        """Open tabs again, each at its old position, or in a new window if its window has no tab left.

        Yields the ids of the tabs while their pages load within the limits. The id is empty for a tab that did not
        open.
        """

    @abstractmethod
    def quit(self) -> None:
        """Quit the browser with all its tabs."""

    @abstractmethod
    def missing_option(self, ports: frozenset[int]) -> str:
        """Return the option or preference that makes a browser refuse these ports."""


def _url(tab: msgspec.Raw) -> str:
    return msgspec.json.decode(tab, type=_ListedTab).url


def not_opened(error: CallError) -> ProviderError:
    """Return the error for a browser that opens no tab."""
    return ProviderError(f"the browser opens no tab: {error}", "tab.not_opened")


class BrowserDriver(ABC):
    """One browser. All methods block; threads use the browser one after the other."""

    kind: ClassVar[BrowserKind]

    def __init__(self, context: BackendContext, wanted: WantedBrowser) -> None:
        self.wanted = wanted
        self._context = context

    @abstractmethod
    def connected(self) -> AbstractContextManager[BrowserSession]:
        """Yield a session for one thread. Raises `ProviderError` if no browser answers, and `SetupError`."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection; the browser keeps running."""

    def running(self, ports: frozenset[int]) -> RunningBrowser | None:
        """Return the state of the running browser, or None if none is running.

        Raises `SetupError` if the library for the connection is missing.
        """
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
        """Return whether the browser answers, and how it is kept away from sayso's own pages. Changes nothing in it."""
        try:
            connection.must_be_installed()
            with self.connected() as session:
                endpoint, kept_away = session.endpoint, session.kept_away
        except SaysoError as error:
            return (explain_unserved(self.kind, self.wanted, error),)
        named = self.kind.named
        whose = "a profile of sayso's own" if endpoint.own is not None else "the settings name it"
        shared = "; other users of this machine can control it too" if is_loopback(endpoint.host) else ""
        serves = Capability("tabs and pages", f"{named} at {endpoint.where}", f"{whose}{shared}")
        if ports - kept_away:
            return serves, self._describe_exposed(endpoint, ports, kept_away)
        itself = f"{named} itself"
        return serves, Capability("own pages", itself, "it was started to keep away from sayso's own pages")

    @abstractmethod
    def _describe_exposed(self, endpoint: Endpoint, ports: frozenset[int], kept_away: frozenset[int]) -> Capability:
        """Return what `sayso doctor` prints about a browser that does not refuse all of these ports."""

    def _endpoint(self) -> Endpoint:
        return find_endpoint(self.kind, self.wanted, self._context.own)

    def _dial(self, endpoint: Endpoint) -> tuple[str, ProtocolClient]:
        """Return the path and a connection to the browser at an endpoint.

        Raises `ProviderError` if no browser answers.
        """
        try:
            path, transport = self._open(endpoint)
        except ConnectionLost as lost:
            if endpoint.own is not None:
                raise self.kind.not_running() from lost
            raise ProviderError(f"no browser answers: {lost}", "browser.not_running") from lost
        return path, ProtocolClient(transport, self._context.clock)

    def _open(self, endpoint: Endpoint) -> tuple[str, Transport]:
        """Return the path and a connection. Raises `ConnectionLost` if no browser answers."""
        path = self._path(endpoint)
        return path, connection.open_transport(endpoint.host, endpoint.port, path)

    @abstractmethod
    def _path(self, endpoint: Endpoint) -> str: ...

    def _must_be_meant(self, endpoint: Endpoint, profile: str) -> None:
        """Raise an error if this is not the browser that the settings mean.

        Raises `ProviderError` if another program took the port of sayso's own browser, and `SetupError` if the browser
        runs on the person's everyday profile and the settings do not allow that.
        """
        if endpoint.own is not None and not self._is_own(profile, endpoint.own):
            raise self.kind.not_running()
        if endpoint.own is None and not self.wanted.default_profile:
            self._must_not_be_lived_in(profile)

    @abstractmethod
    def _is_own(self, profile: str, folder: Path) -> bool: ...

    @abstractmethod
    def _must_not_be_lived_in(self, profile: str) -> None: ...
