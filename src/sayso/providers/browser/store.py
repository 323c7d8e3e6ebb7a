"""The reads of the tabs store: what an operation may see of tabs and pages.

Texts of pages come as they are, except that lone surrogates are replaced. A browser that is not running or cannot be
reached is a `ProviderError`; a missing permission is a `SetupError` that names it and says where to give it (S1-52).
"""

from typing import Protocol, runtime_checkable

from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact, Facts
from sayso.providers.browser.address import Rules


class Tab(Struct, frozen=True):
    """An open tab; `fact` says that it is the one seen (`TabAt`, or `ResultRef` within a batch)."""

    id: str
    index: int
    """Its number over all windows, from 1; 0 if the snapshot gives it none."""
    window: str
    window_index: int
    local_index: int
    """Its number within its window, from 1."""
    url: str
    title: str
    active: bool
    """It is the tab in front, in the window in front."""
    fact: Fact
    content_summary: str = ""


class Snapshot(Struct, frozen=True):
    """The tabs that numbers refer to; `closed` are the numbers of those that an earlier step of the batch closes."""

    tabs: tuple[Tab, ...]
    closed: frozenset[int] = frozenset()
    shown: Facts = ()
    """What the model was shown, in the order of its numbers; empty if it was shown nothing."""


class CurrentPage(Struct, frozen=True):
    """The page in front; `fact` (`PageAt`) binds what is done to this load of it."""

    tab: str
    url: str
    title: str
    fact: Fact


class Link(Struct, frozen=True):
    """A link on a page."""

    text: str
    href: str


class Element(Struct, frozen=True):
    """What a selector finds."""

    role: str
    name: str
    field: bool
    """Something can be filled in."""
    value: str | None
    """What a field holds; None for a password, which is not read, and for what is no field."""
    fact: Fact


def ambiguous(selector: str, count: int) -> ProviderError:
    """Return the error for a selector that finds more than one element."""
    return ProviderError(
        f"“{selector}” finds {count} elements; write a selector that finds only the one that is meant", "page.many"
    )


class Tabs(Protocol):
    """The reads. In a batch they show the tabs as the earlier plans would leave them.

    Numbers mean the tabs that the model was shown (`as_shown`), or else those that the batch sees at its first look. A
    tab that an earlier action opens has no number, and the number of one that it closes goes to no other tab (T-97).
    """

    def as_shown(self, shown: Facts) -> "Tabs":
        """Return these reads with the numbers that a model was shown; `shown` are its tabs (`TabAt`) in order."""
        ...

    def as_written(self, words: str) -> "Tabs":
        """Return these reads for a person who wrote these words; `rules` then holds them."""
        ...

    async def snapshot(self, browser: str) -> Snapshot:
        """Return the tabs, in the order of windows and then of tabs."""
        ...

    async def tells_tabs(self, browser: str) -> bool:
        """Say whether this browser says which tab it opened, so that the tab can be closed again."""
        ...

    async def current(self, browser: str) -> Tab:
        """Return the tab in front."""
        ...

    async def page(self) -> CurrentPage:
        """Return the page in front of the default browser, once it has loaded."""
        ...

    async def text(self, limit: int) -> tuple[str, int]:
        """Return at most `limit` characters of the page's visible text, and how many it has."""
        ...

    async def links(self) -> tuple[Link, ...]:
        """Return the page's links in order."""
        ...

    async def element(self, selector: str) -> Element:
        """Return the one element that `selector` finds. Raises `ProviderError` if it finds none or several."""
        ...

    async def screenshot(self) -> str:
        """Write a picture of the page into a private file (removed after 24 hours) and return its path."""
        ...

    def confirmed(self, url: str) -> bool:
        """Say whether the settings list the site of `url` as one where clicks and filling ask (T-106)."""
        ...

    def rules(self) -> Rules:
        """Return what the settings add to how addresses are read."""
        ...

    def token(self) -> str:
        """Return a new name that nobody can guess."""
        ...


@runtime_checkable
class ListsRawTabs(Protocol):
    """Reads that can also return the browser's own list of its tabs as it came (S4-40)."""

    async def raw(self, limit: int) -> str:
        """Return at most `limit` characters of that list."""
        ...
