"""Bring tabs to the front, close them, and open them again where they were."""

from collections.abc import Iterable
from contextlib import suppress

from sayso.core.errors import ProviderError, Refused, Uncertain
from sayso.core.plan import Facts
from sayso.providers.browser.cdp import closing, said
from sayso.providers.browser.cdp.calling import Ignored, No
from sayso.providers.browser.cdp.chromium import Connected, OpenTab, name, open_tabs
from sayso.providers.browser.cdp.fronting import LOOKS, bring, front
from sayso.providers.browser.cdp.guard import must_not_lead_to
from sayso.providers.browser.cdp.inside import inside
from sayso.providers.browser.cdp.opening import Opens
from sayso.providers.browser.facts import Closed, Front, TabAt
from sayso.providers.browser.steps import ReopenTabs


def switched(now: Connected, browser: str, tab: str) -> Facts:
    """Bring a tab and its window to the front."""
    before = front(now, open_tabs(now))
    bring(now, tab)
    return (Front(browser, tab, before),)


def switched_back(now: Connected, browser: str, expects: Facts) -> Facts:
    """Bring the tab to the front that was there before."""
    before = next((fact.before for fact in expects if isinstance(fact, Front)), "")
    if not before:
        raise ProviderError("the tab that was in front before is gone; nothing was changed", "tab.closed")
    bring(now, before)
    return (Front(browser, before),)


def closed_again(now: Connected, expects: Facts, ports: frozenset[int]) -> Facts:
    """Close the tabs that the expected facts name."""
    return closed(now, tuple(fact.about for fact in expects if isinstance(fact, TabAt)), ports)


def closed(now: Connected, tabs: tuple[str, ...], ports: frozenset[int]) -> Facts:
    """Close these tabs in this order. Where no other is left, an empty one keeps the browser open."""
    known = {tab.id: tab for tab in open_tabs(now)}
    for tab in tabs:
        if tab not in known:
            raise ProviderError("a tab is no longer open; nothing was closed", "tab.closed")
        must_not_lead_to(known[tab].url, ports)
    if set(tabs) == set(known):
        now.devtools.tell("Target.createTarget", url="about:blank", background=True)
    left = closing.closed(now, tabs)
    if left:
        raise Uncertain(f"{len(left)} of {len(tabs)} tabs did not close")
    return tuple(Closed(tab) for tab in tabs)


def reopened(opens: Opens, step: ReopenTabs) -> Facts:
    """Open addresses again, each in its window and at its place while that window is there; what is in front stays."""
    for url in step.urls:
        must_not_lead_to(url, opens.closed_off)
    now, before = opens.now, front(opens.now, open_tabs(opens.now))
    windows: dict[str, str] = {}
    made: list[TabAt] = []
    with opens.held():
        for url, window, place in zip(step.urls, step.windows, step.places, strict=True):
            tabs = open_tabs(now)
            stands = windows.get(window, window)
            tab = _again(now, [each for each in tabs if each.window == stands], url, place)
            windows[window] = next((each.window for each in open_tabs(now) if each.id == tab), stands)
            made.append(TabAt(tab, url))
        _come(now, {fact.about for fact in made})
    if before:
        with suppress(ProviderError):
            bring(now, before)
    return tuple(made)


def _again(now: Connected, window: list[OpenTab], url: str, place: int) -> str:
    """Open one address in this window at this place, or in a new window where it has none.

    A tab opens after another; before the first of a window there is no way to open one.
    """
    if not window:
        return _created(now, url, window=True)
    left = window[min(max(place - 2, 0), len(window) - 1)]
    return _beside(now, left, url) or _created(now, url)


def _created(now: Connected, url: str, *, window: bool = False) -> str:
    made = now.devtools.ask(said.Created, "Target.createTarget", url=url, forTab=True, newWindow=window)
    return name(now, made.target_id)


def _beside(now: Connected, left: OpenTab, url: str) -> str:
    """Open an address right after a tab, as a link in it would; empty when that cannot be."""
    known = {tab.id for tab in open_tabs(now)}
    try:
        bring(now, left.id)
        with inside(now, left.id) as page:
            page.call(bool, "beside", gesture=True)
        new = next((tab for _ in range(LOOKS) for tab in _new(now, known)), None)
        if new is None:
            return ""
        with inside(now, new.id) as page:
            page.ask(Ignored, "Page.navigate", url=url, seconds=30.0)
    except (ProviderError, Refused, No):
        return ""
    return new.id


def _new(now: Connected, known: Iterable[str]) -> list[OpenTab]:
    return [tab for tab in open_tabs(now) if tab.id not in known]


def _come(now: Connected, tabs: set[str]) -> None:
    """Wait until new tabs have begun to show what they were opened for."""
    for _ in range(LOOKS):
        if not any(tab.id in tabs and tab.url in {"", "about:blank"} for tab in open_tabs(now)):
            return
