"""Move, mark and keep message files; all are looked at before the first is touched."""

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.ports import BackendContext
from sayso.providers.disk.syscalls import rename_to_free
from sayso.providers.mail.maildir.files import Folder, Folders, Name, keywords_in, number_for
from sayso.providers.mail.maildir.reads import Entry, entries, message_id_of

Between = Callable[[int], None]
"""Called before each file but the first, with its number."""


class Renaming(Struct, frozen=True):
    """One message file, and where it goes."""

    entry: Entry
    to: Path


def token_name(token: str, number: int, seconds: int) -> str:
    """Return the name of a message that a step moved, which says so: its time, the step, its number there."""
    return f"{seconds}.{token}_{number}.sayso"


def moves(found: Sequence[Entry], folder: Folder, token: str) -> list[Renaming]:
    """Return how messages go to a folder, their flags and labels with them."""
    keywords: dict[Path, Mapping[int, str]] = {}
    renamings: list[Renaming] = []
    for number, entry in enumerate(found):
        names = keywords.setdefault(entry.folder.path, keywords_in(entry.folder.path))
        letters = {letter for letter in entry.name.letters if not letter.islower()}
        for known in entry.name.keywords:
            if known in names:
                letters.add(letter_of(number_for(folder.path, names[known])))
        name = Name(token_name(token, number, entry.seconds)).having(letters)
        renamings.append(Renaming(entry, folder.path / "cur" / str(name)))
    return renamings


def marks(found: Sequence[Entry], change: Callable[[Entry], set[str]]) -> list[Renaming]:
    """Return how messages get the letters that `change` says."""
    return [Renaming(one, one.folder.path / "cur" / str(one.name.having(change(one)))) for one in found]


def letter_of(number: int) -> str:
    """Return the letter of a keyword."""
    return chr(ord("a") + number)


def rename_all(renamings: Sequence[Renaming], between: Between) -> None:
    """Rename all, and flush their folders; if one cannot be, those before it are taken back.

    Raises `ProviderError` when nothing was changed in the end, `Uncertain` when some cannot be taken back.
    """
    done: list[Renaming] = []
    try:
        for number, one in enumerate(renamings):
            if number:
                between(number)
            _rename(one.entry.path, one.to)
            done.append(one)
    except OSError as wrong:
        _back(done)
        said = "is not where it was" if isinstance(wrong, FileNotFoundError) else str(wrong.strerror).lower()
        raise ProviderError(f"a message could not be changed ({said}); nothing was done", "world.changed") from wrong
    for folder in {path.parent for one in renamings for path in (one.entry.path, one.to)}:
        _flush(folder)


def _back(done: Sequence[Renaming]) -> None:
    for one in reversed(done):
        try:
            _rename(one.to, one.entry.path)
        except OSError as wrong:
            raise Uncertain(
                f"some of the messages were changed, and not all: {wrong.strerror}", "mail.partly"
            ) from wrong


def _rename(source: Path, target: Path) -> None:
    if source == target:
        return
    with ExitStack() as stack:
        here, there = (_open_folder(path.parent, stack) for path in (source, target))
        try:
            rename_to_free(here, source.name, there, target.name)
        except FileExistsError:
            raise FileExistsError(errno.EEXIST, "another message is there already") from None
        except OSError as wrong:
            if wrong.errno not in {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP} or target.exists():
                raise
            source.rename(target)  # a disk that cannot rename to a free name in one go


def _flush(folder: Path) -> None:
    with ExitStack() as stack:
        os.fsync(_open_folder(folder, stack))


def _open_folder(folder: Path, stack: ExitStack) -> int:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    stack.callback(os.close, handle)
    return handle


class SentFolder(Struct, frozen=True):
    """Where copies of what was sent are kept."""

    folders: Folders
    ground: BackendContext

    async def holds(self, message_id: str) -> bool:
        """Say whether a message of this Message-ID is there."""
        return await to_thread.run_sync(lambda: self._holds(message_id))

    async def keep(self, message: bytes) -> None:
        """Put a message there, as read; the folder is made where there is none."""
        await to_thread.run_sync(lambda: self._keep(message))

    def _holds(self, message_id: str) -> bool:
        folder = self.folders.find("sent")
        return folder is not None and any(message_id_of(entry) == message_id for entry in entries(folder))

    def _keep(self, message: bytes) -> None:
        try:
            folder = self.folders.made("sent").path
            unique = token_name(self.ground.ids.token(), 0, int(self.ground.clock.now().timestamp()))
            handle = os.open(folder / "tmp" / unique, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(message)
                file.flush()
                os.fsync(handle)
            (folder / "tmp" / unique).rename(folder / "cur" / f"{unique}:2,S")
        except OSError as wrong:
            raise ProviderError(f"no copy could be kept ({wrong.strerror})", "mail.sent_copy") from wrong
