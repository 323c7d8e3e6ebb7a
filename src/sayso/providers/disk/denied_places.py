"""Other names of one thing on this disk: the mounts that lead to it, and hard links to files in denied places."""

import os
import re
import select
import stat
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice

from msgspec import Struct

from sayso.policy.denylist import IN_HOME
from sayso.policy.paths import find_denied_name, may_be_within
from sayso.providers.disk.syscalls import from_the_top

MOUNT_TABLE = "/proc/self/mountinfo"
Number = tuple[int, int]
"""Device and inode, which identify a file, folder or link."""
FolderState = tuple[int, int, int]
"""Device, inode and change time of a folder; the time changes when a name in the folder is added, removed or renamed.
"""
SECOND = 1_000_000_000
"""Nanoseconds in a second."""
Place = tuple[str, os.stat_result]
"""The path of a thing, and what it is."""


class Mount(Struct, frozen=True):
    """One row of the table of mounts: `root` is the folder or file of the file system that is shown at `point`."""

    id: int
    device: bytes
    root: str
    point: str


def read_mounts(table: int) -> list[Mount]:
    """Return the rows of the open table of mounts, in its order."""
    pieces: list[bytes] = []
    while piece := os.pread(table, 1 << 16, sum(map(len, pieces))):
        pieces.append(piece)
    rows = [line.split(b" ") for line in b"".join(pieces).splitlines()]
    return [Mount(int(row[0]), row[2], _plain(row[3]), _plain(row[4])) for row in rows]


def _plain(escaped: bytes) -> str:
    return os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda found: bytes([int(found.group(1), 8)]), escaped))


