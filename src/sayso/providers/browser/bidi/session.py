"""A session with Firefox: gives tabs lasting ids, finds the tab in front, and opens, closes and reopens tabs."""

import fcntl
import hashlib
import os
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import Clock
from sayso.providers.browser.address import private
from sayso.providers.browser.bidi import protocol
from sayso.providers.browser.bidi.page import EVENTS, LOOK, SANDBOX, FirefoxPage, open_page
from sayso.providers.browser.model import ReopenTabs, TabAt
from sayso.providers.browser.remote.connection import CallError, ConnectionLost, Ignored, ProtocolClient
from sayso.providers.browser.remote.driver import ActionBounds, BrowserSession, TabSnapshot, not_opened, tab_closed
from sayso.providers.browser.remote.settings import BrowserKind, Endpoint


class NotedTab(Struct, frozen=True):
    """A tab as it was last seen: sayso's ids for the tab and its window, and the browser's names for both."""

    id: str
    window: str
    context: str
    client_window: str
    began: str
    shows: str


class TabNotes(Struct, frozen=True):
    """Data about one run of a browser, kept from one session to the next."""

    run: str = ""
    """The identifier of this run; the ids of its tabs begin with it."""
    process: int = 0
    profile: str = ""
    given: int = msgspec.field(default=0, name="made")
    """Number of ids given to tabs and windows so far."""
    in_session: bool = msgspec.field(default=False, name="speaking")
    """Whether a session has begun and its end was not recorded."""
    front: str = ""
    """The id of the window that the person was using when a session last checked."""
    tabs: tuple[NotedTab, ...] = ()


class SeenTab(Struct, frozen=True):
    """A tab as it is now; `began` is when its page began to load, and is empty if the page does not answer."""

    context: str
    client_window: str
    url: str
    began: str = ""

    @property
    def shows(self) -> str:
        """Return a hash of the tab's address, so that the address itself is not written to disk."""
        return hashlib.sha256(self.url.encode("utf-8")).hexdigest()[:16]


def recognize_tabs(notes: TabNotes, seen_tabs: Sequence[SeenTab]) -> TabNotes:
    """Return the notes with these tabs, each with its earlier id or a new one; tabs that are gone are removed.

    A tab is recognized by the browser's name for it. If the browser has renamed it, it is recognized by the time when
    its page began to load, first together with the address, then alone.
    """
    by_context = {tab.context: tab for tab in notes.tabs}
    unseen = [tab for tab in notes.tabs if tab.context not in {seen.context for seen in seen_tabs}]
    unknown = [seen for seen in seen_tabs if seen.context not in by_context]
    found: dict[str, NotedTab] = {seen.context: by_context[seen.context] for seen in seen_tabs if seen not in unknown}
    for is_same in (_same_page, _same_load):
        for seen in unknown:
            same = [tab for tab in unseen if is_same(tab, seen)]
            twins = [other for other in unknown if same and is_same(same[0], other)]
            if len(same) == len(twins) == 1 and seen.context not in found:
                found[seen.context] = same[0]
        unseen = [tab for tab in unseen if tab not in found.values()]
        unknown = [seen for seen in unknown if seen.context not in found]
    return _name_tabs(notes, seen_tabs, found)


def _same_page(tab: NotedTab, seen: SeenTab) -> bool:
    return (tab.began, tab.shows) == (seen.began, seen.shows)


def _same_load(tab: NotedTab, seen: SeenTab) -> bool:
    return bool(seen.began) and tab.began == seen.began


def _name_tabs(notes: TabNotes, seen_tabs: Sequence[SeenTab], found: dict[str, NotedTab]) -> TabNotes:
    given = notes.given

    def new_id() -> str:
        nonlocal given
        given += 1
        return f"{notes.run}.{given}"

    windows = _windows(notes, seen_tabs, found, new_id)
    tabs = tuple(
        NotedTab(
            found[seen.context].id if seen.context in found else new_id(),
            windows[seen.client_window],
            seen.context,
            seen.client_window,
            seen.began,
            seen.shows,
        )
        for seen in seen_tabs
    )
    return replace(notes, tabs=tabs, given=given)


