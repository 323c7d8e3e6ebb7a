"""The operations on tabs (open, list, switch, close) and on the page in front (read, run a script, click, fill in)."""

from typing import Annotated, Literal

from msgspec import Meta

from sayso.core.errors import ProviderError
from sayso.core.operation import operation
from sayso.core.plan import Answer, CannotUndo, Change, Plan
from sayso.core.quotes import quoted
from sayso.core.sanitize import fence_data
from sayso.core.schema import Index, Line, Text, Url
from sayso.providers.browser import numbers
from sayso.providers.browser.address import Address, normalize, origin
from sayso.providers.browser.model import (
    Click,
    CloseOpened,
    CloseTabs,
    Fill,
    Navigate,
    OpenTab,
    ReopenTabs,
    RunScript,
    SwitchBack,
    SwitchTab,
)
from sayso.providers.browser.store import CurrentPage, Element, Tab, Tabs

Browser = Annotated[Literal["default", "safari", "chrome"], Meta(description="Which browser.")]

Selector = Annotated[
    Line, Meta(description="A reference of page.snapshot such as e12-4k2j9qa, or a CSS selector of one element.")
]
Code = Annotated[Text, Meta(min_length=1, description="JavaScript; the value of its last expression is returned.")]

MOST_ROWS = 500
NAMED = 10
"""The most tabs that a summary names one by one; the others are only counted."""
NOT_TOLD = "this browser does not tell which tab it opened; close it by hand"
NOT_KEPT = (
    "what is typed into these pages and not sent is lost; undo opens their addresses anew, neither scrolled nor with "
    "what they showed before"
)
BROWSER = "default"
SCRIPT = "what a script did to a page or its site cannot be taken back"
CLICK = "what a click set off cannot be called back"
UNREAD = "what such a field held is not read, so it cannot be put back"
CONFIRMED = "the settings list this site as one to ask about"


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
        return _opening(
            address, Change(OpenTab(browser, address.url, own=_is_own(address)), undo=closing), "in a new tab"
        )
    tab = await tabs.current(browser)
    change = Change(
        Navigate(browser, tab.id, address.url, own=_is_own(address)),
        undo=Navigate(browser, tab.id, tab.url, own=True),
        expects=(tab.fact,),
    )
    return _opening(address, change, f"instead of {numbers.title(tab.title)}", NOT_KEPT)


def _is_own(address: Address) -> bool:
    return not (address.visits or address.tells)


def _opening(address: Address, change: Change, where: str, *warns: str) -> Plan:
    visit = (f"a visit to {address.visits}",) if address.visits else ()
    extra = tuple(f"{quoted(part)} to {address.host or 'whatever opens it'}" for part in address.tells)
    return Plan(
        f"Open {address.url} {where}",
        (change,),
        said_when_done="Opened URL",
        sends=(*visit, *extra),
        warns=(*address.warns, *warns),
        data={"url": address.url},
    )


@operation("tab.list", kind="read", asks="none", outside=True)
async def list_tabs(tabs: Tabs, browser: Browser = "default") -> Answer:
    """List the open tabs of all windows with their numbers."""
    snapshot = await tabs.snapshot(browser)
    data = {"tabs": [numbers.tab_json(tab) for tab in snapshot.tabs]}
    shown = tuple(tab.fact for tab in snapshot.tabs)
    return Answer(f"Listed {numbers.count_tabs(len(snapshot.tabs))}", data, numbers.list_tabs(snapshot.tabs), shown)


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
    count = numbers.count_tabs(len(closing))
    # Strangers may have written the titles; only the person sees a preview.
    every = "\n".join(f"{tab.index}. {_name_tab(tab)}" for tab in again) if len(again) > 1 else ""
    summary = f"Close {count}: {named}{more}"
    return Plan(summary, (change,), said_when_done=f"Closed {count}", warns=(NOT_KEPT,), preview=every)


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


@operation("page.text", kind="read", asks="none", outside=True)
async def page_text(tabs: Tabs) -> Answer:
    """Read the visible text of the page in front, at most 10,000 characters."""
    shown, total = await tabs.text(numbers.MOST_CHARACTERS)
    data = {"text": shown, "truncated": total > len(shown), "total_chars": total}
    return Answer(f"Read {len(shown):,} characters of the page", data, numbers.cut(shown, total))


@operation("page.links", kind="read", asks="none", outside=True)
async def page_links(tabs: Tabs) -> Answer:
    """List the links of the page in front."""
    found = await tabs.links()
    lines = numbers.link_lines(found)
    whole = "\n".join(lines)
    shown = whole[: numbers.MOST_CHARACTERS]
    fit = len(lines) if shown == whole else shown.count("\n")
    data = {
        "links": [{"text": link.text, "href": link.href} for link in found[:fit]],
        "truncated": shown != whole,
        "total_chars": len(whole),
    }
    text = numbers.cut(shown, len(whole)) or "the page has no links"
    return Answer(f"Listed {fit} of {len(found)} links", data, text)


