"""Which tab is in front, and how one gets there.

Firefox says which window has the person's attention, and each page whether it is seen. While the person is elsewhere,
it is the window that had the attention when sayso looked last.
"""

from collections.abc import Sequence

import msgspec

from sayso.core.errors import ProviderError, Uncertain
from sayso.providers.browser.bidi.session import Connected
from sayso.providers.browser.live.calling import No
from sayso.providers.browser.live.ports import OpenTab

LOOKS = 100


def front(now: Connected, tabs: Sequence[OpenTab]) -> str:
    """Return the id of the tab in front, empty when none is open."""
    if not tabs:
        return ""
    window = now.window_in_front() or now.kept.notes.front
    within = [tab for tab in tabs if tab.window == window] or [tab for tab in tabs if tab.window == tabs[0].window]
    now.kept.keep(msgspec.structs.replace(now.kept.notes, front=within[0].window))
    return next((tab.id for tab in within if tab.active), within[0].id)


def bring(now: Connected, tab: str) -> None:
    """Bring a tab and its window to the front. Raises `ProviderError` when it is gone, `Uncertain` when it stays."""
    try:
        now.calls.tell("browsingContext.activate", context=now.context(tab))
    except (No, ProviderError) as no:
        raise ProviderError("the tab is no longer open; nothing was changed", "tab.closed") from no
    for _ in range(LOOKS):
        if front(now, now.tabs()) == tab:
            return
        now.calls.wait(lambda: False, 0.02)
    raise Uncertain("the browser did not bring the tab to the front")
