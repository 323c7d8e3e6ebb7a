"""Act on a page: find an element, click it, fill it in, or run a script.

An action that fails after it has begun raises `Uncertain`, unless it is known to have changed nothing.
"""

import re

from msgspec import Struct

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Fact, Facts
from sayso.core.quotes import quoted
from sayso.providers.browser import store
from sayso.providers.browser.model import ElementAt, Returned
from sayso.providers.browser.numbers import MOST_CHARACTERS
from sayso.providers.browser.remote.connection import CallError
from sayso.providers.browser.remote.driver import ActionBounds, BrowserPage, BrowserSession, ScriptOutcome
from sayso.providers.browser.remote.navigation import ADVICE, PageAction, page_action


class FindReport(Struct, frozen=True):
    """What `page.js` reports about the element that a selector matches, or why there is no such element."""

    problem: str = ""
    count: int = 0
    tag: str = ""
    kind: str = ""
    readonly: bool = False
    secret: bool = False
    value: str | None = None
    text: str = ""
    opens: str = ""
    submits: str = ""
    method: str = ""


class ElementOnPage(Struct, frozen=True):
    """A visible, enabled element on the page; the person is shown its `role` and `name`."""

    found: FindReport
    role: str
    name: str

    @property
    def fillable(self) -> bool:
        """Return whether the element is a field that can be filled in."""
        return self.found.kind in {"text", "choice", "rich"} and not self.found.readonly

    def fact(self, tab: str, selector: str) -> Fact:
        """Return the fact that a selector matches this element with this value; a password's value is not read."""
        found = self.found
        held = store.element_value(found.value, found.opens, found.submits, found.method)
        return ElementAt(f"{tab} {selector}", self.role, self.name, held)


def find_element(page: BrowserPage, selector: str) -> ElementOnPage:
    """Return the one usable element that a selector matches. Raises `ProviderError` if there is not exactly one."""
    found = page.call_function(FindReport, "findElement", selector)
    store.must_be_usable(found.problem, found.count, selector)
    role, name = page.accessible_name()
    return ElementOnPage(found, _role(found, role), name or found.text)


def _role(found: FindReport, role: str) -> str:
    if found.kind == "file":
        return "a field for files, and those are chosen by a person"
    known = role if role and role not in {"none", "generic"} else f"<{found.tag}>"
    return f"read-only {known}" if found.readonly else known


SCRIPT_SECONDS = 30.0
_LETTER = re.compile(r"[^\W_]")


class ClickPoint(Struct, frozen=True):
    """The coordinates at which an element can be clicked, or the reason why it cannot be clicked."""

    problem: str = ""
    count: int = 0
    by: str = ""
    x: float = 0
    y: float = 0


class ClickReport(Struct, frozen=True):
    """Whether a click reached the element, and which other element of the page it hit first."""

    touched: bool
    """Whether any event of the click, such as the press, reached the element."""
    clicked: bool
    """Whether the element got a click event; for a drop-down field, the press is enough."""
    strayed: str = ""
    framed: bool = False
    """Whether the click hit a frame, whose page may then have acted on it."""


def click_element(session: BrowserSession, bounds: ActionBounds, tab: str, selector: str) -> Facts:
    """Click the element that a selector matches, and wait for the page that the click loads, if any."""
    with session.held(bounds, files=True), session.page(tab) as page, page_action() as action:
        find_element(page, selector)
        point = _find_point(page, "scrollToElement", selector)
        with page.loading():
            _click(page, action, point, selector)
        session.tab_fact(tab, bounds)
        page.refresh()
        return (page.fact,)


def _find_point(page: BrowserPage, function: str, selector: str) -> ClickPoint:
    point = page.call_function(ClickPoint, function)
    match point.problem:
        case "":
            return point
        case "moving":
            raise ProviderError(
                f"what {quoted(selector)} finds does not stand still; nothing was clicked", "page.moving"
            )
        case "covered":
            raise ProviderError(
                f"what {quoted(selector)} finds lies under {point.by}, which a click would hit; nothing was clicked",
                "page.covered",
            )
        case "hidden":
            raise ProviderError(f"what {quoted(selector)} finds is hidden by now; nothing was clicked", "page.hidden")
        case _:
            raise ProviderError(
                f"what {quoted(selector)} finds cannot be brought into view; nothing was clicked", "page.outside"
            )


def _click(page: BrowserPage, action: PageAction, point: ClickPoint, selector: str) -> None:
    page.mouse("moved", point.x, point.y)
    # An element that appears when the mouse arrives may cover the target, so the point is computed again.
    point = _find_point(page, "findClickPoint", selector)
    page.call_function(bool, "watchClick")
    action.begin("it was clicked")
    page.mouse("pressed", point.x, point.y)
    try:
        page.mouse("released", point.x, point.y)
        settle(page)
        report = page.call_function(ClickReport, "reportClick")
    except ProviderError as left:
        if left.code != "page.left":
            raise
        return
    if not report.clicked:
        raise _missed_click(action, report, selector)


def _missed_click(action: PageAction, report: ClickReport, selector: str) -> ProviderError:
    """Return the error for when the element was not clicked."""
    if report.touched:
        said = (
            f"the mouse was pressed on {quoted(selector)}, which then went away or was covered, so it was not clicked"
        )
        return Uncertain(f"{said}; {ADVICE}", "page.covered")
    if report.strayed and not report.framed:
        action.undone()
        return ProviderError(
            f"the click on {quoted(selector)} hit {report.strayed}, which had moved over it, and was stopped",
            "page.covered",
        )
    said = (
        f"the click on {quoted(selector)} did not reach it; a frame that moved over it may have got the click; {ADVICE}"
    )
    return Uncertain(said, "page.covered")


