"""The steps that a browser backend can do, each with what it does to tabs, and the facts about tabs and pages."""

from typing import ClassVar

from msgspec import Struct

from sayso.core.plan import Fact, Facts, Step

BEGINS_ANEW = "opened anew: what was typed there, how far it was scrolled, and what it showed before are gone"


class NewTab(Struct, frozen=True):
    """A tab that a step opens; without a window, or if that is gone, it opens at the end of the window in front."""

    url: str
    window: str = ""
    place: int | None = None
    """Its number within the window, from 1."""
    in_front: bool = True
    """It comes to the front; otherwise the tab that was there is there again afterwards."""


class TabStep(Step, frozen=True):
    """A step of the tabs store; `browser` is `default`, `safari` or `chrome`.

    A step declares what it does to tabs. The browser in memory, the overlay of a batch, and settling after a crash
    read the declaration; a real browser does it.
    """

    store: ClassVar[str] = "tabs"
    browser: str

    def opens(self) -> tuple[NewTab, ...]:
        """Return the tabs that it opens."""
        return ()

    def closes(self, expects: Facts) -> tuple[str, ...]:
        """Return the ids of the tabs that it closes, in this order."""
        return ()

    def fronts(self, expects: Facts, before: str) -> "TabInFront | None":
        """Return the fact that it brings another tab to the front than `before`; None if it brings none there."""
        return None

    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return the keys of facts that it changes without leaving them, so that only its result knows them."""
        return ()

    def drawback(self) -> str:
        """Say what it does not bring back when it is a way back; empty if that is nothing."""
        return ""


class PageStep(TabStep, frozen=True):
    """A step in one tab, which must be open."""

    tab: str


class OpenTab(TabStep, frozen=True):
    """Open an address in a new tab and bring it to the front. Leaves `TabAt`."""

    step: ClassVar[str] = "tab.open"
    url: str

    def opens(self) -> tuple[NewTab, ...]:
        """Return the one tab."""
        return (NewTab(self.url),)


class CloseOpened(TabStep, frozen=True):
    """Close the tabs that the expected facts name: the way back of `OpenTab` and `ReopenTabs`."""

    step: ClassVar[str] = "tab.close_opened"

    def closes(self, expects: Facts) -> tuple[str, ...]:
        """Return the tabs that the expected facts name."""
        return tuple(fact.about for fact in expects if isinstance(fact, TabAt))


class Navigate(PageStep, frozen=True):
    """Show an address in a tab that is open. Leaves `TabAt`."""

    step: ClassVar[str] = "tab.navigate"
    url: str

    def drawback(self) -> str:
        """Say that its page begins anew."""
        return f"its address is {BEGINS_ANEW}"


class SwitchTab(PageStep, frozen=True):
    """Bring a tab and its window to the front. Leaves `TabInFront`."""

    step: ClassVar[str] = "tab.switch"

    def fronts(self, expects: Facts, before: str) -> "TabInFront":
        """Return that the tab is in front, and which one was."""
        return TabInFront(self.browser, self.tab, before)


class SwitchBack(TabStep, frozen=True):
    """Bring the tab to the front that the expected `TabInFront` names as the one before."""

    step: ClassVar[str] = "tab.switch_back"

    def fronts(self, expects: Facts, before: str) -> "TabInFront":
        """Return that the earlier tab is in front; no tab if that one is gone."""
        return TabInFront(self.browser, next((fact.before for fact in expects if isinstance(fact, TabInFront)), ""))


class CloseTabs(TabStep, frozen=True):
    """Close these tabs in this order (highest number first), all or none. Leaves `TabClosed` for each."""

    step: ClassVar[str] = "tab.close"
    tabs: tuple[str, ...]

    def closes(self, expects: Facts) -> tuple[str, ...]:
        """Return the tabs."""
        return self.tabs


class ReopenTabs(TabStep, frozen=True):
    """Open these addresses again, each at its place in its window if that is still there; what is in front stays."""

    step: ClassVar[str] = "tab.reopen"
    urls: tuple[str, ...]
    windows: tuple[str, ...]
    places: tuple[int, ...]

    def opens(self) -> tuple[NewTab, ...]:
        """Return the tabs."""
        tabs = zip(self.urls, self.windows, self.places, strict=True)
        return tuple(NewTab(url, window, place, in_front=False) for url, window, place in tabs)

    def drawback(self) -> str:
        """Say that the pages begin anew."""
        return f"{'their addresses are' if len(self.urls) > 1 else 'its address is'} {BEGINS_ANEW}"


class RunScript(PageStep, frozen=True):
    """Run JavaScript in a page; its value is returned as text in `Returned` about `token`."""

    step: ClassVar[str] = "page.run_js"
    code: str
    token: str


class Click(PageStep, frozen=True):
    """Click the element that a selector finds in a page."""

    step: ClassVar[str] = "page.click"
    selector: str


class Fill(PageStep, frozen=True):
    """Set the field that a selector finds in a page. Leaves `ElementAt` and `PageAt`."""

    step: ClassVar[str] = "page.fill"
    selector: str
    value: str

    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return the key of the field."""
        return ((ElementAt.fact, f"{self.tab} {self.selector}"),)


