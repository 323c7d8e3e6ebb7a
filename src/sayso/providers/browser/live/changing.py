"""Bring tabs to the front, close them, and open them again where they were."""

from contextlib import suppress

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Facts
from sayso.providers.browser.facts import Again, Closed, Front, TabAt
from sayso.providers.browser.live.own import must_not_lead_to
from sayso.providers.browser.live.ports import Hands, OpenTab
from sayso.providers.browser.steps import ReopenTabs

LOOKS = 100
"""How often is looked at most whether something has come; each look waits for the browser's answer."""


def switched(hands: Hands, browser: str, tab: str) -> Facts:
    """Bring a tab and its window to the front."""
    before = hands.front(hands.tabs())
    hands.bring(tab)
    return (Front(browser, tab, before),)


def switched_back(hands: Hands, browser: str, expects: Facts) -> Facts:
    """Bring the tab to the front that was there before."""
    before = next((fact.before for fact in expects if isinstance(fact, Front)), "")
    if not before:
        raise ProviderError("the tab that was in front before is gone; nothing was changed", "tab.closed")
    hands.bring(before)
    return (Front(browser, before),)


def closed_again(hands: Hands, expects: Facts, ports: frozenset[int]) -> Facts:
    """Close the tabs that the expected facts name."""
    return closed(hands, tuple(fact.about for fact in expects if isinstance(fact, TabAt)), ports)


def closed(hands: Hands, tabs: tuple[str, ...], ports: frozenset[int]) -> Facts:
    """Close these tabs in this order. Where no other is left, an empty one keeps the browser open."""
    known = {tab.id: tab for tab in hands.tabs()}
    for tab in tabs:
        if tab not in known:
            raise ProviderError("a tab is no longer open; nothing was closed", "tab.closed")
        must_not_lead_to(known[tab].url, ports)
    if set(tabs) == set(known):
        hands.empty_tab()
    left = hands.end(tabs)
    if left:
        raise Uncertain(f"{len(left)} of {len(tabs)} tabs did not close")
    return tuple(Closed(tab) for tab in tabs)


def reopened(hands: Hands, step: ReopenTabs) -> Facts:
    """Open addresses again, each in its window and at its place while that window is there; what is in front stays."""
    for url in step.urls:
        must_not_lead_to(url, hands.closed_off)
    before = hands.front(hands.tabs())
    with hands.again(step) as made:
        tabs = _come(hands, {tab for tab, url in zip(made, step.urls, strict=True) if not _empty(url)})
    if before:
        with suppress(ProviderError):
            hands.bring(before)
    return _as_they_are(step, made, tabs)


def _come(hands: Hands, wanted: set[str]) -> list[OpenTab]:
    """Wait until new tabs have begun to show what they were opened for; return all tabs then."""
    tabs = hands.tabs()
    for _ in range(LOOKS):
        if not any(tab.id in wanted and _empty(tab.url) for tab in tabs):
            break
        tabs = hands.tabs()
    return tabs


def _as_they_are(step: ReopenTabs, made: list[str], tabs: list[OpenTab]) -> Facts:
    """Return what the tabs that were opened again show, and how many of them are less than they were."""
    places = {tab.id: (tab, [each.id for each in tabs if each.window == tab.window].index(tab.id) + 1) for tab in tabs}
    missing = [tab for tab in made if tab not in places]
    if missing:
        raise Uncertain(f"{len(missing)} of {len(made)} tabs did not open again")
    found = [places[tab] for tab in made]
    elsewhere = sum(
        (tab.window, place) != wanted
        for (tab, place), wanted in zip(found, zip(step.windows, step.places, strict=True), strict=True)
    )
    unseen = sum(_empty(tab.url) and not _empty(url) for (tab, _), url in zip(found, step.urls, strict=True))
    return (*(TabAt(tab.id, tab.url) for tab, _ in found), Again(step.browser, elsewhere, unseen))


def _empty(url: str) -> bool:
    return url.partition("#")[0] in {"", "about:blank"}
