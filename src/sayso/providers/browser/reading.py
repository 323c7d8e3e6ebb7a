"""The reads of the tabs store over a browser kept in memory, and the facts they bind to."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import field

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Facts
from sayso.core.ports import Ids
from sayso.core.pretend import Seen
from sayso.core.replacing import replace
from sayso.core.values import dataclass
from sayso.providers.browser import store
from sayso.providers.browser.address import Rules, listed
from sayso.providers.browser.facts import ElementAt, PageAt, TabAt
from sayso.providers.browser.numbers import numbered
from sayso.providers.browser.world import BrowserTab, Element, World


@dataclass(frozen=True)
class Settings:
    """What the person's settings say of addresses and sites."""

    rules: Rules = field(default_factory=Rules)
    confirm_sites: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reads:
    """The reads of the tabs store over a world in memory; it has one browser, whatever it is called."""

    seen: Seen[World]
    ids: Ids
    settings: Settings
    shown: Facts = ()
    wrote: str = ""

    async def snapshot(self, browser: str) -> store.Snapshot:
        """Return the tabs under the numbers that are meant."""
        world = self.seen.look()
        return numbered(tuple(self._tabs(world)), world.numbers, self.shown)

    async def raw(self, limit: int) -> str:
        """Return addresses and titles as a browser would say them, cut to a limit."""
        pages = [{"id": tab.id, "title": tab.page.title, "url": tab.page.url} for tab in self.seen.look().tabs]
        return json.dumps(pages, ensure_ascii=False)[:limit]

    def as_shown(self, shown: Facts) -> "Reads":
        """Return these reads with the numbers of what the model was shown."""
        return replace(self, shown=shown)

    def as_written(self, words: str) -> "Reads":
        """Return these reads for a person who wrote these words."""
        return replace(self, wrote=words)

    def _tabs(self, world: World) -> Iterator[store.Tab]:
        """Yield the open tabs in their order, without numbers."""
        active = world.active
        for window_number, window in enumerate(world.windows, 1):
            for local, tab in enumerate(window.tabs, 1):
                yield store.Tab(
                    tab.id,
                    0,
                    window.id,
                    window_number,
                    local,
                    tab.page.url,
                    tab.page.title,
                    tab.id == active,
                    self.seen.fact(TabAt(tab.id, tab.page.url)),
                    tab.page.summary,
                )

    async def tells_tabs(self, browser: str) -> bool:
        """Return True: every tab here is known."""
        return True

    async def current(self, browser: str) -> store.Tab:
        """Return the tab in front."""
        world = self.seen.look()
        numbers = world.numbers if world.numbers is not None else tuple(tab.id for tab in world.tabs)
        tab = next((tab for tab in self._tabs(world) if tab.active), None)
        if tab is None:
            raise ProviderError("no tab is open", "tab.none")
        return replace(tab, index=numbers.index(tab.id) + 1 if tab.id in numbers else 0)

    async def page(self) -> store.Page:
        """Return the page in front."""
        tab = self._page()
        return store.Page(tab.id, tab.page.url, tab.page.title, self.seen.fact(page_at(tab)))

    def _page(self) -> BrowserTab:
        world = self.seen.look()
        tab = world.tab(world.active)
        if tab is None:
            raise ProviderError("no tab is open", "tab.none")
        if tab.id in world.unloaded:
            raise ProviderError(
                "the page that an earlier action opens has not been seen yet; propose this once it is open",
                "page.not_loaded",
            )
        return tab

    async def text(self, limit: int) -> tuple[str, int]:
        """Return the page's text up to `limit` characters, and how many it has."""
        text = self._page().page.text
        return text[:limit], len(text)

    async def links(self) -> tuple[store.Link, ...]:
        """Return the page's links."""
        return self._page().page.links

    async def element(self, selector: str) -> store.Element:
        """Return what a selector finds."""
        tab = self._page()
        found = found_in(tab, selector)
        if found is None:
            raise ProviderError(f"nothing on the page is found by “{selector}”", "page.no_element")
        count = sum(element.selector == selector for element in tab.page.elements)
        if count > 1:
            raise ProviderError(
                f"“{selector}” finds {count} elements; write a selector that finds only the one that is meant",
                "page.many",
            )
        value = found.value if found.field and not found.secret else None
        return store.Element(found.role, found.name, found.field, value, self.seen.fact(element_at(tab, found)))

    async def screenshot(self) -> str:
        """Refuse: nothing here can be seen."""
        raise SetupError(
            "page.screenshot is not available on this system: this browser is kept in memory", "unavailable"
        )

    def confirmed(self, url: str) -> bool:
        """Say whether the site or one above it is listed."""
        return listed(url, self.settings.confirm_sites)

    def rules(self) -> Rules:
        """Return what the settings add to addresses."""
        return replace(self.settings.rules, wrote=self.wrote)

    def token(self) -> str:
        """Return a new name."""
        return self.ids.token()


def found_in(tab: BrowserTab, selector: str) -> Element | None:
    """Return the first element that a selector finds; here a selector is a name."""
    return next((element for element in tab.page.elements if element.selector == selector), None)


def page_at(tab: BrowserTab) -> PageAt:
    """Return the fact that a tab shows this load of its page."""
    return PageAt(tab.id, tab.page.url, str(tab.loads))


def element_at(tab: BrowserTab, element: Element) -> ElementAt:
    """Return the fact that a selector finds this element with this value."""
    value = hashlib.sha256(element.value.encode("utf-8")).hexdigest() if element.field and not element.secret else ""
    return ElementAt(f"{tab.id} {element.selector}", element.role, element.name, value)
