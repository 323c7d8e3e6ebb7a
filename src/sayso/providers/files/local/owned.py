"""Know sayso's own folders and files by the numbers the system gives them, under whatever name they are come upon."""

import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property

from sayso.core.values import dataclass
from sayso.policy.paths import may_be_within, within

Number = tuple[int, int]
"""Device and inode, which tell a thing apart from every other."""

_KEPT = "trash"

SECOND = 1_000_000_000
"""Nanoseconds. What was read of sayso's folders is read again after one, whatever they look like."""


class Numbers:
    """Device and inode of each thing that is sayso's own, as they were when this was made."""

    def __init__(self, places: tuple[str, ...], near: frozenset[Number]) -> None:
        self._places = places
        self.near = near
        """Of the folders, and of what lies directly in them."""

    def __contains__(self, number: Number) -> bool:
        """Say whether it is one of sayso's folders, or lies directly in one."""
        return number in self.near

    def has(self, found: os.stat_result) -> bool:
        """Say whether a thing is one of these, or is a file that has one of its names deeper in sayso's folders.

        What is kept for a way back was the person's before and is left out: its other names are theirs.
        """
        if number_of(found) in self.near:
            return True
        return found.st_nlink > 1 and stat.S_ISREG(found.st_mode) and number_of(found) in self._deeper

    @cached_property
    def _deeper(self) -> frozenset[Number]:
        return frozenset(number for place in self._places for number in _below(place))


State = tuple[int, int, int]
"""Device, inode and time of the last change: of a folder, that changes with the names in it."""


@dataclass(frozen=True, slots=True)
class Known:
    """What was read of sayso's places, when (in nanoseconds of a clock that only goes on), and how they were then."""

    near: frozenset[Number]
    at: int
    states: list[State | None]
    """Empty when it must not be believed a second time."""

    def holds(self, states: list[State | None], now: int) -> bool:
        """Say whether it may be believed of places that are so now."""
        return self.states == states and 0 <= now - self.at < SECOND


class Owned:
    """What is sayso's own: its folder, further places, and what lies directly in them."""

    def __init__(self, own: str, also: Iterable[str]) -> None:
        self.folder = os.path.realpath(own)
        self._places = tuple(dict.fromkeys([self.folder, *also]))
        self._known: Known | None = None

    def may_hold(self, real: str) -> bool:
        """Say whether a resolved path may lie within it, by its names alone."""
        return may_be_within(real, self._places)

    def lies_in(self, real: str) -> bool:
        """Say whether some of it lies at or below a resolved path."""
        return any(within(place, [real]) for place in self._places)

    def numbers(self) -> Numbers:
        """Return the numbers of all of it, as they are now; a folder without a change is not read again at once."""
        states = [_state(place) for place in self._places]
        known = self._known
        if known is None or not known.holds(states, time.monotonic_ns()):
            known = self._known = _read(self._places, states)
        return Numbers(self._places, known.near)


def number_of(found: os.stat_result) -> Number:
    """Return what tells a thing apart from every other."""
    return found.st_dev, found.st_ino


def holds_this(folder: int, top: Number, own: Numbers) -> bool:
    """Say whether an open folder, or one of those above it up to `top`, is among `own`; mounts are no border.

    Raises `OSError` for one that lies deeper than a path can say, some 1,300 folders.
    """
    now = number_of(os.fstat(folder))
    way = ".."
    while now not in own:
        if now == top:
            return False
        above = number_of(os.stat(way, dir_fd=folder))
        if above == now:
            # Nothing is above the top of the whole system; anywhere else, the way changed under our feet.
            return now != number_of(os.stat("/"))
        now = above
        way += "/.."
    return True


def _state(place: str) -> State | None:
    try:
        found = os.stat(place)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_ctime_ns


def _read(places: tuple[str, ...], states: list[State | None]) -> Known:
    begun, now = time.monotonic_ns(), time.clock_gettime_ns(time.CLOCK_REALTIME)
    near: set[Number] = set()
    links = [place for place in places for _ in _links_in(place, near)]
    return Known(frozenset(near), begun, lasting(states, now, links=bool(links)))


def lasting(states: list[State | None], now: int, *, links: bool) -> list[State | None]:
    """Return the states by which what was read may be believed again; none where a change may leave no trace in them.

    Where a link leads can change without a trace in the folder that holds the link.
    """
    return states if not links and all(is_settled(state, now) for state in states) else []


def is_settled(state: State | None, now: int) -> bool:
    """Say whether a place that changes from now on will show it; `now` is in nanoseconds since 1970.

    One that changed more recently may change again and show the same time; disks that count seconds need longer.
    """
    if state is None:
        return True
    changed = state[2]
    return now - changed > (SECOND // 10 if changed % SECOND else 3 * SECOND)


def _links_in(place: str, near: set[Number]) -> Iterator[str]:
    """Add what is at a place and, of a folder, the files and folders in it: files also by a link. Yield the links."""
    with suppress(OSError):
        near.add(number_of(os.stat(place)))
        with os.scandir(place) as entries:
            for entry in entries:
                if linked := entry.is_symlink():
                    yield entry.name
                with suppress(OSError):
                    inner = entry.stat()
                    if not (linked and stat.S_ISDIR(inner.st_mode)):
                        near.add(number_of(inner))


def _below(place: str) -> Iterator[Number]:
    for folder, inner, names in os.walk(place):
        if folder == place and _KEPT in inner:
            inner.remove(_KEPT)
        for name in names:
            with suppress(OSError):
                yield number_of(os.lstat(os.path.join(folder, name)))