@operation("page.snapshot", kind="read", asks="none", outside=True)
async def page_snapshot(tabs: Tabs) -> Answer:
    """List what can be clicked or filled in on the page in front, each with a reference that names it.

    A reference such as `e12-4k2j9qa` stands in place of a selector; it holds until the page or the element changes.
    """
    found = await tabs.outline(MOST_ROWS)
    lines = [numbers.outline_line(row) for row in found.rows]
    whole = "\n".join(lines)
    shown = whole if len(whole) <= numbers.MOST_CHARACTERS else whole[: numbers.MOST_CHARACTERS].rpartition("\n")[0]
    fit = shown.count("\n") + 1 if shown else 0
    data = {"elements": [numbers.outline_json(row) for row in found.rows[:fit]], "total": found.total}
    text = fence_data("page", shown) if shown else "nothing on the page can be clicked or filled in"
    more = f"\nThese are the first {fit:,} of {found.total:,}." if fit < found.total else ""
    return Answer(f"Listed {fit} of {found.total} elements of the page", data, text + more)


@operation("page.run_js", kind="external", asks="floor", outside=True)
async def run_script(tabs: Tabs, code: Code) -> Plan:
    """Run JavaScript in the page in front."""
    page = await tabs.page()
    change = Change(RunScript(BROWSER, page.tab, code, tabs.token()), undo=CannotUndo(SCRIPT), expects=(page.fact,))
    return Plan(
        f"Run JavaScript ({len(code):,} characters) in {_where(page)}",
        (change,),
        said_when_done="Ran JavaScript",
        sends=(f"whatever the script sends, to {origin(page.url)} or anywhere else",),
        preview=code,
    )


@operation("page.click", kind="external", asks="none")
async def click_element(tabs: Tabs, selector: Selector) -> Plan:
    """Click an element of the page in front."""
    page, element = await tabs.page(), await tabs.element(selector)
    ask = tabs.confirmed(page.url)
    change = Change(Click(BROWSER, page.tab, selector), undo=CannotUndo(CLICK), expects=(page.fact, element.fact))
    return Plan(
        f"Click {element.role} {numbers.title(element.name)} ({selector}) in {_where(page)}",
        (change,),
        said_when_done=f"Clicked {selector}",
        sends=(f"a click, to {origin(page.url)}", *_sent_elsewhere(page, element)),
        asks=ask,
        warns=(CONFIRMED,) if ask else (),
        preview=_what_happens(element),
    )


def _sent_elsewhere(page: CurrentPage, element: Element) -> tuple[str, ...]:
    there = origin(element.submits) if element.submits else ""
    return (f"the form, to {there}",) if there not in {"", origin(page.url)} else ()


def _what_happens(element: Element) -> str:
    """Return where a click leads, as far as the page's own text says it; scripts may do anything else."""
    if element.submits:
        return f"It sends the form to {quoted(element.submits)}."
    return f"It opens {quoted(element.opens)}." if element.opens else ""


@operation("page.fill", kind="external", asks="none")
async def fill_field(tabs: Tabs, selector: Selector, value: Text) -> Plan:
    """Set a field of the page in front."""
    page, element = await tabs.page(), await tabs.element(selector)
    if not element.field:
        raise ProviderError(
            f"{quoted(selector)} is not a field that can be filled in; it is {element.role}", "page.no_field"
        )
    if element.value == value:
        return Plan(f"{quoted(selector)} holds that already")
    ask = tabs.confirmed(page.url)
    back = CannotUndo(UNREAD) if element.value is None else Fill(BROWSER, page.tab, selector, element.value)
    return Plan(
        f"Fill {element.role} {numbers.title(element.name)} ({selector}) in {_where(page)} with {numbers.title(value)}",
        (Change(Fill(BROWSER, page.tab, selector, value), undo=back, expects=(page.fact, element.fact)),),
        said_when_done=f"Filled {selector}",
        sends=(f"{numbers.title(value)} to {origin(page.url)}",),
        asks=ask,
        warns=(CONFIRMED,) if ask else (),
    )


@operation("page.screenshot", kind="read", asks="none")
async def take_screenshot(tabs: Tabs) -> Answer:
    """Take a picture of the page in front and tell its path."""
    path = await tabs.screenshot()
    return Answer("Took a picture of the page", {"path": path}, path)


def _where(page: CurrentPage) -> str:
    return f"the page {numbers.title(page.title)} ({origin(page.url)})"
