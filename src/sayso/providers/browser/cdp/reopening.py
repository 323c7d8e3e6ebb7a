"""Open an address where a tab was: in its window, after the one that stands before its place."""

from collections.abc import Sequence

from sayso.core.errors import ProviderError, Refused
from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.chromium import Connected, name, targets
from sayso.providers.browser.cdp.fronting import LOOKS, bring
from sayso.providers.browser.cdp.inside import inside
from sayso.providers.browser.live.calling import Ignored, No
from sayso.providers.browser.live.ports import OpenTab


def again(now: Connected, window: Sequence[OpenTab], url: str, place: int) -> str:
    """Open one address in this window at this place, or in a new window where it has none.

    A tab opens after another; before the first of a window there is no way to open one.
    """
    if not window:
        return _created(now, url, window=True)
    left = window[min(max(place - 2, 0), len(window) - 1)]
    return _beside(now, left, url) or _created(now, url)


def _created(now: Connected, url: str, *, window: bool = False) -> str:
    made = now.devtools.ask(said.Created, "Target.createTarget", url=url, forTab=True, newWindow=window)
    return name(now, made.target_id)


def _beside(now: Connected, left: OpenTab, url: str) -> str:
    """Open an address right after a tab, as a link in it would; empty when that cannot be."""
    known = targets(now)
    try:
        bring(now, left.id)
        with inside(now, left.id) as page:
            page.call(bool, "beside", gesture=True)
        new = next((target for _ in range(LOOKS) for target in targets(now) - known), "")
        if not new:
            return ""
        with inside(now, name(now, new)) as page:
            page.ask(Ignored, "Page.navigate", url=url, seconds=30.0)
    except (ProviderError, Refused, No):
        return ""
    return name(now, new)
