"""The reads of the tabs store on a real browser, as it is, or as earlier steps of a batch would leave it."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import msgspec
from anyio import to_thread

from sayso.core.errors import ProviderError
from sayso.core.plan import AsLeft, Fact, Facts, Ref
from sayso.core.ports import Clock, Ids
from sayso.core.pretend import Seen
from sayso.core.values import dataclass
from sayso.providers.browser import memory, reading, store
from sayso.providers.browser.address import Rules, listed, origin
from sayso.providers.browser.facts import ElementAt
from sayso.providers.browser.live import elements, pictures
from sayso.providers.browser.live.calling import Lost, No
from sayso.providers.browser.live.own import leads_to, must_not_lead_to, own_page
from sayso.providers.browser.live.ports import Browser, OpenTab, Page, Spoken
from sayso.providers.browser.live.summaries import Summaries
from sayso.providers.browser.own_pages import own_ports
from sayso.providers.browser.steps import Fill, Steps
from sayso.providers.browser.world import BrowserTab, BrowserWindow, Site, World

T = TypeVar("T")
MOST_LINKS = 5000
MOST_TITLE = 1000
READABLE = ("http:", "https:")
NOT_SEEN = "the page that an earlier action opens has not been seen yet; propose this once it is open"
GONE = "the browser ended, or does not answer"


@dataclass(frozen=True)
class Serving:
    """What the reads are made on."""

    browser: Browser
    settings: reading.Settings
    ids: Ids
    clock: Clock
    own: str
    summaries: Summaries

    @property
    def ports(self) -> frozenset[int]:
        """Return the ports of sayso's own pages, as they are now."""
        return own_ports(self.own)

    @property
    def rules(self) -> Rules:
        """Return how addresses are read now."""
        return replace(self.settings.rules, ports=self.ports)


@dataclass(frozen=True, slots=True)
class Imagined:
    """A step that is imagined to be done, and which one of the run it is."""

    step: Steps
    ref: Ref


