"""Tabs of a real browser as they would be after the planned steps of a batch, and what its back ends have in common."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from typing import Any, Protocol, Self, TypeVar, assert_never

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.memory_backend import View
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, ResultRef, Settlement, unchecked
from sayso.core.ports import Ids
from sayso.providers.browser import memory, store
from sayso.providers.browser.address import Rules, is_listed_site, origin
from sayso.providers.browser.memory import BrowserTab, BrowserWindow, BrowserWorld, SiteSettings, WebPage
from sayso.providers.browser.model import (
    Click,
    CloseOpened,
    CloseTabs,
    ElementAt,
    Fill,
    Navigate,
    NotShown,
    OpenTab,
    PageAsked,
    PageAt,
    ReopenTabs,
    Returned,
    RunScript,
    Steps,
    SwitchBack,
    SwitchTab,
    TabAt,
    TabClosed,
    TabInFront,
    TabsReopened,
    TabStep,
)
from sayso.providers.browser.remote.settings import must_not_lead_to, own_page

R_co = TypeVar("R_co", covariant=True)
MOST_TITLE = 1000
READABLE = ("http:", "https:")
UNSIGNED = "the look of a page or a tab does not by itself show who changed it"
NOT_LOADED = "the page that an earlier action opens has not been seen yet; propose this once it is open"


class OpenedTab(Protocol):
    """An open tab of a real browser; `active` says that it is the one that its window shows."""

    @property
    def id(self) -> str: ...
    @property
    def window(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def active(self) -> bool: ...
    @property
    def opener(self) -> str: ...


class TabServices(Protocol):
    """What reading tabs depends on."""

    @property
    def sites(self) -> SiteSettings: ...
    @property
    def ids(self) -> Ids: ...
    @property
    def ports(self) -> frozenset[int]:
        """The ports on which sayso serves its own pages now."""
        ...


class PlannedStep(Struct, frozen=True):
    """A planned step that is treated as done, and its position in the run."""

    step: Steps
    ref: ChangeRef


@dataclass(frozen=True)
class PlannedTabs(ABC):
    """Implements for one batch what of `Tabs` does not depend on how a browser is reached."""

    services: TabServices
    first_seen: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    """The ids of the tabs in the order of their numbers, once the batch has read them."""
    planned: tuple[PlannedStep, ...] = ()
    shown: Facts = ()
    wrote: str = ""

    @abstractmethod
    async def look(self) -> tuple[BrowserWorld, bool]:
        """Return the tabs without sayso's own pages, and whether such a page is in front."""

    def after(self, step: Steps, ref: ChangeRef) -> Self:
        """Return what operations can read after this step; numbers keep referring to the same tabs."""
        return replaced(self, planned=(*self.planned, PlannedStep(step, ref)))

    def as_shown(self, shown: Facts) -> Self:
        return replaced(self, shown=shown)

    def as_written(self, words: str) -> Self:
        return replaced(self, wrote=words)

    async def snapshot(self, browser: str) -> store.Snapshot:
        return await (await self.as_planned()).snapshot(browser)

    async def tells_tabs(self, browser: str) -> bool:
        """Return True: real browsers tell which tab is new."""
        return True

    async def current(self, browser: str) -> store.Tab:
        reads, _ = await self._front()
        return await reads.current(browser)

    def confirmed(self, url: str) -> bool:
        """Return whether the settings list this site as one to ask about before clicking or filling."""
        return is_listed_site(url, self.services.sites.confirm_sites)

    def rules(self) -> Rules:
        return replace(self.services.sites.rules, ports=self.services.ports, wrote=self.wrote)

    def token(self) -> str:
        """Return a new unique name that nobody can guess."""
        return self.services.ids.token()

    async def as_planned(self, *, front: bool = False) -> memory.MemoryTabs:
        """Return the tabs as they would be after the planned steps.

        With `front`, the caller needs the tab in front: `Refused` is raised if that is sayso's own page and no step is
        planned.
        """
        world, own = await self.look()
        if own and front and not self.planned:
            raise own_page()
        if not self.first_seen:
            self.first_seen.append(tuple(tab.id for tab in world.tabs))
        as_left: dict[tuple[str, str], ResultRef] = {}
        if self.planned:
            world = replace(world, numbers=self.first_seen[0])
        for one in self.planned:
            world, facts = memory.apply_step(world, one.step, ())
            for of, about in (*(fact.key for fact in facts), *one.step.changes()):
                as_left[of, about] = ResultRef(about, of, one.ref.change, one.ref.action)
        return memory.MemoryTabs(View(lambda: world, as_left), self.services.ids, self.services.sites, self.shown)

    async def front_tab(self) -> tuple[BrowserTab, Callable[[Fact], Fact]]:
        """Return the tab in front, and what turns a fact into a `ResultRef` if a planned step changes it."""
        reads, tab = await self._front()
        return tab, reads.seen.fact

    async def _front(self) -> tuple[memory.MemoryTabs, BrowserTab]:
        reads = await self.as_planned(front=True)
        world = reads.seen.look()
        tab = world.tab(world.active)
        if tab is None:
            raise ProviderError("no tab is open", "tab.none")
        if tab.id in world.unloaded or "." not in tab.id:
            raise ProviderError(NOT_LOADED, "page.not_loaded")
        return reads, tab

    def must_be_readable(self, url: str) -> None:
        """Raise an error for a page that is no web page, or is sayso's own."""
        must_be_readable(url, self.services)

    def value_of(self, tab: str, selector: str, value: str | None, fact: Fact) -> str | None:
        """Return the value of a field after the planned steps."""
        if not isinstance(fact, ResultRef) or value is None:
            return value
        fills = [one.step for one in self.planned if isinstance(one.step, Fill)]
        return next((fill.value for fill in reversed(fills) if (fill.tab, fill.selector) == (tab, selector)), value)


