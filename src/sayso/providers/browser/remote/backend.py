"""The tabs store on a real browser: reads tabs, does steps, and finds out after a crash whether a step was done."""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from anyio import to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.browser.address import own_ports
from sayso.providers.browser.model import (
    Click,
    ElementAt,
    Fill,
    Navigate,
    NotShown,
    OpenTab,
    PageAt,
    ReopenTabs,
    RunScript,
    Steps,
    SwitchBack,
    SwitchTab,
    TabAt,
    TabClosed,
    TabInFront,
    TabsReopened,
    describe_change,
)
from sayso.providers.browser.remote.connection import CallError, ConnectionLost
from sayso.providers.browser.remote.driver import ActionBounds, BrowserDriver, BrowserSession, TabSnapshot
from sayso.providers.browser.remote.page_actions import click_element, fill_field, find_element, run_script
from sayso.providers.browser.remote.planned import UNSIGNED, TabsBackend, check_fact, do_step, settle_closing
from sayso.providers.browser.remote.reads import (
    PageSummaries,
    PageText,
    ReadServices,
    RemoteTabs,
    remove_old_screenshots,
)
from sayso.providers.browser.remote.settings import BrowserSettings, must_not_lead_to

ENDED = "the browser it was done in has ended, or does not answer"


_PROGRAMS = {"cdp": "Chromium", "bidi": "Firefox"}


class RemoteBackend(TabsBackend):
    """The back end for a browser that runs as a separate process and is controlled through its driver."""

    def __init__(self, kind: str, context: BackendContext, settings: BrowserSettings, driver: BrowserDriver) -> None:
        self.name = f"{kind}:{settings.wanted.url}" if settings.wanted.url else kind
        self.meant: Mapping[str, str] = {"browser": _PROGRAMS[kind]} if kind in _PROGRAMS else {}
        """What arguments mean here: whichever browser is named, it is this one."""
        self.driver = driver
        self._context = context
        summaries = PageSummaries()
        self._services = ReadServices(driver, settings.sites, context.ids, context.clock, context.own, summaries)
        self._actor = Actor(
            driver, lambda: ActionBounds(own_ports(context.own), settings.downloads), context.kill, summaries
        )

    def new_reads(self) -> RemoteTabs:
        return RemoteTabs(self._services)

    async def apply(self, step: Any, expects: Facts) -> Applied:
        """Do a step if the facts it expects still hold."""
        return await self._actor.perform(step, expects)

    async def settle(self, step: Any, expects: Facts) -> Settlement:
        """Return whether a step was completed before its process died."""
        return await to_thread.run_sync(settle_step, self.driver, step, expects)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return whether a browser answers, and how it is kept away from sayso's own pages."""
        return await to_thread.run_sync(self.driver.capabilities, own_ports(self._context.own))

    def prune(self) -> int:
        """Remove screenshots that are older than a day; return how many were removed."""
        return remove_old_screenshots(self._context.own, self._context.clock.now())

    def close(self) -> None:
        self.driver.close()


def settle_step(driver: BrowserDriver, step: Steps, expects: Facts) -> Settlement:
    """Return whether a step was completed, by looking at the browser's tabs. Starts nothing."""
    try:
        with driver.connected() as session:
            return _settle_by_looking(session, step, expects)
    except (ConnectionLost, TimeoutError, CallError, ProviderError, SetupError):
        return CannotTell(ENDED)


def _settle_by_looking(session: BrowserSession, step: Steps, expects: Facts) -> Settlement:
    closed = step.closes(expects)
    if closed:
        return _settle_closing(session, closed)
    if isinstance(step, Navigate):
        before = next((fact for fact in expects if isinstance(fact, TabAt)), None)
        shown = next((each.url for each in session.tabs() if each.id == step.tab), "")
        if before is not None and before.url == shown != step.url:
            return NotDone("the tab still shows the page it had")
    return CannotTell(UNSIGNED)


def _settle_closing(session: BrowserSession, tabs: tuple[str, ...]) -> Settlement:
    if not all(session.knows(tab) for tab in tabs):
        return CannotTell(ENDED)
    return settle_closing(tabs, {tab.id for tab in session.tabs()}.intersection(tabs))


