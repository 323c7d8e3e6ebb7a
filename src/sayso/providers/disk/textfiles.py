"""Small text files below one folder, accessed by descriptor; a change fails if the file is not as expected."""

import hashlib
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from typing import Generic, Literal, Self, TypeVar

import anyio.to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import Applied, Facts, Settlement
from sayso.core.ports import KillPoint, no_kill_point
from sayso.core.quotes import quoted
from sayso.providers.disk.syscalls import (
    Beneath,
    exchange,
    from_the_top,
    in_words,
    path_changed_error,
    rename_to_free,
    sync,
)

MOST = 4 * 2**20
"""Maximum size of one file in bytes; a longer file is refused."""
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_TRIES = 3


class TextFile(Struct, frozen=True):
    """The content and status of a file when it was read."""

    data: bytes
    etag: str
    number: tuple[int, int]
    """Device and inode."""
    mode: int
    changed_ns: int
    """Time of the last change (mtime), in nanoseconds."""


class FolderNames(Struct, frozen=True):
    """Names directly in a folder, sorted; links, hidden names, unprintable names and special files are left out."""

    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def etag_of(data: bytes) -> str:
    """Return a hash that identifies this content."""
    return hashlib.sha256(data).hexdigest()[:40]


class Texts:
    """The files below one folder. A place is `name` or `folder/name`; no link on the way to it is followed."""

    def __init__(
        self,
        path: str,
        way: Beneath,
        kill: KillPoint = no_kill_point,
        most: int = MOST,
        folder_is: Callable[[os.stat_result], bool] | None = None,
    ) -> None:
        self.path = os.path.realpath(path)
        self._way = way
        self._folder_is = folder_is
        """Says of the folder, each time it is opened for a change, whether it is still the one that is meant."""
        self._kill = kill
        self._most = most

    def is_there(self) -> bool:
        """Return whether the folder exists."""
        return os.path.isdir(self.path)

    def make_folder(self, folder: str = "") -> None:
        """Make the folder itself and those above it, or one folder directly below it; existing folders are kept."""
        try:
            os.makedirs(self.path, 0o700, exist_ok=True)
            with ExitStack() as stack:
                above = self._folder("", stack)
                if folder:
                    with suppress(FileExistsError):
                        os.mkdir(_plain(folder), 0o700, dir_fd=above)
                sync(above)
        except OSError as wrong:
            raise in_words(wrong, self._show_place(folder)) from wrong

    def names(self, folder: str = "") -> FolderNames:
        """Return the names in a folder. Raises `ProviderError`."""
        folders: list[str] = []
        files: list[str] = []
        try:
            with ExitStack() as stack, os.scandir(self._folder(folder, stack)) as entries:
                for entry in entries:
                    if not entry.name.startswith(".") and entry.name.isprintable():
                        folders += [entry.name] if entry.is_dir(follow_symlinks=False) else []
                        files += [entry.name] if entry.is_file(follow_symlinks=False) else []
        except OSError as wrong:
            raise in_words(wrong, self._show_place(folder)) from wrong
        return FolderNames(tuple(sorted(folders)), tuple(sorted(files)))

    def read(self, place: str) -> TextFile | None:
        """Return the file at a place, or None. Raises `ProviderError` or `Refused`."""
        with ExitStack() as stack:
            spot = self._spot(place, stack)
            return None if spot is None else self._read(*spot, place)

    def number(self, place: str) -> tuple[int, int, int, int] | None:
        """Return numbers that change whenever the file does: device, inode, size and mtime; None without a file."""
        with ExitStack() as stack:
            spot = self._spot(place, stack)
            if spot is None:
                return None
            try:
                found = os.stat(spot[1], dir_fd=spot[0], follow_symlinks=False)
            except OSError:
                return None
            return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def make(self, place: str, data: bytes, token: str) -> TextFile:
        """Write a new file, all of it or nothing. Raises `ProviderError` when the name is taken."""
        with self._acting(place) as act:
            act.write(data, token, 0o600)
            self._kill("text.written")
            try:
                rename_to_free(act.folder, _beside(token), act.folder, act.name)
            except FileExistsError as taken:
                act.discard(token)
                raise ProviderError(
                    f"{quoted(self._show_place(place))} is there already; nothing was changed", "world.changed"
                ) from taken
            self._kill("text.named")
            sync(act.folder)
            return self._now(act, place)

    def exchange(self, place: str, etag: str, data: bytes, token: str) -> TextFile:
        """Replace the content of a file in one exchange. Raises `ProviderError` if it no longer has this ETag."""
        with self._acting(place) as act:
            was = self._check_expected(act, place, etag)
            act.write(data, token, stat.S_IMODE(was.mode))
            self._kill("text.written")
            exchange(act.folder, act.name, act.folder, _beside(token))
            self._kill("text.exchanged")
            if not self._is_still(act.folder, _beside(token), was):
                exchange(act.folder, act.name, act.folder, _beside(token))
                act.discard(token)
                raise self._changed_error(place)
            sync(act.folder)
            act.discard(token)
            self._kill("text.discarded")
            return self._now(act, place)

    def take_away(self, place: str, etag: str, token: str) -> None:
        """Remove a file. Raises `ProviderError` if it no longer has this ETag."""
        with self._acting(place) as act:
            was = self._check_expected(act, place, etag)
            rename_to_free(act.folder, act.name, act.folder, _beside(token))
            self._kill("text.set_aside")
            if not self._is_still(act.folder, _beside(token), was):
                rename_to_free(act.folder, _beside(token), act.folder, act.name)
                raise self._changed_error(place)
            sync(act.folder)
            act.discard(token)
            self._kill("text.discarded")

    def aside(self, place: str, token: str) -> TextFile | None:
        """Return the file, with new or old content, that an interrupted step left beside a place under its token."""
        with ExitStack() as stack:
            spot = self._spot(place, stack)
            return None if spot is None else self._read(spot[0], _beside(token), place)

    def discard(self, place: str, token: str) -> None:
        """Remove the file that an interrupted step left beside a place."""
        with self._acting(place) as act:
            act.discard(token)
            sync(act.folder)

    def change_back(self, place: str, token: str) -> None:
        """Undo the exchange of an interrupted step: the old file gets its name back, and the new one is removed."""
        with self._acting(place) as act:
            exchange(act.folder, act.name, act.folder, _beside(token))
            act.discard(token)
            sync(act.folder)

    def put_back(self, place: str, token: str) -> bool:
        """Rename the file that was set aside back to its name if that name is free; return whether it was free."""
        with self._acting(place) as act:
            try:
                rename_to_free(act.folder, _beside(token), act.folder, act.name)
            except FileExistsError:
                return False
            sync(act.folder)
            return True

    def _folder(self, folder: str, stack: ExitStack) -> int:
        top = from_the_top(self.path)
        stack.callback(os.close, top)
        if not folder:
            return top
        below = self._way(top, "/".join(_plain(name) for name in folder.split("/")))
        stack.callback(os.close, below)
        return below

    def _spot(self, place: str, stack: ExitStack) -> tuple[int, str] | None:
        folder, _, name = place.rpartition("/")
        try:
            return self._folder(folder, stack), _plain(name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as wrong:
            raise in_words(wrong, self._show_place(place)) from wrong

    def _acting(self, place: str) -> "_OpenName":
        folder, _, name = place.rpartition("/")
        with ExitStack() as stack:
            try:
                opened = self._folder(folder, stack)
                if self._folder_is is not None and not self._folder_is(os.fstat(opened)):
                    raise self._changed_error(folder)
            except OSError as wrong:
                raise in_words(wrong, self._show_place(folder)) from wrong
            return _OpenName(opened, _plain(name), self._show_place(place), stack.pop_all())

    def _check_expected(self, act: "_OpenName", place: str, etag: str) -> TextFile:
        was = self._read(act.folder, act.name, place)
        if was is None or was.etag != etag:
            raise self._changed_error(place)
        return was

    def _is_still(self, folder: int, name: str, was: TextFile) -> bool:
        try:
            now = self._read(folder, name, name)
        except (ProviderError, Refused):
            return False
        return now is not None and (now.number, now.etag) == (was.number, was.etag)

    def _now(self, act: "_OpenName", place: str) -> TextFile:
        now = self._read(act.folder, act.name, place)
        if now is None:
            raise self._changed_error(place)
        return now

    def _read(self, folder: int, name: str, place: str) -> TextFile | None:
        try:
            opened = os.open(name, _READ, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as wrong:
            raise in_words(wrong, self._show_place(place)) from wrong
        with open(opened, "rb") as file:
            for _ in range(_TRIES):
                before = os.fstat(opened)
                if not stat.S_ISREG(before.st_mode) or before.st_size > self._most:
                    raise Refused(
                        f"{quoted(self._show_place(place))} is no file, or longer than {self._most // 2**20} MiB",
                        "path.special",
                    )
                file.seek(0)
                data = file.read(self._most + 1)
                after = os.fstat(opened)
                if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
                    number = (after.st_dev, after.st_ino)
                    return TextFile(data, etag_of(data), number, after.st_mode, after.st_mtime_ns)
        raise ProviderError(f"{quoted(self._show_place(place))} is being written to; try again", "world.changed")

    def _changed_error(self, place: str) -> ProviderError:
        return ProviderError(
            f"{quoted(self._show_place(place))} has changed since it was looked at; nothing was done", "world.changed"
        )

    def _show_place(self, place: str) -> str:
        return f"{self.path}/{place}" if place else self.path


class _OpenName:
    """One name in an open folder that is being changed; system errors are turned into messages."""

    def __init__(self, folder: int, name: str, said: str, stack: ExitStack) -> None:
        self.folder = folder
        self.name = name
        self._said = said
        self._stack = stack

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, where: object) -> None:
        self._stack.close()
        if isinstance(fault, OSError):
            raise in_words(fault, self._said) from fault

    def write(self, data: bytes, token: str, mode: int) -> None:
        """Write a file beside the name, durably. If that fails, the unfinished file is removed."""
        self.discard(token)
        try:
            with open(os.open(_beside(token), _MAKE, mode, dir_fd=self.folder), "wb") as file:
                os.fchmod(file.fileno(), mode)
                file.write(data)
                file.flush()
                sync(file.fileno())
        except OSError:
            self.discard(token)
            raise

    def discard(self, token: str) -> None:
        """Remove the file beside the name."""
        with suppress(FileNotFoundError):
            os.unlink(_beside(token), dir_fd=self.folder)


def _beside(token: str) -> str:
    """Return the hidden name under which a step builds a file or sets it aside; no other program uses such names."""
    return f".sayso-{hashlib.sha256(token.encode()).hexdigest()[:32]}.tmp"


def _plain(name: str) -> str:
    """Return the name if it cannot lead out of its folder. Raises `Refused` otherwise."""
    if not name or name in {".", ".."} or "/" in name or "\0" in name:
        raise path_changed_error(name)
    return name


Away = Literal["done", "there", "gone", "changed", "taken"]
"""What happened to a file that a step was to remove.

- `done`: it was removed.
- `there`: it is still at its place.
- `gone`: it is missing, and the step left no trace.
- `changed`: somebody had changed it, and it is back at its place.
- `taken`: it was set aside, and its place has another file.
"""


def became_of(texts: Texts, place: str, token: str, is_the_one: Callable[[TextFile], bool]) -> Away:
    """Return what happened to the file at a place, and clean up the file that the step set aside."""
    now, aside = texts.read(place), texts.aside(place, token)
    if aside is None:
        return "gone" if now is None else "there"
    if now is None and is_the_one(aside):
        texts.discard(place, token)
        return "done"
    return "changed" if now is None and texts.put_back(place, token) else "taken"


S = TypeVar("S")


class InThreads(ABC, Generic[S]):
    """A base for backends on a folder, which does and settles steps in threads; `S` is the union of the steps."""

    imagines = True
    note = ""

    async def apply(self, step: S, expects: Facts) -> Applied:
        return await anyio.to_thread.run_sync(partial(self._apply, step, expects))

    async def settle(self, step: S, expects: Facts) -> Settlement:
        return await anyio.to_thread.run_sync(partial(self._settle, step, expects))

    @abstractmethod
    def _apply(self, step: S, expects: Facts) -> Applied: ...

    @abstractmethod
    def _settle(self, step: S, expects: Facts) -> Settlement: ...
