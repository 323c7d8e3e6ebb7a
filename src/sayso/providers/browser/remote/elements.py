"""Elements of a page: the one that a selector finds, what it is, and whether it can be filled in."""

import hashlib

from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact
from sayso.providers.browser.model import ElementAt
from sayso.providers.browser.remote.driver import BrowserPage
from sayso.providers.browser.store import ambiguous


class FindReport(Struct, frozen=True):
    """What `inside.js` reports of the element that a selector finds, or why it found none."""

    problem: str = ""
    count: int = 0
    tag: str = ""
    kind: str = ""
    readonly: bool = False
    secret: bool = False
    value: str | None = None
    said: str = ""


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
    found = page.call_function(FindReport, "find", selector)
    error = _error(found, selector)
    if error is not None:
        raise error
    role, name = page.accessible_name()
    return ElementOnPage(found, _role(found, role), name or found.said)


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
