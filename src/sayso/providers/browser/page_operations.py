"""The operations on the page in front: read it, run a script in it, click, fill in, take a picture."""

from typing import Annotated

from msgspec import Meta

from sayso.core.errors import ProviderError
from sayso.core.operation import Operation, operation
from sayso.core.plan import Answer, CannotUndo, Change, Plan
from sayso.core.schema import Line, Text
from sayso.providers.browser import numbers
from sayso.providers.browser.address import origin
from sayso.providers.browser.model import Click, Fill, RunScript
from sayso.providers.browser.store import Page, Tabs

Selector = Annotated[Line, Meta(description="A CSS selector that finds one single element.")]
Code = Annotated[Text, Meta(min_length=1, description="JavaScript; the value of its last expression is returned.")]

BROWSER = "default"
SCRIPT = "what a script did to a page or its site cannot be taken back"
CLICK = "what a click set off cannot be called back"
UNREAD = "what such a field held is not read, so it cannot be put back"
CONFIRMED = "the settings list this site as one to ask about"


@operation("page.text", kind="read", asks="none", outside=True)
async def text(tabs: Tabs) -> Answer:
    """Read the visible text of the page in front, at most 10,000 characters."""
    shown, total = await tabs.text(numbers.MOST_CHARACTERS)
    data = {"text": shown, "truncated": total > len(shown), "total_chars": total}
    return Answer(f"Read {len(shown):,} characters of the page", data, numbers.cut(shown, total))


@operation("page.links", kind="read", asks="none", outside=True)
async def links(tabs: Tabs) -> Answer:
    """List the links of the page in front."""
    found = await tabs.links()
    lines = numbers.lines(found)
    whole = "\n".join(lines)
    shown = whole[: numbers.MOST_CHARACTERS]
    fit = len(lines) if shown == whole else shown.count("\n")
    data = {
        "links": [{"text": link.text, "href": link.href} for link in found[:fit]],
        "truncated": shown != whole,
        "total_chars": len(whole),
    }
    said = numbers.cut(shown, len(whole)) or "the page has no links"
    return Answer(f"Listed {fit} of {len(found)} links", data, said)


@operation("page.run_js", kind="external", asks="floor", outside=True)
async def run_js(tabs: Tabs, code: Code) -> Plan:
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
async def click(tabs: Tabs, selector: Selector) -> Plan:
    """Click an element of the page in front."""
    page, element = await tabs.page(), await tabs.element(selector)
    ask = tabs.confirmed(page.url)
    change = Change(Click(BROWSER, page.tab, selector), undo=CannotUndo(CLICK), expects=(page.fact, element.fact))
    return Plan(
        f"Click {element.role} {numbers.title(element.name)} ({selector}) in {_where(page)}",
        (change,),
        said_when_done=f"Clicked {selector}",
        sends=(f"a click, to {origin(page.url)}",),
        asks=ask,
        warns=(CONFIRMED,) if ask else (),
    )


@operation("page.fill", kind="external", asks="none")
async def fill(tabs: Tabs, selector: Selector, value: Text) -> Plan:
    """Set a field of the page in front."""
    page, element = await tabs.page(), await tabs.element(selector)
    if not element.field:
        raise ProviderError(f"“{selector}” is no field that can be filled in; it is {element.role}", "page.no_field")
    if element.value == value:
        return Plan(f"“{selector}” holds that already")
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
async def screenshot(tabs: Tabs) -> Answer:
    """Take a picture of the page in front and tell its path."""
    path = await tabs.screenshot()
    return Answer("Took a picture of the page", {"path": path}, path)


def _where(page: Page) -> str:
    return f"the page {numbers.title(page.title)} ({origin(page.url)})"


OPERATIONS: tuple[Operation, ...] = (text, links, run_js, click, fill, screenshot)