def _windows(
    notes: TabNotes, seen_tabs: Sequence[SeenTab], found: dict[str, NotedTab], new_id: Callable[[], str]
) -> dict[str, str]:
    """Return the id of each window.

    A window keeps its earlier id. If the browser has renamed it, it gets the id of the window that held most of its
    tabs, or else a new id.
    """
    had = {tab.client_window: tab.window for tab in notes.tabs}
    named: dict[str, str] = {}
    for client_window in dict.fromkeys(seen.client_window for seen in seen_tabs):
        within = [seen for seen in seen_tabs if seen.client_window == client_window]
        were = Counter(found[seen.context].window for seen in within if seen.context in found)
        likely = [had[client_window]] if client_window in had else [window for window, _ in were.most_common()]
        named[client_window] = next((window for window in likely if window not in named.values()), "") or new_id()
    return named


FOLDER = "firefox"
WAITING, PAUSE = 60.0, 0.02
"""Seconds to wait until another sayso process releases the lock, and seconds between two tries.

A script that the other process runs in a page may take half of this time.
"""


class NotesFile:
    """The notes on one browser, while their file is locked; each change is written at once."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.notes = self._read()

    def _read(self) -> TabNotes:
        size = os.fstat(self._handle).st_size
        try:
            return msgspec.json.decode(os.pread(self._handle, size, 0), type=TabNotes)
        except msgspec.MsgspecError:
            return TabNotes()

    def save(self, notes: TabNotes) -> None:
        """Write these notes to the file, if they differ from its content."""
        if notes == self.notes:
            return
        self.notes = notes
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, msgspec.json.encode(notes), 0)


@contextmanager
def lock_notes(own: str, name: str, clock: Clock) -> Generator[NotesFile]:
    """Yield the notes on one browser after locking them. Raises `ProviderError` if the lock is not free in time."""
    path = private(own, FOLDER) / name
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        end = clock.monotonic() + WAITING
        while not _try_lock(handle):
            if clock.monotonic() > end:
                raise ProviderError("another sayso is busy in that browser; try again once it is done", "browser.busy")
            threading.Event().wait(PAUSE)
        yield NotesFile(handle)
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


KIND = BrowserKind("Firefox", "browser.bidi_url", "ws://127.0.0.1:9222", "browser-firefox", "sayso browser --firefox")
BANNED = "network.security.ports.banned"
"""The preference with the ports that Firefox refuses, for every host name."""
ANSWERING = 2.0
"""Seconds to wait for a page to report its state. The load time of a page that does not answer remains unknown."""
ENDING, CLOSING = 10.0, 10.0
CLOSE_LOOKS, CLOSE_PAUSE = 100, 0.05


def ban_preference(ports: Iterable[int]) -> str:
    """Return the line of `user.js` that makes a Firefox refuse these ports, for every host name."""
    return f'user_pref("{BANNED}", "{",".join(map(str, sorted(ports)))}");'


def how_to_restart(endpoint: Endpoint, ports: frozenset[int]) -> str:
    """Return the part of a message that says how to restart a Firefox so that it refuses these ports."""
    if endpoint.own is not None:
        return f"start it anew: {KIND.start} --stop, then {KIND.start}"
    return f"add this line to the file user.js in its profile, and start it anew: {ban_preference(ports)}"


def must_keep_away(endpoint: Endpoint, ports: frozenset[int], kept_away: frozenset[int]) -> None:
    """Raise `SetupError` if this Firefox does not refuse all of these ports."""
    if ports - kept_away:
        raise SetupError(
            "that Firefox was not told to keep away from sayso's own pages, so nothing is done in its pages; "
            f"{how_to_restart(endpoint, ports | kept_away)}",
            "browser.exposed",
        )


class _Look(Struct, frozen=True):
    """What a page reports about itself."""

    began: str = ""
    title: str = ""
    visible: bool = False


class _RawTree(Struct, frozen=True):
    contexts: tuple[msgspec.Raw, ...]


class FirefoxSession(BrowserSession):
    """A session with Firefox. The browser names tabs anew in each session; `notes` contain sayso's lasting ids."""

    def __init__(self, client: ProtocolClient, endpoint: Endpoint, kept_away: frozenset[int], notes: NotesFile) -> None:
        super().__init__(client, endpoint, kept_away)
        self._file = notes
        self._changed = False
        """Whether an action was done in this session; if so, the tabs are read again at the end of the session."""
        self._subscribed = False
        self._seen: list[SeenTab] = []

    @property
    def key(self) -> str:
        """Return the identifier of this run of the browser."""
        return self._file.notes.run

    def tabs(self) -> list[TabSnapshot]:
        contexts = self.client.call(protocol.ContextTree, "browsingContext.getTree", maxDepth=0).contexts
        asked = [_look_at(one.context) for one in contexts]
        answers = self.client.call_each(protocol.BidiEvaluation, "script.evaluate", asked, seconds=ANSWERING)
        looks = [_read_look(answer) for answer in answers]
        both = list(zip(contexts, looks, strict=True))
        self._seen = [SeenTab(one.context, one.client_window, one.url, look.began) for one, look in both]
        self._file.save(recognize_tabs(self._file.notes, self._seen))
        known = {tab.context: tab for tab in self._file.notes.tabs}
        return [
            TabSnapshot(
                known[one.context].id,
                known[one.context].window,
                one.url,
                look.title,
                known[one.original_opener].id if one.original_opener in known else "",
                look.visible,
            )
            for one, look in both
        ]

    def _raw_tabs(self) -> Sequence[msgspec.Raw]:
        return self.client.call(_RawTree, "browsingContext.getTree", maxDepth=0).contexts

    def _find_tab(self, tab: str) -> TabAt:
        found = next((each for each in self.tabs() if each.id == tab), None)
        if found is None:
            raise tab_closed()
        return TabAt(tab, found.url, found.opener)

    def context(self, tab: str) -> str:
        """Return the browser's name for a tab in this session. Raises `ProviderError` if the tab is gone."""
        found = self._known_context(tab) if self._seen else ""
        if not found:
            self.tabs()
            found = self._known_context(tab)
        if not found:
            raise tab_closed()
        return found

    def _known_context(self, tab: str) -> str:
        return next((known.context for known in self._file.notes.tabs if known.id == tab), "")

    def front(self, tabs: Sequence[TabSnapshot]) -> str:
        if not tabs:
            return ""
        window = self._window_in_front() or self._file.notes.front
        within = [tab for tab in tabs if tab.window == window] or [tab for tab in tabs if tab.window == tabs[0].window]
        self._file.save(replace(self._file.notes, front=within[0].window))
        return next((tab.id for tab in within if tab.active), within[0].id)

    def _window_in_front(self) -> str:
        """Return the id of the window that the person is using; empty if the person is using another program."""
        windows = self.client.call(protocol.ClientWindows, "browser.getClientWindows").client_windows
        active = next((one.client_window for one in windows if one.active), "")
        return next((tab.window for tab in self._file.notes.tabs if tab.client_window == active), "")

    def _activate(self, tab: str) -> None:
        self._changed = True
        self.client.run("browsingContext.activate", context=self.context(tab))

    @contextmanager
    def page(self, tab: str) -> Generator[FirefoxPage]:
        with open_page(self.client, tab, self.context(tab)) as page:
            yield page

    def _must_be_holdable(self, bounds: ActionBounds) -> None:
        must_keep_away(self.endpoint, bounds.ports, self.kept_away)

    @contextmanager
    def held(self, bounds: ActionBounds, *, files: bool = False) -> Generator[None]:
        """Keep the browser within the limits during the block; with `files`, a download is allowed."""
        self._must_be_holdable(bounds)
        self._changed = True
        if not self._subscribed:
            self.client.run("session.subscribe", events=list(EVENTS))
            self._subscribed = True
        allowed = {"type": "allowed", "destinationFolder": str(bounds.downloads)}
        behaviour = allowed if files and bounds.downloads is not None else {"type": "denied"}
        self.client.run("browser.setDownloadBehavior", downloadBehavior=behaviour)
        yield

    def _new_tab(self) -> str:
        return self._create("tab")

    def open_empty_tab(self) -> None:
        self._create("tab", background=True)

    def _create(self, what: str, **options: Any) -> str:
        """Open an empty tab, or a new window with one; return the tab's id."""
        self._changed = True
        try:
            context = self.client.call(protocol.InContext, "browsingContext.create", type=what, **options).context
        except CallError as error:
            raise not_opened(error) from error
        return self._add(context)

    def _add(self, context: str) -> str:
        """Return the id of a new tab, without reading the other tabs again."""
        (one,) = self.client.call(protocol.ContextTree, "browsingContext.getTree", root=context, maxDepth=0).contexts
        if not self._seen:
            self.tabs()
        elif all(seen.context != context for seen in self._seen):
            self._seen.append(SeenTab(context, one.client_window, one.url))
            self._file.save(recognize_tabs(self._file.notes, self._seen))
        return next(tab.id for tab in self._file.notes.tabs if tab.context == context)

    def close_tabs(self, tabs: Sequence[str]) -> set[str]:
        self._changed = True
        asked = [{"context": self.context(tab), "promptUnload": False} for tab in tabs]
        self.client.call_each(Ignored, "browsingContext.close", asked, seconds=CLOSING)
        left = set(tabs)
        for _ in range(CLOSE_LOOKS):
            left &= {tab.id for tab in self.tabs()}
            if not left:
                break
            self.client.pause(CLOSE_PAUSE)
        return left

    @contextmanager
    def reopen_tabs(self, step: ReopenTabs, bounds: ActionBounds) -> Generator[list[str]]:
        """Open tabs again, each at its old position in its window; yield their ids while their pages begin to load.

        Each tab opens to the right of another one, so a tab that was the first of a window that is still open becomes
        the second.
        """
        with self.held(bounds):
            there, empty = self.tabs(), list[str]()
            windows: dict[str, list[str]] = {}
            for window, place in zip(step.windows, step.places, strict=True):
                tabs = windows.setdefault(window, [tab.id for tab in there if tab.window == window])
                before = min(max(place - 1, 1), len(tabs))
                beside = {"referenceContext": self.context(tabs[before - 1]), "background": True} if tabs else {}
                empty.append(self._create("tab" if tabs else "window", **beside))
                tabs.insert(before, empty[-1])
            for tab, url in zip(empty, step.urls, strict=True):
                self.client.post("browsingContext.navigate", context=self.context(tab), url=url, wait="none")
            yield empty

    def quit(self) -> None:
        with suppress(ConnectionLost):  # the browser may end before it answers
            self.client.run("browser.close")

    def missing_option(self, ports: frozenset[int]) -> str:
        return ban_preference(ports)

    def end(self) -> None:
        """Record the tabs as they are now, end the session, and close the connection."""
        with suppress(ConnectionLost, CallError, TimeoutError):
            if self._changed:
                self.tabs()
            self.client.run("session.end", seconds=ENDING)
            self._file.save(replace(self._file.notes, in_session=False))
        self.client.close()


def _look_at(context: str) -> dict[str, object]:
    return {"expression": LOOK, "target": {"context": context, "sandbox": SANDBOX}, "awaitPromise": False}


def _read_look(answer: protocol.BidiEvaluation | CallError | None) -> _Look:
    if not isinstance(answer, protocol.BidiEvaluation) or not isinstance(answer.result.value, str):
        return _Look()
    return _Look(*msgspec.json.decode(answer.result.value, type=tuple[str, str, bool]))
