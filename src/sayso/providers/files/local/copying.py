"""Copy a file, link or whole tree into a place of sayso's own, and make sure that it is the same."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack

from sayso.core.errors import ProviderError, Refused
from sayso.core.ports import KillPoint
from sayso.providers.disk.syscalls import FOLDER, sync, sync_file_system
from sayso.providers.disk.wrong import changed, changed_on_the_way
from sayso.providers.files.local.measure import Seen
from sayso.providers.files.local.spot import Spot, kind_of, open_file, open_folder
from sayso.providers.files.local.walk import Met, Way, walk

_PIECE = 2**20
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FEW = 200
"""Trees of more entries are brought to the disk by one sync of the whole file system."""
_NOT_HERE = {errno.ENOTSUP, errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENODATA, errno.ERANGE, errno.E2BIG}
_MODE_WITHOUT_POWERS = 0o1777


def copy(source: Spot, seen: Seen, target: Spot, kill: KillPoint) -> None:
    """Copy what was seen at `source` to the free `target`, durably. Raises `ProviderError`, `Refused`, `OSError`."""
    with ExitStack() as stack:
        if seen.tree is None:
            _copy_thing(source, seen.found, target)
        else:
            _copy_tree(open_folder(source, seen.found, stack), seen, target, kill, source.said)
        kill("filled")
        if seen.tree is not None and seen.tree.entries > _FEW:
            sync_file_system(target.folder)
        sync(target.folder)


def copy_content(source: int, target: int, said: str) -> None:
    """Copy the content of an open file, holes as holes, and read it back. Raises `ProviderError`."""
    size = os.fstat(source).st_size
    os.ftruncate(target, size)
    for start, end in _written_ranges(source, size):
        taken = _copy_range(source, target, start, end)
        if taken != _hash_range(target, start, end):
            raise ProviderError(f"“{said}” could not be copied: the disk did not keep what was written", "disk.failed")


def copy_attributes(source: int, target: int, found: os.stat_result) -> None:
    """Give an open file or folder the owner, extended attributes and mode of another, as far as the system permits.

    Powers that come with running it (setuid, setgid) are given on only with their owner.
    """
    mode = stat.S_IMODE(found.st_mode)
    try:
        os.fchown(target, found.st_uid, found.st_gid)
    except OSError:
        mode &= _MODE_WITHOUT_POWERS
    for name in _attributes(source):
        try:
            os.setxattr(target, name, os.getxattr(source, name))
        except OSError as wrong:
            if wrong.errno not in _NOT_HERE:
                raise
    os.fchmod(target, mode)


def _attributes(source: int) -> list[str]:
    if not hasattr(os, "listxattr"):
        return []
    try:
        return os.listxattr(source)
    except OSError as wrong:
        if wrong.errno in _NOT_HERE:
            return []
        raise


def _copy_thing(source: Spot, found: os.stat_result, target: Spot) -> None:
    if kind_of(found, source.said) == "link":
        os.symlink(os.readlink(source.name, dir_fd=source.folder), target.name, dir_fd=target.folder)
        times = (found.st_atime_ns, found.st_mtime_ns)
        os.utime(target.name, ns=times, dir_fd=target.folder, follow_symlinks=False)
        return
    with ExitStack() as stack:
        reading = open_file(source, found, stack)
        writing = os.open(target.name, _NEW, 0o600, dir_fd=target.folder)
        stack.callback(os.close, writing)
        copy_content(reading, writing, source.said)
        _finish(reading, writing, found, source.said)


def _finish(source: int, target: int, found: os.stat_result, said: str) -> None:
    copy_attributes(source, target, found)
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
    sync(target)
    now = os.fstat(source)
    if (now.st_size, now.st_mtime_ns) != (found.st_size, found.st_mtime_ns):
        raise changed(said, "another program is writing to it")


def _copy_tree(source: int, seen: Seen, target: Spot, kill: KillPoint, said: str) -> None:
    os.mkdir(target.name, 0o700, dir_fd=target.folder)
    here = os.open(target.name, FOLDER, dir_fd=target.folder)
    inside: list[os.stat_result] = [os.fstat(here)]
    try:
        for met in walk(source, lambda met: met.found.st_dev == seen.found.st_dev):
            if met.way is Way.THING:
                _copy_met(met, here, said)
            elif met.way is Way.INTO:
                os.mkdir(met.name, 0o700, dir_fd=here)
                here = _move(here, met.name, None)
                inside.append(os.fstat(here))
            else:
                _finish_folder(os.open(met.name, FOLDER, dir_fd=met.folder), here, met.found)
                inside.pop()
                here = _move(here, "..", inside[-1])
            kill("entry")
        _finish_folder(os.dup(source), here, seen.found)
    finally:
        os.close(here)


def _copy_met(met: Met, here: int, said: str) -> None:
    if stat.S_ISDIR(met.found.st_mode):
        raise Refused(f"“{said}” holds “{met.path}”, where another disk is mounted", "path.special")
    inside = f"{said}/{met.path}"
    source = Spot(met.folder, met.name, inside, inside, inside)
    try:
        _copy_thing(source, met.found, Spot(here, met.name, "", "", inside))
    except FileNotFoundError as gone:
        raise changed(inside, "it is gone") from gone


def _finish_folder(source: int, target: int, found: os.stat_result) -> None:
    try:
        copy_attributes(source, target, found)
    finally:
        os.close(source)
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
    sync(target)


def _move(here: int, name: str, expected: os.stat_result | None) -> int:
    there = os.open(name, FOLDER if name != ".." else FOLDER & ~os.O_NOFOLLOW, dir_fd=here)
    now = os.fstat(there)
    if expected is not None and (now.st_dev, now.st_ino) != (expected.st_dev, expected.st_ino):
        os.close(there)
        raise changed_on_the_way(name)
    os.close(here)
    return there


def _written_ranges(source: int, size: int) -> Iterator[tuple[int, int]]:
    at = 0
    while at < size:
        try:
            start = os.lseek(source, at, os.SEEK_DATA)
            end = os.lseek(source, start, os.SEEK_HOLE)
        except OSError as wrong:
            if wrong.errno == errno.ENXIO:
                return
            start, end = at, size
        at = min(end, size)
        yield start, at


def _copy_range(source: int, target: int, start: int, end: int) -> bytes:
    sha256 = hashlib.sha256()
    at = start
    while at < end and (piece := os.pread(source, min(_PIECE, end - at), at)):
        sha256.update(piece)
        done = 0
        while done < len(piece):
            done += os.pwrite(target, piece[done:], at + done)
        at += len(piece)
    return sha256.digest()


def _hash_range(target: int, start: int, end: int) -> bytes:
    sha256 = hashlib.sha256()
    at = start
    while at < end and (piece := os.pread(target, min(_PIECE, end - at), at)):
        sha256.update(piece)
        at += len(piece)
    return sha256.digest()
