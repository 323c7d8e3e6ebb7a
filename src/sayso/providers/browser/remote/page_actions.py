"""Act on a page: find one element, click it, fill it in or run a script; what has begun may be uncertain."""

import hashlib
import re

from msgspec import Struct

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Fact, Facts
from sayso.providers.browser.model import ElementAt, Returned
from sayso.providers.browser.numbers import MOST_CHARACTERS
from sayso.providers.browser.remote.connection import CallError
from sayso.providers.browser.remote.driver import ActionBounds, BrowserPage, BrowserSession, ScriptOutcome
from sayso.providers.browser.remote.navigation import ADVICE, PageAction, page_action
from sayso.providers.browser.store import ambiguous


class FindReport(Struct, frozen=True):
    """What `page.js` reports of the element that a selector finds, or why it found none."""

    problem: str = ""
    count: int = 0
    tag: str = ""
    kind: str = ""
    readonly: bool = False
    secret: bool = False
    value: str | None = None
    text: str = ""


class ElementOnPage(Struct, frozen=True):
    """An element that is there, can be seen, and can be used; a person is shown its `role` and `name`."""

    found: FindReport
    role: str
    name: str

    @property
    def fillable(self) -> bool:
        """Say whether something can be filled in."""
        return self.found.kind in {"text", "choice", "rich"} and not self.found.readonly

    def fact(self, tab: str, selector: str) -> Fact:
        """Return the fact that a selector finds this element with this value; the value of a password is not read."""
        value = self.found.value
        hashed = hashlib.sha256(value.encode("utf-8")).hexdigest() if value is not None else ""
        return ElementAt(f"{tab} {selector}", self.role, self.name, hashed)


def find_element(page: BrowserPage, selector: str) -> ElementOnPage:
    """Return the one element that a selector means. Raises `ProviderError` that says what is wrong with it."""
    found = page.call_function(FindReport, "findElement", selector)
    error = _error(found, selector)
    if error is not None:
        raise error
    role, name = page.accessible_name()
    return ElementOnPage(found, _role(found, role), name or found.text)


def _role(found: FindReport, role: str) -> str:
    if found.kind == "file":
        return "a field for files, and those are chosen by a person"
    known = role if role and role not in {"none", "generic"} else f"<{found.tag}>"
    return f"read-only {known}" if found.readonly else known


def _error(found: FindReport, selector: str) -> ProviderError | None:
    match found.problem:
        case "":
            return None
        case "selector":
            return ProviderError(f"“{selector}” is no CSS selector", "page.selector")
        case "none":
            return ProviderError(f"nothing on the page is found by “{selector}”", "page.no_element")
        case "hidden" if found.count == 1:
            return ProviderError(f"what “{selector}” finds is hidden", "page.hidden")
        case "hidden":
            return ProviderError(f"“{selector}” finds {found.count} elements, and all are hidden", "page.hidden")
        case "many":
            return ambiguous(selector, found.count)
        case _:
            return ProviderError(f"what “{selector}” finds is disabled", "page.disabled")


SCRIPT_SECONDS = 30.0
_LETTER = re.compile(r"[^\W_]")


class ClickPoint(Struct, frozen=True):
    """Where an element can be clicked, or why it cannot."""

    problem: str = ""
    count: int = 0
    by: str = ""
    x: float = 0
    y: float = 0


class ClickReport(Struct, frozen=True):
    """How much of a click reached the element, and what else in the page it hit first."""

    touched: bool
    """Some of it reached the element."""
    clicked: bool
    """It was a click there, or what a click is in a field with a list."""
    strayed: str = ""
    framed: bool = False
    """What it hit was a frame, in which the rest of it may have done something."""


def click_element(session: BrowserSession, bounds: ActionBounds, tab: str, selector: str) -> Facts:
    """Click what a selector finds; wait for what that begins to load."""
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
            raise ProviderError(f"what “{selector}” finds does not stand still; nothing was clicked", "page.moving")
        case "covered":
            raise ProviderError(
                f"what “{selector}” finds lies under {point.by}, which a click would hit; nothing was clicked",
                "page.covered",
            )
        case "hidden":
            raise ProviderError(f"what “{selector}” finds is hidden by now; nothing was clicked", "page.hidden")
        case _:
            raise ProviderError(
                f"what “{selector}” finds cannot be brought into view; nothing was clicked", "page.outside"
            )


