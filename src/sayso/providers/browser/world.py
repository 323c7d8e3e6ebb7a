"""Windows, tabs and pages as one value: what the memory browser is made of."""

from dataclasses import field, replace

import msgspec

from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.values import dataclass
from sayso.providers.browser.store import Link


class Element(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something on a page that a selector finds; with `secret` its value may not be read."""

    selector: str
    role: str = "textbox"
    name: str = ""
    field: bool = True
    value: str = ""
    secret: bool = False


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page answers to some JavaScript, since nothing in memory can run it."""

    code: str
    result: str


class Site(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is found at an address."""

    url: str
    title: str = ""
    text: str = ""
    links: tuple[Link, ...] = ()
    elements: tuple[Element, ...] = ()
    scripts: tuple[Script, ...] = ()
    summary: str = ""


@dataclass(frozen=True, slots=True)
class BrowserTab:
    """One tab and the page it shows; `loads` counts how often it has loaded one."""

    id: str
    page: Site
    loads: int = 1
    opener: str = ""
    """The tab that was in front when it was opened, and is again when it closes."""


@dataclass(frozen=True, slots=True)
class BrowserWindow:
    """One window; `active` is the id of its tab in front."""

    id: str
    tabs: tuple[BrowserTab, ...]
    active: str


@dataclass(frozen=True, slots=True)
class World:
    """What there is. `front` is the id of the window in front, `sites` what addresses show when they are opened."""

    windows: tuple[BrowserWindow, ...] = ()
    front: str = ""
    sites: tuple[Site, ...] = ()
    opened: int = 0
    """How many tabs were ever opened; names the next."""
    clicked: tuple[str, ...] = ()
    numbers: tuple[str, ...] | None = None
    """Ids of tabs by number, as the batch first saw them; None in a world that is real."""
    unloaded: frozenset[str] = field(default=frozenset())
    """Tabs whose page an imagined step would load."""

    @property
    def tabs(self) -> tuple[BrowserTab, ...]:
        """Return the tabs of all windows in order."""
        return tuple(tab for window in self.windows for tab in window.tabs)

    def tab(self, wanted: str) -> BrowserTab | None:
        """Return one tab."""
        return next((tab for tab in self.tabs if tab.id == wanted), None)

    @property
    def active(self) -> str:
        """Return the id of the tab in front, empty when none is open."""
        return next((window.active for window in self.windows if window.id == self.front), "")

    def site(self, url: str) -> Site:
        """Return what is found at an address; an unknown one shows an empty page."""
        return next((site for site in self.sites if site.url == url), Site(url, url))


class PlantedWindow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A window as the settings write it: its tabs, and the number of the active one."""

    tabs: tuple[Site, ...]
    active: int = 1


class Planted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A world as the settings write it, under `world`; the first window is in front."""

    windows: tuple[PlantedWindow, ...] = (
        PlantedWindow((Site("https://github.com/", "GitHub"), Site("https://mail.google.com/", "Gmail"))),
        PlantedWindow(
            (
                Site("https://www.reddit.com/", "Reddit"),
                Site("https://www.wikipedia.org/", "Wikipedia"),
                Site("https://example.org/", "Example Domain", "Example Domain"),
            )
        ),
    )
    sites: tuple[Site, ...] = ()


def planted(document: Json) -> World:
    """Read a world from plain data. Raises `SetupError` that names what is wrong."""
    try:
        told = msgspec.convert(document, Planted)
    except msgspec.ValidationError as wrong:
        raise SetupError(f"the memory world of [browser] in the settings is wrong: {wrong}", "config.world") from wrong
    windows: list[BrowserWindow] = []
    count = 0
    for number, window in enumerate(told.windows, 1):
        tabs = tuple(BrowserTab(f"tab-{count + place}", page) for place, page in enumerate(window.tabs, 1))
        count += len(tabs)
        if not 1 <= window.active <= len(tabs):
            raise SetupError(
                f"the memory world of [browser]: window {number} has no tab {window.active}", "config.world"
            )
        windows.append(BrowserWindow(f"window-{number}", tabs, tabs[window.active - 1].id))
    return World(tuple(windows), windows[0].id if windows else "", told.sites, opened=count)


def opened(world: World, url: str, window: str = "", place: int | None = None) -> tuple[World, BrowserTab]:
    """Return the world with a new tab in front, in this window at this place (from 1).

    Without a window that is there it stands at the end of the one in front.
    """
    number = world.opened + 1
    tab = BrowserTab(f"tab-{number}", world.site(url), opener=world.active)
    at = window if any(known.id == window for known in world.windows) else world.front
    world = replace(world, opened=number, unloaded=world.unloaded | {tab.id})
    if not at:
        made = BrowserWindow(f"window-of-{tab.id}", (tab,), tab.id)
        return replace(world, windows=(*world.windows, made), front=made.id), tab
    windows = tuple(_with(known, tab, place) if known.id == at else known for known in world.windows)
    return replace(world, windows=windows, front=at), tab


def _with(window: BrowserWindow, tab: BrowserTab, place: int | None) -> BrowserWindow:
    at = len(window.tabs) if place is None else min(place - 1, len(window.tabs))
    return replace(window, tabs=(*window.tabs[:at], tab, *window.tabs[at:]), active=tab.id)


def changed(world: World, tab: BrowserTab) -> World:
    """Return the world with a tab replaced by its new value."""
    windows = tuple(
        replace(window, tabs=tuple(tab if known.id == tab.id else known for known in window.tabs))
        for window in world.windows
    )
    return replace(world, windows=windows)


def fronted(world: World, id_: str) -> World:
    """Return the world with a tab and its window in front."""
    holder = next((window for window in world.windows if any(tab.id == id_ for tab in window.tabs)), None)
    if holder is None:
        return world
    windows = tuple(replace(window, active=id_) if window is holder else window for window in world.windows)
    return replace(world, windows=windows, front=holder.id)


def closed(world: World, ids: tuple[str, ...]) -> World:
    """Return the world without these tabs; a window without tabs closes, a neighbour comes to the front."""
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
