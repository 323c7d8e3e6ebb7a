"""Click an element as a hand does: brought into view, standing still, and under nothing else (BR-06)."""

import msgspec

from sayso.core.errors import ProviderError
from sayso.core.plan import Facts
from sayso.providers.browser.live import elements
from sayso.providers.browser.live.begun import begun
from sayso.providers.browser.live.ports import Hands, Page


class Place(msgspec.Struct, frozen=True):
    """Where an element can be clicked, or why not."""

    problem: str = ""
    count: int = 0
    by: str = ""
    x: float = 0
    y: float = 0


class Met(msgspec.Struct, frozen=True):
    """What the click met."""

    met: bool
    strayed: str = ""


def clicked(hands: Hands, tab: str, selector: str) -> Facts:
    """Click what a selector finds; wait for what that begins to load."""
    with hands.held(files=True), hands.inside(tab) as page:
        elements.meet(page, selector)
        place = _place(page, "place", selector)
        with begun("it was clicked"):
            with page.loading():
                _click(page, place, selector)
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


def _click(page: Page, place: Place, selector: str) -> None:
    page.mouse("moved", place.x, place.y)
    # What appears when the mouse comes near may lie over it.
    place = _place(page, "point", selector)
    page.call(bool, "watch")
    try:
        page.mouse("pressed", place.x, place.y)
        page.mouse("released", place.x, place.y)
        settle(page)
        met = page.call(Met, "met")
    except ProviderError as left:
        if left.code != "page.left":
            raise
        return
    if not met.met:
        hit = f"{met.strayed}, which came over it" if met.strayed else "nothing"
        raise ProviderError(f"the click on “{selector}” met {hit}; it was stopped", "page.covered")


def settle(page: Page) -> None:
    """Let the page come to what it does next, such as going elsewhere."""
    try:
        page.call(bool, "settled")
    except ProviderError as left:
        if left.code != "page.left":
            raise
