"""Close tabs and wait until they are gone."""

from collections.abc import Sequence

from sayso.providers.browser.bidi.session import Connected
from sayso.providers.browser.live.calling import Ignored

SECONDS = 10.0
LOOKS = 100


def closed(now: Connected, tabs: Sequence[str]) -> set[str]:
    """Close these tabs in this order, all asked for at once; return those that are still there after a while."""
    asked = [{"context": now.context(tab), "promptUnload": False} for tab in tabs]
    now.calls.ask_each(Ignored, "browsingContext.close", asked, seconds=SECONDS)
    left = set(tabs)
    for _ in range(LOOKS):
        left &= {tab.id for tab in now.tabs()}
        if not left:
            break
        now.calls.wait(lambda: False, 0.05)
    return left
