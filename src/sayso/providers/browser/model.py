"""The steps of the tabs store, and the facts about tabs and pages that these steps check and result in."""

from typing import ClassVar

from msgspec import UNSET, Struct, UnsetType

from sayso.core.plan import NOTHING, Fact, Facts, Reach, Step, named, unknown
from sayso.core.quotes import quoted

BEGINS_ANEW = "opened anew: what was typed there, how far it was scrolled, and what it showed before are gone"


class NewTab(Struct, frozen=True):
    """A tab that a step opens. If `window` is empty or no longer open, the tab opens at the end of the front window."""

    url: str
    window: str = ""
    place: int | None = None
    """The tab's position in its window, counted from 1."""
    in_front: bool = True
    """Whether the new tab comes to the front. Otherwise the tab that was in front is brought back to the front."""


class TabStep(Step, frozen=True):
    """A step of the tabs store; `browser` is `default`, `safari` or `chrome`.

    The methods of a step declare what it does to tabs. The browser in memory, the preview of a batch, and the lookup
    after a crash use these declarations. A real browser does the step itself.
    """

    store: ClassVar[str] = "tabs"
    browser: str

    def opens(self) -> tuple[NewTab, ...]:
        """Return the tabs that the step opens."""
        return ()

    def closes(self, expects: Facts) -> tuple[str, ...]:
        """Return the ids of the tabs that the step closes, in the order of closing."""
        return ()

    def fronts(self, expects: Facts, before: str) -> "TabInFront | None":
        """Return the fact about the tab that the step brings to the front; `before` is the id of the tab in front now.

        Returns None for a step that brings no tab to the front.
        """
        return None

    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return the keys of facts that the step changes but cannot predict; only the step's result contains them."""
        return ()

    def drawback(self) -> str:
        """Return what the step does not restore when it is used as an undo; empty if it restores everything."""
        return ""


class PageStep(TabStep, frozen=True):
    """A step in one tab, which must be open."""

    tab: str


class OpenTab(TabStep, frozen=True):
    """Open an address in a new tab and bring it to the front. Results in the fact `TabAt`."""

    step: ClassVar[str] = "tab.open"
    reach: ClassVar[Reach] = named("a visit", "url", unless="own")
    hands_over: ClassVar[tuple[str, ...]] = ("url",)
    url: str
    own: bool | UnsetType = UNSET
    """Whether the person chose the address, so that the visit tells its site nothing from a model."""

    def opens(self) -> tuple[NewTab, ...]:
        """Return the one tab that the step opens."""
        return (NewTab(self.url),)


class CloseOpened(TabStep, frozen=True):
    """Close the tabs that the expected facts name. It undoes `OpenTab` and `ReopenTabs`."""

    step: ClassVar[str] = "tab.close_opened"
    reach: ClassVar[Reach] = NOTHING

    def closes(self, expects: Facts) -> tuple[str, ...]:
        """Return the tabs that the expected facts name."""
        return tuple(fact.about for fact in expects if isinstance(fact, TabAt))


class Navigate(PageStep, frozen=True):
    """Show an address in an open tab. Results in the fact `TabAt`."""

    step: ClassVar[str] = "tab.navigate"
    reach: ClassVar[Reach] = named("a visit", "url", unless="own")
    hands_over: ClassVar[tuple[str, ...]] = ("url",)
    url: str
    own: bool | UnsetType = UNSET
    """As in `OpenTab`; also true where it undoes a step, since the site knows the address that it had."""

    def drawback(self) -> str:
        """Return the text that says: as an undo, this step loads the page again from its address, without its state."""
        return f"its address is {BEGINS_ANEW}"


class SwitchTab(PageStep, frozen=True):
    """Bring a tab and its window to the front. Results in the fact `TabInFront`."""

    step: ClassVar[str] = "tab.switch"
    reach: ClassVar[Reach] = NOTHING

    def fronts(self, expects: Facts, before: str) -> "TabInFront":
        """Return the fact that this tab is in front; it also names the tab that was in front before."""
        return TabInFront(self.browser, self.tab, before)


class SwitchBack(TabStep, frozen=True):
    """Bring back to the front the tab that the expected `TabInFront` names as `before`."""

    step: ClassVar[str] = "tab.switch_back"
    reach: ClassVar[Reach] = NOTHING

    def fronts(self, expects: Facts, before: str) -> "TabInFront":
        """Return the fact that the earlier tab is in front; its `tab` is empty if there was none."""
        return TabInFront(self.browser, next((fact.before for fact in expects if isinstance(fact, TabInFront)), ""))


class CloseTabs(TabStep, frozen=True):
    """Close these tabs in this order (highest number first), all or none. Results in a fact `TabClosed` for each."""

    step: ClassVar[str] = "tab.close"
    reach: ClassVar[Reach] = NOTHING
    tabs: tuple[str, ...]

    def closes(self, expects: Facts) -> tuple[str, ...]:
        """Return the tabs to close."""
        return self.tabs


