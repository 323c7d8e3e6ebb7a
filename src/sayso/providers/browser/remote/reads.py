"""Read tabs, pages, elements and screenshots from a real browser."""

import os
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.memory_backend import View
from sayso.core.plan import ChangeRef, Fact, Facts, ResultRef
from sayso.core.ports import Clock, Ids
from sayso.providers.browser import memory, store
from sayso.providers.browser.address import Rules, is_listed_site, origin, own_ports, private
from sayso.providers.browser.memory import BrowserTab, BrowserWindow, BrowserWorld, SiteSettings, WebPage
from sayso.providers.browser.model import Fill, Steps
from sayso.providers.browser.numbers import MOST_SUMMARY
from sayso.providers.browser.remote.connection import CallError, ConnectionLost
from sayso.providers.browser.remote.driver import BrowserDriver, BrowserPage, BrowserSession, TabSnapshot
from sayso.providers.browser.remote.page_actions import find_element
from sayso.providers.browser.remote.settings import leads_to, must_not_lead_to, own_page

T = TypeVar("T")
MOST_SUMMARIES = 1000
MOST_LINKS = 5000
MOST_TITLE = 1000
READABLE = ("http:", "https:")
NOT_LOADED = "the page that an earlier action opens has not been seen yet; propose this once it is open"
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

    @property
    def rules(self) -> Rules:
        """Return the rules for reading addresses, with the current ports of sayso's own pages."""
        return replace(self.sites.rules, ports=self.ports)


class ImaginedStep(Struct, frozen=True):
    """A planned step that `RemoteTabs` treats as done, and its position in the run."""

    step: Steps
    ref: ChangeRef


class PageText(Struct, frozen=True):
    """The beginning of a page's visible text, and the length of the whole text."""

    text: str
    total: int


