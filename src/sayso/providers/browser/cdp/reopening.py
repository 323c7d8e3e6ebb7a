"""Open tabs again where they were: each in its window, after the one that stands before its place.

A page opens a tab right after the one in front of its window, whichever tab that is. So one page of a window opens all
of them, while the tabs that they are to stand after come to the front in turn.
"""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager

from sayso.core.errors import ProviderError, Refused
from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.chromium import Connected, name, open_tabs, target_of
from sayso.providers.browser.cdp.closing import KINDS
from sayso.providers.browser.cdp.inside import TICK, Inside, inside
from sayso.providers.browser.cdp.opening import Opens
from sayso.providers.browser.live.calling import SECONDS, Ignored, No
from sayso.providers.browser.steps import ReopenTabs

SHOWING = 30.0


@contextmanager
def again(opens: Opens, step: ReopenTabs) -> Generator[list[str]]:
    """Open tabs again, those of one window from left to right; yield their ids, empty for what did not open.

    Each is empty at first, under an address of its own. Once all of them are there, the browser is held to its bounds,
    and they show their pages. Before the first of a window there is no way to open one.
    """
    new = _New(opens.now)
    empty = [f"about:blank#{number}" for number in range(len(step.urls))]
    _open(opens.now, new, step, empty)
    with opens.held():
        yield new.go(empty, step.urls)


def _open(now: Connected, new: "_New", step: ReopenTabs, empty: Sequence[str]) -> None:
    there = open_tabs(now)
    windows: dict[str, _Window] = {}
    with ExitStack() as held:
        for url, window, place in zip(empty, step.windows, step.places, strict=True):
            if window not in windows:
                windows[window] = _Window(now, new, held, [tab.id for tab in there if tab.window == window])
            windows[window].open(url, place)


class _New:
    """The tabs that were not there before, by the addresses that they were opened with."""

    def __init__(self, now: Connected) -> None:
        self._now = now
        self._before = {target.target_id for target in self._targets()}

    def _targets(self) -> tuple[said.Target, ...]:
        return self._now.devtools.ask(said.Targets, "Target.getTargets", filter=KINDS).target_infos

    def found(self, urls: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
        """Wait for tabs; return them and their pages, which are the same where a page is its own tab."""
        tabs, pages = dict[str, str](), dict[str, str]()
        for _ in range(round(SECONDS / TICK)):
            for target in self._targets():
                if target.target_id not in self._before:
                    (tabs if target.type == "tab" else pages)[target.url] = target.target_id
            if pages.keys() >= set(urls):
                break
            self._now.devtools.wait(lambda: False, TICK)
        return {url: name(self._now, tab) for url, tab in (tabs or pages).items()}, pages

    def go(self, empty: Sequence[str], urls: Sequence[str]) -> list[str]:
        """Have each empty tab show the page that is meant, all at once; return the ids of the tabs."""
        devtools = self._now.devtools
        tabs, pages = self.found(empty)
        asked = [{"targetId": pages.get(before, ""), "flatten": True} for before in empty]
        told = devtools.ask_all(said.Session, "Target.attachToTarget", asked)
        leads = {one.session_id: {"url": url} for one, url in zip(told, urls, strict=True) if not isinstance(one, No)}
        devtools.ask_in(Ignored, "Page.navigate", leads, seconds=SHOWING)
        for session in leads:
            devtools.say("Target.detachFromTarget", sessionId=session)
        return [tabs.get(before, "") for before in empty]


class _Window:
    """A window in which tabs open again; `tabs` are those it has, from left to right."""

    def __init__(self, now: Connected, new: _New, held: ExitStack, tabs: list[str]) -> None:
        self._now = now
        self._new = new
        self._held = held
        self._tabs = tabs
        self._opened: list[str] = []
        self._page: Inside | None = None

    def open(self, url: str, place: int) -> None:
        """Open an empty tab at this place, or at the end where that cannot be; without any tab open the window."""
        before = min(max(place - 1, 1), len(self._tabs))
        if not self._tabs or not self._beside(self._tabs[before - 1], url):
            self._now.devtools.tell("Target.createTarget", url=url, newWindow=not self._tabs)
        self._tabs.insert(before, url)
        self._opened.append(url)

    def _beside(self, left: str, url: str) -> bool:
        """Open a tab right after another, as a link in it would; say whether that could be."""
        if left not in self._opened[-1:]:  # that one is in front
            self._now.devtools.say("Target.activateTarget", targetId=target_of(self._now, left))
        try:
            return self._opener(left).call(bool, "beside", url, gesture=True)
        except (ProviderError, Refused, No, TimeoutError):
            self._page = None
            return False

    def _opener(self, left: str) -> Inside:
        """Return the page that opens tabs here: the first one that was opened, and before that the one beside it."""
        if self._page is None and self._opened:
            first = self._opened[0]
            self._page = self._held.enter_context(inside(self._now, self._new.found([first])[0].get(first, "")))
            self._page.loaded()
        return self._page or self._held.enter_context(inside(self._now, left))