def must_be_readable(url: str, services: TabServices) -> None:
    """Raise an error for a page that is no web page, or is sayso's own."""
    must_not_lead_to(url, services.ports)
    allowed = (*READABLE, *(f"{scheme.lower().rstrip(':')}:" for scheme in services.sites.rules.schemes))
    if not url.startswith(allowed):
        raise ProviderError(f"the page in front ({origin(url)}) is not a web page, and is left alone", "page.scheme")


def as_world(
    tabs: Sequence[OpenedTab], in_front: str, summary: Callable[[str, str], str] = lambda _, __: ""
) -> BrowserWorld:
    """Return the tabs as a browser in memory, to which the planned steps of a batch are applied.

    `in_front` is the id of the tab in front, and `summary` returns what is known of a page by its tab and address.
    """
    windows: list[BrowserWindow] = []
    for window in dict.fromkeys(tab.window for tab in tabs):
        within = [tab for tab in tabs if tab.window == window]
        made = tuple(
            BrowserTab(tab.id, WebPage(tab.url, _title(tab.title), summary=summary(tab.id, tab.url)), opener=tab.opener)
            for tab in within
        )
        active = next((tab.id for tab in within if tab.id == in_front), None)
        active = active or next((tab.id for tab in within if tab.active), made[0].id)
        windows.append(BrowserWindow(window, made, active))
    front_window = next((tab.window for tab in tabs if tab.id == in_front), "")
    return BrowserWorld(tuple(windows), front_window)


def _title(title: str) -> str:
    return title if len(title) <= MOST_TITLE else f"{title[:MOST_TITLE]}…"


class TabDeeds(Protocol[R_co]):
    """How the steps of the tabs store are done in one browser; each returns the facts that result, or will."""

    def open(self, url: str) -> R_co: ...
    def reopen(self, step: ReopenTabs) -> R_co: ...
    def navigate(self, tab: str, url: str) -> R_co: ...
    def run(self, step: RunScript) -> R_co: ...
    def click(self, step: Click) -> R_co: ...
    def fill(self, step: Fill) -> R_co: ...
    def close(self, tabs: tuple[str, ...]) -> R_co: ...
    def front(self, step: SwitchTab | SwitchBack, expects: Facts) -> R_co: ...