SUMMARIZED = 2000
"""Number of characters of a page that are read for its summary."""
SHOWING_LOOKS, SHOWING_PAUSE = 100, 0.05
"""The most checks whether reopened tabs show their pages, and the seconds between two checks."""
BROKEN = "the browser ended, or stopped answering, while this was done"


class Actor(Struct, frozen=True):
    """Does steps in one browser."""

    driver: BrowserDriver
    bounds: Callable[[], ActionBounds]
    """Returns the limits for actions; called for each step, because the limits can change."""
    kill: Callable[[str], None]
    summaries: PageSummaries

    async def perform(self, step: Steps, expects: Facts) -> Applied:
        """Do a step and return the facts that result from it. Raises `ProviderError`, `Refused` or `Uncertain`."""
        return await to_thread.run_sync(self._perform, step, expects)

    def _perform(self, step: Steps, expects: Facts) -> Applied:
        begun = False
        try:
            with self.driver.connected() as session:
                must_hold(session, expects)
                self.kill(f"{step.step}.before")
                begun = True
                left = Applied(do_step(SessionDeeds(session, self.bounds()), step, expects))
                if isinstance(step, OpenTab | Navigate):
                    self._summarize(session, left.facts)
                self.kill(f"{step.step}.after")
                return left
        except (ConnectionLost, TimeoutError) as error:
            if begun:
                raise Uncertain(BROKEN) from error
            raise ProviderError("the browser ended, or does not answer; nothing was changed", "browser.gone") from error
        except SetupError as missing:
            # A missing package or setting is noticed only when sayso connects to the browser.
            raise ProviderError(str(missing), missing.code) from missing
        except CallError as error:
            raise Uncertain(f"the browser did not do it: {error}") from error

    def _summarize(self, session: BrowserSession, left: Facts) -> None:
        """Store the beginning of the page that was just visited as its summary, if the page can be read."""
        if any(isinstance(fact, NotShown) for fact in left):
            return
        for fact in left:
            if isinstance(fact, TabAt):
                with suppress(ProviderError, CallError), session.page(fact.about) as page:
                    self.summaries.add(fact.about, fact.url, page.call_function(PageText, "readText", SUMMARIZED).text)


def must_hold(session: BrowserSession, expects: Facts) -> None:
    """Raise `ProviderError` for the first expected fact that no longer holds; the message names it.

    The browser is queried even if no facts are expected, so that a step does not begin when the browser does not
    answer.
    """
    about_tabs = not expects or any(isinstance(fact, TabAt | TabInFront | TabClosed) for fact in expects)
    tabs = {tab.id: tab for tab in session.tabs()} if about_tabs else {}
    judge = SessionJudge(session, tabs)
    for fact in expects:
        if check_fact(judge, fact) is False:
            raise ProviderError(f"{describe_change(fact)}; nothing was changed", "world.changed")


class SessionJudge(Struct, frozen=True):
    """Checks facts in a browser with these tabs."""

    session: BrowserSession
    tabs: dict[str, TabSnapshot]

    def tab_at(self, fact: TabAt) -> bool:
        found = self.tabs.get(fact.about)
        return found is not None and found.url == fact.url and (not fact.opener or found.opener == fact.opener)

    def closed(self, tab: str) -> bool:
        return tab not in self.tabs

    def in_front(self, fact: TabInFront) -> bool:
        front = self.session.front(list(self.tabs.values()))
        return front == fact.tab and (not fact.before or fact.before in self.tabs)

    def page_at(self, fact: PageAt) -> bool:
        try:
            with self.session.page(fact.about) as page:
                return page.fact == fact
        except ProviderError as error:
            if error.code != "tab.closed":
                raise
            return False

    def element_at(self, fact: ElementAt, tab: str, selector: str) -> bool:
        with self.session.page(tab) as page:
            return find_element(page, selector).fact(tab, selector) == fact


