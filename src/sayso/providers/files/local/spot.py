"""A name in an open folder: what stands there is looked at and acted on through the folder's descriptor only."""

import os
import stat
from contextlib import ExitStack

from sayso.core.errors import Refused
from sayso.core.values import dataclass
from sayso.providers.disk.syscalls import FOLDER
from sayso.providers.disk.wrong import changed_on_the_way

_HOLD = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY
_QUIET = getattr(os, "O_NOATIME", 0)


@dataclass(frozen=True, slots=True)
class Spot:
    """One name in an open folder.

    `path` is where that is, `about` what facts call it (the same but for kept things), `said` what a
    person calls it. `name` is `.` for a root, whose own folder must not be looked into.
    """

    folder: int
    name: str
    path: str
    about: str
    said: str
    unguessed: bool = False
    """Its name was made by sayso with a token: no other program puts another thing there."""

    @property
    def is_ours(self) -> bool:
        """Say whether it lies in sayso's own place, which nobody else reaches into."""
        return self.about.startswith("kept:")

    def stat(self) -> os.stat_result | None:
        """Return what stands there, a link as a link; None when nothing does."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None


def kind_of(found: os.stat_result, said: str) -> str:
    """Return `file`, `folder` or `link`; refuses whatever else a disk can hold."""
    if stat.S_ISREG(found.st_mode):
        return "file"
    if stat.S_ISDIR(found.st_mode):
        return "folder"
    if stat.S_ISLNK(found.st_mode):
        return "link"
    raise Refused(f"“{said}” is no file, folder or link but a device, pipe or socket", "path.special")


def same(one: os.stat_result | None, other: os.stat_result | None) -> bool:
    """Say whether both are there and are the same thing."""
    return one is not None and other is not None and (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def hold(spot: Spot, stack: ExitStack) -> tuple[os.stat_result, int] | None:
    """Return what stands there, with a hold of it, so that nothing else can get its inode number meanwhile."""
    found = spot.stat()
    if found is None:
        return None
    kind_of(found, spot.said)
    try:
        held = os.open(spot.name, _HOLD, dir_fd=spot.folder)
    except FileNotFoundError:
        return None
    stack.callback(os.close, held)
    return os.fstat(held), held


def open_file(spot: Spot, expected: os.stat_result, stack: ExitStack) -> int:
    """Open the very file that was found there, for reading, without waiting and without touching its times."""
    try:
        opened = os.open(spot.name, _READ | _QUIET, dir_fd=spot.folder)
    except PermissionError:
        opened = os.open(spot.name, _READ, dir_fd=spot.folder)
    stack.callback(os.close, opened)
    if not same(os.fstat(opened), expected):
        raise changed_on_the_way(spot.said)
    return opened


def open_folder(spot: Spot, expected: os.stat_result, stack: ExitStack) -> int:
    """Open the very folder that was found there."""
    opened = os.open(spot.name, FOLDER, dir_fd=spot.folder)
    stack.callback(os.close, opened)
    if not same(os.fstat(opened), expected):
        raise changed_on_the_way(spot.said)
    return opened
