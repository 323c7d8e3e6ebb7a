"""Whether sayso's own browser of the Chromium family runs, and the end of it."""

from sayso.core.errors import ProviderError
from sayso.providers.browser.cdp.chromium import Chromium
from sayso.providers.browser.cdp.guard import flag
from sayso.providers.browser.live import wires
from sayso.providers.browser.live.starting import Running


def running(browser: Chromium, ports: frozenset[int]) -> Running | None:
    """Return how it runs; None when it does not. Raises `SetupError` where nothing here could speak to it."""
    wires.must_be_there()
    try:
        with browser.connected() as now:
            exposed = ports - now.kept_away
            return Running(now.at.port, flag(exposed) if exposed else "")
    except ProviderError as no:
        if no.code != "browser.not_running":
            raise
        return None


def end(browser: Chromium) -> None:
    """End it, with all its tabs."""
    with browser.connected() as now:
        now.devtools.tell("Browser.close")
