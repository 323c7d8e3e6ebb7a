"""A browser kept in memory: its tabs and pages as one value, the methods that read them, and the effects of steps."""

import hashlib
import json
from collections.abc import Iterator

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View, explain_odd_world
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Ids, KillPoint, no_kill_point
from sayso.core.quotes import quoted
from sayso.providers.browser import store
from sayso.providers.browser.address import Rules, is_listed_site, own_ports
from sayso.providers.browser.model import (
    Click,
    ElementAt,
    Fill,
    Navigate,
    NewTab,
    PageAt,
    PageStep,
    Returned,
    RunScript,
    Steps,
    TabAt,
    TabClosed,
    TabInFront,
    TabStep,
    describe_change,
)
from sayso.providers.browser.numbers import MOST_CHARACTERS, number_tabs
from sayso.providers.browser.store import Link


class PlantedElement(Struct, frozen=True, forbid_unknown_fields=True):
    """An element on a page in memory; with `secret`, its value is not read."""

    selector: str
    role: str = "textbox"
    name: str = ""
    field: bool = True
    value: str = ""
    secret: bool = False


class PlantedScript(Struct, frozen=True, forbid_unknown_fields=True):
    """The result of one script, written into the settings because the browser in memory runs no JavaScript."""

    code: str
    result: str


class WebPage(Struct, frozen=True, forbid_unknown_fields=True):
    """The page at one address."""

    url: str
    title: str = ""
    text: str = ""
    links: tuple[Link, ...] = ()
    elements: tuple[PlantedElement, ...] = ()
    scripts: tuple[PlantedScript, ...] = ()
    summary: str = ""


class BrowserTab(Struct, frozen=True):
    """One tab and the page it shows; `loads` counts how often the tab has loaded a page."""

    id: str
    page: WebPage
    loads: int = 1
    opener: str = ""
    """The tab that was in front when this tab opened; it comes to the front when this tab closes."""


class BrowserWindow(Struct, frozen=True):
    """One window; `active` is the id of its tab in front."""

    id: str
    tabs: tuple[BrowserTab, ...]
    active: str


class BrowserWorld(Struct, frozen=True):
    """All windows and pages of the browser.

    `front` is the id of the front window, and `sites` contains the pages that are shown when their addresses are
    opened.
    """

    windows: tuple[BrowserWindow, ...] = ()
    front: str = ""
    sites: tuple[WebPage, ...] = ()
    opened: int = 0
    """Number of tabs opened so far; the id of the next tab is made from it."""
    clicked: tuple[str, ...] = ()
    numbers: tuple[str, ...] | None = None
    """The tabs' ids in the order of their numbers, as the batch first saw them; None until a step of a batch is
    planned.
    """
    unloaded: frozenset[str] = field(default=frozenset())
    """Ids of tabs in which a planned step would load a page; the content of that page is not known yet."""

    @property
    def tabs(self) -> tuple[BrowserTab, ...]:
        """Return the tabs of all windows in order."""
        return tuple(tab for window in self.windows for tab in window.tabs)

    def tab(self, wanted: str) -> BrowserTab | None:
        """Return the tab with this id, or None."""
        return next((tab for tab in self.tabs if tab.id == wanted), None)

    @property
    def active(self) -> str:
        """Return the id of the tab in front; empty if no tab is open."""
        return next((window.active for window in self.windows if window.id == self.front), "")

    def site(self, url: str) -> WebPage:
        """Return the page at an address; an unknown address has an empty page."""
        return next((site for site in self.sites if site.url == url), WebPage(url, url))


class PlantedWindow(Struct, frozen=True, forbid_unknown_fields=True):
    """A window as the settings describe it: its tabs, and the number of the active tab."""

    tabs: tuple[WebPage, ...]
    active: int = 1


class PlantedWorld(Struct, frozen=True, forbid_unknown_fields=True):
    """The browser as the settings describe it under `world`; the first window is in front."""

    windows: tuple[PlantedWindow, ...] = (
        PlantedWindow((WebPage("https://github.com/", "GitHub"), WebPage("https://mail.google.com/", "Gmail"))),
        PlantedWindow(
            (
                WebPage("https://www.reddit.com/", "Reddit"),
                WebPage("https://www.wikipedia.org/", "Wikipedia"),
                WebPage("https://example.org/", "Example Domain", "Example Domain"),
            )
        ),
    )
    sites: tuple[WebPage, ...] = ()


