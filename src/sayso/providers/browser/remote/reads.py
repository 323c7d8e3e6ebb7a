"""The reads of the tabs store on a real browser: tabs, pages, elements and screenshots."""

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.core.memory_backend import View
from sayso.core.plan import ChangeRef, Fact, Facts, ResultRef
from sayso.core.ports import Clock, Ids
from sayso.providers.browser import memory, store
from sayso.providers.browser.address import Rules, is_listed_site, origin, own_ports, private
from sayso.providers.browser.memory import BrowserTab, BrowserWindow, Site, World
from sayso.providers.browser.model import ElementAt, Fill, Steps
from sayso.providers.browser.numbers import MOST_SUMMARY
from sayso.providers.browser.remote.connection import Lost, No
from sayso.providers.browser.remote.driver import Browser, OpenTab, Page, Spoken
from sayso.providers.browser.remote.settings import leads_to, must_not_lead_to, own_page


def script() -> str:
    """Return them, as one object in JavaScript."""
    return Path(__file__).with_name("inside.js").read_text("utf-8")


MOST = 1000


class Summaries:
    """The first words of the pages that were read in this process, by tab and address; nothing is written down."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], str] = OrderedDict()

    def add(self, tab: str, url: str, text: str) -> None:
        """Remember the beginning of a page; the oldest are forgotten."""
        self._known[tab, url] = " ".join(text[: 10 * MOST_SUMMARY].split())[:MOST_SUMMARY]
        self._known.move_to_end((tab, url))
        while len(self._known) > MOST:
            self._known.popitem(last=False)

    def of(self, tab: str, url: str) -> str:
        """Return it, empty when the page was not read."""
        return self._known.get((tab, url), "")


class Found(msgspec.Struct, frozen=True):
    """What `inside.js` says of what it found."""

    problem: str = ""
    count: int = 0
    tag: str = ""
    kind: str = ""
    readonly: bool = False
    secret: bool = False
    value: str | None = None
    said: str = ""


class Met(Struct, frozen=True):
    """An element that is there, can be seen, and can be used; `role` and `name` are what people are told it is."""

    found: Found
    role: str
    name: str

    @property
    def field(self) -> bool:
        """Say whether something can be filled in."""
        return self.found.kind in {"text", "choice", "rich"} and not self.found.readonly

    def fact(self, tab: str, selector: str) -> Fact:
        """Return the fact that a selector finds this element, with this value; a password's is not looked at."""
        value = self.found.value
        hashed = hashlib.sha256(value.encode("utf-8")).hexdigest() if value is not None else ""
        return ElementAt(f"{tab} {selector}", self.role, self.name, hashed)


def meet(page: Page, selector: str) -> Met:
    """Return the one element that a selector means. Raises `ProviderError` that says what is wrong with it."""
    found = page.call(Found, "find", selector)
    why = _problem(found, selector)
    if why is not None:
        raise why
    role, name = page.named()
    return Met(found, _role(found, role), name or found.said)


def _role(found: Found, role: str) -> str:
    if found.kind == "file":
        return "a field for files, and those are chosen by a person"
    known = role if role and role not in {"none", "generic"} else f"<{found.tag}>"
    return f"read-only {known}" if found.readonly else known


def _problem(found: Found, selector: str) -> ProviderError | None:
    match found.problem:
        case "":
            return None
        case "selector":
            return ProviderError(f"“{selector}” is no CSS selector", "page.selector")
        case "none":
            return ProviderError(f"nothing on the page is found by “{selector}”", "page.no_element")
        case "hidden" if found.count == 1:
            return ProviderError(f"what “{selector}” finds is hidden", "page.hidden")
        case "hidden":
            return ProviderError(f"“{selector}” finds {found.count} elements, and all are hidden", "page.hidden")
        case "many":
            return many(selector, found.count)
        case _:
            return ProviderError(f"what “{selector}” finds is disabled", "page.disabled")


def many(selector: str, count: int) -> ProviderError:
    """Return what is said of a selector that means no single element."""
    return ProviderError(
        f"“{selector}” finds {count} elements; write a selector that finds only the one that is meant", "page.many"
    )


def no_picture() -> SetupError:
    """Return what is said where the browser takes no picture."""
    return SetupError("the browser takes no picture of this page", "page.picture")


FOLDER = "tmp"
START, END = "screenshot-", ".png"
KEPT_SECONDS = 24 * 60 * 60


