"""Show an address in a tab, close tabs, and open closed ones again where they were."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import Facts
from sayso.providers.browser.cdp import protocol
from sayso.providers.browser.cdp.guard import guard_ports
from sayso.providers.browser.cdp.page import TICK, Inside, inside
from sayso.providers.browser.cdp.session import Connected, name, open_tabs, target_of
from sayso.providers.browser.model import ReopenTabs, TabAt
from sayso.providers.browser.remote.actions import deed
from sayso.providers.browser.remote.backend import Arrival, must_be_shown
from sayso.providers.browser.remote.connection import SECONDS as CALL_SECONDS
from sayso.providers.browser.remote.connection import Event, Ignored, No
from sayso.providers.browser.remote.settings import leads_to, must_not_lead_to, own_page

SECONDS = 10.0
KINDS = [{"type": "tab"}, {"type": "page"}]


def close_tabs(now: Connected, tabs: Sequence[str]) -> set[str]:
    """Close these tabs in this order, all asked for at once; return those that are still there after a while."""
    gone: set[str] = set()

    def heard(event: Event) -> None:
        if event.method == "Target.targetDestroyed":
            gone.add(name(now, event.read(protocol.Gone).target_id))

    deaf = now.devtools.listen(heard)
    try:
        now.devtools.tell("Target.setDiscoverTargets", discover=True, filter=KINDS)
        now.devtools.ask_all(Ignored, "Target.closeTarget", [{"targetId": target_of(now, tab)} for tab in tabs])
        now.devtools.wait(lambda: gone.issuperset(tabs), SECONDS)
    finally:
        deaf()
        now.devtools.say("Target.setDiscoverTargets", discover=False)
    return set() if gone.issuperset(tabs) else set(tabs) & {tab.id for tab in open_tabs(now)}


NO_PAGE = frozenset({"net::ERR_ABORTED", "net::ERR_BLOCKED_BY_CLIENT"})
WORDS = {
    "net::ERR_NAME_NOT_RESOLVED": "nobody knows a site of this name",
    "net::ERR_CONNECTION_REFUSED": "nothing answers there",
    "net::ERR_CONNECTION_TIMED_OUT": "it does not answer",
    "net::ERR_INTERNET_DISCONNECTED": "this computer is not connected",
    "net::ERR_CERT_AUTHORITY_INVALID": "its certificate is not trusted",
    "net::ERR_BLOCKED_BY_CLIENT": "it was stopped",
    "net::ERR_ABORTED": "the page did not let itself be left, or answered nothing",
}


class Opens(Struct, frozen=True):
    """What a step in a page is done with: the browser, where it must not go, and where files may."""

    now: Connected
    ports: frozenset[int]
    downloads: Path | None

    @property
    def closed_off(self) -> frozenset[int]:
        """Return the ports that nothing may lead to: those of sayso's own pages, and of the browser's own DevTools."""
        return self.ports | {self.now.at.port}

    @contextmanager
    def held(self, *, files: bool = False) -> Generator[None]:
        """Hold the browser to its bounds while something is done in it; with `files` one may be downloaded.

        What a page begins to download later goes where files may go too, or nowhere, while this connection stands.
        """
        devtools = self.now.devtools
        devtools.tell("Browser.setDownloadBehavior", **self._downloading(files=files))
        try:
            with guard_ports(self.now, self.ports):
                yield
        finally:
            devtools.say("Browser.setDownloadBehavior", **self._downloading(files=True))

    def _downloading(self, *, files: bool) -> dict[str, Any]:
        if files and self.downloads is not None:
            return {"behavior": "allow", "downloadPath": str(self.downloads)}
        return {"behavior": "deny"}


def open_tab(opens: Opens, url: str) -> Facts:
    """Open an address in a new tab in front. What is no page leaves no tab behind; one that cannot be had says so."""
    must_not_lead_to(url, opens.closed_off)
    now = opens.now
    try:
        made = now.devtools.ask(protocol.Created, "Target.createTarget", url="about:blank", forTab=True).target_id
    except No as no:
        raise ProviderError(f"the browser opens no tab: {no}", "tab.not_opened") from no
    tab = name(now, made)
    try:
        with opens.held(), inside(now, tab) as page:
            came = _go(page, url)
        return (tab_fact(opens, tab), *came)
    except (ProviderError, Refused):
        close_tabs(now, [tab])
        raise


def navigate_tab(opens: Opens, tab: str, url: str) -> Facts:
    """Show an address in a tab. One that cannot be shown leaves the tab with the page it had."""
    must_not_lead_to(url, opens.closed_off)
    with opens.held(), inside(opens.now, tab) as page, deed() as doing:
        entry, before = _entry(page), tab_fact(opens, tab).url
        try:
            came = must_be_shown(url, _go(page, url))
            left = tab_fact(opens, tab)
        except (ProviderError, Refused, TimeoutError):
            doing.begins("it was sent to another address")
            with suppress(No):
                page.ask(Ignored, "Page.stopLoading")
            _back(page, entry, before)
            doing.nothing()
            raise
        page.again()
        return (left, page.fact, *came)


def _entry(page: Inside) -> protocol.Entry:
    history = page.ask(protocol.History, "Page.getNavigationHistory")
    return history.entries[history.current_index]


def _back(page: Inside, entry: protocol.Entry, url: str) -> None:
    """Show again what was shown; a page still on its way, for which no entry stands yet, is asked for again."""
    if entry.url != url:
        _go(page, url)
    elif _entry(page).id != entry.id:
        with page.going():
            page.ask(Ignored, "Page.navigateToHistoryEntry", entryId=entry.id)


def _go(page: Inside, url: str) -> Facts:
    """Go to an address; return that the browser shows its own words there in place of a page, and what that asked."""
    with page.going() as waiting:
        came = page.ask(protocol.Navigated, "Page.navigate", seconds=30.0, url=url)
    failed = came.error_text
    why = WORDS.get(failed, failed.removeprefix("net::"))
    arrival = Arrival(url, why, stays=failed in NO_PAGE, file=came.is_download)
    return arrival.told(page.tab, waiting.dialogs)


def tab_fact(opens: Opens, tab: str) -> TabAt:
    """Return the fact of what a tab shows now. Raises `Refused` where that is sayso's own page."""
    now = opens.now
    target = now.devtools.ask(protocol.OneTarget, "Target.getTargetInfo", targetId=target_of(now, tab)).target_info
    if leads_to(target.url, opens.closed_off):
        raise own_page()
    return TabAt(tab, target.url, target.opener_id)