def parse_world(document: Json) -> BrowserWorld:
    """Return the browser that plain data describes. Raises `SetupError` that names the invalid part."""
    with explain_odd_world("the memory world of [browser] in the settings is wrong", "config.world"):
        planted = msgspec.convert(document, PlantedWorld)
    windows: list[BrowserWindow] = []
    count = 0
    for number, window in enumerate(planted.windows, 1):
        tabs = tuple(BrowserTab(f"tab-{count + place}", page) for place, page in enumerate(window.tabs, 1))
        count += len(tabs)
        if not 1 <= window.active <= len(tabs):
            raise SetupError(
                f"the memory world of [browser]: window {number} has no tab {window.active}", "config.world"
            )
        windows.append(BrowserWindow(f"window-{number}", tabs, tabs[window.active - 1].id))
    return BrowserWorld(tuple(windows), windows[0].id if windows else "", planted.sites, opened=count)


def open_tab(world: BrowserWorld, new: NewTab) -> tuple[BrowserWorld, BrowserTab]:
    """Return the browser with a new tab in front, and the new tab."""
    number = world.opened + 1
    tab = BrowserTab(f"tab-{number}", world.site(new.url), opener=world.active)
    at = new.window if any(window.id == new.window for window in world.windows) else world.front
    world = replace(world, opened=number, unloaded=world.unloaded | {tab.id})
    if not at:
        made = BrowserWindow(f"window-of-{tab.id}", (tab,), tab.id)
        return replace(world, windows=(*world.windows, made), front=made.id), tab
    windows = tuple(_insert_tab(window, tab, new.place) if window.id == at else window for window in world.windows)
    return replace(world, windows=windows, front=at), tab


def _insert_tab(window: BrowserWindow, tab: BrowserTab, place: int | None) -> BrowserWindow:
    at = len(window.tabs) if place is None else min(place - 1, len(window.tabs))
    return replace(window, tabs=(*window.tabs[:at], tab, *window.tabs[at:]), active=tab.id)


def replace_tab(world: BrowserWorld, tab: BrowserTab) -> BrowserWorld:
    """Return the browser with the tab of this id replaced by `tab`."""
    windows = tuple(
        replace(window, tabs=tuple(tab if known.id == tab.id else known for known in window.tabs))
        for window in world.windows
    )
    return replace(world, windows=windows)


def bring_to_front(world: BrowserWorld, id_: str) -> BrowserWorld:
    """Return the browser with this tab and its window in front."""
    holder = next((window for window in world.windows if any(tab.id == id_ for tab in window.tabs)), None)
    if holder is None:
        return world
    windows = tuple(replace(window, active=id_) if window is holder else window for window in world.windows)
    return replace(world, windows=windows, front=holder.id)


def close_tabs(world: BrowserWorld, ids: tuple[str, ...]) -> BrowserWorld:
    """Return the browser without these tabs.

    A window without tabs closes. If the active tab of a window closes, its opener or a neighbour comes to the front.
    """
    windows: list[BrowserWindow] = []
    for window in world.windows:
        tabs = tuple(tab for tab in window.tabs if tab.id not in ids)
        if tabs:
            windows.append(replace(window, tabs=tabs, active=_active(window, tabs)))
    front = world.front if any(window.id == world.front for window in windows) else ""
    return replace(world, windows=tuple(windows), front=front or (windows[0].id if windows else ""))


def _active(window: BrowserWindow, left: tuple[BrowserTab, ...]) -> str:
    if any(tab.id == window.active for tab in left):
        return window.active
    place, gone = next((number, tab) for number, tab in enumerate(window.tabs) if tab.id == window.active)
    if any(tab.id == gone.opener for tab in left):
        return gone.opener
    return left[min(place, len(left) - 1)].id


class SiteSettings(Struct, frozen=True):
    """The person's settings about addresses and sites."""

    rules: Rules = field(default_factory=Rules)
    confirm_sites: tuple[str, ...] = ()


