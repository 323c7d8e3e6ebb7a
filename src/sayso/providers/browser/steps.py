"""The closed union of what a browser backend can do.

Tabs are named by their ids, never by numbers. Ids that only the world gives (a new tab's) are not
fields: the undo finds them among the facts that the step left.
"""

from typing import ClassVar

from sayso.core.plan import Step
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class TabStep(Step):
    """A step of the tabs store; `browser` is `default`, `safari` or `chrome`."""

    store: ClassVar[str] = "tabs"
    browser: str


@dataclass(frozen=True, slots=True)
class OpenTab(TabStep):
    """Open an address in a new tab and bring it to the front. Leaves `TabAt`, where the browser tells its tabs."""

    step: ClassVar[str] = "tab.open"
    url: str


@dataclass(frozen=True, slots=True)
class CloseOpened(TabStep):
    """Close the tabs that the expected facts name: the way back of `OpenTab` and `ReopenTabs`."""

    step: ClassVar[str] = "tab.close_opened"


@dataclass(frozen=True, slots=True)
class Navigate(TabStep):
    """Show an address in a tab that is open. Leaves `TabAt`."""

    step: ClassVar[str] = "tab.navigate"
    tab: str
    url: str


@dataclass(frozen=True, slots=True)
class SwitchTab(TabStep):
    """Bring a tab and its window to the front. Leaves `Front`."""

    step: ClassVar[str] = "tab.switch"
    tab: str


@dataclass(frozen=True, slots=True)
class SwitchBack(TabStep):
    """Bring the tab to the front that the expected `Front` names as the one before."""

    step: ClassVar[str] = "tab.switch_back"


@dataclass(frozen=True, slots=True)
class CloseTabs(TabStep):
    """Close these tabs in this order (highest number first), all or none. Leaves `Closed` for each."""

    step: ClassVar[str] = "tab.close"
    tabs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReopenTabs(TabStep):
    """Open these addresses again, each in the window and at the place it had, where that window is still there."""

    step: ClassVar[str] = "tab.reopen"
    urls: tuple[str, ...]
    windows: tuple[str, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RunScript(TabStep):
    """Run JavaScript in a page; its value is returned as text in `Returned` about `token`."""

    step: ClassVar[str] = "page.run_js"
    tab: str
    code: str
    token: str


@dataclass(frozen=True, slots=True)
class Click(TabStep):
    """Click the element that a selector finds in a page."""

    step: ClassVar[str] = "page.click"
    tab: str
    selector: str


@dataclass(frozen=True, slots=True)
class Fill(TabStep):
    """Set the field that a selector finds in a page. Leaves `ElementAt` and `PageAt`."""

    step: ClassVar[str] = "page.fill"
    tab: str
    selector: str
    value: str


Steps = OpenTab | CloseOpened | Navigate | SwitchTab | SwitchBack | CloseTabs | ReopenTabs | RunScript | Click | Fill
STEPS: tuple[type[TabStep], ...] = (
    OpenTab, CloseOpened, Navigate, SwitchTab, SwitchBack, CloseTabs, ReopenTabs, RunScript, Click, Fill,
)  # fmt: skip