class RemoteTabs:
    """Implements `Tabs` for one batch.

    `numbers` contains the ids of the tabs in the order of their numbers, as the batch first saw them.
    """

    def __init__(
        self,
        services: ReadServices,
        imagined: tuple[ImaginedStep, ...] = (),
        numbers: tuple[str, ...] | None = None,
        shown: Facts = (),
        wrote: str = "",
    ) -> None:
        self._services = services
        self._imagined = imagined
        self._numbers = numbers
        self._shown = shown
        self._wrote = wrote
        self._first_seen: tuple[str, ...] | None = None

    def after(self, step: Steps, ref: ChangeRef) -> "RemoteTabs":
        """Return a `RemoteTabs` that also treats `step` as done; numbers keep referring to the same tabs."""
        numbers = self._numbers if self._numbers is not None else self._first_seen
        return RemoteTabs(self._services, (*self._imagined, ImaginedStep(step, ref)), numbers, self._shown, self._wrote)

    def as_shown(self, shown: Facts) -> "RemoteTabs":
        return RemoteTabs(self._services, self._imagined, self._numbers, shown, self._wrote)

    def as_written(self, words: str) -> "RemoteTabs":
        return RemoteTabs(self._services, self._imagined, self._numbers, self._shown, words)

    async def snapshot(self, browser: str) -> store.Snapshot:
        return await (await self._current()).snapshot(browser)

    async def raw(self, limit: int) -> str:
        """Return the browser's own list of its tabs, cut to `limit` characters."""
        return (await self._in_thread(lambda session: session.raw(self._services.ports)))[:limit]

    async def tells_tabs(self, browser: str) -> bool:
        """Return True: real browsers return the id of a new tab."""
        return True

    async def current(self, browser: str) -> store.Tab:
        reads = await self._current(front=True)
        if reads.seen.look().tab(reads.seen.look().active) is None:
            raise ProviderError("no tab is open", "tab.none")
        tab = await reads.current(browser)
        if "." not in tab.id:
            raise ProviderError(NOT_LOADED, "page.not_loaded")
        return tab

    async def page(self) -> store.CurrentPage:
        """Return the page in front, after it has loaded."""

        def read(page: BrowserPage, fact: Callable[[Fact], Fact]) -> store.CurrentPage:
            return store.CurrentPage(page.tab, page.url, page.call_function(str, "readTitle"), fact(page.fact))

        return await self._in_page(read)

    async def text(self, limit: int) -> tuple[str, int]:
        """Return at most `limit` characters of the front page's visible text, and the length of the whole text."""

        def read(page: BrowserPage, fact: Callable[[Fact], Fact]) -> tuple[str, int]:
            found = page.call_function(PageText, "readText", limit)
            self._services.summaries.add(page.tab, page.url, found.text)
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
            fact, value = seen(element.fact(page.tab, selector)), element.found.value
            if isinstance(fact, ResultRef) and value is not None:
                value = self._filled_value(page.tab, selector, value)
            found = element.found
            return store.Element(element.role, element.name, element.fillable, value, fact, found.opens, found.submits)

        return await self._in_page(read)

    async def screenshot(self) -> str:
        """Write a picture of the page in front to a private file and return its path."""
        picture, services = await self._in_page(lambda page, _: page.screenshot()), self._services
        remove_old_screenshots(services.own, services.clock.now())
        return save_screenshot(services.own, services.ids.token(), picture)

    def confirmed(self, url: str) -> bool:
        """Return whether the settings list this site as one to ask about before clicking or filling."""
        return is_listed_site(url, self._services.sites.confirm_sites)

    def rules(self) -> Rules:
        return replace(self._services.rules, wrote=self._wrote)

    def token(self) -> str:
        """Return a new unique name that nobody can guess."""
        return self._services.ids.token()

    def _filled_value(self, tab: str, selector: str, value: str) -> str:
        fills = [one.step for one in self._imagined if isinstance(one.step, Fill)]
        return next((fill.value for fill in reversed(fills) if (fill.tab, fill.selector) == (tab, selector)), value)

    def _look(self, session: BrowserSession) -> tuple[BrowserWorld, bool]:
        """Return the browser's tabs without sayso's own pages, and whether such a page is in front."""
        tabs = session.tabs()
        in_front = session.front(tabs)
        ports = self._services.ports
        own = any(tab.id == in_front and leads_to(tab.url, ports) for tab in tabs)
        others = [tab for tab in tabs if not leads_to(tab.url, ports)]
        return as_world(others, in_front, self._services.summaries), own

    async def _current(self, *, front: bool = False) -> memory.MemoryTabs:
        """Return `MemoryTabs` with the browser's tabs as they would be after the planned steps.

        With `front`, the caller needs the tab in front: `Refused` is raised if that is sayso's own page and no step is
        planned.
        """
        world, own = await self._in_thread(self._look)
        if own and front and not self._imagined:
            raise own_page()
        if self._first_seen is None:
            self._first_seen = tuple(tab.id for tab in world.tabs)
        as_left: dict[tuple[str, str], ResultRef] = {}
        if self._imagined:
            world = replace(world, numbers=self._numbers if self._numbers is not None else self._first_seen)
        for one in self._imagined:
            world, facts = memory.apply_step(world, one.step, ())
            for of, about in (*(fact.key for fact in facts), *one.step.changes()):
                as_left[of, about] = ResultRef(about, of, one.ref.change, one.ref.action)
        return memory.MemoryTabs(View(lambda: world, as_left), self._services.ids, self._services.sites, self._shown)

    async def _in_page(self, read: Callable[[BrowserPage, Callable[[Fact], Fact]], T]) -> T:
        """Return what `read` reads in the page in front.

        `read` also gets a function for facts. This function returns a fact unchanged; if a planned step changes what
        the fact is about, it returns a `ResultRef` instead.
        """
        reads = await self._current(front=True)
        world = reads.seen.look()
        tab = world.tab(world.active)
        if tab is None:
            raise ProviderError("no tab is open", "tab.none")
        if tab.id in world.unloaded or "." not in tab.id:
            raise ProviderError(NOT_LOADED, "page.not_loaded")

        def work(session: BrowserSession) -> T:
            with session.page(tab.id) as page:
                page.wait_until_loaded()
                page.refresh()
                self._must_be_readable(page.url)
                return read(page, reads.seen.fact)

        return await self._in_thread(work)

    def _must_be_readable(self, url: str) -> None:
        must_not_lead_to(url, self._services.ports)
        allowed = (*READABLE, *(f"{scheme.lower().rstrip(':')}:" for scheme in self._services.sites.rules.schemes))
        if not url.startswith(allowed):
            raise ProviderError(
                f"the page in front ({origin(url)}) is not a web page, and is left alone", "page.scheme"
            )

    async def _in_thread(self, work: Callable[[BrowserSession], T]) -> T:
        def connected() -> T:
            with self._services.driver.connected() as session:
                return work(session)

        try:
            return await to_thread.run_sync(connected)
        except (ConnectionLost, TimeoutError, CallError) as error:
            raise ProviderError(GONE, "browser.gone") from error


def as_world(tabs: list[TabSnapshot], in_front: str, summaries: PageSummaries) -> BrowserWorld:
    """Return the tabs as a browser in memory, to which the planned steps of a batch are applied."""
    windows: list[BrowserWindow] = []
    for window in dict.fromkeys(tab.window for tab in tabs):
        within = [tab for tab in tabs if tab.window == window]
        made = tuple(_as_tab(tab, summaries) for tab in within)
        active = next((tab.id for tab in within if tab.id == in_front), None)
        active = active or next((tab.id for tab in within if tab.active), made[0].id)
        windows.append(BrowserWindow(window, made, active))
    front_window = next((tab.window for tab in tabs if tab.id == in_front), "")
    return BrowserWorld(tuple(windows), front_window)


def _as_tab(tab: TabSnapshot, summaries: PageSummaries) -> BrowserTab:
    title = tab.title if len(tab.title) <= MOST_TITLE else f"{tab.title[:MOST_TITLE]}…"
    page = WebPage(tab.url, title, summary=summaries.find(tab.id, tab.url))
    return BrowserTab(tab.id, page, opener=tab.opener)
