"""Which tab is which: Firefox gives tabs and windows new ids with each session, and sayso's stay while they are open.

A tab is known by its id within a session, and between two by the load of its page: when it began, and what it shows.
One that was loaded anew between two sessions is another one; nothing is ever done to a tab that only looks alike.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from sayso.core.values import dataclass


class Known(msgspec.Struct, frozen=True):
    """A tab as it was last seen: its id and its window's, and what the browser called them."""

    id: str
    window: str
    context: str
    client_window: str
    began: str
    shows: str


class Notes(msgspec.Struct, frozen=True):
    """What is kept of one run of a browser between two sessions."""

    run: str = ""
    """What tells this run from any other."""
    process: int = 0
    profile: str = ""
    made: int = 0
    """How many ids were made."""
    speaking: bool = False
    """A session began, and its end was not seen yet."""
    front: str = ""
    """The window that had the person's attention when it was looked at last."""
    tabs: tuple[Known, ...] = ()


@dataclass(frozen=True, slots=True)
class Sight:
    """A tab as it is now. `began` is when its page began to load, empty where the page does not answer."""

    context: str
    client_window: str
    url: str
    began: str = ""

    @property
    def shows(self) -> str:
        """Return what its address comes to; addresses are not written down."""
        return hashlib.sha256(self.url.encode("utf-8")).hexdigest()[:16]


def recognised(notes: Notes, sights: Sequence[Sight]) -> Notes:
    """Return the notes with each tab in sight under the id it has had, or a new one; the others are gone."""
    by_context = {tab.context: tab for tab in notes.tabs}
    unseen = [tab for tab in notes.tabs if tab.context not in {sight.context for sight in sights}]
    strange = [sight for sight in sights if sight.context not in by_context]
    found: dict[str, Known] = {sight.context: by_context[sight.context] for sight in sights if sight not in strange}
    for alike in (_same_page, _same_load):
        for sight in strange:
            same = [tab for tab in unseen if alike(tab, sight)]
            twins = [other for other in strange if same and alike(same[0], other)]
            if len(same) == len(twins) == 1 and sight.context not in found:
                found[sight.context] = same[0]
        unseen = [tab for tab in unseen if tab not in found.values()]
        strange = [sight for sight in strange if sight.context not in found]
    return _named(notes, sights, found)


def _same_page(tab: Known, sight: Sight) -> bool:
    return (tab.began, tab.shows) == (sight.began, sight.shows)


def _same_load(tab: Known, sight: Sight) -> bool:
    return bool(sight.began) and tab.began == sight.began


def _named(notes: Notes, sights: Sequence[Sight], found: dict[str, Known]) -> Notes:
    made = notes.made

    def new() -> str:
        nonlocal made
        made += 1
        return f"{notes.run}.{made}"

    windows = _windows(notes, sights, found, new)
    tabs = tuple(
        Known(
            found[sight.context].id if sight.context in found else new(),
            windows[sight.client_window],
            sight.context,
            sight.client_window,
            sight.began,
            sight.shows,
        )
        for sight in sights
    )
    return msgspec.structs.replace(notes, tabs=tabs, made=made)


def _windows(notes: Notes, sights: Sequence[Sight], found: dict[str, Known], new: Callable[[], str]) -> dict[str, str]:
    """Return the id of each window: the one it has had, else the one that most of its tabs were in."""
    had = {tab.client_window: tab.window for tab in notes.tabs}
    named: dict[str, str] = {}
    for client_window in dict.fromkeys(sight.client_window for sight in sights):
        within = [sight for sight in sights if sight.client_window == client_window]
        were = Counter(found[sight.context].window for sight in within if sight.context in found)
        likely = [had[client_window]] if client_window in had else [window for window, _ in were.most_common()]
        named[client_window] = next((window for window in likely if window not in named.values()), "") or new()
    return named
