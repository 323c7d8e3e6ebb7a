"""Show an address: in a new tab or in one that is open, never sayso's own page, and never as a file that is kept."""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import Facts
from sayso.core.values import dataclass
from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.chromium import Connected, name, target_of
from sayso.providers.browser.cdp.closing import closed
from sayso.providers.browser.cdp.guard import guarded
from sayso.providers.browser.cdp.inside import Inside, inside
from sayso.providers.browser.facts import TabAt
from sayso.providers.browser.live.arriving import Arrival, must_be_shown
from sayso.providers.browser.live.begun import deed
from sayso.providers.browser.live.calling import Ignored, No
from sayso.providers.browser.live.own import leads_to, must_not_lead_to, own_page

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


@dataclass(frozen=True, slots=True)
class Opens:
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
            with guarded(self.now, self.ports):
                yield
        finally:
            devtools.say("Browser.setDownloadBehavior", **self._downloading(files=True))

    def _downloading(self, *, files: bool) -> dict[str, Any]:
        if files and self.downloads is not None:
            return {"behavior": "allow", "downloadPath": str(self.downloads)}
        return {"behavior": "deny"}


def opened(opens: Opens, url: str) -> Facts:
    """Open an address in a new tab in front. What is no page leaves no tab behind; one that cannot be had says so."""
    must_not_lead_to(url, opens.closed_off)
    now = opens.now
    try:
        made = now.devtools.ask(said.Created, "Target.createTarget", url="about:blank", forTab=True).target_id
    except No as no:
        raise ProviderError(f"the browser opens no tab: {no}", "tab.not_opened") from no
    tab = name(now, made)
    try:
        with opens.held(), inside(now, tab) as page:
            came = _go(page, url)
        return (shown(opens, tab), *came)
    except (ProviderError, Refused):
        closed(now, [tab])
        raise


def navigated(opens: Opens, tab: str, url: str) -> Facts:
    """Show an address in a tab. One that cannot be shown leaves the tab with the page it had."""
    must_not_lead_to(url, opens.closed_off)
    with opens.held(), inside(opens.now, tab) as page, deed() as doing:
        entry, before = _entry(page), shown(opens, tab).url
        try:
            came = must_be_shown(url, _go(page, url))
            left = shown(opens, tab)
        except (ProviderError, Refused, TimeoutError):
            doing.begins("it was sent to another address")
            with suppress(No):
                page.ask(Ignored, "Page.stopLoading")
            _back(page, entry, before)
            doing.nothing()
            raise
        page.again()
        return (left, page.fact, *came)


def _entry(page: Inside) -> said.Entry:
    history = page.ask(said.History, "Page.getNavigationHistory")
    return history.entries[history.current_index]


def _back(page: Inside, entry: said.Entry, url: str) -> None:
    """Show again what was shown; a page still on its way, for which no entry stands yet, is asked for again."""
    if entry.url != url:
        _go(page, url)
    elif _entry(page).id != entry.id:
        with page.going():
            page.ask(Ignored, "Page.navigateToHistoryEntry", entryId=entry.id)


def _go(page: Inside, url: str) -> Facts:
    """Go to an address; return that the browser shows its own words there in place of a page, and what that asked."""
    with page.going() as waiting:
        came = page.ask(said.Navigated, "Page.navigate", seconds=30.0, url=url)
    failed = came.error_text
    why = WORDS.get(failed, failed.removeprefix("net::"))
    arrival = Arrival(url, why, stays=failed in NO_PAGE, file=came.is_download)
    return arrival.told(page.tab, waiting.dialogs)


def shown(opens: Opens, tab: str) -> TabAt:
    """Return the fact of what a tab shows now. Raises `Refused` where that is sayso's own page."""
    now = opens.now
    target = now.devtools.ask(said.OneTarget, "Target.getTargetInfo", targetId=target_of(now, tab)).target_info
    if leads_to(target.url, opens.closed_off):
        raise own_page()
    return TabAt(tab, target.url, target.opener_id)
