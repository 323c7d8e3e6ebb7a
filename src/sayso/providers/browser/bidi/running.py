"""Whether sayso's own Firefox runs, and the end of it."""

from contextlib import suppress

from sayso.core.errors import ProviderError
from sayso.providers.browser.bidi.firefox import Firefox
from sayso.providers.browser.bidi.guard import preference
from sayso.providers.browser.live import wires
from sayso.providers.browser.live.calling import Lost
from sayso.providers.browser.live.starting import Running


def running(browser: Firefox, ports: frozenset[int]) -> Running | None:
    """Return how it runs; None when it does not. Raises `SetupError` where nothing here could speak to it."""
    wires.must_be_there()
    try:
        with browser.connected() as now:
            exposed = ports - now.kept_away
            return Running(now.at.port, preference(exposed) if exposed else "")
    except ProviderError as no:
        if no.code != "browser.not_running":
            raise
        return None


def end(browser: Firefox) -> None:
    """End it, with all its tabs."""
    with browser.connected() as now, suppress(Lost):  # it may be gone before it has answered
        now.calls.tell("browser.close")
