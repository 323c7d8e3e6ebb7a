"""The driver for Firefox over WebDriver BiDi."""

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from sayso.core.errors import ProviderError, SaysoError, Uncertain
from sayso.core.plan import Facts
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.browser.bidi import navigation, protocol
from sayso.providers.browser.bidi.navigation import Opens
from sayso.providers.browser.bidi.page import Inside, inside
from sayso.providers.browser.bidi.session import KIND, Connected, Firefox, anew, endpoint, preference
from sayso.providers.browser.model import ReopenTabs, TabAt
from sayso.providers.browser.remote import connection
from sayso.providers.browser.remote.backend import Live
from sayso.providers.browser.remote.connection import Lost, No
from sayso.providers.browser.remote.driver import OpenTab
from sayso.providers.browser.remote.settings import Running, Wanted, explain_unserved, leads_to, read_settings

LOOKS = 100


def front(now: Connected, tabs: Sequence[OpenTab]) -> str:
    """Return the id of the tab in front, empty when none is open."""
    if not tabs:
        return ""
    window = now.window_in_front() or now.kept.notes.front
    within = [tab for tab in tabs if tab.window == window] or [tab for tab in tabs if tab.window == tabs[0].window]
    now.kept.keep(msgspec.structs.replace(now.kept.notes, front=within[0].window))
    return next((tab.id for tab in within if tab.active), within[0].id)


def bring(now: Connected, tab: str) -> None:
    """Bring a tab and its window to the front. Raises `ProviderError` when it is gone, `Uncertain` when it stays."""
    try:
        now.calls.tell("browsingContext.activate", context=now.context(tab))
    except (No, ProviderError) as no:
        raise ProviderError("the tab is no longer open; nothing was changed", "tab.closed") from no
    for _ in range(LOOKS):
        if front(now, now.tabs()) == tab:
            return
        now.calls.wait(lambda: False, 0.02)
    raise Uncertain("the browser did not bring the tab to the front")


def running(browser: Firefox, ports: frozenset[int]) -> Running | None:
    """Return how it runs; None when it does not. Raises `SetupError` where nothing here could speak to it."""
    connection.must_be_there()
    try:
        with browser.connected() as now:
            exposed = ports - now.kept_away
            return Running(now.at.port, preference(exposed) if exposed else "")
    except ProviderError as no:
        if no.code != "browser.not_running":
            raise
        return None


def end(browser: Firefox) -> None:
    """End it, with all its tabs."""
    with browser.connected() as now, suppress(Lost):  # it may be gone before it has answered
        now.calls.tell("browser.close")


def firefox(ground: BackendContext, wanted: Wanted) -> Firefox:
    """Return the browser that is wanted; it is spoken to when it is needed."""
    return Firefox(lambda: endpoint(wanted, ground.own), ground, lived_in=wanted.default_profile)


def inspect_browser(browser: Firefox, ports: frozenset[int], wanted: Wanted) -> tuple[Capability, ...]:
    """Look, without changing anything in it."""
    try:
        connection.must_be_there()
        with browser.connected() as now:
            at, kept_away = now.at, now.kept_away
    except SaysoError as no:
        return (explain_unserved(KIND, wanted, no),)
    whose = "a profile of sayso's own" if at.own is not None else "the settings name it"
    serves = Capability("tabs and pages", f"Firefox at {at.host}:{at.port}", whose)
    if not ports - kept_away:
        kept = "it was started to keep away from sayso's own pages"
        return serves, Capability("own pages", "Firefox itself", kept)
    why = "Firefox was not told to keep away from sayso's own pages, so tabs are listed, switched and closed, and "
    return serves, Capability(
        "own pages", "", f"{why}pages read, and nothing is opened or done in them; {anew(at, ports, kept_away)}"
    )


class _Tree(msgspec.Struct, frozen=True):
    contexts: tuple[msgspec.Raw, ...]


class Spoken(Struct, frozen=True):
    """A session that stands."""

    now: Connected

    def tabs(self) -> list[OpenTab]:
        """Return the tabs, in the order of windows and then of tabs."""
        return self.now.tabs()

    def front(self, tabs: Sequence[OpenTab]) -> str:
        """Return the id of the tab in front, empty when none is open."""
        return front(self.now, tabs)

    def raw(self, ports: frozenset[int]) -> str:
        """Return the JSON of all tabs but those of sayso's own pages."""
        told = self.now.calls.ask(_Tree, "browsingContext.getTree", maxDepth=0).contexts
        return f"[{','.join(bytes(one).decode() for one in told if not _is_own(one, ports))}]"

    def knows(self, tab: str) -> bool:
        """Say whether an id is one of this run of the browser, open or not."""
        return self.now.knows(tab)

    def inside(self, tab: str) -> AbstractContextManager[Inside]:
        """Yield the page of a tab."""
        return inside(self.now, tab)

    def hands(self, ports: frozenset[int], downloads: Path | None) -> "Hands":
        """Return what acts over it."""
        self.now.changed = True
        return Hands(self.now, Opens(self.now, ports, downloads))


def _is_own(told: msgspec.Raw, ports: frozenset[int]) -> bool:
    return leads_to(msgspec.json.decode(told, type=protocol.Context).url, ports)


class Hands(Spoken, frozen=True):
    """A session that something is done in."""

    opens: Opens

    @property
    def closed_off(self) -> frozenset[int]:
        """Return the ports that nothing may lead to."""
        return self.opens.closed_off

    def held(self, *, files: bool = False) -> AbstractContextManager[None]:
        """Hold the browser to its bounds while something is done in it; with `files` one may be downloaded."""
        return self.opens.held(files=files)

    def shown(self, tab: str) -> TabAt:
        """Return the fact of what a tab shows now."""
        return navigation.tab_fact(self.opens, tab)

    def opened(self, url: str) -> Facts:
        """Open an address in a new tab in front."""
        return navigation.open_tab(self.opens, url)

    def navigated(self, tab: str, url: str) -> Facts:
        """Show an address in a tab."""
        return navigation.navigate_tab(self.opens, tab, url)

    def bring(self, tab: str) -> None:
        """Bring a tab and its window to the front."""
        bring(self.now, tab)

    def empty_tab(self) -> None:
        """Open an empty tab behind the others."""
        navigation.create_context(self.now, "tab", background=True)

    def end(self, tabs: Sequence[str]) -> set[str]:
        """Close these tabs in this order; return those that are still there after a while."""
        return navigation.close_tabs(self.now, tabs)

    def again(self, step: ReopenTabs) -> AbstractContextManager[list[str]]:
        """Open tabs again, each in its window at its place; yield their ids as they begin to show their pages."""
        return navigation.again(self.opens, step)


class Spoke(Struct, frozen=True):
    """One Firefox, spoken to."""

    firefox: Firefox

    @contextmanager
    def connected(self) -> Generator[Spoken]:
        """Yield the session, for one thread."""
        with self.firefox.connected() as now:
            yield Spoken(now)

    def close(self) -> None:
        """Let go of the browser; it goes on."""
        self.firefox.close()


def build(ground: BackendContext) -> Live:
    """Return a backend for the Firefox that the settings name, or for sayso's own. It is spoken to when needed."""
    said = read_settings(ground, KIND)
    browser = firefox(ground, said.wanted)
    return Live("bidi", ground, said, Spoke(browser), lambda ports: inspect_browser(browser, ports, said.wanted))
