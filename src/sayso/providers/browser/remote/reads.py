"""Read tabs, pages, elements and screenshots from a real browser."""

import os
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from anyio import to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact
from sayso.core.ports import Clock, Ids
from sayso.providers.browser import store
from sayso.providers.browser.address import own_ports, private
from sayso.providers.browser.memory import BrowserWorld, SiteSettings
from sayso.providers.browser.numbers import MOST_SUMMARY
from sayso.providers.browser.remote.connection import CallError, ConnectionLost
from sayso.providers.browser.remote.driver import BrowserDriver, BrowserPage, BrowserSession
from sayso.providers.browser.remote.page_actions import find_element
from sayso.providers.browser.remote.planned import PlannedTabs, as_world
from sayso.providers.browser.remote.settings import leads_to

T = TypeVar("T")
MOST_SUMMARIES = 1000
MOST_LINKS = 5000
GONE = "the browser ended, or does not answer"
FOLDER = "tmp"
START, END = "screenshot-", ".png"
KEPT_SECONDS = 24 * 60 * 60


class PageSummaries:
    """The first words of the pages that this process has read, by tab and address; kept in memory only."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], str] = OrderedDict()

    def add(self, tab: str, url: str, text: str) -> None:
        """Store the beginning of a page; the oldest entries are removed beyond a limit."""
        self._known[tab, url] = " ".join(text[: 10 * MOST_SUMMARY].split())[:MOST_SUMMARY]
        self._known.move_to_end((tab, url))
        while len(self._known) > MOST_SUMMARIES:
            self._known.popitem(last=False)

    def find(self, tab: str, url: str) -> str:
        """Return the beginning of a page; empty if the page was not read."""
        return self._known.get((tab, url), "")


def save_screenshot(own: str, token: str, picture: bytes) -> str:
    """Write a picture into a new private file and return its path."""
    path = private(own, FOLDER) / f"{START}{token}{END}"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(picture)
    return str(path)


def remove_old_screenshots(own: str, now: datetime) -> int:
    """Remove screenshots that are older than a day; return how many were removed."""
    removed = 0
    for path in Path(own, FOLDER).glob(f"{START}*{END}"):
        with suppress(OSError):
            if now.timestamp() - path.stat().st_mtime >= KEPT_SECONDS:
                path.unlink()
                removed += 1
    return removed


class ReadServices(Struct, frozen=True):
    """What `RemoteTabs` depends on: the driver, the settings about sites, and the page summaries of this process."""

    driver: BrowserDriver
    sites: SiteSettings
    ids: Ids
    clock: Clock
    own: str
    summaries: PageSummaries

    @property
    def ports(self) -> frozenset[int]:
        """Return the ports on which sayso serves its own pages now."""
        return own_ports(self.own)


class PageText(Struct, frozen=True):
    """The beginning of a page's visible text, and the length of the whole text."""

    text: str
    total: int


@dataclass(frozen=True)
class RemoteTabs(PlannedTabs):
    """Implements `Tabs` for one batch, through the driver of a browser."""

    services: ReadServices

    async def raw(self, limit: int) -> str:
        """Return the browser's own list of its tabs, cut to `limit` characters."""
        return (await self._in_thread(lambda session: session.raw(self.services.ports)))[:limit]

    async def page(self) -> store.CurrentPage:
        """Return the page in front, after it has loaded."""

        def read(page: BrowserPage, fact: Callable[[Fact], Fact]) -> store.CurrentPage:
            return store.CurrentPage(page.tab, page.url, page.call_function(str, "readTitle"), fact(page.fact))

        return await self._in_page(read)

    async def text(self, limit: int) -> tuple[str, int]:
        """Return at most `limit` characters of the front page's visible text, and the length of the whole text."""

        def read(page: BrowserPage, fact: Callable[[Fact], Fact]) -> tuple[str, int]:
            found = page.call_function(PageText, "readText", limit)
            self.services.summaries.add(page.tab, page.url, found.text)
            return found.text, found.total

        return await self._in_page(read)

    async def links(self) -> tuple[store.Link, ...]:
        """Return the links of the page in front."""
        return await self._in_page(lambda page, _: page.call_function(tuple[store.Link, ...], "listLinks", MOST_LINKS))

    async def outline(self, most: int) -> store.Outline:
        """Return the outline of the page in front."""
        return await self._in_page(lambda page, _: page.call_function(store.Outline, "outline", most))

    async def element(self, selector: str) -> store.Element:
        """Return the element that a selector matches in the page in front."""

        def read(page: BrowserPage, seen: Callable[[Fact], Fact]) -> store.Element:
            element = find_element(page, selector)
            fact, found = seen(element.fact(page.tab, selector)), element.found
            value = self.value_of(page.tab, selector, found.value, fact)
            return store.Element(element.role, element.name, element.fillable, value, fact, found.opens, found.submits)

        return await self._in_page(read)

    async def screenshot(self) -> str:
        """Write a picture of the page in front to a private file and return its path."""
        picture, services = await self._in_page(lambda page, _: page.screenshot()), self.services
        remove_old_screenshots(services.own, services.clock.now())
        return save_screenshot(services.own, services.ids.token(), picture)

    async def look(self) -> tuple[BrowserWorld, bool]:
        """Return the browser's tabs without sayso's own pages, and whether such a page is in front."""
        return await self._in_thread(self._look)

    def _look(self, session: BrowserSession) -> tuple[BrowserWorld, bool]:
        tabs = session.tabs()
        in_front = session.front(tabs)
        ports = self.services.ports
        own = any(tab.id == in_front and leads_to(tab.url, ports) for tab in tabs)
        others = [tab for tab in tabs if not leads_to(tab.url, ports)]
        return as_world(others, in_front, self.services.summaries.find), own

    async def _in_page(self, read: Callable[[BrowserPage, Callable[[Fact], Fact]], T]) -> T:
        """Return what `read` reads in the page in front.

        `read` also gets a function for facts. This function returns a fact unchanged; if a planned step changes what
        the fact is about, it returns a `ResultRef` instead.
        """
        tab, fact = await self.front_tab()

        def work(session: BrowserSession) -> T:
            with session.page(tab.id) as page:
                page.wait_until_loaded()
                page.refresh()
                self.must_be_readable(page.url)
                return read(page, fact)

        return await self._in_thread(work)

    async def _in_thread(self, work: Callable[[BrowserSession], T]) -> T:
        def connected() -> T:
            with self.services.driver.connected() as session:
                return work(session)

        try:
            return await to_thread.run_sync(connected)
        except (ConnectionLost, TimeoutError, CallError) as error:
            raise ProviderError(GONE, "browser.gone") from error