class SessionDeeds(Struct, frozen=True):
    """Does steps in a browser within the limits, and returns the facts that result."""

    session: BrowserSession
    bounds: ActionBounds

    def open(self, url: str) -> Facts:
        return self.session.open_tab(url, self.bounds)

    def reopen(self, step: ReopenTabs) -> Facts:
        return reopen_tabs(self.session, self.bounds, step)

    def navigate(self, tab: str, url: str) -> Facts:
        return self.session.navigate_tab(tab, url, self.bounds)

    def run(self, step: RunScript) -> Facts:
        return run_script(self.session, self.bounds, step.tab, step.code, step.token)

    def click(self, step: Click) -> Facts:
        return click_element(self.session, self.bounds, step.tab, step.selector)

    def fill(self, step: Fill) -> Facts:
        return fill_field(self.session, self.bounds, step.tab, step.selector, step.value)

    def close(self, tabs: tuple[str, ...]) -> Facts:
        return close_tabs(self.session, self.bounds, tabs)

    def front(self, step: SwitchTab | SwitchBack, expects: Facts) -> Facts:
        return switch_tab(self.session, step.fronts(expects, self.session.front(self.session.tabs())))


def switch_tab(session: BrowserSession, front: TabInFront) -> Facts:
    """Bring a tab and its window to the front; return the given fact."""
    if not front.tab:
        raise ProviderError("the tab that was in front before is gone; nothing was changed", "tab.closed")
    session.bring_to_front(front.tab)
    return (front,)


def close_tabs(session: BrowserSession, bounds: ActionBounds, tabs: tuple[str, ...]) -> Facts:
    """Close these tabs in this order, and return a fact for each.

    If these are all the tabs, an empty tab is opened first, so that the browser keeps running.
    """
    known = {tab.id: tab for tab in session.tabs()}
    for tab in tabs:
        if tab not in known:
            raise ProviderError("a tab is no longer open; nothing was closed", "tab.closed")
        must_not_lead_to(known[tab].url, bounds.ports)
    if set(tabs) == set(known):
        session.open_empty_tab()
    left = session.close_tabs(tabs)
    if left:
        raise Uncertain(f"{len(left)} of {len(tabs)} tabs did not close")
    return tuple(TabClosed(tab) for tab in tabs)


def reopen_tabs(session: BrowserSession, bounds: ActionBounds, step: ReopenTabs) -> Facts:
    """Open addresses again, each at its old position if its window still exists; the tab in front stays in front."""
    for url in step.urls:
        must_not_lead_to(url, session.closed_off(bounds))
    before = session.front(session.tabs())
    with session.reopen_tabs(step, bounds) as made:
        wanted = {tab for tab, url in zip(made, step.urls, strict=True) if not _is_empty(url)}
        tabs = _wait_until_shown(session, wanted)
    if before:
        with suppress(ProviderError):
            session.bring_to_front(before)
    return _reopened_facts(step, made, tabs)


def _wait_until_shown(session: BrowserSession, wanted: set[str]) -> list[TabSnapshot]:
    """Wait until the wanted tabs no longer show an empty page; return all tabs as they are then."""
    tabs = session.tabs()
    for _ in range(SHOWING_LOOKS):
        if not any(tab.id in wanted and _is_empty(tab.url) for tab in tabs):
            break
        threading.Event().wait(SHOWING_PAUSE)
        tabs = session.tabs()
    return tabs


def _reopened_facts(step: ReopenTabs, made: list[str], tabs: list[TabSnapshot]) -> Facts:
    """Return a fact for each reopened tab, and how many tabs are at another position or have not loaded yet."""
    places = {tab.id: (tab, [each.id for each in tabs if each.window == tab.window].index(tab.id) + 1) for tab in tabs}
    missing = [tab for tab in made if tab not in places]
    if missing:
        raise Uncertain(f"{len(missing)} of {len(made)} tabs did not open again")
    found = [places[tab] for tab in made]
    elsewhere = sum(
        (tab.window, place) != wanted
        for (tab, place), wanted in zip(found, zip(step.windows, step.places, strict=True), strict=True)
    )
    unseen = sum(_is_empty(tab.url) and not _is_empty(url) for (tab, _), url in zip(found, step.urls, strict=True))
    return (*(TabAt(tab.id, tab.url) for tab, _ in found), TabsReopened(step.browser, elsewhere, unseen))


def _is_empty(url: str) -> bool:
    return url.partition("#")[0] in {"", "about:blank"}