def _click(page: BrowserPage, action: PageAction, point: ClickPoint, selector: str) -> None:
    page.mouse("moved", point.x, point.y)
    # What appears when the mouse comes near may lie over the element.
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
    """Return the error for a click that did not reach the element as one."""
    if report.touched:
        said = f"“{selector}” was pressed, and went away or was covered before that was a click; the rest was stopped"
        return Uncertain(f"{said}; {ADVICE}", "page.covered")
    if report.strayed and not report.framed:
        action.undone()
        return ProviderError(
            f"the click on “{selector}” met {report.strayed}, which came over it; it was stopped", "page.covered"
        )
    said = f"the click on “{selector}” did not come to it, and may have gone into a frame that came over it; {ADVICE}"
    return Uncertain(said, "page.covered")


def settle(page: BrowserPage) -> None:
    """Wait until the page has begun what it does next, such as going elsewhere."""
    try:
        page.call_function(bool, "waitForNextFrame")
    except ProviderError as left:
        if left.code != "page.left":
            raise


class FieldContent(Struct, frozen=True):
    """What a field holds after it was filled in."""

    problem: str = ""
    options: tuple[str, ...] = ()
    value: str | None = None
    """None if it is not read, as in a field for passwords; then `held` says whether it is what was meant."""
    held: bool = True


def fill_field(session: BrowserSession, bounds: ActionBounds, tab: str, selector: str, value: str) -> Facts:
    """Set the field that a selector finds. One that does not take the value gets its old one back."""
    with session.held(bounds), session.page(tab) as page, page_action() as action:
        field = find_element(page, selector)
        if not field.fillable:
            raise ProviderError(f"“{selector}” is no field that can be filled in; it is {field.role}", "page.no_field")
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
        offered = ", ".join(f"“{option}”" for option in content.options)
        raise ProviderError(f"the field has no choice “{value[:80]}”; it has: {offered}", "page.no_option")
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
    """Put back what the field held, and say whether it holds that."""
    old = field.found.value or ""
    return (_set(page, field, old).value or "").rstrip("\n") == old.rstrip("\n")


def _not_taken(action: PageAction, selector: str, content: FieldContent, *, restored: bool) -> ProviderError:
    """Return the error for a field that made something else of its new value."""
    made = "something else" if content.value is None else f"“{content.value[:80]}”"
    said = f"“{selector}” does not take that; it made {made} of it"
    if restored:
        action.undone()
        return ProviderError(f"{said}, and has its old value back", "page.not_taken")
    why = "what it held is not read" if content.value is None else "did not take that back either"
    return Uncertain(f"{said}, and does not have its old value back ({why}); {ADVICE}", "page.not_taken")


def is_same_text(found: str, wanted: str) -> bool:
    """Say whether a field holds what was meant.

    A page may write it in its own way: with other or more signs between the same letters and digits, but with no fewer.
    """
    if found == wanted or found.replace("\r\n", "\n").rstrip("\n") == wanted.replace("\r\n", "\n").rstrip("\n"):
        return True
    letters = _LETTER.findall(wanted)
    if not letters or letters != _LETTER.findall(found) or "\n" in wanted:
        return False
    gaps = zip(_LETTER.split(wanted), _LETTER.split(found), strict=True)
    return all(there or not gap.strip() for gap, there in gaps)


def run_script(session: BrowserSession, bounds: ActionBounds, tab: str, code: str, token: str) -> Facts:
    """Run a script in the page itself, as the page's own scripts run."""
    with session.held(bounds, files=True), session.page(tab) as page, page_action() as action:
        with page.loading():
            action.begin("the script ran")
            outcome = evaluate_script(page, code)
            if outcome.unreadable:
                action.undone()
                why = f"the script cannot be read, so that nothing of it ran: {_first_line(outcome.error)}"
                raise ProviderError(why, "page.script")
            settle(page)
        session.tab_fact(tab, bounds)
        if outcome.error:
            why = f"it ended with an error, and what it did before stays: {_first_line(outcome.error)}"
            raise ProviderError(why, "page.script")
        return (script_result(token, outcome.text),)


def evaluate_script(page: BrowserPage, code: str) -> ScriptOutcome:
    """Run a script in a page. Raises `Uncertain` for one that does not end, or whose page goes away beneath it."""
    try:
        return page.evaluate(code, SCRIPT_SECONDS)
    except TimeoutError as late:
        raise Uncertain(f"the script did not end within {SCRIPT_SECONDS:g} seconds; {ADVICE}") from late
    except CallError as error:
        raise Uncertain(f"the page was left while the script ran; {ADVICE}") from error


def script_result(token: str, text: str) -> Returned:
    """Return the fact of what a script returned, cut to what a model may be shown."""
    shown = text[:MOST_CHARACTERS]
    return Returned(token, shown, len(text), truncated=shown != text)


def _first_line(error: str) -> str:
    return (error.splitlines() or ["an error of its own"])[0][:300]
