"""What the shared half of a browser backend needs of a browser: its tabs, the page in one, and hands to act with."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from msgspec import Struct

from sayso.core.plan import Facts
from sayso.providers.browser.model import PageAt, ReopenTabs, TabAt

T = TypeVar("T")
Mouse = Literal["moved", "pressed", "released"]


class OpenTab(Struct, frozen=True):
    """A tab as the browser has it now, in the order of its window."""

    id: str
    window: str
    url: str
    title: str
    opener: str
    active: bool
    """It is in front in its window."""


class Came(Struct, frozen=True):
    """What a script came to: its value as text, or the error that it ended with."""

    text: str = ""
    error: str = ""
    unreadable: bool = False
    """It is no script, so that nothing of it ran."""


class Page(Protocol):
    """A page that is spoken to, bound to this one load of it."""

    @property
    def tab(self) -> str:
        """Return the id of its tab."""
        ...

    @property
    def url(self) -> str:
        """Return its whole address."""
        ...

    @property
    def fact(self) -> PageAt:
        """Return the fact that this load of the page is shown."""
        ...

    def again(self) -> None:
        """Look at what the tab shows now."""
        ...

    def loaded(self) -> None:
        """Wait until the page has loaded, within a time; what there is then is what there is."""
        ...

    def call(self, into: type[T], what: str, *data: Any, gesture: bool = False) -> T:
        """Call one of the functions of `inside.js`, with data as JSON. Raises `ProviderError` for a page that hangs."""
        ...

    def named(self) -> tuple[str, str]:
        """Return role and name of the element that was found last, as the browser has them; empty where it does not."""
        ...

    def picture(self) -> bytes:
        """Return a picture of what is seen of it. Raises `SetupError` where there is none."""
        ...

    def mouse(self, what: Mouse, x: float, y: float) -> None:
        """Do this with the mouse at this place. Raises `ProviderError` (`page.left`) when the page is gone."""
        ...

    def evaluate(self, code: str, seconds: float) -> Came:
        """Run a script in the page itself, as its own scripts run; return what it comes to.

        Raises `TimeoutError` for one that does not end, and `No` when the page goes away beneath it.
        """
        ...

    def put(self, text: str) -> None:
        """Put text in place of what is selected, as somebody would who types; empty takes it out."""
        ...

    def loading(self) -> AbstractContextManager[Any]:
        """Wait, after what is done within, until what the page began to load is there. Raises what it asks."""
        ...


class Spoken(Protocol):
    """A connection that stands."""

    def tabs(self) -> list[OpenTab]:
        """Return the tabs, in the order of windows and then of tabs."""
        ...

    def front(self, tabs: Sequence[OpenTab]) -> str:
        """Return the id of the tab in front, empty when none is open."""
        ...

    def raw(self, ports: frozenset[int]) -> str:
        """Return what the browser says of its tabs, as it came, but for those on one of these ports (S4-40)."""
        ...

    def knows(self, tab: str) -> bool:
        """Say whether an id is one of this run of the browser, open or not."""
        ...

    def inside(self, tab: str) -> AbstractContextManager[Page]:
        """Yield the page of a tab. Raises `ProviderError` when the tab is gone, or its page does not answer."""
        ...

    def hands(self, ports: frozenset[int], downloads: Path | None) -> "Hands":
        """Return what acts over it: kept away from the ports of sayso's own pages, and files nowhere but there."""
        ...


class Hands(Spoken, Protocol):
    """A connection that something is done over, within the bounds of this browser."""

    @property
    def closed_off(self) -> frozenset[int]:
        """Return the ports that nothing may lead to."""
        ...

    def held(self, *, files: bool = False) -> AbstractContextManager[None]:
        """Hold the browser to its bounds while something is done in it; with `files` one may be downloaded."""
        ...

    def shown(self, tab: str) -> TabAt:
        """Return the fact of what a tab shows now. Raises `Refused` where that is sayso's own page."""
        ...

    def opened(self, url: str) -> Facts:
        """Open an address in a new tab in front. What is no page leaves no tab behind."""
        ...

    def navigated(self, tab: str, url: str) -> Facts:
        """Show an address in a tab. One that cannot be shown leaves the tab with the page it had."""
        ...

    def bring(self, tab: str) -> None:
        """Bring a tab and its window to the front. Raises `ProviderError` when it is gone, `Uncertain` if it stays."""
        ...

    def empty_tab(self) -> None:
        """Open an empty tab behind the others."""
        ...

    def end(self, tabs: Sequence[str]) -> set[str]:
        """Close these tabs in this order; return those that are still there after a while."""
        ...

    def again(self, step: ReopenTabs) -> AbstractContextManager[list[str]]:
        """Open tabs again, each in its window at its place, or in a new window where that has no tab.

        Yields their ids, empty for one that did not open, as they begin to show their pages, held to the bounds.
        """
        ...


class Browser(Protocol):
    """One browser. Everything here waits; several threads take turns."""

    def connected(self) -> AbstractContextManager[Spoken]:
        """Yield the connection, for one thread. Raises `ProviderError` where no browser answers, and `SetupError`."""
        ...

    def close(self) -> None:
        """Let go of the browser; it goes on."""
        ...
