"""Whether a browser answers, and how far it is kept away from sayso's own pages: for the person who asks."""

from sayso.core.capability import Capability
from sayso.core.errors import SaysoError
from sayso.core.ports import Ground
from sayso.providers.browser.cdp.chromium import Chromium
from sayso.providers.browser.cdp.guard import flag
from sayso.providers.browser.cdp.where import KIND, endpoint
from sayso.providers.browser.live import wires
from sayso.providers.browser.live.where import Wanted, unserved


def chromium(ground: Ground, wanted: Wanted) -> Chromium:
    """Return the browser that is wanted; it is connected to when it is needed."""
    return Chromium(lambda: endpoint(wanted, ground.own), ground.home, ground.clock, lived_in=wanted.default_profile)


def looked(browser: Chromium, ports: frozenset[int], wanted: Wanted) -> tuple[Capability, ...]:
    """Look, without changing anything in it."""
    try:
        wires.must_be_there()
        with browser.connected() as now:
            at, exposed = now.at, ports - now.kept_away
    except SaysoError as no:
        return (unserved(KIND, wanted, no),)
    whose = "a profile of sayso's own" if at.own is not None else "the settings name it"
    serves = Capability("tabs and pages", f"the browser at {at.host}:{at.port}", whose)
    if not exposed:
        return serves, Capability(
            "own pages", "the browser itself", "it was started to keep away from sayso's own pages"
        )
    return serves, Capability(
        "own pages",
        "sayso, while an action goes on",
        f"the browser was not started to keep away from sayso's own pages; start it with '{flag(exposed)}'",
    )