def settle(page: BrowserPage) -> None:
    """Wait for the next frame, so that the page has begun what the action causes, such as loading another page."""
    try:
        page.call_function(bool, "waitForNextFrame")
    except ProviderError as left:
        if left.code != "page.left":
            raise


class FieldContent(Struct, frozen=True):
    """The content of a field after it was filled in."""

    problem: str = ""
    options: tuple[str, ...] = ()
    value: str | None = None
    """The new value; None if it is not read, as in a password field."""
    held: bool = True
    """Whether the field has accepted the value; used for drop-down fields and for fields whose value is not read."""


def fill_field(session: BrowserSession, bounds: ActionBounds, tab: str, selector: str, value: str) -> Facts:
    """Fill in the field that a selector matches; if it does not accept the value, restore its old value."""
    with session.held(bounds), session.page(tab) as page, page_action() as action:
        field = find_element(page, selector)
        if not field.fillable:
            raise ProviderError(
                f"{quoted(selector)} is not a field that can be filled in; it is {field.role}", "page.no_field"
            )
        with page.loading():
            content = _fill(page, action, field, value)
            taken = _has_taken(content, field, value)
            restored = not taken and field.found.value is not None and _restore(page, field)
        if not taken:
            raise _not_taken(action, selector, content, restored=restored)
        session.tab_fact(tab, bounds)
        page.refresh()
        return (page.fact, find_element(page, selector).fact(tab, selector))


def _fill(page: BrowserPage, action: PageAction, field: ElementOnPage, value: str) -> FieldContent:
    action.begin("the field was filled in")
    content = _set(page, field, value)
    if content.problem == "option":
        action.undone()
        offered = ", ".join(quoted(option) for option in content.options)
        raise ProviderError(f"the field has no choice {quoted(value[:80])}; it has: {offered}", "page.no_option")
    return content


def _set(page: BrowserPage, field: ElementOnPage, value: str) -> FieldContent:
    if field.found.kind != "rich":
        return page.call_function(FieldContent, "fillField", value)
    page.call_function(bool, "selectAll")
    page.type_text(value)
    return FieldContent(value=page.call_function(str, "fieldValue"))


def _has_taken(content: FieldContent, field: ElementOnPage, value: str) -> bool:
    if content.value is None or field.found.kind == "choice":
        return content.held
    return is_same_text(content.value, value)


def _restore(page: BrowserPage, field: ElementOnPage) -> bool:
    """Set the field to its old value; return whether it has that value now."""
    old = field.found.value or ""
    return (_set(page, field, old).value or "").rstrip("\n") == old.rstrip("\n")


def _not_taken(action: PageAction, selector: str, content: FieldContent, *, restored: bool) -> ProviderError:
    """Return the error for a field that did not accept its new value."""
    made = "another value" if content.value is None else quoted(content.value[:80])
    said = f"{quoted(selector)} does not accept that value; it holds {made} instead"
    if restored:
        action.undone()
        return ProviderError(f"{said}, and has its old value back", "page.not_taken")
    why = "it is not read" if content.value is None else "the field did not accept it either"
    return Uncertain(f"{said}, and does not have its old value back ({why}); {ADVICE}", "page.not_taken")


def is_same_text(found: str, wanted: str) -> bool:
    """Return whether a field holds the wanted text, apart from formatting by the page.

    The letters and digits must be the same. The page may change or add other characters between them. Where the wanted
    text has such characters, other than spaces, at least one character must remain.
    """
    if found == wanted or found.replace("\r\n", "\n").rstrip("\n") == wanted.replace("\r\n", "\n").rstrip("\n"):
        return True
    letters = _LETTER.findall(wanted)
    if not letters or letters != _LETTER.findall(found) or "\n" in wanted:
        return False
    gaps = zip(_LETTER.split(wanted), _LETTER.split(found), strict=True)
    return all(there or not gap.strip() for gap, there in gaps)


def run_script(session: BrowserSession, bounds: ActionBounds, tab: str, code: str, token: str) -> Facts:
    """Run a script in the page, with the same rights as the page's own scripts."""
    with session.held(bounds, files=True), session.page(tab) as page, page_action() as action:
        with page.loading():
            action.begin("the script ran")
            outcome = evaluate_script(page, code)
            if outcome.unreadable:
                action.undone()
                why = f"the script has a syntax error, so none of it ran: {_first_line(outcome.error)}"
                raise ProviderError(why, "page.script")
            settle(page)
        session.tab_fact(tab, bounds)
        if outcome.error:
            why = f"the script ended with an error, and its earlier changes stay: {_first_line(outcome.error)}"
            raise ProviderError(why, "page.script")
        return (script_result(token, outcome.text),)


def evaluate_script(page: BrowserPage, code: str) -> ScriptOutcome:
    """Run a script in a page. Raises `Uncertain` if it does not end in time, or the page is left while it runs."""
    try:
        return page.evaluate(code, SCRIPT_SECONDS)
    except TimeoutError as late:
        raise Uncertain(f"the script did not end within {SCRIPT_SECONDS:g} seconds; {ADVICE}") from late
    except CallError as error:
        raise Uncertain(f"the page was left while the script ran; {ADVICE}") from error


def script_result(token: str, text: str) -> Returned:
    """Return the result of a script as a fact, cut to the length that a model may be shown."""
    shown = text[:MOST_CHARACTERS]
    return Returned(token, shown, len(text), truncated=shown != text)


def _first_line(error: str) -> str:
    return (error.splitlines() or ["an error of its own"])[0][:300]
