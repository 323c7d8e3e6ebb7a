"""What became of a step whose process died: as far as the tabs show it, and never more (BR-10)."""

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import CannotTell, Facts, Left, NotDone, Settled
from sayso.providers.browser.facts import Closed, TabAt
from sayso.providers.browser.live.calling import Lost, No
from sayso.providers.browser.live.ports import Browser, Spoken
from sayso.providers.browser.steps import CloseOpened, CloseTabs, Navigate, Steps

ENDED = "the browser it was done in has ended, or does not answer"
UNSIGNED = "how a page or a tab looks does not by itself show who made it so"


def settled(browser: Browser, step: Steps, expects: Facts) -> Settled:
    """Ask the browser. Starts nothing."""
    try:
        with browser.connected() as now:
            return _looked(now, step, expects)
    except (Lost, TimeoutError, No, ProviderError, SetupError):
        return CannotTell(ENDED)


def _looked(now: Spoken, step: Steps, expects: Facts) -> Settled:
    match step:
        case CloseTabs(_, tabs):
            return _closed(now, tabs)
        case CloseOpened():
            return _closed(now, tuple(fact.about for fact in expects if isinstance(fact, TabAt)))
        case Navigate(_, tab):
            before = next((fact for fact in expects if isinstance(fact, TabAt)), None)
            shown = next((each.url for each in now.tabs() if each.id == tab), "")
            same = before is not None and before.url == shown != step.url
            return NotDone("the tab still shows the page it had") if same else CannotTell(UNSIGNED)
        case _:
            return CannotTell(UNSIGNED)


def _closed(now: Spoken, tabs: tuple[str, ...]) -> Settled:
    if not all(now.knows(tab) for tab in tabs):
        return CannotTell(ENDED)
    left = {tab.id for tab in now.tabs()}.intersection(tabs)
    if not left:
        return Left(tuple(Closed(tab) for tab in tabs))
    if len(left) == len(tabs):
        return NotDone("the tabs are still open")
    return CannotTell(f"{len(left)} of {len(tabs)} tabs are still open")
