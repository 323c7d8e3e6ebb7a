"""Know sayso's own folders and files by the numbers the system gives them, under whatever name they are come upon."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property

from sayso.policy.paths import may_be_within, within

Number = tuple[int, int]
"""Device and inode, which tell a thing apart from every other."""

_KEPT = "trash"
_ABOVE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY


class Numbers:
    """Device and inode of each thing that is sayso's own, as they were when this was made."""

    def __init__(self, places: tuple[str, ...]) -> None:
        self._places = places
        self.near = frozenset(number_of(found) for place in places for found in _with_entries(place))
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


class Owned:
    """What is sayso's own: its folder, further places, and what lies directly in them."""

    def __init__(self, own: str, also: Iterable[str]) -> None:
        self.folder = os.path.realpath(own)
        self._places = tuple(dict.fromkeys([self.folder, *also]))

    def may_hold(self, real: str) -> bool:
        """Say whether a resolved path may lie within it, by its names alone."""
        return may_be_within(real, self._places)

    def lies_in(self, real: str) -> bool:
        """Say whether some of it lies at or below a resolved path."""
        return any(within(place, [real]) for place in self._places)

    def numbers(self) -> Numbers:
        """Return the numbers of all of it, as they are now."""
        return Numbers(self._places)


def number_of(found: os.stat_result) -> Number:
    """Return what tells a thing apart from every other."""
    return found.st_dev, found.st_ino


def holds_this(folder: int, top: os.stat_result, own: Numbers) -> bool:
    """Say whether an open folder, or one of those above it up to `top`, is among `own`; mounts are no border."""
    here, now = os.dup(folder), os.fstat(folder)
    try:
        while number_of(now) not in own:
            if number_of(now) == number_of(top):
                return False
            above = os.open("..", _ABOVE, dir_fd=here)
            os.close(here)
            here, before, now = above, now, os.fstat(above)
            if number_of(now) == number_of(before):
                return False
        return True
    finally:
        os.close(here)


def _with_entries(place: str) -> Iterator[os.stat_result]:
    """Yield the thing at a place and, of a folder, the files and folders in it: files also where a link leads."""
    with suppress(OSError):
        found = os.stat(place)
        yield found
        with os.scandir(place) as entries:
            for entry in entries:
                with suppress(OSError):
                    inner = entry.stat()
                    if not (stat.S_ISDIR(inner.st_mode) and entry.is_symlink()):
                        yield inner


def _below(place: str) -> Iterator[Number]:
    for folder, inner, names in os.walk(place):
        if folder == place and _KEPT in inner:
            inner.remove(_KEPT)
        for name in names:
            with suppress(OSError):
                yield number_of(os.lstat(os.path.join(folder, name)))