Steps = OpenTab | CloseOpened | Navigate | SwitchTab | SwitchBack | CloseTabs | ReopenTabs | RunScript | Click | Fill


class TabAt(Fact, frozen=True):
    """The tab of this id is open and shows this address; `opener` opened it, if the browser says so."""

    fact: ClassVar[str] = "tab"
    url: str
    opener: str = ""


class TabInFront(Fact, frozen=True):
    """In the browser this is about, `tab` is in front; `before` was in front before, empty if that one is gone."""

    fact: ClassVar[str] = "tab_in_front"
    tab: str
    before: str = ""


class TabClosed(Fact, frozen=True):
    """The tab of this id is not open."""

    fact: ClassVar[str] = "tab_closed"


class PageAt(Fact, frozen=True):
    """The tab of this id shows this load of this address: neither a reload nor another page."""

    fact: ClassVar[str] = "page"
    url: str
    loaded: str


class ElementAt(Fact, frozen=True):
    """The element that a selector finds is the one seen; `about` is the tab's id, a space, and the selector.

    `role` and `name` are those of the accessibility tree; `value` is the SHA-256 of what a field holds, and empty for
    what is no field.
    """

    fact: ClassVar[str] = "element"
    role: str
    name: str
    value: str = ""


class NotShown(Fact, frozen=True):
    """The tab of this id is open, and its page could not be shown."""

    fact: ClassVar[str] = "not_shown"
    why: str


class PageAsked(Fact, frozen=True):
    """The page that the tab of this id shows since asked something, and got no for an answer."""

    fact: ClassVar[str] = "asked"
    what: str


class TabsReopened(Fact, frozen=True):
    """Tabs were opened again: how many are `elsewhere` than they were, and of how many the page is still `unseen`."""

    fact: ClassVar[str] = "tabs_again"
    elsewhere: int = 0
    unseen: int = 0


class Returned(Fact, frozen=True):
    """What the script of this token returned, as text, cut to what a model may be shown."""

    fact: ClassVar[str] = "returned"
    text: str
    total_chars: int
    truncated: bool = False


def describe_change(fact: Fact) -> str:
    """Say in one clause that a fact no longer holds."""
    match fact:
        case TabAt(_, url):
            return f"the tab that showed {url} was closed or shows another page by now"
        case TabInFront():
            return "another tab was brought to the front since"
        case PageAt(_, url):
            return f"the page {url} was left or loaded again since"
        case ElementAt(about):
            return f"what “{about.partition(' ')[2]}” finds on the page is not what it was"
        case _:
            return "the tabs are no longer as they were"
