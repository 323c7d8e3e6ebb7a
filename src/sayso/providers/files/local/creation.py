"""The steps that create something: they build it under a name of sayso's own and then rename it into place."""

import errno
import hashlib
import os
import stat
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused, SaysoError, Uncertain
from sayso.core.plan import Applied, Facts
from sayso.core.ports import KillPoint
from sayso.core.quotes import quoted
from sayso.policy.paths import find_denied_name
from sayso.providers.disk.syscalls import FOLDER, path_changed_error, sync, sync_file_system, thing_changed_error
from sayso.providers.files import errors
from sayso.providers.files.local.measure import FileSnapshot, WalkEntry, WalkEvent, access_of, walk
from sayso.providers.files.local.sandbox import Spot, kind_of, open_file, open_folder, same
from sayso.providers.files.local.transaction import Workspace, carry
from sayso.providers.files.local.undo_store import ITEM, Stash
from sayso.providers.files.model import Copy, MakeFolders, Making, SameFolder, Unchanged, Write, facts_at

_PIECE = 2**20
NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FEW = 200
"""Trees with more entries are written to the disk by one sync of the whole file system."""
_NOT_HERE = {errno.ENOTSUP, errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENODATA, errno.ERANGE, errno.E2BIG}
_MODE_WITHOUT_POWERS = 0o1777


def make(workspace: Workspace, step: Making, expects: Facts) -> Applied:
    """Do a step that creates something."""
    match step:
        case Copy():
            return copy_making(workspace, step, expects)
        case Write():
            return write(workspace, step, expects)
        case MakeFolders():
            return make_folders(workspace, step, expects)
        case _:
            assert_never(step)


def copy(source: Spot, seen: FileSnapshot, target: Spot, kill: KillPoint) -> None:
    """Copy what was seen at `source` to the free `target` durably. Raises `ProviderError`, `Refused` or `OSError`."""
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
    """Copy the content of an open file, keeping holes, and verify it by reading it back. Raises `ProviderError`."""
    size = os.fstat(source).st_size
    os.ftruncate(target, size)
    for start, end in _data_ranges(source, size):
        taken = _copy_range(source, target, start, end)
        if taken != _hash_range(target, start, end):
            raise ProviderError(
                f"{quoted(said)} could not be copied: the disk did not keep what was written", "disk.failed"
            )


