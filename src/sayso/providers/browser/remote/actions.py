"""Do the steps of the tabs store in a real browser, after checking the facts that each step expects."""

import threading
from collections.abc import Callable
from contextlib import suppress

from anyio import to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, Fact, Facts, unchecked
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
    describe_change,
)
from sayso.providers.browser.remote.connection import CallError, ConnectionLost
from sayso.providers.browser.remote.driver import ActionBounds, BrowserDriver, BrowserSession, TabSnapshot
from sayso.providers.browser.remote.page_actions import click_element, fill_field, find_element, run_script
from sayso.providers.browser.remote.reads import PageSummaries, PageText
from sayso.providers.browser.remote.settings import must_not_lead_to

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
                left = Applied(apply_step(session, self.bounds(), step, expects))
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
    for fact in expects:
        if not _holds(session, fact, tabs):
            raise ProviderError(f"{describe_change(fact)}; nothing was changed", "world.changed")


def _holds(session: BrowserSession, fact: Fact, tabs: dict[str, TabSnapshot]) -> bool:
    match fact:
        case TabAt(tab, url, opener):
            return tab in tabs and tabs[tab].url == url and (not opener or tabs[tab].opener == opener)
        case TabClosed(tab):
            return tab not in tabs
        case TabInFront(_, tab, before):
            return session.front(list(tabs.values())) == tab and (not before or before in tabs)
        case PageAt(tab):
            return _shows(session, tab, fact)
        case ElementAt(about):
            tab, _, selector = about.partition(" ")
            with session.page(tab) as page:
                return find_element(page, selector).fact(tab, selector) == fact
        case Returned() | NotShown() | PageAsked() | TabsReopened():
            return True  # these report what a step met with; nothing can change that
        case _:
            raise unchecked(fact)


def _shows(session: BrowserSession, tab: str, fact: PageAt) -> bool:
    try:
        with session.page(tab) as page:
            return page.fact == fact
    except ProviderError as error:
        if error.code != "tab.closed":
            raise
        return False


def apply_step(session: BrowserSession, bounds: ActionBounds, step: Steps, expects: Facts) -> Facts:
    """Do a step within the limits and return the facts that result from it."""
    match step:
        case OpenTab(_, url):
            return session.open_tab(url, bounds)
        case ReopenTabs():
            return reopen_tabs(session, bounds, step)
        case Navigate(_, tab, url):
            return session.navigate_tab(tab, url, bounds)
        case RunScript(_, tab, code, token):
            return run_script(session, bounds, tab, code, token)
        case Click(_, tab, selector):
            return click_element(session, bounds, tab, selector)
        case Fill(_, tab, selector, value):
            return fill_field(session, bounds, tab, selector, value)
        case CloseTabs() | CloseOpened():
            return close_tabs(session, bounds, step.closes(expects))
        case SwitchTab() | SwitchBack():
            return switch_tab(session, step.fronts(expects, session.front(session.tabs())))


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
