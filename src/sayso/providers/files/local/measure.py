"""Measure a file, folder or link: its fact, its hash, and its tree, which is walked by descriptor."""

import errno
import fcntl
import hashlib
import os
import signal
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.quotes import quoted
from sayso.policy.paths import find_denied_name
from sayso.providers.disk.syscalls import FOLDER, path_changed_error, thing_changed_error
from sayso.providers.files import errors
from sayso.providers.files.local.sandbox import (
    Confinement,
    OtherNames,
    OwnedNumbers,
    Spot,
    hold,
    kind_of,
    mounts_within,
    number_of,
    open_file,
    open_folder,
)
from sayso.providers.files.model import Unchanged, access_differs, access_in_text
from sayso.providers.files.paths import show_name


@contextmanager
def without_writers(descriptor: int, said: str) -> Generator[None]:
    """Keep other programs from opening a file for writing while the `with` block runs; `descriptor` is read-only.

    Raises `ProviderError` when a program already has the file open for writing: what it writes later would be missing
    in the new file. The block runs without protection where the system has no leases, or refuses one, as it does for a
    file of another user.
    """
    held = _is_mount(descriptor, said)
    try:
        yield
    finally:
        if held:
            with suppress(OSError):
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def _is_mount(descriptor: int, said: str) -> bool:
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        # The kernel makes writers wait and sends a signal about each. The signal is set to one that has no effect.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as wrong:
        if wrong.errno == errno.EAGAIN:
            raise ProviderError(
                f"{quoted(said)} is open for writing by another program; close it there first", "world.open"
            ) from wrong
        return False
    return True


class WalkEvent(Enum):
    """Why the walk yields an entry."""

    THING = "something that is no folder, or a folder that is not entered"
    INTO = "a folder, before it is entered"
    OUT = "the same folder, after everything in it"


@dataclass(frozen=True, slots=True)
class WalkEntry:
    """One entry that the walk has reached: `name` in the open folder `folder`.

    `above` are the names from the start of the walk to that folder.
    """

    event: WalkEvent
    folder: int
    name: str
    found: os.stat_result
    above: list[str]
    """The walk changes this list when it goes on."""

    @property
    def path(self) -> str:
        """Return the path relative to where the walk began."""
        return "/".join([*self.above, self.name])


Enter = Callable[[WalkEntry], bool]
"""Returns whether the walk enters a folder; may raise an error."""


@dataclass(slots=True)
class _Level:
    found: os.stat_result
    ahead: list[tuple[str, os.stat_result]]
    """The folders that are not entered yet; the next one is last."""


