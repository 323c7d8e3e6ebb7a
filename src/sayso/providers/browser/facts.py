"""What may be expected of tabs and pages, each fact about one tab, one page, or one element."""

from typing import ClassVar

from sayso.core.plan import Fact
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class TabAt(Fact):
    """The tab of this id (a target id) is open and shows this address; `opener` opened it, where that is told."""

    fact: ClassVar[str] = "tab"
    url: str
    opener: str = ""


@dataclass(frozen=True, slots=True)
class Front(Fact):
    """In the browser this is about, `tab` is the tab in front; `before` was, and is empty when it is gone."""

    fact: ClassVar[str] = "tab_in_front"
    tab: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class Closed(Fact):
    """The tab of this id is not open."""

    fact: ClassVar[str] = "tab_closed"


@dataclass(frozen=True, slots=True)
class PageAt(Fact):
    """The tab of this id shows this address, loaded this one time: a reload or another page is not it."""

    fact: ClassVar[str] = "page"
    url: str
    loaded: str


@dataclass(frozen=True, slots=True)
class ElementAt(Fact):
    """The element a selector finds (`about` is the tab's id, a space, and the selector) is the one seen.

    `role` and `name` are what the accessibility tree calls it; `value` is the SHA-256 of what a field
    holds, empty for what is no field.
    """

    fact: ClassVar[str] = "element"
    role: str
    name: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class NotShown(Fact):
    """The tab of this id is open, and its page could not be shown."""

    fact: ClassVar[str] = "not_shown"
    why: str


@dataclass(frozen=True, slots=True)
class Asked(Fact):
    """The page that the tab of this id came to show asked something, and got no for an answer."""

    fact: ClassVar[str] = "asked"
    what: str


@dataclass(frozen=True, slots=True)
class Again(Fact):
    """In the browser this is about, tabs were opened again: how many of them not where they were, or not loaded yet."""

    fact: ClassVar[str] = "tabs_again"
    elsewhere: int = 0
    unseen: int = 0


@dataclass(frozen=True, slots=True)
class Returned(Fact):
    """What the script of this token returned, as text, cut to what may be shown."""

    fact: ClassVar[str] = "returned"
    text: str
    total_chars: int
    truncated: bool = False


FACTS: tuple[type[Fact], ...] = (TabAt, Front, Closed, PageAt, ElementAt, Returned, NotShown, Asked, Again)


def moved_on(fact: Fact) -> str:
    """Say in one clause that a fact is no longer so."""
    match fact:
        case TabAt(_, url):
            return f"the tab that showed {url} was closed or shows another page by now"
        case Front():
            return "another tab was brought to the front since"
        case PageAt(_, url):
            return f"the page {url} was left or loaded again since"
        case ElementAt(about):
            return f"what “{about.partition(' ')[2]}” finds on the page is not what it was"
        case _:
            return "the tabs are no longer as they were"
