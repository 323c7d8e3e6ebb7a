"""Click an element as a hand does: brought into view, standing still, and under nothing else (BR-06)."""

import msgspec

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Facts
from sayso.providers.browser.live import elements
from sayso.providers.browser.live.begun import LOOK, Deed, deed
from sayso.providers.browser.live.ports import Hands, Page


class Place(msgspec.Struct, frozen=True):
    """Where an element can be clicked, or why not."""

    problem: str = ""
    count: int = 0
    by: str = ""
    x: float = 0
    y: float = 0


class Met(msgspec.Struct, frozen=True):
    """What the click met: how much of it came to the element, and what else in the page was hit first."""

    touched: bool
    """Some of it came to the element."""
    clicked: bool
    """It came to a click there, or to what a click is in a field with a list."""
    strayed: str = ""
    framed: bool = False
    """That was a frame, in which the rest of it may have done something."""


def clicked(hands: Hands, tab: str, selector: str) -> Facts:
    """Click what a selector finds; wait for what that begins to load."""
    with hands.held(files=True), hands.inside(tab) as page, deed() as doing:
        elements.meet(page, selector)
        place = _place(page, "place", selector)
        with page.loading():
            _click(page, doing, place, selector)
        hands.shown(tab)
        page.again()
        return (page.fact,)


def _place(page: Page, what: str, selector: str) -> Place:
    place = page.call(Place, what)
    match place.problem:
        case "":
            return place
        case "moving":
            raise ProviderError(f"what “{selector}” finds does not stand still; nothing was clicked", "page.moving")
        case "covered":
            raise ProviderError(
                f"what “{selector}” finds lies under {place.by}, which a click would hit; nothing was clicked",
                "page.covered",
            )
        case "hidden":
            raise ProviderError(f"what “{selector}” finds is hidden by now; nothing was clicked", "page.hidden")
        case _:
            raise ProviderError(
                f"what “{selector}” finds cannot be brought into view; nothing was clicked", "page.outside"
            )


def _click(page: Page, doing: Deed, place: Place, selector: str) -> None:
    page.mouse("moved", place.x, place.y)
    # What appears when the mouse comes near may lie over it.
    place = _place(page, "point", selector)
    page.call(bool, "watch")
    doing.begins("it was clicked")
    page.mouse("pressed", place.x, place.y)
    try:
        page.mouse("released", place.x, place.y)
        settle(page)
        met = page.call(Met, "met")
    except ProviderError as left:
        if left.code != "page.left":
            raise
        return
    if not met.clicked:
        raise _missed(doing, met, selector)


def _missed(doing: Deed, met: Met, selector: str) -> ProviderError:
    """Return what is said of a click that did not come to the element as one."""
    if met.touched:
        said = f"“{selector}” was pressed, and went away or was covered before that was a click; the rest was stopped"
        return Uncertain(f"{said}; {LOOK}", "page.covered")
    if met.strayed and not met.framed:
        doing.nothing()
        return ProviderError(
            f"the click on “{selector}” met {met.strayed}, which came over it; it was stopped", "page.covered"
        )
    said = f"the click on “{selector}” did not come to it, and may have gone into a frame that came over it; {LOOK}"
    return Uncertain(said, "page.covered")


def settle(page: Page) -> None:
    """Let the page come to what it does next, such as going elsewhere."""
    try:
        page.call(bool, "settled")
    except ProviderError as left:
        if left.code != "page.left":
            raise
