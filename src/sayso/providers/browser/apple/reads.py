"""What operations can read of the tabs and pages of Safari or Chrome on macOS."""

from collections.abc import Callable
from dataclasses import dataclass

import anyio
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.core.memory_backend import View
from sayso.core.plan import ChangeRef, Fact, Facts, ResultRef
from sayso.core.ports import Clock, Ids
from sayso.core.quotes import quoted
from sayso.providers.browser import memory, store
from sayso.providers.browser.address import Rules, is_listed_site, origin, own_ports, private
from sayso.providers.browser.apple.control import (
    AppleBrowser,
    PageElement,
    PageOutline,
    PageState,
    PageWords,
    Seen,
    SeenTab,
)
from sayso.providers.browser.memory import BrowserTab, BrowserWindow, BrowserWorld, SiteSettings, WebPage
from sayso.providers.browser.model import ElementAt, PageAt, Steps
from sayso.providers.browser.remote.reads import (
    END,
    FOLDER,
    MOST_LINKS,
    MOST_TITLE,
    NOT_LOADED,
    READABLE,
    START,
    remove_old_screenshots,
)
from sayso.providers.browser.remote.settings import leads_to, must_not_lead_to, own_page
from sayso.providers.programs.run import ProgramCall, ProgramRunner


class AppleServices(Struct, frozen=True):
    """What reading depends on."""

    browser: AppleBrowser
    sites: SiteSettings
    ids: Ids
    clock: Clock
    own: str
    runner: ProgramRunner

    @property
    def ports(self) -> frozenset[int]:
        """Return the ports on which sayso serves its own pages now."""
        return own_ports(self.own)


def page_fact(tab: str, page: PageState) -> PageAt:
    """Return the fact that a tab shows this load of its page."""
    return PageAt(tab, page.url, page.loaded)


def element_fact(tab: str, selector: str, found: PageElement) -> ElementAt:
    """Return the fact that a selector matches this element with this value."""
    held = store.element_value(found.value, found.opens, found.submits)
    return ElementAt(f"{tab} {selector}", found.role, found.name, held)


def usable(found: PageElement, selector: str) -> PageElement:
    """Return the element. Raises `ProviderError` if there is none that can be used."""
    match found.problem:
        case "":
            return found
        case "selector":
            raise ProviderError(f"{quoted(selector)} is not a CSS selector", "page.selector")
        case "none":
            raise ProviderError(f"{quoted(selector)} finds nothing on the page", "page.no_element")
        case "hidden":
            raise ProviderError(f"what {quoted(selector)} finds is hidden", "page.hidden")
        case "many":
            raise store.ambiguous(selector, found.count)
        case "changed":
            raise store.changed(selector)
        case _:
            raise ProviderError(f"what {quoted(selector)} finds is disabled", "page.disabled")