def walk(folder: int, enter: Enter) -> Iterator[WalkEntry]:
    """Yield everything in the tree of an open folder, by name; in each folder, the folders to enter come last.

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
                yield WalkEntry(WalkEvent.INTO, here, name, found, above)
                here = _swap(here, name, found)
                above.append(name)
                levels.append(_Level(found, []))
                yield from _things(here, levels[-1], above, enter)
                continue
            left = levels.pop()
            if levels:
                here = _swap(here, "..", levels[-1].found)
                yield WalkEntry(WalkEvent.OUT, here, above.pop(), left.found, above)
    finally:
        os.close(here)


def _things(here: int, level: _Level, above: list[str], enter: Enter) -> Iterator[WalkEntry]:
    for name in sorted(os.listdir(here)):
        try:
            found = os.stat(name, dir_fd=here, follow_symlinks=False)
        except FileNotFoundError:
            continue
        thing = WalkEntry(WalkEvent.THING, here, name, found, above)
        if stat.S_ISDIR(found.st_mode) and enter(thing):
            level.ahead.append((name, found))
        else:
            yield thing
    level.ahead.reverse()


def _swap(here: int, name: str, expected: os.stat_result) -> int:
    # `here` is closed only once the other folder is open. If that fails, the caller closes `here`.
    there = os.open(name, FOLDER, dir_fd=here)
    now = os.fstat(there)
    if (now.st_dev, now.st_ino) != (expected.st_dev, expected.st_ino):
        os.close(there)
        raise path_changed_error(name)
    os.close(here)
    return there


HASHED = 64 * 2**20
"""Files with more bytes are not hashed; they are compared by size and time only."""
MOST_DENIED = 10
_LONGEST_ENTRY = 4  # names in the longest entry of the deny list
_PIECE = 2**20


class TreeMeasure(Struct, frozen=True):
    """The measures of a folder's tree.

    `stamp` changes when a file was written to, or a name was added or removed. It does not depend on the times of
    folders, so adding something and removing it again does not change it.
    """

    entries: int
    size: int
    others: int
    """Number of entries that are not folders."""
    denied: tuple[str, ...]
    stamp: str


class FileSnapshot(Struct, frozen=True):
    """A file, folder or link as it was found: its fact, its status, and the measures of its tree if it is a folder."""

    fact: Unchanged
    found: os.stat_result
    target: str = ""
    tree: TreeMeasure | None = None
    held: int = -1
    """A descriptor of the thing, which stays valid when the thing is moved."""

    @property
    def whole(self) -> Unchanged:
        """Return the fact; for a folder it also describes everything inside."""
        return self.fact if self.tree is None else replace(self.fact, tree=self.tree.stamp)


class Measure:
    """Measures things within one confinement. Refuses trees that hold sayso's own folder or another disk."""

    def __init__(self, confine: Confinement) -> None:
        self._confine = confine

    def see(self, spot: Spot, stack: ExitStack) -> FileSnapshot | None:
        """Return what is at `spot`, held open until `stack` closes, or None."""
        holding = hold(spot, stack)
        if holding is None:
            return None
        found, held = holding
        kind = kind_of(found, spot.said)
        self._confine.owned.numbers().refuse(found, spot.said)
        access = access_of(found)
        fact = Unchanged(spot.about, kind, found.st_dev, found.st_ino, mtime_ns=found.st_mtime_ns, access=access)
        if kind == "folder":
            tree = self.tree(spot, open_folder(spot, found, stack))
            return FileSnapshot(
                _with(fact, size=tree.size, entries=tree.entries, mtime_ns=0), found, tree=tree, held=held
            )
        if kind == "link":
            target = os.readlink(spot.name, dir_fd=spot.folder)
            sha256 = hashlib.sha256(os.fsencode(target)).hexdigest()
            return FileSnapshot(_with(fact, size=found.st_size, sha256=sha256), found, target=target, held=held)
        return FileSnapshot(_with(fact, size=found.st_size, sha256=_hash(spot, found, stack)), found, held=held)

    def tree(self, spot: Spot, folder: int) -> TreeMeasure:
        """Return the measures of the tree of an open folder. Raises `Refused` or `ProviderError`."""
        within = [place for place in mounts_within(spot.path) if place != spot.path]
        if within:
            raise mount_inside_error(spot.said, self._confine.show_path(within[0]))
        entries = size = others = 0
        denied: list[str] = []
        stamp = hashlib.sha256()
        own, names = self._confine.owned.numbers(), self._confine.other_names(spot.path)
        for thing in walk(folder, lambda thing: self._may_enter(thing, spot, folder, own)):
            if thing.event is WalkEvent.OUT:
                continue
            found = thing.found
            own.refuse(found, spot.said)
            entries += 1
            others += not stat.S_ISDIR(found.st_mode)
            size += found.st_size if stat.S_ISREG(found.st_mode) else 0
            stamp.update(os.fsencode(f"{len(thing.above)}/{thing.name}\0{_write_change_time(found)}\0"))
            _note_denied(thing, spot, names, denied)
        return TreeMeasure(entries, size, others, tuple(denied), stamp.hexdigest())

    def _may_enter(self, thing: WalkEntry, spot: Spot, folder: int, own: OwnedNumbers) -> bool:
        if number_of(thing.found) in own or thing.name.startswith(".sayso-"):
            raise errors.own(spot.said)
        if thing.found.st_dev != os.fstat(folder).st_dev:
            raise mount_inside_error(spot.said, self._confine.show_path(f"{spot.path}/{thing.path}"))
        return True


