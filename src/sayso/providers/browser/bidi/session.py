"""A session with Firefox while it stands: its tabs, under the ids that they keep from one session to the next."""

from contextlib import suppress

import msgspec

from sayso.core.errors import ProviderError
from sayso.core.values import dataclass
from sayso.providers.browser.bidi import said
from sayso.providers.browser.bidi.known import Sight, recognised
from sayso.providers.browser.bidi.turns import Kept
from sayso.providers.browser.bidi.waiting import EVENTS
from sayso.providers.browser.bidi.where import ports_kept_away
from sayso.providers.browser.live.calling import Devtools, Lost, No
from sayso.providers.browser.live.ports import OpenTab
from sayso.providers.browser.live.where import Endpoint

SOON = 2.0
"""Seconds for a page to say what it is; one that hangs is known by its address alone."""
SANDBOX = "sayso"
LOOK = (
    "JSON.stringify([String(performance.timeOrigin), document.title.toWellFormed().slice(0, 1000), "
    "document.visibilityState === 'visible'])"
)
ENDING = 10.0


class Connected:
    """A session that stands. `kept_away` are the ports that this browser was started to keep away from."""

    def __init__(self, calls: Devtools, at: Endpoint, kept: Kept, profile: str) -> None:
        self.calls = calls
        self.at = at
        self.kept = kept
        self.profile = profile
        self.kept_away = ports_kept_away(profile, "user.js" if at.own is not None else "prefs.js")
        self.changed = False
        """Something was done, so that pages may be others at the end."""
        self._listens = False
        self._sights: list[Sight] = []

    def tabs(self) -> list[OpenTab]:
        """Return the tabs, in the order of windows and then of tabs."""
        contexts = self.calls.ask(said.Tree, "browsingContext.getTree", maxDepth=0).contexts
        asked = [_look(one.context) for one in contexts]
        looked = self.calls.ask_each(said.Ran, "script.evaluate", asked, seconds=SOON)
        pages = [_page(ran) for ran in looked]
        sights = [
            Sight(one.context, one.client_window, one.url, page.began)
            for one, page in zip(contexts, pages, strict=True)
        ]
        self._sights = sights
        self.kept.keep(recognised(self.kept.notes, sights))
        known = {tab.context: tab for tab in self.kept.notes.tabs}
        return [
            OpenTab(
                known[one.context].id,
                known[one.context].window,
                one.url,
                page.title,
                known[one.original_opener].id if one.original_opener in known else "",
                page.visible,
            )
            for one, page in zip(contexts, pages, strict=True)
        ]

    def made(self, context: str) -> str:
        """Return the id of a tab that was just made; the others are not looked at again."""
        (one,) = self.calls.ask(said.Tree, "browsingContext.getTree", root=context, maxDepth=0).contexts
        if not self._sights:
            self.tabs()
        elif all(sight.context != context for sight in self._sights):
            self._sights.append(Sight(context, one.client_window, one.url))
            self.kept.keep(recognised(self.kept.notes, self._sights))
        return next(tab.id for tab in self.kept.notes.tabs if tab.context == context)

    def window_in_front(self) -> str:
        """Return the id of the window that has the person's attention, empty when none has."""
        windows = self.calls.ask(said.ClientWindows, "browser.getClientWindows").client_windows
        active = next((one.client_window for one in windows if one.active), "")
        return next((tab.window for tab in self.kept.notes.tabs if tab.client_window == active), "")

    def context(self, tab: str) -> str:
        """Return what the browser calls a tab in this session. Raises `ProviderError` when it is gone."""
        found = self._context(tab) if self._sights else ""
        if not found:
            self.tabs()
            found = self._context(tab)
        if not found:
            raise ProviderError("the tab is no longer open", "tab.closed")
        return found

    def _context(self, tab: str) -> str:
        return next((known.context for known in self.kept.notes.tabs if known.id == tab), "")

    def knows(self, tab: str) -> bool:
        """Say whether an id is one of this run of the browser."""
        return tab.partition(".")[0] == self.kept.notes.run

    def listens(self) -> None:
        """Have what pages do told, from now on."""
        if not self._listens:
            self.calls.tell("session.subscribe", events=list(EVENTS))
            self._listens = True

    def end(self) -> None:
        """End the session, with all that it holds."""
        with suppress(Lost, No, TimeoutError):
            if self.changed:
                self.tabs()
            self.calls.tell("session.end", seconds=ENDING)
            self.kept.keep(msgspec.structs.replace(self.kept.notes, speaking=False))
        self.calls.close()


@dataclass(frozen=True, slots=True)
class _Page:
    """What a page says of itself."""

    began: str = ""
    title: str = ""
    visible: bool = False


def _look(context: str) -> dict[str, object]:
    return {"expression": LOOK, "target": {"context": context, "sandbox": SANDBOX}, "awaitPromise": False}


def _page(ran: said.Ran | No | None) -> _Page:
    if not isinstance(ran, said.Ran) or not isinstance(ran.result.value, str):
        return _Page()
    return _Page(*msgspec.json.decode(ran.result.value, type=tuple[str, str, bool]))