def do_step(deeds: TabDeeds[R_co], step: Steps, expects: Facts) -> R_co:
    """Do a step, and return what its deed returns."""
    match step:
        case OpenTab(_, url):
            return deeds.open(url)
        case ReopenTabs():
            return deeds.reopen(step)
        case Navigate(_, tab, url):
            return deeds.navigate(tab, url)
        case RunScript():
            return deeds.run(step)
        case Click():
            return deeds.click(step)
        case Fill():
            return deeds.fill(step)
        case CloseTabs() | CloseOpened():
            return deeds.close(step.closes(expects))
        case SwitchTab() | SwitchBack():
            return deeds.front(step, expects)
        case _:
            assert_never(step)


class TabJudge(Protocol[R_co]):
    """How facts about tabs and pages are checked in one browser; each returns whether it holds, or will."""

    def tab_at(self, fact: TabAt) -> R_co: ...
    def closed(self, tab: str) -> R_co: ...
    def in_front(self, fact: TabInFront) -> R_co: ...
    def page_at(self, fact: PageAt) -> R_co: ...
    def element_at(self, fact: ElementAt, tab: str, selector: str) -> R_co: ...


def check_fact(judge: TabJudge[R_co], fact: Fact) -> R_co | None:
    """Return what the check of a fact returns; None for a report of what a step met with, which nothing can change."""
    match fact:
        case TabAt():
            return judge.tab_at(fact)
        case TabClosed(tab):
            return judge.closed(tab)
        case TabInFront():
            return judge.in_front(fact)
        case PageAt():
            return judge.page_at(fact)
        case ElementAt(about):
            tab, _, selector = about.partition(" ")
            return judge.element_at(fact, tab, selector)
        case Returned() | NotShown() | PageAsked() | TabsReopened():
            return None
        case _:
            raise unchecked(fact)


class TabsBackend(ABC):
    """What the back ends of real browsers have in common."""

    imagines = True
    note = ""
    reads: Any
    """Each access returns a new `PlannedTabs`, so that every batch keeps its own numbers for the tabs it first saw."""

    @abstractmethod
    def new_reads(self) -> PlannedTabs:
        """Return what a new batch reads."""

    @abstractmethod
    def apply(self, step: Any, expects: Facts) -> Awaitable[Applied]:
        """Do a step if the facts it expects still hold."""

    def __getattr__(self, name: str) -> Any:
        """Return new `PlannedTabs` for the name `reads`."""
        if name == "reads":
            return self.new_reads()
        raise AttributeError(name)

    def imagine(self, seen: PlannedTabs, step: Any, ref: ChangeRef) -> PlannedTabs:
        """Return what operations can read after the step."""
        return seen.after(step, ref)

    def tells(self, step: Any, left: Applied) -> str:
        """Return what is missing from the result of a step, for the person; empty if nothing is missing."""
        return ", ".join(note for fact in left.facts for note in _shortfalls(fact))

    def foretells(self, step: TabStep) -> str:
        """Return what an undo step would not restore; empty if it restores everything."""
        return step.drawback()


def _shortfalls(fact: Fact) -> Sequence[str]:
    match fact:
        case NotShown(_, why):
            return [f"its page cannot be shown: {why}"]
        case PageAsked(_, what):
            return [what]
        case TabsReopened(_, elsewhere, unseen):
            moved = [f"{elsewhere} not at the place it had"] if elsewhere else []
            return [*moved, f"{unseen} not loaded yet"] if unseen else moved
        case _:
            return []


def settle_closing(closed: Sequence[str], left: Iterable[str]) -> Settlement:
    """Return whether an interrupted step closed its tabs; `left` are those of them that are still open."""
    still = len(tuple(left))
    if not still:
        return Applied(tuple(TabClosed(tab) for tab in closed))
    if still == len(closed):
        return NotDone("the tabs are still open")
    return CannotTell(f"{still} of {len(closed)} tabs are still open")
