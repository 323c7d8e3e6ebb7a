"""The ids of tabs in Firefox, which stay the same from one session to the next though the browser names tabs anew."""

import fcntl
import hashlib
import os
import threading
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.ports import Clock
from sayso.providers.browser.address import private


class KnownTab(Struct, frozen=True):
    """A tab as it was last seen: its id and its window's, and what the browser called them."""

    id: str
    window: str
    context: str
    client_window: str
    began: str
    shows: str


class TabNotes(Struct, frozen=True):
    """What is kept of one run of a browser from one session to the next."""

    run: str = ""
    """What tells this run from any other."""
    process: int = 0
    profile: str = ""
    given: int = msgspec.field(default=0, name="made")
    """How many ids have been given out."""
    in_session: bool = msgspec.field(default=False, name="speaking")
    """A session has begun, and has not ended as far as is known."""
    front: str = ""
    """The window that had the person's attention when somebody last looked."""
    tabs: tuple[KnownTab, ...] = ()


class SeenTab(Struct, frozen=True):
    """A tab as it is now. `began` is when its page began to load, empty if the page does not answer."""

    context: str
    client_window: str
    url: str
    began: str = ""

    @property
    def shows(self) -> str:
        """Return a hash of its address; addresses themselves are not written down."""
        return hashlib.sha256(self.url.encode("utf-8")).hexdigest()[:16]


def recognize_tabs(notes: TabNotes, seen_tabs: Sequence[SeenTab]) -> TabNotes:
    """Return the notes with each of these tabs under the id it has had, or a new one; the others are gone."""
    by_context = {tab.context: tab for tab in notes.tabs}
    unseen = [tab for tab in notes.tabs if tab.context not in {seen.context for seen in seen_tabs}]
    unknown = [seen for seen in seen_tabs if seen.context not in by_context]
    found: dict[str, KnownTab] = {seen.context: by_context[seen.context] for seen in seen_tabs if seen not in unknown}
    for is_same in (_same_page, _same_load):
        for seen in unknown:
            same = [tab for tab in unseen if is_same(tab, seen)]
            twins = [other for other in unknown if same and is_same(same[0], other)]
            if len(same) == len(twins) == 1 and seen.context not in found:
                found[seen.context] = same[0]
        unseen = [tab for tab in unseen if tab not in found.values()]
        unknown = [seen for seen in unknown if seen.context not in found]
    return _name_tabs(notes, seen_tabs, found)


def _same_page(tab: KnownTab, seen: SeenTab) -> bool:
    return (tab.began, tab.shows) == (seen.began, seen.shows)


def _same_load(tab: KnownTab, seen: SeenTab) -> bool:
    return bool(seen.began) and tab.began == seen.began


def _name_tabs(notes: TabNotes, seen_tabs: Sequence[SeenTab], found: dict[str, KnownTab]) -> TabNotes:
    given = notes.given

    def new_id() -> str:
        nonlocal given
        given += 1
        return f"{notes.run}.{given}"

    windows = _windows(notes, seen_tabs, found, new_id)
    tabs = tuple(
        KnownTab(
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
    notes: TabNotes, seen_tabs: Sequence[SeenTab], found: dict[str, KnownTab], new_id: Callable[[], str]
) -> dict[str, str]:
    """Return the id of each window: the one it has had, or else the one that most of its tabs were in."""
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
"""For how many seconds to wait for another sayso, which may take half of that in a page, and how often to look."""


class NotesFile:
    """The notes while they are locked; each change is written at once."""

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
        """Write other notes."""
        if notes == self.notes:
            return
        self.notes = notes
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, msgspec.json.encode(notes), 0)


@contextmanager
def lock_notes(own: str, name: str, clock: Clock) -> Generator[NotesFile]:
    """Yield the notes on one browser once nobody else has them. Raises `ProviderError` if that takes too long."""
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
