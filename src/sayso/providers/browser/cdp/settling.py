"""What became of a step whose process died: as far as the tabs show it, and never more (BR-10)."""

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import CannotTell, Facts, Left, NotDone, Settled
from sayso.providers.browser.cdp.calling import Lost, No
from sayso.providers.browser.cdp.chromium import Chromium, Connected, open_tabs, target_of
from sayso.providers.browser.facts import Closed, TabAt
from sayso.providers.browser.steps import CloseOpened, CloseTabs, Navigate, Steps

ENDED = "the browser it was done in has ended, or does not answer"
UNSIGNED = "what a page or a tab looks like does not show who made it so"


def settled(chromium: Chromium, step: Steps, expects: Facts) -> Settled:
    """Ask the browser. Starts nothing."""
    try:
        with chromium.connected() as now:
            return _looked(now, step, expects)
    except (Lost, TimeoutError, No, ProviderError, SetupError):
        return CannotTell(ENDED)


def _looked(now: Connected, step: Steps, expects: Facts) -> Settled:
    match step:
        case CloseTabs(_, tabs):
            return _closed(now, tabs)
        case CloseOpened():
            return _closed(now, tuple(fact.about for fact in expects if isinstance(fact, TabAt)))
        case Navigate(_, tab):
            before = next((fact for fact in expects if isinstance(fact, TabAt)), None)
            shown = next((each.url for each in open_tabs(now) if each.id == tab), "")
            same = before is not None and before.url == shown != step.url
            return NotDone("the tab still shows the page it had") if same else CannotTell(UNSIGNED)
        case _:
            return CannotTell(UNSIGNED)


def _closed(now: Connected, tabs: tuple[str, ...]) -> Settled:
    if not all(target_of(now, tab) for tab in tabs):
        return CannotTell(ENDED)
    left = {tab.id for tab in open_tabs(now)}.intersection(tabs)
    if not left:
        return Left(tuple(Closed(tab) for tab in tabs))
    if len(left) == len(tabs):
        return NotDone("the tabs are still open")
    return CannotTell(f"{len(left)} of {len(tabs)} tabs are still open")