def copy_attributes(source: int, target: int, found: os.stat_result) -> None:
    """Copy owner, extended attributes and mode to another open file or folder, as far as the system permits.

    Setuid and setgid are only copied together with the owner.
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
        writing = os.open(target.name, NEW_FILE, 0o600, dir_fd=target.folder)
        stack.callback(os.close, writing)
        copy_content(reading, writing, source.said)
        _finish(reading, writing, found, source.said)


def _finish(source: int, target: int, found: os.stat_result, said: str) -> None:
    copy_attributes(source, target, found)
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
    sync(target)
    now = os.fstat(source)
    if (now.st_size, now.st_mtime_ns) != (found.st_size, found.st_mtime_ns):
        raise thing_changed_error(said, "another program is writing to it")


def _copy_tree(source: int, seen: FileSnapshot, target: Spot, kill: KillPoint, said: str) -> None:
    os.mkdir(target.name, 0o700, dir_fd=target.folder)
    here = os.open(target.name, FOLDER, dir_fd=target.folder)
    inside: list[os.stat_result] = [os.fstat(here)]
    try:
        for thing in walk(source, lambda thing: thing.found.st_dev == seen.found.st_dev):
            if thing.event is WalkEvent.THING:
                _copy_met(thing, here, said)
            elif thing.event is WalkEvent.INTO:
                os.mkdir(thing.name, 0o700, dir_fd=here)
                here = _move(here, thing.name, None)
                inside.append(os.fstat(here))
            else:
                _finish_folder(os.open(thing.name, FOLDER, dir_fd=thing.folder), here, thing.found)
                inside.pop()
                here = _move(here, "..", inside[-1])
            kill("entry")
        _finish_folder(os.dup(source), here, seen.found)
    finally:
        os.close(here)


def _copy_met(thing: WalkEntry, here: int, said: str) -> None:
    if stat.S_ISDIR(thing.found.st_mode):
        raise Refused(f"{quoted(said)} holds {quoted(thing.path)}, where another disk is mounted", "path.special")
    inside = f"{said}/{thing.path}"
    source = Spot(thing.folder, thing.name, inside, inside, inside)
    try:
        _copy_thing(source, thing.found, Spot(here, thing.name, "", "", inside))
    except FileNotFoundError as gone:
        raise thing_changed_error(inside, "it is gone") from gone


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
        raise path_changed_error(name)
    os.close(here)
    return there


def _data_ranges(source: int, size: int) -> Iterator[tuple[int, int]]:
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


_SETGID = 0o2000


class _Job(Struct, frozen=True):
    """Something that a step builds in a stash and then renames to `target`."""

    workspace: Workspace
    step: Write | Copy | MakeFolders
    kept: Stash
    target: Spot
    kill: KillPoint
    stack: ExitStack


def write(workspace: Workspace, step: Write, expects: Facts) -> Applied:
    """Make a new file with the step's text at a free path."""
    kill = workspace.kill_point("write")
    with ExitStack() as stack:
        target = workspace.spot(step.path, stack)
        workspace.check_expected(expects, stack, target)
        kill("begun")
        kept = workspace.kept.make(step.kept, target, stack, kill)
        job = _Job(workspace, step, kept, target, kill, stack)
        with building(kept, target.said):
            descriptor = os.open(ITEM, NEW_FILE, 0o600, dir_fd=kept.folder)
            stack.callback(os.close, descriptor)
            kill("created")
            write_all(descriptor, step.content.encode())
            kill("filled")
            _as_new_in(target, descriptor, workspace.modes.file)
            sync(descriptor)
            kill("built")
            seen = inspect_built(workspace, kept, target, stack)
        return _put_into_place(job, seen)


def copy_making(workspace: Workspace, step: Copy, expects: Facts) -> Applied:
    """Copy a file, link or whole tree to a free path."""
    kill = workspace.kill_point("copy")
    with ExitStack() as stack:
        source = workspace.spot(step.source, stack)
        target = workspace.spot(step.destination, stack)
        if target.path.startswith(source.path + "/"):
            raise errors.inside_itself(source.said, target.said)
        seen = workspace.check_expected(expects, stack, source, target).seen(source)
        kill("begun")
        kept = workspace.kept.make(step.kept, target, stack, kill)
        job = _Job(workspace, step, kept, target, kill, stack)
        with building(kept, target.said):
            copy(source, seen, kept.item(target.said), kill)
            kill("built")
            built = inspect_built(workspace, kept, target, stack)
            _must_be_alike(seen, built, target)
            _must_be_as_before(workspace, seen, source, stack)
        return _put_into_place(job, built)


def make_folders(workspace: Workspace, step: MakeFolders, expects: Facts) -> Applied:
    """Make a folder at the free path `path`, and the nested folders inside it; either all are made or none."""
    kill = workspace.kill_point("make_folders")
    with ExitStack() as stack:
        target = workspace.spot(step.path, stack)
        _must_be_names(step, target)
        workspace.check_expected(expects, stack, target)
        kill("begun")
        kept = workspace.kept.make(step.kept, target, stack, kill)
        job = _Job(workspace, step, kept, target, kill, stack)
        with building(kept, target.said):
            folders = _chain(job, step.below)
            kill("built")
            seen = inspect_built(workspace, kept, target, stack)
        left = _put_into_place(job, seen, folders)
        return Applied((*left.facts, *folders))


@contextmanager
def building(kept: Stash, said: str) -> Generator[None]:
    """Clear the stash if the `with` block raises an error, and raise the error again.

    The block must do nothing but build in the stash, because everything in the stash is removed after an error.
    """
    try:
        yield
    except FileExistsError as taken:
        kept.clear()
        raise thing_changed_error(said, "something is there now") from taken
    except (SaysoError, OSError):
        kept.clear()
        raise