class ReopenTabs(TabStep, frozen=True):
    """Open these addresses again, each at its old position if its window still exists.

    The tab in front stays in front.
    """

    step: ClassVar[str] = "tab.reopen"
    reach: ClassVar[Reach] = NOTHING  # the sites know the addresses that the browser had loaded from them
    urls: tuple[str, ...]
    windows: tuple[str, ...]
    places: tuple[int, ...]

    def opens(self) -> tuple[NewTab, ...]:
        """Return the tabs to open again."""
        tabs = zip(self.urls, self.windows, self.places, strict=True)
        return tuple(NewTab(url, window, place, in_front=False) for url, window, place in tabs)

    def drawback(self) -> str:
        """Return the text that says: as an undo, this step loads the pages again, without their state."""
        return f"{'their addresses are' if len(self.urls) > 1 else 'its address is'} {BEGINS_ANEW}"


class RunScript(PageStep, frozen=True):
    """Run JavaScript in a page. Results in the fact `Returned` about `token`, with the script's value as text."""

    step: ClassVar[str] = "page.run_js"
    reach: ClassVar[Reach] = unknown("whatever the script sends")
    code: str
    token: str


class Click(PageStep, frozen=True):
    """Click the element that a selector matches in a page."""

    step: ClassVar[str] = "page.click"
    reach: ClassVar[Reach] = unknown("whatever the page sends after a click")
    selector: str


class Fill(PageStep, frozen=True):
    """Set the field that a selector matches in a page. Results in the facts `ElementAt` and `PageAt`."""

    step: ClassVar[str] = "page.fill"
    reach: ClassVar[Reach] = unknown("what is filled in, to the page and whatever it sends it to")
    selector: str
    value: str

    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return the key of the fact about the field."""
        return ((ElementAt.fact, f"{self.tab} {self.selector}"),)


Steps = OpenTab | CloseOpened | Navigate | SwitchTab | SwitchBack | CloseTabs | ReopenTabs | RunScript | Click | Fill


class TabAt(Fact, frozen=True):
    """The tab with this id is open and shows this address.

    `opener` is the tab that opened it, if the browser reports that.
    """

    fact: ClassVar[str] = "tab"
    owner: ClassVar[str] = "tabs"
    url: str
    opener: str = ""


class TabInFront(Fact, frozen=True):
    """In the browser named by `about`, `tab` is in front; `before` is the tab that was in front earlier, or empty."""

    fact: ClassVar[str] = "tab_in_front"
    owner: ClassVar[str] = "tabs"
    tab: str
    before: str = ""


class TabClosed(Fact, frozen=True):
    """The tab with this id is not open."""

    fact: ClassVar[str] = "tab_closed"
    owner: ClassVar[str] = "tabs"


class PageAt(Fact, frozen=True):
    """The tab with this id shows this one load of this address; after a reload the fact no longer holds."""

    fact: ClassVar[str] = "page"
    owner: ClassVar[str] = "tabs"
    url: str
    loaded: str


class ElementAt(Fact, frozen=True):
    """The selector matches the same element as when the page was read.

    `about` is the tab's id, a space, and the selector. `role` and `name` are those for accessibility. `value` is the
    SHA-256 of a field's content, or else of where a click leads; it is empty for what leads nowhere, and for a
    password, which is not read.
    """

    fact: ClassVar[str] = "element"
    owner: ClassVar[str] = "tabs"
    role: str
    name: str
    value: str = ""


class NotShown(Fact, frozen=True):
    """The tab with this id is open, but its page could not be shown."""

    fact: ClassVar[str] = "not_shown"
    owner: ClassVar[str] = "tabs"
    why: str


class PageAsked(Fact, frozen=True):
    """The page in the tab with this id asked a question during the step, and sayso answered no."""

    fact: ClassVar[str] = "asked"
    owner: ClassVar[str] = "tabs"
    what: str


class TabsReopened(Fact, frozen=True):
    """Tabs were opened again; some may differ from before.

    `elsewhere` counts the tabs at another position than before, and `unseen` the tabs whose page has not loaded yet.
    """

    fact: ClassVar[str] = "tabs_again"
    owner: ClassVar[str] = "tabs"
    elsewhere: int = 0
    unseen: int = 0


class Returned(Fact, frozen=True):
    """The value that the script with this token returned, as text, cut to the length that a model may be shown."""

    fact: ClassVar[str] = "returned"
    owner: ClassVar[str] = "tabs"
    text: str
    total_chars: int
    truncated: bool = False


def describe_change(fact: Fact) -> str:
    """Return the part of a message that says that a fact no longer holds."""
    match fact:
        case TabAt(_, url):
            return f"the tab that showed {url} was closed or shows another page by now"
        case TabInFront():
            return "another tab was brought to the front since"
        case PageAt(_, url):
            return f"the page {url} was left or loaded again since"
        case ElementAt(about):
            return f"what {quoted(about.partition(' ')[2])} finds on the page is not what it was"
        case _:
            return "the tabs are no longer as they were"
