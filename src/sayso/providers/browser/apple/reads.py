"""What operations can read of the tabs and pages of Safari or Chrome on macOS."""

from collections.abc import Callable
from dataclasses import dataclass

import anyio
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Fact
from sayso.core.ports import Clock, Ids
from sayso.providers.browser import store
from sayso.providers.browser.address import own_ports, private
from sayso.providers.browser.apple.control import (
    AppleBrowser,
    PageElement,
    PageOutline,
    PageState,
    PageWords,
    SeenTab,
)
from sayso.providers.browser.memory import BrowserWorld, SiteSettings
from sayso.providers.browser.model import ElementAt, PageAt
from sayso.providers.browser.remote.planned import NOT_LOADED, PlannedTabs, as_world
from sayso.providers.browser.remote.reads import END, FOLDER, MOST_LINKS, START, remove_old_screenshots
from sayso.providers.browser.remote.settings import leads_to
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


@dataclass(frozen=True)
class AppleTabs(PlannedTabs):
    """Implements `Tabs` on one browser."""

    services: AppleServices

    async def raw(self, limit: int) -> str:
        """Return the list of tabs as JSON, cut to `limit` characters."""
        return await (await self.as_planned()).raw(limit)

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
        _, found = await self.services.browser.element(tab, selector)
        known = fact(element_fact(tab.id, selector, found))
        value = self.value_of(tab.id, selector, found.value, known)
        return store.Element(found.role, found.name, found.field, value, known, found.opens, found.submits)

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

    async def look(self) -> tuple[BrowserWorld, bool]:
        """Return the tabs without sayso's own pages, and whether such a page is in front."""
        seen, ports = await self.services.browser.look_if_running(), self.services.ports
        active = seen.active
        others = [tab for tab in seen.tabs if not leads_to(tab.url, ports)]
        return as_world(others, active.id if active else ""), active is not None and leads_to(active.url, ports)

    async def _in_front(self) -> tuple[SeenTab, PageState, Callable[[Fact], Fact]]:
        """Return the tab in front, its page, and what turns a fact into a reference if a planned step changes it."""
        tab, fact = await self.front_tab()
        found = (await self.services.browser.look()).find(tab.id, tab.page.url)
        if found is None:
            raise ProviderError(NOT_LOADED, "page.not_loaded")
        self.must_be_readable(found.url)
        page, _ = await self.services.browser.call(found, PageState, "look")
        self.must_be_readable(page.url)
        return found, page, fact
