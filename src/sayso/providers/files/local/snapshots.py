"""Look at what other programs change: copies of files before a change, and the tree of a folder before and after it."""

import hashlib
import os
import stat
from collections.abc import Callable
from contextlib import ExitStack

from msgspec.structs import replace

from sayso.core.errors import SaysoError
from sayso.core.ports import Clock, TreeEntry, TreeSurvey, no_kill_point
from sayso.policy.paths import find_denied_name
from sayso.providers.disk.syscalls import thing_changed_error
from sayso.providers.files.local.creation import (
    NEW_FILE,
    building,
    copy,
    copy_attributes,
    copy_content,
    inspect_built,
)
from sayso.providers.files.local.measure import WalkEntry, WalkEvent, walk
from sayso.providers.files.local.sandbox import Spot, kind_of, open_file, open_folder
from sayso.providers.files.local.transaction import Workspace
from sayso.providers.files.local.undo_store import open_place
from sayso.providers.files.model import SameContent, Unchanged
from sayso.providers.files.paths import show_name

PASSED_BY = frozenset({"node_modules", "__pycache__", "venv", ".venv", ".tox", ".nox", ".mypy_cache", ".ruff_cache"})
"""Names of folders that programs fill by themselves; a survey does not look into them."""
MOST_ENTRIES = 20_000
MOST_BYTES = 2**20
"""Maximum size of one file that a survey copies."""
MOST_COPIED = 64 * 2**20
MOST_SECONDS = 2.0


def keep_copy(workspace: Workspace, path: str, token: str, *, durable: bool = True) -> Unchanged:
    """Copy the file at `path` into the undo store under `token`, and return the fact about the copy.

    Without `durable`, the copy may be lost or damaged when the computer stops; an undo then says so, since it expects
    this fact. Raises `Refused` or `ProviderError`, also if no file is there.
    """
    with ExitStack() as stack:
        source = workspace.spot(path, stack)
        seen = workspace.measure.see(source, stack)
        if seen is None or seen.fact.kind != "file":
            raise thing_changed_error(source.said, "no file is there")
        kept = workspace.kept.make(token, source, stack, no_kill_point, durable=durable)
        item = kept.item(source.said)
        with building(kept, source.said):
            if durable:
                copy(source, seen, item, no_kill_point)
            else:
                _copy_lightly(source, seen.found, item, stack)
            made = replace(inspect_built(workspace, kept, source, stack).fact, about=item.about)
            kept.put_note(workspace.note("file.keep", source, was=made), durable=durable)
        return made


def _copy_lightly(source: Spot, found: os.stat_result, item: Spot, stack: ExitStack) -> None:
    reading = open_file(source, found, stack)
    writing = os.open(item.name, NEW_FILE, 0o600, dir_fd=item.folder)
    stack.callback(os.close, writing)
    copy_content(reading, writing, source.said)
    copy_attributes(reading, writing, found)
    os.utime(writing, ns=(found.st_atime_ns, found.st_mtime_ns))


def kept_copy(workspace: Workspace, path: str, token: str) -> Unchanged | None:
    """Return the fact about what is kept of `path` under `token`; None if nothing is."""
    with ExitStack() as stack:
        for shelf in workspace.kept.shelves(stack):
            kept = open_place(token, shelf, stack)
            item = None if kept is None else kept.item(workspace.confine.show_path(path))
            seen = None if item is None else workspace.measure.see(item, stack)
            if item is not None and seen is not None:
                return replace(seen.fact, about=item.about)
    return None


def content_at(workspace: Workspace, path: str) -> SameContent | None:
    """Return the fact about the content of the file at `path`; None if no file is there, or it is too large to hash."""
    with ExitStack() as stack:
        seen = workspace.measure.see(workspace.spot(path, stack), stack)
        if seen is None or seen.fact.kind != "file" or not seen.fact.sha256:
            return None
        return SameContent(path, seen.fact.size, seen.fact.sha256)


def survey(workspace: Workspace, path: str, *, keep: bool, clock: Clock) -> TreeSurvey:
    """Return what is in the tree of the folder at `path`, by path; with `keep`, copy its small files first.

    Names that no action may touch are left out, and so is what `PASSED_BY` names. A file that was copied before and has
    not changed since is not copied again. Raises `Refused` or `ProviderError`.
    """
    until = clock.monotonic() + MOST_SECONDS
    found: dict[str, TreeEntry] = {}
    whole = True
    with ExitStack() as stack:
        spot = workspace.spot(path, stack)
        status = spot.stat()
        if status is None or not stat.S_ISDIR(status.st_mode):
            raise thing_changed_error(spot.said, "no folder is there")
        own = workspace.confine.owned.numbers()
        opened = open_folder(spot, status, stack)

        def enter(thing: WalkEntry) -> bool:
            same_disk = thing.found.st_dev == status.st_dev
            return _may_be_seen(thing, path) and same_disk and not own.has(thing.found)

        for thing in walk(opened, enter):
            if thing.event is WalkEvent.OUT or not _may_be_seen(thing, path) or own.has(thing.found):
                continue
            if len(found) >= MOST_ENTRIES or clock.monotonic() > until:
                whole = False
                break
            entry = _entry(thing.found)
            if entry is not None:
                found[f"{path.rstrip('/')}/{thing.path}"] = entry
    if keep:
        _keep_copies(workspace, found, lambda: clock.monotonic() > until)
    return TreeSurvey(found, whole)


def _may_be_seen(thing: WalkEntry, path: str) -> bool:
    if thing.name in PASSED_BY or show_name(thing.name) != thing.name:
        return False
    return find_denied_name(f"{path.rstrip('/')}/{thing.path}") is None


def _entry(found: os.stat_result) -> TreeEntry | None:
    try:
        kind = kind_of(found, "")
    except SaysoError:
        return None
    size, changed = (0, 0) if kind == "folder" else (found.st_size, found.st_mtime_ns)
    return TreeEntry(kind, found.st_dev, found.st_ino, size, changed)


def _keep_copies(workspace: Workspace, found: dict[str, TreeEntry], over: Callable[[], bool]) -> None:
    """Set in the entries the names of their copies, as far as the limits of size and time permit."""
    with ExitStack() as stack:
        there = {name for shelf in workspace.kept.shelves(stack) for name in os.listdir(shelf.folder)}
    room = MOST_COPIED
    for path, entry in found.items():
        if entry.kind != "file" or entry.size > MOST_BYTES:
            continue
        token = _version_of(entry)
        if token not in there:
            room -= entry.size
            if room < 0 or over():
                continue
            try:
                keep_copy(workspace, path, token, durable=False)
            except (SaysoError, OSError):
                continue  # it is told as not kept if the command changes it
        found[path] = replace(entry, kept=token)


def _version_of(entry: TreeEntry) -> str:
    number = f"{entry.device} {entry.inode} {entry.size} {entry.mtime_ns}"
    return f"seen-{hashlib.sha256(number.encode()).hexdigest()[:40]}"
