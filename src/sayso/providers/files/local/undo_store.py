"""The undo store: previous content kept in a private folder on the same file system, and pruned by age and size."""

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.ports import Clock, KillPoint
from sayso.core.quotes import quoted
from sayso.providers.disk.syscalls import FOLDER, from_the_top, sync, thing_changed_error
from sayso.providers.files.local.measure import WalkEntry, WalkEvent, walk
from sayso.providers.files.local.sandbox import Confinement, Spot, mount_of, top_of
from sayso.providers.files.model import SameFolder, Unchanged


def remove(folder: int, name: str) -> None:
    """Remove `name` in a folder of sayso's own, with everything in it, if it exists."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode):
        os.unlink(name, dir_fd=folder)
        return
    _open_up(folder, name)
    tree = os.open(name, FOLDER, dir_fd=folder)
    try:
        for thing in walk(tree, _may_enter):
            if thing.event is WalkEvent.THING:
                os.unlink(thing.name, dir_fd=thing.folder)
            elif thing.event is WalkEvent.OUT:
                os.rmdir(thing.name, dir_fd=thing.folder)
    finally:
        os.close(tree)
    os.rmdir(name, dir_fd=folder)


def _may_enter(thing: WalkEntry) -> bool:
    _open_up(thing.folder, thing.name)
    return True


def _open_up(folder: int, name: str) -> None:
    # A kept folder may be write-protected even for its owner. `name` is known to be a folder, and no other program can
    # reach into the stash.
    with suppress(OSError):
        os.chmod(name, 0o700, dir_fd=folder)


ITEM, NOTE, NEW_NOTE, GONE = "item", "note", "note.new", "gone"
_PRIVATE = 0o700
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,100}")


class StashNote(Struct, frozen=True):
    """What is in a stash, which step put it there, and for which path.

    `made` is what the step built, `was` what was at the path before. `pruned` is set when the content was removed.
    `owner` distinguishes several homes of sayso on one disk. `grown` is set when a program wrote to the file after it
    was kept; such a file is never removed.
    """

    step: str
    path: str
    time: str
    made: Unchanged | None = None
    was: Unchanged | None = None
    folders: tuple[SameFolder, ...] = ()
    pruned: bool = False
    owner: str = ""
    grown: bool = False


class Stash(Struct, frozen=True):
    """An open private folder in which one thing is kept or built, with a note about it."""

    token: str
    shelf: int
    """Descriptor of the folder that holds the stashes."""
    folder: int
    path: str

    def item(self, said: str) -> Spot:
        """Return the `Spot` of the thing that is kept or built; errors show it as `said`."""
        return Spot(self.folder, ITEM, f"{self.path}/{ITEM}", f"kept:{self.token}", said)

    def note(self) -> StashNote | None:
        """Return the note; None when it is missing or damaged."""
        try:
            descriptor = os.open(NOTE, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self.folder)
        except FileNotFoundError:
            return None
        with open(descriptor, "rb") as file:
            try:
                return msgspec.json.decode(file.read(), type=StashNote)
            except msgspec.DecodeError:
                return None

    def put_note(self, note: StashNote, *, durable: bool = True) -> None:
        """Write the note atomically and, unless it may be lost when the computer stops, durably."""
        remove(self.folder, NEW_NOTE)
        how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(NEW_NOTE, how, 0o600, dir_fd=self.folder), "wb") as file:
            file.write(msgspec.json.encode(note))
            file.flush()
            if durable:
                sync(file.fileno())
        os.rename(NEW_NOTE, NOTE, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        if durable:
            sync(self.folder)

    def clear(self) -> None:
        """Remove the stash with everything in it."""
        for name in (GONE, ITEM, NEW_NOTE, NOTE):
            remove(self.folder, name)
        with suppress(OSError):
            os.rmdir(self.token, dir_fd=self.shelf)

    def clear_notes(self) -> None:
        """Remove the stash unless something is kept in it."""
        if self.item("").stat() is None:
            self.clear()


class StashFolder(Struct, frozen=True):
    """An open folder of stashes."""

    folder: int
    path: str
    private: bool = False
    """Whether the folder is in sayso's own home, where no other home of sayso keeps anything."""


