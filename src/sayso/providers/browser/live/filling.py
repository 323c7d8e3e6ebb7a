"""Set a field of a page, and see to it that it holds what was meant."""

import re

import msgspec

from sayso.core.errors import ProviderError
from sayso.core.plan import Facts
from sayso.providers.browser.live import elements
from sayso.providers.browser.live.begun import begun
from sayso.providers.browser.live.ports import Hands, Page

_LETTER = re.compile(r"[^\W_]")


class Filled(msgspec.Struct, frozen=True):
    """What a field holds then; None where that is not told."""

    problem: str = ""
    options: tuple[str, ...] = ()
    value: str | None = None


def filled(hands: Hands, tab: str, selector: str, value: str) -> Facts:
    """Set the field that a selector finds. One that does not take the value gets its old one back."""
    with hands.held(), hands.inside(tab) as page:
        met = elements.meet(page, selector)
        if not met.field:
            raise ProviderError(f"“{selector}” is no field that can be filled in; it is {met.role}", "page.no_field")
        with begun("the field was filled in"), page.loading():
            now = _set(page, met, value)
            if now is not None and met.found.kind != "choice" and not same(now, value):
                _set(page, met, met.found.value or "")
                raise ProviderError(
                    f"“{selector}” does not take that; it made “{now[:80]}” of it, and has its old value back",
                    "page.not_taken",
                )
        with begun("the field was filled in"):
            hands.shown(tab)
            page.again()
            return (page.fact, elements.meet(page, selector).fact(tab, selector))


def _set(page: Page, met: elements.Met, value: str) -> str | None:
    if met.found.kind == "rich":
        page.call(bool, "selectAll")
        page.put(value)
        return page.call(str, "value")
    done = page.call(Filled, "fill", value)
    if done.problem == "option":
        offered = ", ".join(f"“{option}”" for option in done.options)
        raise ProviderError(f"the field has no choice “{value[:80]}”; it has: {offered}", "page.no_option")
    return done.value


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
