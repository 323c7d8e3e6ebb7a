"""Firefox as the shared half of a browser backend speaks to it."""

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import msgspec

from sayso.core.plan import Facts
from sayso.core.values import dataclass
from sayso.providers.browser.bidi import closing, fronting, opening, said
from sayso.providers.browser.bidi.firefox import Firefox
from sayso.providers.browser.bidi.inside import Inside, inside
from sayso.providers.browser.bidi.opening import Opens
from sayso.providers.browser.bidi.session import Connected
from sayso.providers.browser.facts import TabAt
from sayso.providers.browser.live.own import leads_to
from sayso.providers.browser.live.ports import OpenTab
from sayso.providers.browser.steps import ReopenTabs


class _Tree(msgspec.Struct, frozen=True):
    contexts: tuple[msgspec.Raw, ...]


@dataclass(frozen=True, slots=True)
class Spoken:
    """A session that stands."""

    now: Connected

    def tabs(self) -> list[OpenTab]:
        """Return the tabs, in the order of windows and then of tabs."""
        return self.now.tabs()

    def front(self, tabs: Sequence[OpenTab]) -> str:
        """Return the id of the tab in front, empty when none is open."""
        return fronting.front(self.now, tabs)

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
    return leads_to(msgspec.json.decode(told, type=said.Context).url, ports)


@dataclass(frozen=True, slots=True)
class Hands(Spoken):
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
        opening.made(self.now, "tab", background=True)

    def end(self, tabs: Sequence[str]) -> set[str]:
        """Close these tabs in this order; return those that are still there after a while."""
        return closing.closed(self.now, tabs)

    def again(self, step: ReopenTabs) -> AbstractContextManager[list[str]]:
        """Open tabs again, each in its window at its place; yield their ids as they begin to show their pages."""
        return opening.again(self.opens, step)


@dataclass(frozen=True)
class Spoke:
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