class MemoryTabs(Struct, frozen=True):
    """Implements `Tabs` over a browser in memory. All browser names refer to this one browser."""

    seen: View[BrowserWorld]
    ids: Ids
    settings: SiteSettings
    shown: Facts = ()
    wrote: str = ""

    async def snapshot(self, browser: str) -> store.Snapshot:
        """Return the open tabs with the numbers that the model was shown.

        If it was shown none, the tabs have the numbers from when the batch first read them.
        """
        world = self.seen.look()
        return number_tabs(tuple(self._tabs(world)), world.numbers, self.shown)

    async def raw(self, limit: int) -> str:
        """Return at most `limit` characters of a JSON list of ids, titles and addresses.

        A real browser returns its own list instead.
        """
        pages = [{"id": tab.id, "title": tab.page.title, "url": tab.page.url} for tab in self.seen.look().tabs]
        return json.dumps(pages, ensure_ascii=False)[:limit]

    def as_shown(self, shown: Facts) -> "MemoryTabs":
        return replace(self, shown=shown)

    def as_written(self, words: str) -> "MemoryTabs":
        return replace(self, wrote=words)

    def _tabs(self, world: BrowserWorld) -> Iterator[store.Tab]:
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
        """Return True: the browser in memory knows every tab it opens."""
        return True

    async def current(self, browser: str) -> store.Tab:
        world = self.seen.look()
        numbers = world.numbers if world.numbers is not None else tuple(tab.id for tab in world.tabs)
        tab = next((tab for tab in self._tabs(world) if tab.active), None)
        if tab is None:
            raise ProviderError("no tab is open", "tab.none")
        return replace(tab, index=numbers.index(tab.id) + 1 if tab.id in numbers else 0)

    async def page(self) -> store.CurrentPage:
        """Return the page in front."""
        tab = self._page()
        return store.CurrentPage(tab.id, tab.page.url, tab.page.title, self.seen.fact(page_at(tab)))

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
        """Return at most `limit` characters of the page's text, and the length of the whole text."""
        text = self._page().page.text
        return text[:limit], len(text)

    async def links(self) -> tuple[store.Link, ...]:
        return self._page().page.links

    async def outline(self, most: int) -> store.Outline:
        """Return the planted elements; their selectors stand for references."""
        found = self._page().page.elements
        rows = tuple(
            store.OutlineRow(one.selector, one.role, one.name, "" if one.secret else one.value) for one in found
        )
        return store.Outline(rows[:most], len(rows))

    async def element(self, selector: str) -> store.Element:
        """Return the element that a selector matches. Raises `ProviderError` if it matches none or several."""
        tab = self._page()
        found = find_element(tab, selector)
        if found is None:
            raise ProviderError(f"{quoted(selector)} finds nothing on the page", "page.no_element")
        count = sum(element.selector == selector for element in tab.page.elements)
        if count > 1:
            raise store.ambiguous(selector, count)
        value = found.value if found.field and not found.secret else None
        return store.Element(found.role, found.name, found.field, value, self.seen.fact(element_at(tab, found)))

    async def screenshot(self) -> str:
        """Raise `SetupError`: a browser in memory has no picture."""
        raise SetupError(
            "page.screenshot is not available on this system: this browser is kept in memory", "unavailable"
        )

    def confirmed(self, url: str) -> bool:
        """Return whether the settings list this site, or a domain that contains it, as one to ask about."""
        return is_listed_site(url, self.settings.confirm_sites)

    def rules(self) -> Rules:
        return replace(self.settings.rules, wrote=self.wrote)

    def token(self) -> str:
        """Return a new unique name that nobody can guess."""
        return self.ids.token()


def find_element(tab: BrowserTab, selector: str) -> PlantedElement | None:
    """Return the first element whose `selector` is exactly this text; CSS is not interpreted."""
    return next((element for element in tab.page.elements if element.selector == selector), None)


def page_at(tab: BrowserTab) -> PageAt:
    """Return the fact that a tab shows this load of its page."""
    return PageAt(tab.id, tab.page.url, str(tab.loads))


def element_at(tab: BrowserTab, element: PlantedElement) -> ElementAt:
    """Return the fact that a selector matches this element with this value."""
    value = hashlib.sha256(element.value.encode("utf-8")).hexdigest() if element.field and not element.secret else ""
    return ElementAt(f"{tab.id} {element.selector}", element.role, element.name, value)


def holds(world: BrowserWorld, fact: Fact) -> bool:
    """Return whether a fact holds."""
    match fact:
        case TabAt(id_, url):
            tab = world.tab(id_)
            return tab is not None and tab.page.url == url
        case TabInFront(_, id_, before):
            return world.active == id_ and (not before or world.tab(before) is not None)
        case TabClosed(id_):
            return world.tab(id_) is None
        case PageAt(id_):
            tab = world.tab(id_)
            return tab is not None and page_at(tab) == fact
        case ElementAt(about):
            id_, _, selector = about.partition(" ")
            tab = world.tab(id_)
            found = find_element(tab, selector) if tab else None
            return tab is not None and found is not None and element_at(tab, found) == fact
        case _:
            return isinstance(fact, Returned)


