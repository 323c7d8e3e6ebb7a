"""Walk a folder's tree by descriptor: no link is followed, no other file system entered, however deep it goes.

Only one folder is open at a time; the way back up is `..`, and it must be the folder that was left.
"""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.disk.wrong import changed_on_the_way


class Way(Enum):
    """What the walk has come to."""

    THING = "something that is no folder, or a folder that is not entered"
    INTO = "a folder, before it is entered"
    OUT = "the same folder, after everything in it"


@dataclass(frozen=True, slots=True)
class Met:
    """One thing met on the walk, by its name in the open folder `folder`; `above` are the names on the way there."""

    way: Way
    folder: int
    name: str
    found: os.stat_result
    above: list[str]
    """Alive: it changes as the walk goes on."""

    @property
    def path(self) -> str:
        """Return its path relative to where the walk began."""
        return "/".join([*self.above, self.name])


Enter = Callable[[Met], bool]
"""Says whether a folder that was met is to be entered; may raise."""


@dataclass(slots=True)
class _Level:
    found: os.stat_result
    ahead: list[tuple[str, os.stat_result]]
    """The folders still to be entered, the next one last."""


def walk(folder: int, enter: Enter) -> Iterator[Met]:
    """Yield everything in the tree of the open folder, by name, folders of a folder after its other things.

    Raises `Refused` when a folder is moved while the walk is in it. `folder` stays open.
    """
    here = os.open(".", FOLDER, dir_fd=folder)
    above: list[str] = []
    levels: list[_Level] = []
    try:
        levels.append(_Level(os.fstat(here), []))
        yield from _things(here, levels[-1], above, enter)
        while levels:
            if levels[-1].ahead:
                name, found = levels[-1].ahead.pop()
                yield Met(Way.INTO, here, name, found, above)
                here = _swap(here, name, found)
                above.append(name)
                levels.append(_Level(found, []))
                yield from _things(here, levels[-1], above, enter)
                continue
            left = levels.pop()
            if levels:
                here = _swap(here, "..", levels[-1].found)
                yield Met(Way.OUT, here, above.pop(), left.found, above)
    finally:
        os.close(here)


def _things(here: int, level: _Level, above: list[str], enter: Enter) -> Iterator[Met]:
    for name in sorted(os.listdir(here)):
        try:
            found = os.stat(name, dir_fd=here, follow_symlinks=False)
        except FileNotFoundError:
            continue
        met = Met(Way.THING, here, name, found, above)
        if stat.S_ISDIR(found.st_mode) and enter(met):
            level.ahead.append((name, found))
        else:
            yield met
    level.ahead.reverse()


def _swap(here: int, name: str, expected: os.stat_result) -> int:
    # The caller closes `here` whatever happens, so it is closed only once there is another one.
    there = os.open(name, FOLDER, dir_fd=here)
    now = os.fstat(there)
    if (now.st_dev, now.st_ino) != (expected.st_dev, expected.st_ino):
        os.close(there)
        raise changed_on_the_way(name)
    os.close(here)
    return there
