"""The interface of the tabs store: what an operation can read from tabs and pages.

Text of pages is returned as it is, except that lone surrogates are replaced. A browser that is not running or cannot be
reached raises a `ProviderError`. A missing permission raises a `SetupError` that names it and says where to grant it
(S1-52).
"""

import hashlib
import json
from typing import Protocol, runtime_checkable

from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact, Facts
from sayso.core.quotes import quoted
from sayso.providers.browser.address import Rules


class Tab(Struct, frozen=True):
    """An open tab; `fact` identifies it for a step (`TabAt`, or `ResultRef` within a batch)."""

    id: str
    index: int
    """The tab's number over all windows, from 1; 0 if the snapshot gives it no number."""
    window: str
    window_index: int
    local_index: int
    """The tab's position in its window, from 1."""
    url: str
    title: str
    active: bool
    """Whether this is the tab in front, in the window in front."""
    fact: Fact
    content_summary: str = ""


class Snapshot(Struct, frozen=True):
    """The open tabs with their numbers; `closed` contains the numbers of tabs that earlier steps close."""

    tabs: tuple[Tab, ...]
    closed: frozenset[int] = frozenset()
    shown: Facts = ()
    """The tabs that the model was shown, in the order of their numbers; empty if it was shown none."""


class CurrentPage(Struct, frozen=True):
    """The page in front; `fact` (`PageAt`) binds a step to this one load of the page."""

    tab: str
    url: str
    title: str
    fact: Fact


class Link(Struct, frozen=True):
    """A link on a page."""

    text: str
    href: str


class Element(Struct, frozen=True):
    """The element that a selector matches."""

    role: str
    name: str
    field: bool
    """Whether the element is a field that can be filled in."""
    value: str | None
    """The content of the field; None for an element that is not a field, and for a password, which is not read."""
    fact: Fact
    opens: str = ""
    """The address that a link leads to, as the page has it."""
    submits: str = ""
    """The address to which a click sends the form that the element is part of."""


class OutlineRow(Struct, frozen=True):
    """One heading, frame, or usable element of a page; all of its words are the page's own."""

    reference: str
    """What names the element in place of a selector; empty for what cannot be used."""
    role: str
    name: str
    value: str = ""
    opens: str = ""
    state: tuple[str, ...] = ()


class Outline(Struct, frozen=True):
    """The beginning of the outline of a page, and how many rows the whole has."""

    rows: tuple[OutlineRow, ...]
    total: int


def element_value(value: str | None, opens: str, submits: str, method: str = "") -> str:
    """Return what `ElementAt` holds of an element: a digest of a field's content, or else of where a click leads."""
    if value is not None:
        return hashlib.sha256(value.encode("utf-8")).hexdigest()
    leads = [opens, submits, method]
    return hashlib.sha256(json.dumps(leads).encode("utf-8")).hexdigest() if any(leads) else ""


def changed(reference: str) -> ProviderError:
    """Return the error for a reference to an element that is not as it was when the page was read."""
    return ProviderError(
        f"{quoted(reference)} is not on the page any more as it was read: the page has changed; look again",
        "page.changed",
    )


def ambiguous(selector: str, count: int) -> ProviderError:
    """Return the error for a selector that matches more than one element."""
    return ProviderError(
        f"{quoted(selector)} finds {count} elements; write a selector that finds only the one that is meant",
        "page.many",
    )


def must_be_usable(problem: str, count: int, selector: str) -> None:
    """Raise the error for what a page's script says is wrong with what a selector finds; empty if nothing is."""
    match problem:
        case "":
            return
        case "selector":
            raise ProviderError(f"{quoted(selector)} is not a CSS selector", "page.selector")
        case "changed":
            raise changed(selector)
        case "none":
            raise ProviderError(f"{quoted(selector)} finds nothing on the page", "page.no_element")
        case "hidden" if count > 1:
            raise ProviderError(f"{quoted(selector)} finds {count} elements, and all are hidden", "page.hidden")
        case "hidden":
            raise ProviderError(f"what {quoted(selector)} finds is hidden", "page.hidden")
        case "many":
            raise ambiguous(selector, count)
        case _:
            raise ProviderError(f"what {quoted(selector)} finds is disabled", "page.disabled")


class Tabs(Protocol):
    """The read methods of the tabs store. In a batch they show the tabs as they would be after the earlier plans.

    A number refers to a tab in the list that the model was shown (`as_shown`). Without such a list it refers to a tab
    that the batch saw when it first read the tabs. A tab that an earlier action opens has no number, and the number of
    a closed tab is not given to another one (T-97).
    """

    def as_shown(self, shown: Facts) -> "Tabs":
        """Return a copy that uses the numbers a model was shown; `shown` contains the shown tabs (`TabAt`) in order."""
        ...

    def as_written(self, words: str) -> "Tabs":
        """Return a copy for a person who wrote `words`; its `rules` contain these words."""
        ...

    async def snapshot(self, browser: str) -> Snapshot:
        """Return the tabs, ordered by window and then by position."""
        ...

    async def tells_tabs(self, browser: str) -> bool:
        """Return whether this browser reports which tab it opened, so that sayso can close that tab again."""
        ...

    async def current(self, browser: str) -> Tab:
        """Return the tab in front."""
        ...

    async def page(self) -> CurrentPage:
        """Return the page in front of the default browser, after it has loaded."""
        ...

    async def text(self, limit: int) -> tuple[str, int]:
        """Return at most `limit` characters of the page's visible text, and the length of the whole text."""
        ...

    async def links(self) -> tuple[Link, ...]:
        """Return the links of the page, in their order on the page."""
        ...

    async def outline(self, most: int) -> Outline:
        """Return at most `most` rows of the outline of the page in front."""
        ...

    async def element(self, selector: str) -> Element:
        """Return the one element that a selector matches or a reference of the outline names.

        Raises `ProviderError` if there is none or several, or if it is not as it was when the outline was read.
        """
        ...

    async def screenshot(self) -> str:
        """Write a picture of the page into a private file (removed after 24 hours) and return its path."""
        ...

    def confirmed(self, url: str) -> bool:
        """Return whether the settings require a question before clicking or filling on the site of `url` (T-106)."""
        ...

    def rules(self) -> Rules:
        """Return the rules for reading addresses, with what the settings add."""
        ...

    def token(self) -> str:
        """Return a new unique name that nobody can guess."""
        ...


@runtime_checkable
class ListsRawTabs(Protocol):
    """A `Tabs` that can also return the browser's own list of its tabs, as the browser wrote it (S4-40)."""

    async def raw(self, limit: int) -> str:
        """Return at most `limit` characters of the browser's own list."""
        ...