def keep(own: str, token: str, picture: bytes) -> str:
    """Write a picture into a new private file and return its path."""
    path = private(own, FOLDER) / f"{START}{token}{END}"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(picture)
    return str(path)


def remove_old(own: str, now: datetime) -> int:
    """Remove pictures that are older than a day; return how many that were."""
    removed = 0
    for path in Path(own, FOLDER).glob(f"{START}*{END}"):
        with suppress(OSError):
            if now.timestamp() - path.stat().st_mtime >= KEPT_SECONDS:
                path.unlink()
                removed += 1
    return removed


T = TypeVar("T")
MOST_LINKS = 5000
MOST_TITLE = 1000
READABLE = ("http:", "https:")
NOT_SEEN = "the page that an earlier action opens has not been seen yet; propose this once it is open"
GONE = "the browser ended, or does not answer"


class Serving(Struct, frozen=True):
    """What the reads are made on."""

    browser: Browser
    settings: memory.Settings
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


class Imagined(Struct, frozen=True):
    """A step that is imagined to be done, and which one of the run it is."""

    step: Steps
    ref: ChangeRef


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

    def after(self, step: Steps, ref: ChangeRef) -> "Reads":
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
        return await (await self._current_reads()).snapshot(browser)

    async def raw(self, limit: int) -> str:
        """Return what the browser says of its tabs, as it came, cut to a limit."""
        return (await self._in_thread(lambda now: now.raw(self._serving.ports)))[:limit]

    async def tells_tabs(self, browser: str) -> bool:
        """Return True: a new tab is known by its id."""
        return True

    async def current(self, browser: str) -> store.Tab:
        """Return the tab in front."""
        seen = await self._current_reads(front=True)
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
            met = meet(page, selector)
            fact, value = seen(met.fact(page.tab, selector)), met.found.value
            if isinstance(fact, ResultRef) and value is not None:
                value = self._filled_value(page.tab, selector, value)
            return store.Element(met.role, met.name, met.field, value, fact)

        return await self._in_page(look)

    async def screenshot(self) -> str:
        """Take a picture of the page in front."""

        def take(page: Page, seen: Callable[[Fact], Fact]) -> bytes:
            return page.picture()

        picture, serving = await self._in_page(take), self._serving
        remove_old(serving.own, serving.clock.now())
        return keep(serving.own, serving.ids.token(), picture)

    def confirmed(self, url: str) -> bool:
        """Say whether the settings want clicks and filling on this site asked about."""
        return is_listed_site(url, self._serving.settings.confirm_sites)

    def rules(self) -> Rules:
        """Return what the settings add to addresses."""
        return replace(self._serving.rules, wrote=self._wrote)

    def token(self) -> str:
        """Return a new name."""
        return self._serving.ids.token()

    def _filled_value(self, tab: str, selector: str, value: str) -> str:
        fills = [one.step for one in self._imagined if isinstance(one.step, Fill)]
        return next((fill.value for fill in reversed(fills) if (fill.tab, fill.selector) == (tab, selector)), value)

    def _look(self, now: Spoken) -> tuple[World, bool]:
        """Return the world that the browser shows, and whether a page of sayso's own is in front."""
        tabs = now.tabs()
        in_front = now.front(tabs)
        ports = self._serving.ports
        ours = any(tab.id == in_front and leads_to(tab.url, ports) for tab in tabs)
        return as_world([tab for tab in tabs if not leads_to(tab.url, ports)], in_front, self._serving.summaries), ours

    async def _current_reads(self, *, front: bool = False) -> memory.Reads:
        """Return the reads of what the browser shows, after what is imagined; with `front` the tab there is meant."""
        world, ours = await self._in_thread(self._look)
        if ours and front and not self._imagined:
            raise own_page()
        if self._first_seen is None:
            self._first_seen = tuple(tab.id for tab in world.tabs)
        as_left: dict[tuple[str, str], ResultRef] = {}
        if self._imagined:
            world = replace(world, numbers=self._numbers if self._numbers is not None else self._first_seen)
        for one in self._imagined:
            world, facts = memory.does(world, one.step, ())
            for of, about in (*(fact.key for fact in facts), *_elements(one.step)):
                as_left[of, about] = ResultRef(about, of, one.ref.change, one.ref.action)
        return memory.Reads(View(lambda: world, as_left), self._serving.ids, self._serving.settings, self._shown)

    async def _in_page(self, look: Callable[[Page, Callable[[Fact], Fact]], T]) -> T:
        seen = await self._current_reads(front=True)
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