class UndoStore:
    """Finds and makes stashes on the file system of a thing, so that the thing can be renamed into one.

    A stash is in sayso's home, at the top of the mount or in the root folder: the first of these that is on the same
    mount.
    """

    def __init__(self, confine: Confinement, clock: Clock) -> None:
        self._confine = confine
        self._clock = clock
        self.owner = hashlib.sha256(os.fsencode(confine.owned.folder)).hexdigest()[:32]
        """Identifies this home of sayso among other homes of the same person."""

    def now(self) -> datetime:
        """Return the current time, for a note."""
        return self._clock.now()

    def make(self, token: str, near: Spot, stack: ExitStack, kill: KillPoint, *, durable: bool = True) -> Stash:
        """Make the stash `token` for a thing at `near`; without `durable`, it may be lost when the computer stops.

        Raises `ProviderError` if the token is taken, or if no folder can hold the stash.
        """
        _must_be_a_token(token)
        for shelf in self._shelves(near, stack, create=True):
            with suppress(FileExistsError):
                os.mkdir(token, _PRIVATE, dir_fd=shelf.folder)
            kept = open_place(token, shelf, stack)
            if kept is None:
                raise thing_changed_error(near.said, "something else is where it would be kept")
            _make_sure(kept, durable=durable)
            kill("place")
            if kept.item("").stat() is not None:
                raise thing_changed_error(near.said, "what was kept for it earlier is still there")
            remove(kept.folder, NOTE)
            return kept
        raise ProviderError(
            (
                f"there is no place on the disk of {quoted(near.said)} where sayso "
                "could keep what it may have to bring back"
            ),
            "disk.no_place",
        )

    def find(self, token: str, near: Spot, stack: ExitStack) -> Stash | None:
        """Return the stash `token` for a thing at `near`, or None."""
        _must_be_a_token(token)
        for shelf in self._shelves(near, stack, create=False):
            kept = open_place(token, shelf, stack)
            if kept is not None:
                return kept
        return None

    def shelves(self, stack: ExitStack) -> Iterator[StashFolder]:
        """Yield every folder of stashes that serves a root."""
        known: set[str] = set()
        for root in self._confine.roots:
            near = Spot(root.descriptor, ".", root.path, root.path, root.path)
            for shelf in (*self._shelves(near, stack, create=False), *self._own(stack, create=False)):
                if shelf.path not in known:
                    known.add(shelf.path)
                    yield shelf

    def _shelves(self, near: Spot, stack: ExitStack, *, create: bool) -> Iterator[StashFolder]:
        mount = mount_of(near.folder)
        for shelf in self._own(stack, create=create):
            if mount_of(shelf.folder) == mount:
                yield shelf
        root = self._confine.root_of(near.path)
        name = f".sayso-{os.geteuid()}"
        for above in (_folder(top_of(near.path, near.folder), stack), StashFolder(root.descriptor, root.path)):
            if above is not None and mount_of(above.folder) == mount:
                yield from _shelf(above, name, stack, create=create)

    def _own(self, stack: ExitStack, *, create: bool) -> Iterator[StashFolder]:
        if create:
            os.makedirs(self._confine.owned.folder, _PRIVATE, exist_ok=True)
        above = _folder(self._confine.owned.folder, stack)
        if above is not None:
            for shelf in _shelf(above, "trash", stack, create=create):
                yield replace(shelf, private=True)


def _folder(path: str, stack: ExitStack) -> StashFolder | None:
    try:
        folder = from_the_top(path)
    except OSError:
        return None
    stack.callback(os.close, folder)
    return StashFolder(folder, path)


def _shelf(above: StashFolder, name: str, stack: ExitStack, *, create: bool) -> Iterator[StashFolder]:
    try:
        folder = _private(above.folder, name, create=create)
    except OSError:
        return
    if folder is not None:
        stack.callback(os.close, folder)
        yield StashFolder(folder, f"{above.path.rstrip('/')}/{name}")


def _private(parent: int, name: str, *, create: bool) -> int | None:
    """Open a private folder that is no link; None if it belongs to another user.

    With `create`, a missing folder is made first.
    """
    if create:
        with suppress(FileExistsError):
            os.mkdir(name, _PRIVATE, dir_fd=parent)
            sync(parent)
    folder = os.open(name, FOLDER, dir_fd=parent)
    found = os.fstat(folder)
    if found.st_uid != os.geteuid():
        os.close(folder)
        return None
    if stat.S_IMODE(found.st_mode) != _PRIVATE:
        os.fchmod(folder, _PRIVATE)
    return folder