def _note_denied(thing: WalkEntry, spot: Spot, names: OtherNames | None, denied: list[str]) -> None:
    if len(denied) >= MOST_DENIED:
        return
    # The names above were checked before, so only a protected name that ends in this one can be new.
    last = [part for part in spot.path.split("/")[-_LONGEST_ENTRY:] if part] + thing.above[-_LONGEST_ENTRY:]
    path = thing.path
    if find_denied_name("/".join([*last[-_LONGEST_ENTRY + 1 :], thing.name])) is None and (
        names is None or names.denied(path) is None
    ):
        return
    if not any(path.startswith(known + "/") for known in denied):
        denied.append(show_name(path))


def mount_inside_error(said: str, place: str) -> ProviderError:
    """Return the error for a tree with another disk mounted in it."""
    return ProviderError(
        f"{quoted(said)} holds {quoted(place)}, where another disk is mounted; unmount it first", "path.mount_inside"
    )


def difference(expected: Unchanged, now: Unchanged | None) -> str:
    """Return how the present thing differs from the expected one; an empty string when it does not."""
    if now is None:
        return "it is gone"
    if (expected.kind, expected.device, expected.inode) != (now.kind, now.device, now.inode):
        return f"another {now.kind} is there now"
    if (expected.entries, expected.size) != (now.entries, now.size):
        bytes_now = _count(now.size, "byte")
        things = _count(now.entries, "thing")
        return f"it now holds {things}, {bytes_now}" if now.kind == "folder" else f"it is now {bytes_now}"
    if expected.sha256 and now.sha256 and expected.sha256 != now.sha256:
        return "its content is different"
    if expected.tree and now.tree and expected.tree != now.tree:
        return "something in it was replaced or written to"
    if expected.kind != "folder" and expected.mtime_ns != now.mtime_ns:
        return "it was written to"
    return access_differs(expected.access, now.access)


def access_of(found: os.stat_result) -> str:
    """Return the permissions and the owner in a status, as facts hold them."""
    return access_in_text(found.st_mode, found.st_uid, found.st_gid)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def hash_of(descriptor: int, size: int) -> str:
    """Return the SHA-256 of the first `size` bytes of an open file; empty when `size` is over the limit."""
    if size > HASHED:
        return ""
    sha256 = hashlib.sha256()
    at = 0
    while at < size:
        piece = os.pread(descriptor, min(_PIECE, size - at), at)
        if not piece:
            break
        sha256.update(piece)
        at += len(piece)
    return sha256.hexdigest()


def _hash(spot: Spot, found: os.stat_result, stack: ExitStack) -> str:
    if found.st_size > HASHED:
        return ""
    try:
        opened = open_file(spot, found, stack)
    except PermissionError:
        return ""
    sha256 = hash_of(opened, found.st_size)
    after = os.fstat(opened)
    if (after.st_size, after.st_mtime_ns) != (found.st_size, found.st_mtime_ns):
        raise thing_changed_error(spot.said, "another program is writing to it")
    return sha256


def _with(fact: Unchanged, *, size: int, sha256: str = "", entries: int = 0, mtime_ns: int | None = None) -> Unchanged:
    when = fact.mtime_ns if mtime_ns is None else mtime_ns
    return Unchanged(fact.about, fact.kind, fact.device, fact.inode, size, when, sha256, entries, "", fact.access)


def _write_change_time(found: os.stat_result) -> str:
    if stat.S_ISDIR(found.st_mode):
        return str(found.st_ino)
    return f"{found.st_ino},{found.st_size},{found.st_mtime_ns}"
