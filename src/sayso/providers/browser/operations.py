"""The operations on addresses and tabs: open, list, switch, close."""

from typing import Annotated, Literal

from msgspec import Meta

from sayso.core.operation import Operation, operation
from sayso.core.plan import Answer, CannotUndo, Change, Plan
from sayso.core.schema import Index, Url
from sayso.providers.browser import numbers
from sayso.providers.browser.address import Address, normalize
from sayso.providers.browser.model import CloseOpened, CloseTabs, Navigate, OpenTab, ReopenTabs, SwitchBack, SwitchTab
from sayso.providers.browser.store import Tab, Tabs

Browser = Annotated[Literal["default", "safari", "chrome"], Meta(description="Which browser.")]

NAMED = 10
"""How many tabs a summary names one by one."""
NOT_TOLD = "this browser does not tell which tab it opened; close it by hand"
NOT_KEPT = (
    "what is typed into these pages and not sent is lost; undo opens their addresses anew, neither scrolled nor with "
    "what they showed before"
)


@operation("url.open", kind="external", asks="none")
async def open_url(
    tabs: Tabs,
    url: Url,
    browser: Browser = "default",
    *,
    new_tab: Annotated[bool, Meta(description="Open it in a new tab.")] = True,
) -> Plan:
    """Open a web address, or a known site by its name."""
    address = normalize(url, tabs.rules())
    if new_tab or not await tabs.tells_tabs(browser):
        closing = CloseOpened(browser) if await tabs.tells_tabs(browser) else CannotUndo(NOT_TOLD)
        return _opening(address, Change(OpenTab(browser, address.url), undo=closing), "in a new tab")
    tab = await tabs.current(browser)
    change = Change(
        Navigate(browser, tab.id, address.url),
        undo=Navigate(browser, tab.id, tab.url),
        expects=(tab.fact,),
    )
    return _opening(address, change, f"instead of {numbers.title(tab.title)}", NOT_KEPT)


def _opening(address: Address, change: Change, where: str, *warns: str) -> Plan:
    visit = (f"a visit to {address.visits}",) if address.visits else ()
    told = tuple(f"“{part}” to {address.host or 'whatever opens it'}" for part in address.tells)
    return Plan(
        f"Open {address.url} {where}",
        (change,),
        said_when_done="Opened URL",
        sends=(*visit, *told),
        warns=(*address.warns, *warns),
        data={"url": address.url},
    )


@operation("tab.list", kind="read", asks="none", outside=True)
async def list_tabs(tabs: Tabs, browser: Browser = "default") -> Answer:
    """List the open tabs of all windows with their numbers."""
    snapshot = await tabs.snapshot(browser)
    data = {"tabs": [numbers.as_json(tab) for tab in snapshot.tabs]}
    shown = tuple(tab.fact for tab in snapshot.tabs)
    return Answer(f"Listed {numbers.tabs(len(snapshot.tabs))}", data, numbers.list_tabs(snapshot.tabs), shown)


@operation("tab.switch", kind="write", asks="none")
async def switch_tab(tabs: Tabs, index: Index, browser: Browser = "default") -> Plan:
    """Bring a tab and its window to the front, by its number."""
    (tab,) = numbers.tabs_of_numbers(await tabs.snapshot(browser), [index])
    if tab.active:
        return Plan(f"Tab {index} is in front already")
    change = Change(SwitchTab(browser, tab.id), undo=SwitchBack(browser), expects=(tab.fact,))
    return Plan(f"Switch to tab {index}, {_name_tab(tab)}", (change,), said_when_done=f"Switched to tab {index}")


@operation("tab.close", kind="write", asks="none")
async def close_tabs(
    tabs: Tabs,
    indices: Annotated[
        list[Index], Meta(min_length=1, max_length=5000, description="Tab numbers over all windows, at least one.")
    ],
    browser: Browser = "default",
) -> Plan:
    """Close tabs by their numbers."""
    closing = numbers.tabs_of_numbers(await tabs.snapshot(browser), indices)
    again = sorted(closing, key=lambda tab: tab.index)
    change = Change(
        CloseTabs(browser, tuple(tab.id for tab in closing)),
        undo=ReopenTabs(
            browser,
            tuple(tab.url for tab in again),
            tuple(tab.window for tab in again),
            tuple(tab.local_index for tab in again),
        ),
        expects=tuple(tab.fact for tab in closing),
    )
    named = "; ".join(f"{tab.index}, {_name_tab(tab)}" for tab in again[:NAMED])
    more = f"; and {len(again) - NAMED} more" if len(again) > NAMED else ""
    count = numbers.tabs(len(closing))
    return Plan(f"Close {count}: {named}{more}", (change,), said_when_done=f"Closed {count}", warns=(NOT_KEPT,))


@operation("tab.url", kind="read", asks="none", outside=True)
async def tab_url(tabs: Tabs, browser: Browser = "default") -> Answer:
    """Tell the address of the tab in front."""
    tab = await tabs.current(browser)
    return Answer("Read the address of the tab in front", {"text": tab.url}, tab.url)


@operation("tab.title", kind="read", asks="none", outside=True)
async def tab_title(tabs: Tabs, browser: Browser = "default") -> Answer:
    """Tell the title of the tab in front."""
    tab = await tabs.current(browser)
    return Answer("Read the title of the tab in front", {"text": tab.title}, tab.title)


def _name_tab(tab: Tab) -> str:
    return f"{numbers.title(tab.title)} ({tab.url})"


OPERATIONS: tuple[Operation, ...] = (open_url, list_tabs, switch_tab, close_tabs, tab_url, tab_title)