class Reads:
    """The reads; `numbers` are the ids of tabs by number, as the batch first saw them."""

    def __init__(
        self,
        serving: Serving,
        imagined: tuple[Imagined, ...] = (),
        numbers: tuple[str, ...] | None = None,
        shown: Facts = (),
        wrote: str = "",
    ) -> None:
        self._serving = serving
        self._imagined = imagined
        self._numbers = numbers
        self._shown = shown
        self._wrote = wrote
        self._first_seen: tuple[str, ...] | None = None

    def after(self, step: Steps, ref: Ref) -> "Reads":
        """Return reads in which a step was done as well; numbers go on meaning what they meant."""
        numbers = self._numbers if self._numbers is not None else self._first_seen
        return Reads(self._serving, (*self._imagined, Imagined(step, ref)), numbers, self._shown, self._wrote)

    def as_shown(self, shown: Facts) -> "Reads":
        """Return these reads with the numbers of what the model was shown."""
        return Reads(self._serving, self._imagined, self._numbers, shown, self._wrote)

    def as_written(self, words: str) -> "Reads":
        """Return these reads for a person who wrote these words."""
        return Reads(self._serving, self._imagined, self._numbers, self._shown, words)

    async def snapshot(self, browser: str) -> store.Snapshot:
        """Return the tabs, in the order of windows and then of tabs."""
        return await (await self._seen()).snapshot(browser)

    async def raw(self, limit: int) -> str:
        """Return what the browser says of its tabs, as it came, cut to a limit."""
        return (await self._in_thread(lambda now: now.raw(self._serving.ports)))[:limit]

    async def tells_tabs(self, browser: str) -> bool:
        """Return True: a new tab is known by its id."""
        return True

    async def current(self, browser: str) -> store.Tab:
        """Return the tab in front."""
        seen = await self._seen(front=True)
        if seen.seen.look().tab(seen.seen.look().active) is None:
            raise ProviderError("no tab is open", "tab.none")
        tab = await seen.current(browser)
        if "." not in tab.id:
            raise ProviderError(NOT_SEEN, "page.not_loaded")
        return tab

    async def page(self) -> store.Page:
        """Return the page in front, once it has loaded."""
        return await self._in_page(lambda page, seen: store.Page(page.tab, page.url, _title(page), seen(page.fact)))

    async def text(self, limit: int) -> tuple[str, int]:
        """Return the visible text of the page in front, up to a limit, and how much there is."""

        def read(page: Page, seen: Callable[[Fact], Fact]) -> tuple[str, int]:
            found = page.call(_Text, "text", limit)
            self._serving.summaries.add(page.tab, page.url, found.text)
            return found.text, found.total

        return await self._in_page(read)

    async def links(self) -> tuple[store.Link, ...]:
        """Return the links of the page in front."""
        return await self._in_page(lambda page, _: page.call(tuple[store.Link, ...], "links", MOST_LINKS))

    async def element(self, selector: str) -> store.Element:
        """Return what a selector finds."""

        def look(page: Page, seen: Callable[[Fact], Fact]) -> store.Element:
            met = elements.meet(page, selector)
            fact, value = seen(met.fact(page.tab, selector)), met.found.value
            if isinstance(fact, AsLeft) and value is not None:
                value = self._filled(page.tab, selector, value)
            return store.Element(met.role, met.name, met.field, value, fact)

        return await self._in_page(look)

    async def screenshot(self) -> str:
        """Take a picture of the page in front."""

        def take(page: Page, seen: Callable[[Fact], Fact]) -> bytes:
            return page.picture()

        picture, serving = await self._in_page(take), self._serving
        pictures.remove_old(serving.own, serving.clock.now())
        return pictures.keep(serving.own, serving.ids.token(), picture)

    def confirmed(self, url: str) -> bool:
        """Say whether the settings want clicks and filling on this site asked about."""
        return listed(url, self._serving.settings.confirm_sites)

    def rules(self) -> Rules:
        """Return what the settings add to addresses."""
        return replace(self._serving.rules, wrote=self._wrote)

    def token(self) -> str:
        """Return a new name."""
        return self._serving.ids.token()

    def _filled(self, tab: str, selector: str, value: str) -> str:
        fills = [one.step for one in self._imagined if isinstance(one.step, Fill)]
        return next((fill.value for fill in reversed(fills) if (fill.tab, fill.selector) == (tab, selector)), value)

    def _look(self, now: Spoken) -> tuple[World, bool]:
        """Return the world that the browser shows, and whether a page of sayso's own is in front."""
        tabs = now.tabs()
        in_front = now.front(tabs)
        ports = self._serving.ports
        ours = any(tab.id == in_front and leads_to(tab.url, ports) for tab in tabs)
        return as_world([tab for tab in tabs if not leads_to(tab.url, ports)], in_front, self._serving.summaries), ours

    async def _seen(self, *, front: bool = False) -> reading.Reads:
        """Return the reads of what the browser shows, after what is imagined; with `front` the tab there is meant."""
        world, ours = await self._in_thread(self._look)
        if ours and front and not self._imagined:
            raise own_page()
        if self._first_seen is None:
            self._first_seen = tuple(tab.id for tab in world.tabs)
        as_left: dict[tuple[str, str], AsLeft] = {}
        if self._imagined:
            world = replace(world, numbers=self._numbers if self._numbers is not None else self._first_seen)
        for one in self._imagined:
            world, facts = memory.does(world, one.step, ())
            for of, about in (*(fact.key for fact in facts), *_elements(one.step)):
                as_left[of, about] = AsLeft(about, of, one.ref.change, one.ref.action)
        return reading.Reads(Seen(lambda: world, as_left), self._serving.ids, self._serving.settings, self._shown)

    async def _in_page(self, look: Callable[[Page, Callable[[Fact], Fact]], T]) -> T:
        seen = await self._seen(front=True)
        world = seen.seen.look()
        tab = world.tab(world.active)
        if tab is None:
            raise ProviderError("no tab is open", "tab.none")
        if tab.id in world.unloaded or "." not in tab.id:
            raise ProviderError(NOT_SEEN, "page.not_loaded")

        def work(now: Spoken) -> T:
            with now.inside(tab.id) as page:
                page.loaded()
                page.again()
                self._may_be_read(page.url)
                return look(page, seen.seen.fact)

        return await self._in_thread(work)

    def _may_be_read(self, url: str) -> None:
        must_not_lead_to(url, self._serving.ports)
        allowed = (*READABLE, *(f"{scheme.lower().rstrip(':')}:" for scheme in self._serving.settings.rules.schemes))
        if not url.startswith(allowed):
            raise ProviderError(
                f"the page in front ({origin(url)}) is no page of the web, and is left alone", "page.scheme"
            )

    async def _in_thread(self, work: Callable[[Spoken], T]) -> T:
        def connected() -> T:
            with self._serving.browser.connected() as now:
                return work(now)

        try:
            return await to_thread.run_sync(connected)
        except (Lost, TimeoutError, No) as no:
            raise ProviderError(GONE, "browser.gone") from no


class _Text(msgspec.Struct, frozen=True):
    text: str
    total: int


def _title(page: Page) -> str:
    return page.call(str, "title")


def _elements(step: Steps) -> tuple[tuple[str, str], ...]:
    return ((ElementAt.fact, f"{step.tab} {step.selector}"),) if isinstance(step, Fill) else ()


def as_world(tabs: list[OpenTab], in_front: str, summaries: Summaries) -> World:
    """Return tabs as the world that batches are imagined in."""
    windows: list[BrowserWindow] = []
    for window in dict.fromkeys(tab.window for tab in tabs):
        within = [tab for tab in tabs if tab.window == window]
        made = tuple(_tab(tab, summaries) for tab in within)
        active = next((tab.id for tab in within if tab.id == in_front), None)
        active = active or next((tab.id for tab in within if tab.active), made[0].id)
        windows.append(BrowserWindow(window, made, active))
    front_window = next((tab.window for tab in tabs if tab.id == in_front), "")
    return World(tuple(windows), front_window)


def _tab(tab: OpenTab, summaries: Summaries) -> BrowserTab:
    title = tab.title if len(tab.title) <= MOST_TITLE else f"{tab.title[:MOST_TITLE]}…"
    return BrowserTab(tab.id, Site(tab.url, title, summary=summaries.of(tab.id, tab.url)), opener=tab.opener)