def clear_built(kept: Stash, built: FileSnapshot) -> None:
    """Clear the stash if what was built is still in it."""
    if same(kept.item("").stat(), built.found):
        kept.clear()


def write_all(descriptor: int, content: bytes) -> None:
    """Write all of the content, in several calls if the disk takes less at once."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def inspect_built(workspace: Workspace, kept: Stash, target: Spot, stack: ExitStack) -> FileSnapshot:
    """Return what was built in the stash. Raises `ProviderError` when it is gone."""
    seen = workspace.measure.see(kept.item(target.said), stack)
    if seen is None:
        raise ProviderError(f"what was made for {quoted(target.said)} is gone again", "world.changed")
    return seen


def _put_into_place(job: _Job, seen: FileSnapshot, folders: tuple[SameFolder, ...] = ()) -> Applied:
    target = job.target
    made = replace(seen.whole, about=target.about)
    try:
        job.kept.put_note(job.workspace.note(job.step.step, target, made=made, folders=folders))
        job.kill("noted")
        carry(seen, job.kept.item(target.said), target, job.kill)
    except Uncertain:
        raise
    except FileExistsError as taken:
        clear_built(job.kept, seen)
        raise thing_changed_error(target.said, "something is there now") from taken
    except (SaysoError, OSError):
        clear_built(job.kept, seen)
        raise
    return Applied(facts_at(made, target.about))


def _as_new_in(target: Spot, descriptor: int, mode: int) -> None:
    """Set the mode of a new file or folder, and its group if the folder above has the setgid bit."""
    above = os.fstat(target.folder)
    if above.st_mode & _SETGID:
        try:
            os.fchown(descriptor, -1, above.st_gid)
        except PermissionError:
            pass
        else:
            mode |= _SETGID if mode & 0o111 else 0
    os.fchmod(descriptor, mode)


def _chain(job: _Job, below: tuple[str, ...]) -> tuple[SameFolder, ...]:
    """Make nested folders, and return the facts about those below the first."""
    here, path = job.kept.folder, job.target.path
    folders: list[SameFolder] = []
    for name in (ITEM, *below):
        os.mkdir(name, 0o700, dir_fd=here)
        made = os.open(name, FOLDER, dir_fd=here)
        job.stack.callback(os.close, made)
        job.kill("created")
        _as_new_in(job.target, made, job.workspace.modes.folder)
        sync(here)
        if here != job.kept.folder:
            path = f"{path}/{name}"
            found = os.fstat(made)
            folders.append(SameFolder(path, found.st_dev, found.st_ino, access_of(found)))
        here = made
    sync(here)
    return tuple(folders)


def _must_be_names(step: MakeFolders, target: Spot) -> None:
    path = target.path
    for name in step.below:
        if name in {"", ".", ".."} or "/" in name or "\0" in name:
            raise Refused(f"{quoted(name)} is no name for a folder", "path.form")
        path = f"{path}/{name}"
        denied = find_denied_name(path)
        if denied is not None:
            raise errors.name_denied_error(path, denied)


def _must_be_alike(source: FileSnapshot, built: FileSnapshot, target: Spot) -> None:
    one, other = source.fact, built.fact
    if (one.kind, one.size, one.entries, one.sha256) != (other.kind, other.size, other.entries, other.sha256):
        raise ProviderError(f"{quoted(target.said)} did not become a true copy; nothing was left there", "disk.failed")


def _must_be_as_before(workspace: Workspace, before: FileSnapshot, source: Spot, stack: ExitStack) -> None:
    now = workspace.measure.see(source, stack)
    same_tree = now is not None and (before.tree is None or before.tree == now.tree)
    fact: Unchanged | None = now.fact if now is not None else None
    if fact != before.fact or not same_tree:
        raise thing_changed_error(source.said, "it changed while it was being copied")
