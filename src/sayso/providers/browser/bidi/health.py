"""Whether Firefox answers, and how far it is kept away from sayso's own pages: for the person who asks."""

from sayso.core.capability import Capability
from sayso.core.errors import SaysoError
from sayso.core.ports import Ground
from sayso.providers.browser.bidi.firefox import Firefox
from sayso.providers.browser.bidi.guard import anew
from sayso.providers.browser.bidi.where import KIND, endpoint
from sayso.providers.browser.live import wires
from sayso.providers.browser.live.where import Wanted, unserved


def firefox(ground: Ground, wanted: Wanted) -> Firefox:
    """Return the browser that is wanted; it is spoken to when it is needed."""
    return Firefox(lambda: endpoint(wanted, ground.own), ground, lived_in=wanted.default_profile)


def looked(browser: Firefox, ports: frozenset[int], wanted: Wanted) -> tuple[Capability, ...]:
    """Look, without changing anything in it."""
    try:
        wires.must_be_there()
        with browser.connected() as now:
            at, kept_away = now.at, now.kept_away
    except SaysoError as no:
        return (unserved(KIND, wanted, no),)
    whose = "a profile of sayso's own" if at.own is not None else "the settings name it"
    serves = Capability("tabs and pages", f"Firefox at {at.host}:{at.port}", whose)
    if not ports - kept_away:
        kept = "it was started to keep away from sayso's own pages"
        return serves, Capability("own pages", "Firefox itself", kept)
    why = "Firefox was not told to keep away from sayso's own pages, so tabs are listed, switched and closed, and "
    return serves, Capability(
        "own pages", "", f"{why}pages read, and nothing is opened or done in them; {anew(at, ports, kept_away)}"
    )
