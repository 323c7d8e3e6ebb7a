"""A browser of the Chromium family as the shared half of a browser backend speaks to it."""

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from sayso.core.plan import Facts
from sayso.core.values import dataclass
from sayso.providers.browser.cdp import closing, fronting, opening, reopening
from sayso.providers.browser.cdp.chromium import Chromium, Connected, open_tabs, target_of
from sayso.providers.browser.cdp.inside import Inside, inside
from sayso.providers.browser.cdp.opening import Opens
from sayso.providers.browser.cdp.raw import raw_tabs
from sayso.providers.browser.facts import TabAt
from sayso.providers.browser.live.ports import OpenTab
from sayso.providers.browser.steps import ReopenTabs


@dataclass(frozen=True, slots=True)
class Spoken:
    """A connection that stands."""

    now: Connected

    def tabs(self) -> list[OpenTab]:
        """Return the tabs, in the order of windows and then of tabs."""
        return open_tabs(self.now)

    def front(self, tabs: Sequence[OpenTab]) -> str:
        """Return the id of the tab in front, empty when none is open."""
        return fronting.front(self.now, tabs)

    def raw(self, ports: frozenset[int]) -> str:
        """Return the JSON of all tabs but those of sayso's own pages."""
        return raw_tabs(self.now, ports)

    def knows(self, tab: str) -> bool:
        """Say whether an id is one of this run of the browser, open or not."""
        return target_of(self.now, tab) != ""

    def inside(self, tab: str) -> AbstractContextManager[Inside]:
        """Yield the page of a tab."""
        return inside(self.now, tab)

    def hands(self, ports: frozenset[int], downloads: Path | None) -> "Hands":
        """Return what acts over it."""
        return Hands(self.now, Opens(self.now, ports, downloads))


@dataclass(frozen=True, slots=True)
class Hands(Spoken):
    """A connection that something is done over."""

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
        return opening.shown(self.opens, tab)

    def opened(self, url: str) -> Facts:
        """Open an address in a new tab in front."""
        return opening.opened(self.opens, url)

    def navigated(self, tab: str, url: str) -> Facts:
        """Show an address in a tab."""
        return opening.navigated(self.opens, tab, url)

    def bring(self, tab: str) -> None:
        """Bring a tab and its window to the front."""
        fronting.bring(self.now, tab)

    def empty_tab(self) -> None:
        """Open an empty tab behind the others."""
        self.now.devtools.tell("Target.createTarget", url="about:blank", background=True)

    def end(self, tabs: Sequence[str]) -> set[str]:
        """Close these tabs in this order; return those that are still there after a while."""
        return closing.closed(self.now, tabs)

    def again(self, step: ReopenTabs) -> AbstractContextManager[list[str]]:
        """Open tabs again, each in its window at its place; yield their ids as they begin to show their pages."""
        return reopening.again(self.opens, step)


@dataclass(frozen=True)
class Spoke:
    """One browser, spoken to."""

    chromium: Chromium

    @contextmanager
    def connected(self) -> Generator[Spoken]:
        """Yield the connection, for one thread."""
        with self.chromium.connected() as now:
            yield Spoken(now)

    def close(self) -> None:
        """Let go of the browser; it goes on."""
        self.chromium.close()
