"""Close tabs and wait until they are gone."""

from collections.abc import Sequence

from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.chromium import Connected, name, open_tabs, target_of
from sayso.providers.browser.live.calling import Event, Ignored

SECONDS = 10.0
KINDS = [{"type": "tab"}, {"type": "page"}]


def closed(now: Connected, tabs: Sequence[str]) -> set[str]:
    """Close these tabs in this order, all asked for at once; return those that are still there after a while."""
    gone: set[str] = set()

    def heard(event: Event) -> None:
        if event.method == "Target.targetDestroyed":
            gone.add(name(now, event.read(said.Gone).target_id))

    deaf = now.devtools.listen(heard)
    try:
        now.devtools.tell("Target.setDiscoverTargets", discover=True, filter=KINDS)
        now.devtools.ask_all(Ignored, "Target.closeTarget", [{"targetId": target_of(now, tab)} for tab in tabs])
        now.devtools.wait(lambda: gone.issuperset(tabs), SECONDS)
    finally:
        deaf()
        now.devtools.say("Target.setDiscoverTargets", discover=False)
    return set() if gone.issuperset(tabs) else set(tabs) & {tab.id for tab in open_tabs(now)}
