"""The freedesktop Trash (version 1.0 of the specification): finding its folders and writing its entries."""

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from urllib.parse import quote

from msgspec import Struct

from sayso.core.errors import Refused
from sayso.core.ports import Clock, Ids
from sayso.core.quotes import quoted
from sayso.providers.disk.syscalls import from_the_top, open_below, sync, thing_changed_error
from sayso.providers.files.local.sandbox import Spot, mount_of, top_of

_MOST_NAME_BYTES = 255 - len(".trashinfo")
_TOKEN_LENGTH = 12


class TrashFolder(Struct, frozen=True):
    """The folder of one Trash, and the folder that its paths are relative to (empty for the Trash at home)."""

    path: str
    top: str
    flat: bool = False
    """Whether things lie in the folder itself, as on macOS, and not in `files` with their origins in `info`."""

    @property
    def files(self) -> str:
        """Return the folder that things lie in."""
        return self.path if self.flat else f"{self.path}/files"


class OpenTrash(Struct, frozen=True):
    """One Trash with its folders `files` and `info` opened."""

    folder: TrashFolder
    files: int
    info: int

    def entry(self, name: str, said: str) -> Spot:
        """Return the `Spot` of the entry `name`; errors show it as `said`."""
        path = f"{self.folder.files}/{name}"
        return Spot(self.files, name, path, path, said, unguessed=True)


class Trashes:
    """The Trash at the person's home, and those of other disks."""

    def __init__(self, home: str, clock: Clock, ids: Ids) -> None:
        given = os.environ.get("XDG_DATA_HOME", "")
        theirs = os.path.realpath(os.path.expanduser("~")) == os.path.realpath(home)
        data = given if theirs and os.path.isabs(given) else f"{home}/.local/share"
        self._home = os.path.realpath(f"{data}/Trash")
        self._clock = clock
        self._ids = ids

    def entry_for(self, spot: Spot) -> str | None:
        """Return a path in the Trash for the thing at `spot`; None where no Trash serves its disk.

        The name contains a token, so that nothing else has it and recovery can recognise the thing.
        """
        candidate = self._find_folder(spot)
        if candidate is None:
            return None
        token = self._ids.token()[-_TOKEN_LENGTH:]
        stem, ending = os.path.splitext(spot.name)
        room = _MOST_NAME_BYTES - len(token) - 1
        if len(os.fsencode(ending)) > room // 2:
            stem, ending = spot.name, ""
        stem = os.fsencode(stem)[: room - len(os.fsencode(ending))].decode("utf-8", "ignore")
        return f"{candidate.files}/{stem}.{token}{ending}"

    def open(self, entry: str, near: Spot, stack: ExitStack, *, create: bool) -> tuple[OpenTrash, Spot] | None:
        """Return the Trash of `entry` and the entry's `Spot`; None when that Trash does not exist.

        Raises `Refused` for an entry that is not in a Trash serving the disk of `near`.
        """
        folder, name = os.path.split(entry)
        candidate = next((one for one in self._candidates(near) if one.files == folder), None)
        if candidate is None or name in {"", ".", ".."}:
            raise Refused(
                f"{quoted(entry)} is not in the Trash of the disk of {quoted(near.said)}", "path.outside_roots"
            )
        try:
            trash = _open_bin(candidate, stack, create=create)
        except FileNotFoundError:
            return None
        return trash, trash.entry(name, near.said)

    def write_info(self, trash: OpenTrash, name: str, original: str, said: str) -> None:
        """Write an entry's `.trashinfo` durably: original path and time of deletion.

        Raises `ProviderError` for a taken name.
        """
        if trash.folder.flat:
            return
        path = os.path.relpath(original, trash.folder.top) if trash.folder.top else original
        when = self._clock.now().astimezone().strftime("%Y-%m-%dT%H:%M:%S")
        text = f"[Trash Info]\nPath={quote(os.fsencode(path))}\nDeletionDate={when}\n"
        how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            opened = os.open(f"{name}.trashinfo", how, 0o600, dir_fd=trash.info)
        except FileExistsError as taken:
            raise thing_changed_error(said, "its place in the Trash is taken") from taken
        try:
            with open(opened, "wb") as file:
                file.write(text.encode("ascii"))
                file.flush()
                sync(file.fileno())
            sync(trash.info)
        except OSError:
            self.remove_info(trash, name)
            raise

    def remove_info(self, trash: OpenTrash, name: str) -> None:
        """Remove the `.trashinfo` of a thing that is no longer in the Trash."""
        if trash.folder.flat:
            return
        with suppress(FileNotFoundError):
            os.unlink(f"{name}.trashinfo", dir_fd=trash.info)
        sync(trash.info)

    def _find_folder(self, spot: Spot) -> TrashFolder | None:
        """Return the first Trash for the disk of `spot` that exists or can be made."""
        for candidate in self._candidates(spot):
            if candidate.top == "" or os.access(_existing(candidate.path), os.W_OK | os.X_OK):
                return candidate
        return None

    def _candidates(self, spot: Spot) -> Iterator[TrashFolder]:
        mount = mount_of(spot.folder)
        with ExitStack() as stack:
            if mount_of(nearest(self._home, stack)) == mount:
                yield TrashFolder(self._home, "")
                return
        top = top_of(spot.path, spot.folder)
        user = os.geteuid()
        shared = f"{top.rstrip('/')}/.Trash"
        with suppress(FileNotFoundError):
            found = os.lstat(shared)
            if stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX:
                yield TrashFolder(f"{shared}/{user}", top)
        yield TrashFolder(f"{top.rstrip('/')}/.Trash-{user}", top)


def _existing(path: str) -> str:
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    return path


def _open_bin(candidate: TrashFolder, stack: ExitStack, *, create: bool) -> OpenTrash:
    above = _open_folder(os.path.dirname(candidate.path), stack, create=create and not candidate.top)
    trash = _one_down(above, os.path.basename(candidate.path), stack, create=create)
    if os.fstat(trash).st_uid != os.geteuid():
        raise Refused(f"the Trash {quoted(candidate.path)} belongs to somebody else", "path.outside_roots")
    if candidate.flat:
        return OpenTrash(candidate, trash, trash)
    files = _one_down(trash, "files", stack, create=create)
    return OpenTrash(candidate, files, _one_down(trash, "info", stack, create=create))


def _open_folder(path: str, stack: ExitStack, *, create: bool) -> int:
    """Open the folder at `path` without following a link; with `create`, make missing folders."""
    try:
        opened = from_the_top(path)
    except FileNotFoundError:
        if not create:
            raise
        return _one_down(
            _open_folder(os.path.dirname(path), stack, create=True), os.path.basename(path), stack, create=True
        )
    stack.callback(os.close, opened)
    return opened


def nearest(path: str, stack: ExitStack) -> int:
    """Open the folder at `path`, or the nearest one above it that exists."""
    while True:
        try:
            return _open_folder(path, stack, create=False)
        except FileNotFoundError:
            path = os.path.dirname(path)


def _one_down(above: int, name: str, stack: ExitStack, *, create: bool) -> int:
    if create:
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=above)
            sync(above)
    opened = open_below(above, name)
    stack.callback(os.close, opened)
    return opened