SHOWING = 30.0


@contextmanager
def again(opens: Opens, step: ReopenTabs) -> Generator[list[str]]:
    """Open tabs again, those of one window from left to right; yield their ids, empty for what did not open.

    Each is empty at first, under an address of its own. Once all of them are there, the browser is held to its bounds,
    and they show their pages. Before the first of a window there is no way to open one.
    """
    new = _New(opens.now)
    empty = [f"about:blank#{number}" for number in range(len(step.urls))]
    _open(opens.now, new, step, empty)
    with opens.held():
        yield new.go(empty, step.urls)


def _open(now: Connected, new: "_New", step: ReopenTabs, empty: Sequence[str]) -> None:
    there = open_tabs(now)
    windows: dict[str, _Window] = {}
    with ExitStack() as held:
        for url, window, place in zip(empty, step.windows, step.places, strict=True):
            if window not in windows:
                windows[window] = _Window(now, new, held, [tab.id for tab in there if tab.window == window])
            windows[window].open(url, place)


class _New:
    """The tabs that were not there before, by the addresses that they were opened with."""

    def __init__(self, now: Connected) -> None:
        self._now = now
        self._before = {target.target_id for target in self._targets()}

    def _targets(self) -> tuple[protocol.Target, ...]:
        return self._now.devtools.ask(protocol.Targets, "Target.getTargets", filter=KINDS).target_infos

    def found(self, urls: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
        """Wait for tabs; return them and their pages, which are the same where a page is its own tab."""
        tabs, pages = dict[str, str](), dict[str, str]()
        for _ in range(round(CALL_SECONDS / TICK)):
            for target in self._targets():
                if target.target_id not in self._before:
                    (tabs if target.type == "tab" else pages)[target.url] = target.target_id
            if pages.keys() >= set(urls):
                break
            self._now.devtools.wait(lambda: False, TICK)
        return {url: name(self._now, tab) for url, tab in (tabs or pages).items()}, pages

    def go(self, empty: Sequence[str], urls: Sequence[str]) -> list[str]:
        """Have each empty tab show the page that is meant, all at once; return the ids of the tabs."""
        devtools = self._now.devtools
        tabs, pages = self.found(empty)
        asked = [{"targetId": pages.get(before, ""), "flatten": True} for before in empty]
        told = devtools.ask_all(protocol.Session, "Target.attachToTarget", asked)
        leads = {one.session_id: {"url": url} for one, url in zip(told, urls, strict=True) if not isinstance(one, No)}
        devtools.ask_in(Ignored, "Page.navigate", leads, seconds=SHOWING)
        for session in leads:
            devtools.say("Target.detachFromTarget", sessionId=session)
        return [tabs.get(before, "") for before in empty]


class _Window:
    """A window in which tabs open again; `tabs` are those it has, from left to right."""

    def __init__(self, now: Connected, new: _New, held: ExitStack, tabs: list[str]) -> None:
        self._now = now
        self._new = new
        self._held = held
        self._tabs = tabs
        self._opened: list[str] = []
        self._page: Inside | None = None

    def open(self, url: str, place: int) -> None:
        """Open an empty tab at this place, or at the end where that cannot be; without any tab open the window."""
        before = min(max(place - 1, 1), len(self._tabs))
        if not self._tabs or not self._beside(self._tabs[before - 1], url):
            self._now.devtools.tell("Target.createTarget", url=url, newWindow=not self._tabs)
        self._tabs.insert(before, url)
        self._opened.append(url)

    def _beside(self, left: str, url: str) -> bool:
        """Open a tab right after another, as a link in it would; say whether that could be."""
        if left not in self._opened[-1:]:  # that one is in front
            self._now.devtools.say("Target.activateTarget", targetId=target_of(self._now, left))
        try:
            return self._opener(left).call(bool, "beside", url, gesture=True)
        except (ProviderError, Refused, No, TimeoutError):
            self._page = None
            return False

    def _opener(self, left: str) -> Inside:
        """Return the page that opens tabs here: the first one that was opened, and before that the one beside it."""
        if self._page is None and self._opened:
            first = self._opened[0]
            self._page = self._held.enter_context(inside(self._now, self._new.found([first])[0].get(first, "")))
            self._page.loaded()
        return self._page or self._held.enter_context(inside(self._now, left))