class MountNames:
    """Finds the other paths of what is at a path; the table of mounts is read again whenever the kernel changed it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._poll: select.poll | None = None
        self._rows: list[Mount] = []
        self._twice: dict[bytes, list[Mount]] = {}
        self.descriptors: tuple[int, ...] = ()
        try:
            self._table = os.open(MOUNT_TABLE, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return  # a system without such a table has no second mounts of a folder
        self.descriptors = (self._table,)
        self._poll = select.poll()
        self._poll.register(self._table, select.POLLPRI)
        self._read()

    def of(self, path: str) -> tuple[str, ...]:
        """Return the other paths at which mounts show what is at a resolved path; it need not exist."""
        rows, twice = self._now()
        if not twice:
            return ()
        here = next((row for row in rows if _holds(row.point, path)), None)
        if here is None or here.device not in twice:
            return ()
        inner = _moved(path, here.point, here.root)
        same = [row for row in twice[here.device] if row is not here and _holds(row.root, inner)]
        return tuple(dict.fromkeys(_moved(inner, row.root, row.point) for row in same))

    def points_below(self, path: str) -> tuple[str, ...]:
        """Return the mount points below a folder."""
        rows, _ = self._now()
        return tuple({row.point for row in rows if row.point != path and _holds(path, row.point)})

    def _now(self) -> tuple[list[Mount], dict[bytes, list[Mount]]]:
        with self._lock:
            if self._poll is not None and self._poll.poll(0):
                self._read()
            return self._rows, self._twice

    def _read(self) -> None:
        found = read_mounts(self._table)
        # Of the mounts that hold a path, the one with the longest path counts, and of several at one path the last.
        found.reverse()
        self._rows = sorted(found, key=lambda row: len(row.point), reverse=True)
        by_device: dict[bytes, list[Mount]] = defaultdict(list)
        for row in self._rows:
            by_device[row.device].append(row)
        self._twice = {device: rows for device, rows in by_device.items() if len(rows) > 1}


def protected_by_mount(path: str, own: str) -> str | None:
    """Return another path of what is at a resolved path that is protected, or within `own`; None if there is none."""
    names = MountNames()
    try:
        others = names.of(path)
    finally:
        for descriptor in names.descriptors:
            os.close(descriptor)
    return next((other for other in others if find_denied_name(other) is not None or may_be_within(other, [own])), None)


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _moved(path: str, one: str, other: str) -> str:
    """Return a path within `one` as the path of the same thing within `other`."""
    rest = path[len(one) :].strip("/")
    return f"{other.rstrip('/')}/{rest}" if rest else other


def folder_state(place: str) -> FolderState | None:
    """Return the state of a folder, or None if there is none."""
    try:
        found = os.stat(place)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_ctime_ns


def is_settled(state: FolderState | None, now: int) -> bool:
    """Return whether another change would give a folder a different change time; `now` is in nanoseconds since 1970.

    A folder that has just changed may change again within the same clock tick, so the change must be 0.1 seconds old. A
    time that is a whole second may come from a file system that stores only seconds; then it must be 3 seconds old.
    """
    if state is None:
        return True
    changed = state[2]
    return now - changed > (SECOND // 10 if changed % SECOND else 3 * SECOND)


DEPTH = 4
"""How many folders deep a denied place is searched; a browser keeps its passwords in the third."""
MOST_SEARCHED = 20_000
REMEMBERED = SECOND
"""For how long it is remembered where links with denied names lead."""
_SHELVES = ("", ".config", ".local", ".local/share", "Library", "Library/Application Support")
"""The folders of a home whose entries are compared with the denied names."""


class DeniedPlaces:
    """The denied places of one home: where links of these names lead, and the files in them by device and inode.

    The home's own shelves may be links, as those of people are who keep their settings elsewhere. Where they lead is
    found out once, at the start; a link that is put there later is not followed.
    """

    def __init__(self, home: str) -> None:
        self._home = os.path.realpath(home)
        self._shelves = {shelf: os.path.realpath(f"{self._home}/{shelf}") for shelf in _SHELVES}
        self._elsewhere = {real for shelf, real in self._shelves.items() if real != f"{self._home}/{shelf}".rstrip("/")}
        self._led: tuple[str, ...] = ()
        self._led_at = -REMEMBERED
        self._known: frozenset[Number] = frozenset()
        self._states: dict[str, FolderState | None] = {}

    def targets(self) -> tuple[str, ...]:
        """Return the paths to which denied names such as `~/.ssh` lead by links; looked up once a second."""
        now = time.monotonic_ns()
        if now - self._led_at >= REMEMBERED:
            self._led_at = now
            self._led = tuple(os.path.realpath(place) for place, found in self._denied() if self._leads(place, found))
        return self._led

    def numbers(self) -> frozenset[Number]:
        """Return the numbers of the files; at most `MOST_SEARCHED` things are looked at, the outer ones first.

        Folders that show no change are not searched again.
        """
        if not self._states or any(folder_state(place) != state for place, state in self._states.items()):
            self._search(time.clock_gettime_ns(time.CLOCK_REALTIME))
        return self._known

    def _leads(self, place: str, found: os.stat_result) -> bool:
        return stat.S_ISLNK(found.st_mode) or os.path.dirname(place) in self._elsewhere

    def _denied(self) -> Iterator[Place]:
        for shelf, real in self._shelves.items():

            def is_denied(name: str, shelf: str = shelf) -> bool:
                inner = f"{shelf}/{name}".lstrip("/")
                return find_denied_name(inner) is not None or inner in IN_HOME

            yield from _things_in(real, is_denied)

    def _search(self, now: int) -> None:
        states = {place: folder_state(place) for place in self._shelves.values()}
        known: set[Number] = set()
        level, left = [*self._denied()], MOST_SEARCHED
        for _ in range(DEPTH):
            folders: list[str] = []
            for place, found in level[: max(0, left)]:
                if stat.S_ISREG(found.st_mode):
                    known.add((found.st_dev, found.st_ino))
                elif stat.S_ISDIR(found.st_mode):
                    folders.append(place)
            left -= len(level)
            states |= {folder: folder_state(folder) for folder in folders}
            level = [thing for folder in folders for thing in islice(_things_in(folder), max(0, left))]
        self._known = frozenset(known)
        self._states = states if all(is_settled(state, now) for state in states.values()) else {}


def _things_in(folder: str, wanted: Callable[[str], bool] = lambda _: True) -> Iterator[Place]:
    """Yield what is in the folder at a path without links, if its name is wanted; nothing if it cannot be read.

    Then sayso can reach nothing in it either. A link that was put into the path meanwhile is not followed.
    """
    try:
        opened = from_the_top(folder)
    except OSError:
        return
    try:
        with os.scandir(opened) as entries:
            for entry in entries:
                if wanted(entry.name):
                    with suppress(OSError):
                        yield f"{folder}/{entry.name}", entry.stat(follow_symlinks=False)
    except OSError:
        return
    finally:
        os.close(opened)