def resistance(world: BrowserWorld, step: TabStep, expects: Facts) -> str | None:
    """Return why a step cannot be done; None if it can."""
    front = step.fronts(expects, world.active)
    if front is not None and not front.tab:
        return "the tab that was in front before is gone"
    if isinstance(step, PageStep) and world.tab(step.tab) is None:
        return "the tab is no longer open"
    return None


def apply_step(world: BrowserWorld, step: Steps, expects: Facts) -> tuple[BrowserWorld, Facts]:
    """Return the browser after a step, and the facts that result from the step.

    Numbers still refer to the same tabs as before the step.
    """
    if world.numbers is None:
        world = replace(world, numbers=tuple(tab.id for tab in world.tabs))
    closed, before, facts = step.closes(expects), world.active, list[Fact]()
    if closed:
        world = close_tabs(world, closed)
        facts += map(TabClosed, closed)
    for new in step.opens():
        world, tab = open_tab(world, new)
        facts.append(TabAt(tab.id, new.url))
    if not all(new.in_front for new in step.opens()):
        world = bring_to_front(world, before)
    front = step.fronts(expects, before)
    if front is not None:
        world = bring_to_front(world, front.tab)
        facts.append(front)
    elif isinstance(step, PageStep):
        return apply_in_page(world, step)
    return world, tuple(facts)


def apply_in_page(world: BrowserWorld, step: PageStep) -> tuple[BrowserWorld, Facts]:
    """Return the browser after a step in the page of one tab, and the facts that result from the step."""
    tab = world.tab(step.tab)
    if tab is None:
        return world, ()
    match step:
        case Navigate(_, _, url):
            tab = replace(tab, page=world.site(url), loads=tab.loads + 1)
            world = replace(replace_tab(world, tab), unloaded=world.unloaded | {tab.id})
            return world, (TabAt(tab.id, url), page_at(tab))
        case RunScript(_, _, code, token):
            result = next((script.result for script in tab.page.scripts if script.code == code), "")
            shown = result[:MOST_CHARACTERS]
            return world, (Returned(token, shown, len(result), truncated=shown != result),)
        case Click(_, _, selector):
            return replace(world, clicked=(*world.clicked, selector)), (page_at(tab),)
        case Fill(_, _, selector, value):
            tab = fill_field(tab, selector, value)
            facts = tuple(element_at(tab, element) for element in tab.page.elements if element.selector == selector)
            return replace_tab(world, tab), (page_at(tab), *facts)
        case _:
            return world, ()


def fill_field(tab: BrowserTab, selector: str, value: str) -> BrowserTab:
    """Return the tab with a new value in the field that a selector matches."""
    elements = tuple(
        replace(element, value=value) if element.selector == selector else element for element in tab.page.elements
    )
    return replace(tab, page=replace(tab.page, elements=elements))


def build(context: BackendContext) -> MemoryBackend[BrowserWorld]:
    """Return a back end over the browser that the settings describe, or over a small default one with five tabs."""
    return backend(
        parse_world(context.settings.get("world", {})), context.ids, site_settings(context), kill=context.kill
    )


def site_settings(context: BackendContext) -> SiteSettings:
    """Return the person's settings about addresses and sites. Raises `SetupError` for invalid ones."""
    given = context.settings
    try:
        sites = msgspec.convert(given.get("sites", {}), dict[str, str])
        schemes = msgspec.convert(given.get("schemes", ()), tuple[str, ...])
        confirm = msgspec.convert(context.options.get("confirm_sites", ()), tuple[str, ...])
    except msgspec.ValidationError as error:
        raise SetupError(f"the settings for sites are wrong: {error}", "config.browser") from error
    return SiteSettings(Rules(sites, schemes, own_ports(context.own)), confirm)


def backend(
    world: BrowserWorld,
    ids: Ids,
    settings: SiteSettings | None = None,
    *,
    lasting: bool = False,
    kill: KillPoint = no_kill_point,
) -> MemoryBackend[BrowserWorld]:
    """Return a back end over this browser. `lasting` means that the browser outlives a crash, as in a test."""
    sites = settings or SiteSettings()
    rules = MemoryRules(
        apply_step,
        holds,
        lambda seen: MemoryTabs(seen, ids, sites),
        resistance,
        describe_change,
        settles=lambda world: replace(world, numbers=None, unloaded=frozenset()),
    )
    return MemoryBackend(world, rules, lasting=lasting, kill=kill)
