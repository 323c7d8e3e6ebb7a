"""What a selector finds on a page, said exactly: the element, or what is wrong with it (BR-04, BR-06)."""

import hashlib

import msgspec

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Fact
from sayso.core.values import dataclass
from sayso.providers.browser.facts import ElementAt
from sayso.providers.browser.live.ports import Page


class Found(msgspec.Struct, frozen=True):
    """What `inside.js` says of what it found."""

    problem: str = ""
    count: int = 0
    tag: str = ""
    kind: str = ""
    readonly: bool = False
    secret: bool = False
    value: str | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class Met:
    """An element that is there, can be seen, and can be used; `role` and `name` are what people are told it is."""

    found: Found
    role: str
    name: str

    @property
    def field(self) -> bool:
        """Say whether something can be filled in."""
        return self.found.kind in {"text", "choice", "rich"} and not self.found.readonly

    def fact(self, tab: str, selector: str) -> Fact:
        """Return the fact that a selector finds this element, with this value; a password's is not looked at."""
        value = self.found.value
        hashed = hashlib.sha256(value.encode("utf-8")).hexdigest() if value is not None else ""
        return ElementAt(f"{tab} {selector}", self.role, self.name, hashed)


def meet(page: Page, selector: str) -> Met:
    """Return the one element that a selector means. Raises `ProviderError` that says what is wrong with it."""
    found = page.call(Found, "find", selector)
    why = _problem(found, selector)
    if why is not None:
        raise why
    role, name = page.named()
    return Met(found, _role(found, role), name or found.said)


def _role(found: Found, role: str) -> str:
    if found.kind == "file":
        return "a field for files, and those are chosen by a person"
    known = role if role and role not in {"none", "generic"} else f"<{found.tag}>"
    return f"read-only {known}" if found.readonly else known


def _problem(found: Found, selector: str) -> ProviderError | None:
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
            return many(selector, found.count)
        case _:
            return ProviderError(f"what “{selector}” finds is disabled", "page.disabled")


def many(selector: str, count: int) -> ProviderError:
    """Return what is said of a selector that means no single element."""
    return ProviderError(
        f"“{selector}” finds {count} elements; write a selector that finds only the one that is meant", "page.many"
    )


def no_picture() -> SetupError:
    """Return what is said where the browser takes no picture."""
    return SetupError("the browser takes no picture of this page", "page.picture")
