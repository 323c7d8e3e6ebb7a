"""Know sayso's own folders and files by the numbers the system gives them, under whatever name they are come upon."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress

from sayso.policy.paths import may_be_within, within

Numbers = frozenset[tuple[int, int]]
"""Device and inode of each thing that is sayso's own."""

_ABOVE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC


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
        return frozenset((found.st_dev, found.st_ino) for place in self._places for found in _with_entries(place))


def number_of(found: os.stat_result) -> tuple[int, int]:
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
        if not stat.S_ISDIR(found.st_mode):
            return
        with os.scandir(place) as entries:
            for entry in entries:
                with suppress(OSError):
                    inner = entry.stat()
                    if not (stat.S_ISDIR(inner.st_mode) and entry.is_symlink()):
                        yield inner