@dataclass(frozen=True)
class AppleTabs(store.Tabs):
    """Implements `Tabs` on one browser; `imagined` are the earlier steps of the batch, in order."""

    services: AppleServices
    first_seen: list[tuple[str, ...]]
    """The ids of the tabs in the order of their numbers, once the batch has read them."""
    imagined: tuple[tuple[Steps, ChangeRef], ...] = ()
    shown: Facts = ()
    wrote: str = ""

    def after(self, step: Steps, ref: ChangeRef) -> "AppleTabs":
        """Return what operations can read after this step."""
        return AppleTabs(self.services, self.first_seen, (*self.imagined, (step, ref)), self.shown, self.wrote)

    def as_shown(self, shown: Facts) -> "AppleTabs":
        return AppleTabs(self.services, self.first_seen, self.imagined, shown, self.wrote)

    def as_written(self, words: str) -> "AppleTabs":
        return AppleTabs(self.services, self.first_seen, self.imagined, self.shown, words)

    async def snapshot(self, browser: str) -> store.Snapshot:
        return await (await self._reads()).snapshot(browser)

    async def raw(self, limit: int) -> str:
        """Return the list of tabs as JSON, cut to `limit` characters."""
        return await (await self._reads()).raw(limit)

    async def tells_tabs(self, browser: str) -> bool:
        """Return True: the place of a new tab is known."""
        return True

    async def current(self, browser: str) -> store.Tab:
        return await (await self._reads(front=True)).current(browser)

    async def page(self) -> store.CurrentPage:
        tab, page, fact = await self._in_front()
        return store.CurrentPage(tab.id, page.url, page.title, fact(page_fact(tab.id, page)))

    async def text(self, limit: int) -> tuple[str, int]:
        """Return at most `limit` characters of the page's visible text, and the length of the whole text."""
        tab, _, _ = await self._in_front()
        _, found = await self.services.browser.call(tab, PageWords, "text", limit)
        return found.text, found.total

    async def links(self) -> tuple[store.Link, ...]:
        tab, _, _ = await self._in_front()
        return (await self.services.browser.call(tab, tuple[store.Link, ...], "links", MOST_LINKS))[1]

    async def outline(self, most: int) -> store.Outline:
        """Return the outline of the page in front."""
        tab, _, _ = await self._in_front()
        _, found = await self.services.browser.call(tab, PageOutline, "outline", most)
        return store.Outline(found.rows, found.total)

    async def element(self, selector: str) -> store.Element:
        """Return the element that a selector matches in the page in front."""
        tab, _, fact = await self._in_front()
        _, found = await self.services.browser.call(tab, PageElement, "element", selector)
        usable(found, selector)
        known = fact(element_fact(tab.id, selector, found))
        return store.Element(found.role, found.name, found.field, found.value, known, found.opens, found.submits)

    async def screenshot(self) -> str:
        """Write a picture of the window in front to a private file and return its path (T-108)."""
        tab, _, _ = await self._in_front()
        remove_old_screenshots(self.services.own, self.services.clock.now())
        path = private(self.services.own, FOLDER) / f"{START}{self.services.ids.token()}{END}"
        window = str(int(tab.window))
        result = await self.services.runner.run(
            ProgramCall("screencapture", ("-x", "-o", "-t", "png", f"-l{window}"), (str(path),))
        )
        if result.code or not await anyio.Path(path).exists():
            raise SetupError(
                "macOS takes no picture of the window for sayso; in System Settings > Privacy & Security > Screen "
                "Recording, turn on the program that you started sayso from, such as Terminal",
                "macos.screen_recording",
            )
        return str(path)

    def confirmed(self, url: str) -> bool:
        """Return whether the settings list this site as one to ask about before clicking or filling."""
        return is_listed_site(url, self.services.sites.confirm_sites)

    def rules(self) -> Rules:
        return replace(self.services.sites.rules, ports=self.services.ports, wrote=self.wrote)

    def token(self) -> str:
        """Return a new unique name that nobody can guess."""
        return self.services.ids.token()

    async def _reads(self, *, front: bool = False) -> memory.MemoryTabs:
        """Return the tabs as they would be after the planned steps, without sayso's own pages."""
        seen = await self.services.browser.look()
        active = seen.active
        if front and not self.imagined and active is not None and leads_to(active.url, self.services.ports):
            raise own_page()
        world = as_world(seen, self.services.ports)
        if not self.first_seen:
            self.first_seen.append(tuple(tab.id for tab in world.tabs))
        as_left: dict[tuple[str, str], ResultRef] = {}
        if self.imagined:
            world = replace(world, numbers=self.first_seen[0])
        for step, ref in self.imagined:
            world, facts = memory.apply_step(world, step, ())
            for of, about in (*(fact.key for fact in facts), *step.changes()):
                as_left[of, about] = ResultRef(about, of, ref.change, ref.action)
        return memory.MemoryTabs(View(lambda: world, as_left), self.services.ids, self.services.sites, self.shown)

    async def _in_front(self) -> tuple[SeenTab, PageState, Callable[[Fact], Fact]]:
        """Return the tab in front, its page, and what turns a fact into a reference if a planned step changes it."""
        reads = await self._reads(front=True)
        world = reads.seen.look()
        tab = world.tab(world.active)
        if tab is None:
            raise ProviderError("no tab is open", "tab.none")
        found = (await self.services.browser.look()).find(tab.id, tab.page.url)
        if tab.id in world.unloaded or found is None:
            raise ProviderError(NOT_LOADED, "page.not_loaded")
        must_be_readable(found.url, self.services)
        page, _ = await self.services.browser.call(found, PageState, "look")
        must_be_readable(page.url, self.services)
        return found, page, reads.seen.fact


def must_be_readable(url: str, services: AppleServices) -> None:
    """Raise an error for a page that is no web page, or is sayso's own."""
    must_not_lead_to(url, services.ports)
    allowed = (*READABLE, *(f"{scheme.lower().rstrip(':')}:" for scheme in services.sites.rules.schemes))
    if not url.startswith(allowed):
        raise ProviderError(f"the page in front ({origin(url)}) is not a web page, and is left alone", "page.scheme")


def as_world(seen: Seen, ports: frozenset[int]) -> BrowserWorld:
    """Return the tabs as a browser in memory, to which the planned steps of a batch are applied."""
    windows: list[BrowserWindow] = []
    shown = [tab for tab in seen.tabs if not leads_to(tab.url, ports)]
    for window in dict.fromkeys(tab.window for tab in shown):
        within = [tab for tab in shown if tab.window == window]
        active = next((tab.id for tab in within if tab.active), within[0].id)
        windows.append(BrowserWindow(window, tuple(_as_tab(tab) for tab in within), active))
    return BrowserWorld(tuple(windows), seen.front)


def _as_tab(tab: SeenTab) -> BrowserTab:
    title = tab.title if len(tab.title) <= MOST_TITLE else f"{tab.title[:MOST_TITLE]}…"
    return BrowserTab(tab.id, WebPage(tab.url, title))