def open_place(token: str, shelf: StashFolder, stack: ExitStack) -> Stash | None:
    """Return the stash `token` in a folder of stashes, or None."""
    try:
        folder = os.open(token, FOLDER, dir_fd=shelf.folder)
    except (FileNotFoundError, NotADirectoryError):
        return None
    stack.callback(os.close, folder)
    return Stash(token, shelf.folder, folder, f"{shelf.path}/{token}")


def _make_sure(kept: Stash, *, durable: bool) -> None:
    """Make a new stash private; if the disk cannot do that, remove the stash again."""
    try:
        os.fchmod(kept.folder, _PRIVATE)
        if durable:
            sync(kept.shelf)
    except OSError:
        kept.clear_notes()
        raise


def _must_be_a_token(token: str) -> None:
    if not _TOKEN.fullmatch(token):
        raise ProviderError("a kept place has a name that sayso did not give it", "kept.name")


class _Stored(Struct, frozen=True):
    shelf: StashFolder
    token: str
    note: StashNote | None
    since: datetime
    size: int
    stands: bool
    waiting: bool
    """Whether it was built and never moved into place. Such a thing is removed by age only."""


def prune(places: UndoStore, keep: timedelta, most_bytes: int) -> int:
    """Remove what is older than `keep`, then the oldest until the rest fits into `most_bytes`; return their number.

    Things of another home of sayso on the same disk stay, and so do files that a program wrote to after they were kept.
    A note stays for another `keep`, so that a late undo can say why it fails. The caller must hold the store's lock.
    """
    given_up = 0
    now = places.now()
    with ExitStack() as stack:
        things = [thing for shelf in places.shelves(stack) for thing in _things(shelf, places.owner)]
        room = most_bytes
        for thing in sorted(things, key=lambda thing: thing.since, reverse=True):
            room -= 0 if thing.waiting else thing.size
            age = now - thing.since
            over = age > keep or (room < 0 and not thing.waiting)
            if thing.stands and over:
                _give_up(thing)
                given_up += 1
            elif not thing.stands and age > 2 * keep:
                _forget(thing)
    return given_up


def _things(shelf: StashFolder, owner: str) -> Iterator[_Stored]:
    for token in sorted(os.listdir(shelf.folder)):
        with ExitStack() as stack:
            kept = open_place(token, shelf, stack)
            thing = _thing(kept, shelf, owner) if kept is not None else None
            if thing is not None:
                yield thing


def _thing(kept: Stash, shelf: StashFolder, owner: str) -> _Stored | None:
    """Return what is in a stash; None when it must not be removed."""
    note = kept.note()
    item = kept.item("").stat()
    if not shelf.private and (note is None or note.owner != owner):
        return None
    if note is None:
        since = datetime.fromtimestamp(os.fstat(kept.folder).st_mtime, UTC)
        return _Stored(shelf, kept.token, None, since, 0, stands=item is not None, waiting=True)
    waiting = item is not None and note.made is not None and note.made.inode == item.st_ino
    if item is not None and _has_grown(note, item):
        if not note.grown:
            kept.put_note(replace(note, grown=True))
        return None
    size = note.was.size if note.was is not None and item is not None else 0
    since = _read_time(note.time)
    if since is None:
        return None
    return _Stored(shelf, kept.token, note, since, size, stands=item is not None, waiting=waiting)


def _has_grown(note: StashNote, item: os.stat_result) -> bool:
    """Return whether a program wrote to a file after it was kept."""
    known = [fact for fact in (note.was, note.made) if fact is not None and fact.inode == item.st_ino]
    return any(fact.kind == "file" and (fact.size, fact.mtime_ns) != (item.st_size, item.st_mtime_ns) for fact in known)


def _read_time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None else None


def _give_up(thing: _Stored) -> None:
    with ExitStack() as stack:
        kept = open_place(thing.token, thing.shelf, stack)
        if kept is not None and thing.note is not None:
            kept.put_note(replace(thing.note, pruned=True))
            os.rename(ITEM, GONE, src_dir_fd=kept.folder, dst_dir_fd=kept.folder)
            remove(kept.folder, GONE)
        elif kept is not None:
            kept.clear()


def _forget(thing: _Stored) -> None:
    with ExitStack() as stack:
        kept = open_place(thing.token, thing.shelf, stack)
        if kept is not None:
            kept.clear()
