"""Show an address in a tab of Firefox, wait for it, and close tabs."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import Facts
from sayso.providers.browser.bidi import protocol
from sayso.providers.browser.bidi.page import Inside, inside
from sayso.providers.browser.bidi.session import Connected, must_be_kept_away
from sayso.providers.browser.model import PageAt, ReopenTabs, TabAt
from sayso.providers.browser.remote.actions import deed
from sayso.providers.browser.remote.backend import Arrival, must_be_shown
from sayso.providers.browser.remote.connection import Ignored, No
from sayso.providers.browser.remote.settings import leads_to, must_not_lead_to, own_page

SECONDS = 10.0
LOOKS = 100


def close_tabs(now: Connected, tabs: Sequence[str]) -> set[str]:
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


SHOWING = 30.0

NO_PAGE = frozenset({"NS_BINDING_ABORTED", "NS_ERROR_PORT_ACCESS_NOT_ALLOWED", "NS_ERROR_DOM_BAD_URI"})
WORDS = {
    "NS_ERROR_UNKNOWN_HOST": "nobody knows a site of this name",
    "NS_ERROR_CONNECTION_REFUSED": "nothing answers there",
    "NS_ERROR_NET_TIMEOUT": "it does not answer",
    "NS_ERROR_OFFLINE": "this computer is not connected",
    "deniedPortAccess": "Firefox does not go to that port",
    "NS_ERROR_PORT_ACCESS_NOT_ALLOWED": "it leads to a port that Firefox does not go to",
    "NS_BINDING_ABORTED": "the page did not let itself be left, or answered nothing",
}


class Opens(Struct, frozen=True):
    """What a step in a page is done with: the browser, where it must not go, and where files may."""

    now: Connected
    ports: frozenset[int]
    downloads: Path | None

    @property
    def closed_off(self) -> frozenset[int]:
        """Return the ports that nothing may lead to: those of sayso's own pages, and the one it is driven by."""
        return self.ports | {self.now.at.port}

    @contextmanager
    def held(self, *, files: bool = False) -> Generator[None]:
        """Hold the browser to its bounds while something is done in it; with `files` one may be downloaded."""
        must_be_kept_away(self.now.at, self.ports, self.now.kept_away)
        self.now.listens()
        allowed = {"type": "allowed", "destinationFolder": str(self.downloads)}
        behaviour = allowed if files and self.downloads is not None else {"type": "denied"}
        self.now.calls.tell("browser.setDownloadBehavior", downloadBehavior=behaviour)
        yield


def open_tab(opens: Opens, url: str) -> Facts:
    """Open an address in a new tab in front. What is no page leaves no tab behind; one that cannot be had says so."""
    must_not_lead_to(url, opens.closed_off)
    now = opens.now
    with opens.held():
        tab = create_context(now, "tab")
        try:
            with inside(now, tab) as page:
                came = go(page, url)
            return (tab_fact(opens, tab), *came)
        except (ProviderError, Refused):
            close_tabs(now, [tab])
            raise


def create_context(now: Connected, what: str, **more: Any) -> str:
    """Open an empty tab, or a window with one; return its id."""
    try:
        context = now.calls.ask(protocol.InContext, "browsingContext.create", type=what, **more).context
    except No as no:
        raise ProviderError(f"the browser opens no tab: {no}", "tab.not_opened") from no
    return now.made(context)


@contextmanager
def again(opens: Opens, step: ReopenTabs) -> Generator[list[str]]:
    """Open tabs again, each in its window at its place; yield their ids as they begin to show their pages.

    A tab opens after another; before the first of a window there is no way to open one.
    """
    now = opens.now
    with opens.held():
        there, empty = now.tabs(), list[str]()
        windows: dict[str, list[str]] = {}
        for window, place in zip(step.windows, step.places, strict=True):
            tabs = windows.setdefault(window, [tab.id for tab in there if tab.window == window])
            before = min(max(place - 1, 1), len(tabs))
            beside = {"referenceContext": now.context(tabs[before - 1]), "background": True} if tabs else {}
            empty.append(create_context(now, "tab" if tabs else "window", **beside))
            tabs.insert(before, empty[-1])
        for tab, url in zip(empty, step.urls, strict=True):
            now.calls.say("browsingContext.navigate", context=now.context(tab), url=url, wait="none")
        yield empty


def navigate_tab(opens: Opens, tab: str, url: str) -> Facts:
    """Show an address in a tab. One that cannot be shown leaves the tab with the page it had."""
    must_not_lead_to(url, opens.closed_off)
    with opens.held(), inside(opens.now, tab) as page, deed() as doing:
        before = page.fact
        tab_fact(opens, tab)
        try:
            came = must_be_shown(url, go(page, url))
            left = tab_fact(opens, tab)
        except (ProviderError, Refused, TimeoutError):
            doing.begins("it was sent to another address")
            page.again()
            if page.fact != before:
                _back(page, before)
            doing.nothing()
            raise
        page.again()
        return (left, page.fact, *came)


def _back(page: Inside, before: PageAt) -> None:
    """Show again what was shown; where that is no longer to be had as it was, it is asked for again."""
    failed = page.fact
    with suppress(No, TimeoutError):
        page.ask(Ignored, "browsingContext.traverseHistory", context=page.context, delta=-1)
    for _ in range(LOOKS):
        with suppress(No, TimeoutError):
            page.again()
        if page.fact != failed:
            break
        page.now.calls.wait(lambda: False, 0.02)
    if page.url != before.url:
        go(page, before.url)


def go(page: Inside, url: str) -> Facts:
    """Go to an address; return that the browser shows its own words there in place of a page, and what that asked."""
    failed = ""
    with page.going() as waiting:
        try:
            page.ask(
                protocol.Navigated,
                "browsingContext.navigate",
                seconds=SHOWING,
                context=page.context,
                url=url,
                wait="interactive",
            )
        except No as no:
            failed = str(no).removeprefix("Error: ")
            waiting.arrived()
    arrival = Arrival(url, WORDS.get(failed, failed), stays=failed in NO_PAGE, file=bool(waiting.downloads))
    return arrival.told(page.tab, waiting.dialogs)


def tab_fact(opens: Opens, tab: str) -> TabAt:
    """Return the fact of what a tab shows now. Raises `Refused` where that is sayso's own page."""
    found = next((each for each in opens.now.tabs() if each.id == tab), None)
    if found is None:
        raise ProviderError("the tab is no longer open", "tab.closed")
    if leads_to(found.url, opens.closed_off):
        raise own_page()
    return TabAt(tab, found.url, found.opener)
