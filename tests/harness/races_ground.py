"""The files of the races: folders inside the roots, twins of them outside, and independent views of both.

Nothing here uses sayso: what stands where is asked of the system by name, while nobody swaps anything.
"""

import ctypes
import hashlib
import os
import shutil
import stat
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

FILES = {
    "d/f.txt": "mark of f....",
    "d/g.txt": "mark of g....",
    "d/t/one.txt": "mark of one..",
    "d/t/u/two.txt": "mark of two..",
    "d/t/u/v/three.txt": "mark of three",
    "e/own.txt": "mark of own..",
    "aside/other.txt": "mark of other",
    "aside/another d/f.txt": "mark of d2 f.",
    "aside/another d/t/one.txt": "mark of d2 t.",
    "aside/another e/own.txt": "mark of e2...",
}
"""All of one length, so that a size tells nothing."""
TWINS = (
    "d/f.txt", "d/g.txt", "d/t/one.txt", "d/t/u/two.txt", "d/t/u/v/three.txt",
    "e/own.txt", "u/two.txt", "root/a/d/f.txt",
)  # fmt: skip
"""Files out of reach, under the very names of those within."""
BYTES, NAME = "CANARY-bytes-5e1f", "CANARY-name-5e1f"
THEN = 1_600_000_000_000_000_000
_LIFTED = "u"
"""The folder that is carried to the airlock: it is not outside, wherever it is."""
_OPEN, _ACCESS, _CHANGES = 0x20, 0x1, 0x2 | 0x4 | 0x40 | 0x80 | 0x100 | 0x200


class Thing(NamedTuple):
    """One thing within reach: which one it is, the folder it lies in, and a file's content or a link's target."""

    inode: int
    folder: int
    holds: str


Inside = dict[str, Thing]


@dataclass
class Ground:
    """A home with one root, sayso's own folder, and places out of reach."""

    base: str
    start: Inside = field(default_factory=dict[str, Thing])
    now: Inside = field(default_factory=dict[str, Thing])
    """As it was looked at last."""

    def __post_init__(self) -> None:
        """Make it all."""
        self.home, self.own = f"{self.base}/home", f"{self.base}/sayso"
        self.arena = f"{self.home}/Documents/a"
        self.outside, self.airlock = f"{self.base}/outside", f"{self.base}/airlock"
        self.trash = f"{self.home}/.local/share/Trash"
        self.notes = f"{self.trash}/info/"
        self.aside = f"{self.base}/aside"
        for folder in (self.arena, self.outside, self.airlock, f"{self.own}/trash"):
            os.makedirs(folder, 0o700)
        for name in TWINS:
            _file(f"{self.outside}/{name}", BYTES)
        for folder in ("d", "d/t", "d/t/u", "u", "e", "root", "root/a/d", "share"):
            _file(f"{self.outside}/{folder}/{NAME}", BYTES)
        _file(f"{self.outside}/hard.txt", "not within...")
        _file(f"{self.airlock}/{NAME}", BYTES)
        os.makedirs(f"{self.home}/.local/share")
        os.mkdir(self.aside)
        for link, target in (("root", "root"), ("local", ""), ("share", "share")):
            os.symlink(f"{self.outside}/{target}", f"{self.aside}/{link}")
        self.lay()

    def lay(self) -> None:
        """Make everything within reach anew, and empty Trash and kept places."""
        shutil.rmtree(self.arena)
        for folder in (f"{self.trash}/files", f"{self.trash}/info", f"{self.own}/trash"):
            _empty(folder)
        with suppress(FileNotFoundError):
            shutil.rmtree(f"{self.airlock}/u")
        for name, content in FILES.items():
            _file(f"{self.arena}/{name}", content)
        os.mkfifo(f"{self.arena}/aside/pipe")
        os.link(f"{self.outside}/hard.txt", f"{self.arena}/aside/hard.txt")
        for link, target in (("d", "d"), ("e", "e"), ("u", "u"), ("f.txt", "d/f.txt")):
            os.symlink(f"{self.outside}/{target}", f"{self.arena}/aside/{link}")
        self.start = self.inside()

    def inside(self) -> Inside:
        """Look at everything within reach, in the Trash and in the kept places, by path."""
        found: Inside = {}
        for top in (self.arena, f"{self.airlock}/u", f"{self.trash}/files", f"{self.trash}/info", f"{self.own}/trash"):
            with suppress(FileNotFoundError):
                found |= {path: _thing(path, now, folder) for path, now, folder in _walked(top)}
        self.now = found
        return found

    def beyond(self) -> dict[str, tuple[object, ...]]:
        """Return all that no action may reach, with content and times; of the airlock, whose folder is in use, less."""
        found: dict[str, tuple[object, ...]] = {}
        for path, now, _ in _walked(self.outside):
            told = _hash(path) if stat.S_ISREG(now.st_mode) else ""
            found[path] = (now.st_ino, now.st_mode, now.st_uid, now.st_size, now.st_mtime_ns, told)
        above = os.lstat(self.outside)
        found[self.outside] = (above.st_ino, above.st_mode, above.st_mtime_ns)
        for folder in (self.base, self.home, f"{self.home}/Documents", self.airlock):
            found[f"in {folder}"] = tuple(sorted(set(os.listdir(folder)) - {".local", "u"}))
        return found


class Watch:
    """Hears of everything that is opened, read or changed out of reach, from the kernel itself (inotify)."""

    def __init__(self, ground: Ground) -> None:
        libc: Any = ctypes.CDLL(None, use_errno=True)
        self._ear: int = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._places: dict[int, str] = {}
        for folder in (
            ground.outside,
            *(path for path, now, _ in _walked(ground.outside) if stat.S_ISDIR(now.st_mode)),
        ):
            self._add(libc, folder, _OPEN | _ACCESS | _CHANGES)
        # sayso may come into the airlock with the folder it stands in, and must find out without looking around.
        self._add(libc, ground.airlock, _ACCESS)

    @property
    def works(self) -> bool:
        """Say whether the system lets us."""
        return self._ear >= 0 and min(self._places, default=-1) >= 0

    def heard(self) -> list[str]:
        """Return what happened since this was last asked."""
        events: list[str] = []
        with suppress(BlockingIOError):
            while said := os.read(self._ear, 65536):
                at = 0
                while at < len(said):
                    place, what, _, length = struct.unpack_from("iIII", said, at)
                    name = os.fsdecode(said[at + 16 : at + 16 + length].rstrip(b"\0"))
                    if name != _LIFTED:
                        events.append(f"{self._places.get(place, '?')}/{name} {what:#x}")
                    at += 16 + length
        return events

    def _add(self, libc: Any, folder: str, what: int) -> None:
        self._places[int(libc.inotify_add_watch(self._ear, os.fsencode(folder), what))] = folder


def _file(path: str, content: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)
    os.utime(path, ns=(THEN, THEN))


def _empty(folder: str) -> None:
    with suppress(FileNotFoundError):
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)


def _walked(top: str) -> Iterator[tuple[str, os.stat_result, int]]:
    above = os.lstat(top).st_ino
    for entry in list(os.scandir(top)):
        found = entry.stat(follow_symlinks=False)
        yield entry.path, found, above
        if stat.S_ISDIR(found.st_mode):
            yield from _walked(entry.path)


def _thing(path: str, found: os.stat_result, folder: int) -> Thing:
    if stat.S_ISREG(found.st_mode):
        with open(path, encoding="utf-8", errors="replace") as file:
            return Thing(found.st_ino, folder, file.read())
    return Thing(found.st_ino, folder, os.readlink(path) if stat.S_ISLNK(found.st_mode) else "")


def _hash(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()
