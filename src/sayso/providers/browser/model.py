"""The steps that a browser backend can do, and the facts that may be expected of tabs and pages."""

from typing import ClassVar

from sayso.core.plan import Fact, Step


class TabStep(Step, frozen=True):
    """A step of the tabs store; `browser` is `default`, `safari` or `chrome`."""

    store: ClassVar[str] = "tabs"
    browser: str


class OpenTab(TabStep, frozen=True):
    """Open an address in a new tab and bring it to the front. Leaves `TabAt`, where the browser tells its tabs."""

    step: ClassVar[str] = "tab.open"
    url: str


class CloseOpened(TabStep, frozen=True):
    """Close the tabs that the expected facts name: the way back of `OpenTab` and `ReopenTabs`."""

    step: ClassVar[str] = "tab.close_opened"


class Navigate(TabStep, frozen=True):
    """Show an address in a tab that is open. Leaves `TabAt`."""

    step: ClassVar[str] = "tab.navigate"
    tab: str
    url: str


class SwitchTab(TabStep, frozen=True):
    """Bring a tab and its window to the front. Leaves `Front`."""

    step: ClassVar[str] = "tab.switch"
    tab: str


class SwitchBack(TabStep, frozen=True):
    """Bring the tab to the front that the expected `Front` names as the one before."""

    step: ClassVar[str] = "tab.switch_back"


class CloseTabs(TabStep, frozen=True):
    """Close these tabs in this order (highest number first), all or none. Leaves `Closed` for each."""

    step: ClassVar[str] = "tab.close"
    tabs: tuple[str, ...]


class ReopenTabs(TabStep, frozen=True):
    """Open these addresses again, each in the window and at the place it had, where that window is still there."""

    step: ClassVar[str] = "tab.reopen"
    urls: tuple[str, ...]
    windows: tuple[str, ...]
    places: tuple[int, ...]


class RunScript(TabStep, frozen=True):
    """Run JavaScript in a page; its value is returned as text in `Returned` about `token`."""

    step: ClassVar[str] = "page.run_js"
    tab: str
    code: str
    token: str


class Click(TabStep, frozen=True):
    """Click the element that a selector finds in a page."""

    step: ClassVar[str] = "page.click"
    tab: str
    selector: str


class Fill(TabStep, frozen=True):
    """Set the field that a selector finds in a page. Leaves `ElementAt` and `PageAt`."""

    step: ClassVar[str] = "page.fill"
    tab: str
    selector: str
    value: str


Steps = OpenTab | CloseOpened | Navigate | SwitchTab | SwitchBack | CloseTabs | ReopenTabs | RunScript | Click | Fill
STEPS: tuple[type[TabStep], ...] = (
    OpenTab, CloseOpened, Navigate, SwitchTab, SwitchBack, CloseTabs, ReopenTabs, RunScript, Click, Fill,
)  # fmt: skip


class TabAt(Fact, frozen=True):
    """The tab of this id (a target id) is open and shows this address; `opener` opened it, where that is told."""

    fact: ClassVar[str] = "tab"
    url: str
    opener: str = ""


class Front(Fact, frozen=True):
    """In the browser this is about, `tab` is the tab in front; `before` was, and is empty when it is gone."""

    fact: ClassVar[str] = "tab_in_front"
    tab: str
    before: str = ""


class Closed(Fact, frozen=True):
    """The tab of this id is not open."""

    fact: ClassVar[str] = "tab_closed"


class PageAt(Fact, frozen=True):
    """The tab of this id shows this address, loaded this one time: a reload or another page is not it."""

    fact: ClassVar[str] = "page"
    url: str
    loaded: str


class ElementAt(Fact, frozen=True):
    """The element a selector finds (`about` is the tab's id, a space, and the selector) is the one seen.

    `role` and `name` are what the accessibility tree calls it; `value` is the SHA-256 of what a field
    holds, empty for what is no field.
    """

    fact: ClassVar[str] = "element"
    role: str
    name: str
    value: str = ""


class NotShown(Fact, frozen=True):
    """The tab of this id is open, and its page could not be shown."""

    fact: ClassVar[str] = "not_shown"
    why: str


class Asked(Fact, frozen=True):
    """The page that the tab of this id came to show asked something, and got no for an answer."""

    fact: ClassVar[str] = "asked"
    what: str


class Again(Fact, frozen=True):
    """In the browser this is about, tabs were opened again: how many of them not where they were, or not loaded yet."""

    fact: ClassVar[str] = "tabs_again"
    elsewhere: int = 0
    unseen: int = 0


class Returned(Fact, frozen=True):
    """What the script of this token returned, as text, cut to what may be shown."""

    fact: ClassVar[str] = "returned"
    text: str
    total_chars: int
    truncated: bool = False


FACTS: tuple[type[Fact], ...] = (TabAt, Front, Closed, PageAt, ElementAt, Returned, NotShown, Asked, Again)


def describe_change(fact: Fact) -> str:
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
