"""Set a field of a page, and see to it that it holds what was meant."""

import re

import msgspec

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Facts
from sayso.providers.browser.live import elements
from sayso.providers.browser.live.begun import LOOK, Deed, deed
from sayso.providers.browser.live.ports import Hands, Page

_LETTER = re.compile(r"[^\W_]")


class Filled(msgspec.Struct, frozen=True):
    """What a field holds then; None where that is not told, and `held` says whether it is what was meant."""

    problem: str = ""
    options: tuple[str, ...] = ()
    value: str | None = None
    held: bool = True


def filled(hands: Hands, tab: str, selector: str, value: str) -> Facts:
    """Set the field that a selector finds. One that does not take the value gets its old one back."""
    with hands.held(), hands.inside(tab) as page, deed() as doing:
        met = elements.meet(page, selector)
        if not met.field:
            raise ProviderError(f"“{selector}” is no field that can be filled in; it is {met.role}", "page.no_field")
        with page.loading():
            now = _set(page, doing, met, value)
            taken = _holds(now, met, value)
            back = not taken and met.found.value is not None and _is_back(page, met)
        if not taken:
            raise _not_taken(doing, selector, now, back=back)
        hands.shown(tab)
        page.again()
        return (page.fact, elements.meet(page, selector).fact(tab, selector))


def _set(page: Page, doing: Deed, met: elements.Met, value: str) -> Filled:
    doing.begins("the field was filled in")
    done = _put(page, met, value)
    if done.problem == "option":
        doing.nothing()
        offered = ", ".join(f"“{option}”" for option in done.options)
        raise ProviderError(f"the field has no choice “{value[:80]}”; it has: {offered}", "page.no_option")
    return done


def _put(page: Page, met: elements.Met, value: str) -> Filled:
    if met.found.kind != "rich":
        return page.call(Filled, "fill", value)
    page.call(bool, "selectAll")
    page.put(value)
    return Filled(value=page.call(str, "value"))


def _holds(now: Filled, met: elements.Met, value: str) -> bool:
    if now.value is None or met.found.kind == "choice":
        return now.held
    return same(now.value, value)


def _is_back(page: Page, met: elements.Met) -> bool:
    """Put back what the field held, and say whether it holds that."""
    old = met.found.value or ""
    return (_put(page, met, old).value or "").rstrip("\n") == old.rstrip("\n")


def _not_taken(doing: Deed, selector: str, now: Filled, *, back: bool) -> ProviderError:
    """Return what is said of a field that made something else of what it was given."""
    made = "something else" if now.value is None else f"“{now.value[:80]}”"
    said = f"“{selector}” does not take that; it made {made} of it"
    if back:
        doing.nothing()
        return ProviderError(f"{said}, and has its old value back", "page.not_taken")
    why = "what it held is not read" if now.value is None else "did not take that back either"
    return Uncertain(f"{said}, and does not have its old value back ({why}); {LOOK}", "page.not_taken")


def same(found: str, wanted: str) -> bool:
    """Say whether a field holds what was meant.

    A page may write it its own way: with more signs between the same letters and digits, or others, but none lost.
    """
    if found == wanted or found.replace("\r\n", "\n").rstrip("\n") == wanted.replace("\r\n", "\n").rstrip("\n"):
        return True
    told = _LETTER.findall(wanted)
    if not told or told != _LETTER.findall(found) or "\n" in wanted:
        return False
    gaps = zip(_LETTER.split(wanted), _LETTER.split(found), strict=True)
    return all(there or not gap.strip() for gap, there in gaps)
