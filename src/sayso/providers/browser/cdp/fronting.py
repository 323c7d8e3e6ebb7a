"""Which tab is in front, and how one gets there.

A browser says which tab is in front in each window, and never which window is. Its pages know whether they have the
person's attention; where all or none say so (without a screen, or while the person is elsewhere), the tab that was
brought to the front last is taken, by sayso or, as far as the browser remembers, by anybody.
"""

from collections.abc import Sequence

import msgspec

from sayso.core.errors import ProviderError, Uncertain
from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.chromium import Connected, fetched, name, open_tabs, target_of
from sayso.providers.browser.cdp.inside import inside
from sayso.providers.browser.live.calling import No
from sayso.providers.browser.live.ports import OpenTab

SOON = 0.5
"""Seconds for a page to say whether it has the attention; one that hangs has not."""
LOOKS = 100
"""How often is looked at most whether a tab has come to the front; each look waits for the browser's answer."""


def front(now: Connected, tabs: Sequence[OpenTab]) -> str:
    """Return the id of the tab in front, empty when none is open."""
    shown = [tab.id for tab in tabs if tab.active]
    if len(shown) <= 1:
        return shown[0] if shown else _last_seen(now, [tab.id for tab in tabs])
    attended = [] if now.front.on_no_screen else [tab for tab in shown if _has_attention(now, tab)]
    now.front.on_no_screen = now.front.on_no_screen or len(attended) > 1
    if len(attended) == 1:
        return attended[0]
    if now.front.brought in shown:
        return now.front.brought
    # The browser's answer changes only when another tab comes to the front of its window.
    if now.front.among != tuple(shown):
        now.front.among, now.front.last = tuple(shown), _last_seen(now, shown)
    return now.front.last


def _has_attention(now: Connected, tab: str) -> bool:
    try:
        with inside(now, tab) as page:
            asked = page.ask(
                said.Ran, "Runtime.evaluate", seconds=SOON, expression="document.hasFocus()", returnByValue=True
            )
    except (ProviderError, No):
        return False
    return asked.result.value is True


def _last_seen(now: Connected, among: Sequence[str]) -> str:
    told = msgspec.json.decode(fetched(now.at, "/json/list?for_tab"), type=list[said.Listed])
    return next((tab for tab in (name(now, target.id) for target in told) if tab in among), "")


def bring(now: Connected, tab: str) -> None:
    """Bring a tab and its window to the front. Raises `ProviderError` when it is gone, `Uncertain` when it stays."""
    target = target_of(now, tab)
    try:
        shown = now.devtools.ask(said.Shown, "Browser.getWindowForTarget", targetId=target)
        if shown.bounds.window_state == "minimized":
            now.devtools.tell("Browser.setWindowBounds", windowId=shown.window_id, bounds={"windowState": "normal"})
        now.devtools.tell("Target.activateTarget", targetId=target)
    except No as no:
        raise ProviderError("the tab is no longer open; nothing was changed", "tab.closed") from no
    now.front.brought = tab
    if not any(front(now, open_tabs(now)) == tab for _ in range(LOOKS)):
        raise Uncertain("the browser did not bring the tab to the front")
