"""Move and mark message files by renaming them, and keep copies of sent messages."""

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
from sayso.providers.mail.maildir.files import FileName, MailFolder, MailFolders, keywords_in, number_for
from sayso.providers.mail.maildir.reads import MessageFile, list_files, message_id_of

Between = Callable[[int], None]
"""Called before each file but the first, with its number."""


class Renaming(Struct, frozen=True):
    """One message file, and where it goes."""

    file: MessageFile
    to: Path


def token_name(token: str, number: int, seconds: int) -> str:
    """Return the name of a message that a step moved, which says so: its time, the step, its number there."""
    return f"{seconds}.{token}_{number}.sayso"


def plan_moves(found: Sequence[MessageFile], folder: MailFolder, token: str) -> list[Renaming]:
    """Return how messages go to a folder, their flags and labels with them."""
    keywords: dict[Path, Mapping[int, str]] = {}
    renamings: list[Renaming] = []
    for number, file in enumerate(found):
        names = keywords.setdefault(file.folder.path, keywords_in(file.folder.path))
        letters = {letter for letter in file.letters if not letter.islower()}
        for keyword in file.name.keywords:
            if keyword in names:
                letters.add(letter_of(number_for(folder.path, names[keyword])))
        name = FileName(token_name(token, number, file.seconds)).with_letters(letters)
        renamings.append(Renaming(file, folder.path / "cur" / str(name)))
    return renamings


def plan_marks(found: Sequence[MessageFile], change: Callable[[MessageFile], set[str]]) -> list[Renaming]:
    """Return how messages get the letters that `change` says."""
    return [Renaming(one, one.folder.path / "cur" / str(one.name.with_letters(change(one)))) for one in found]


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
            _rename(one.file.path, one.to)
            done.append(one)
    except OSError as error:
        _rename_back(done)
        why = "is not where it was" if isinstance(error, FileNotFoundError) else str(error.strerror).lower()
        raise ProviderError(f"a message could not be changed ({why}); nothing was done", "world.changed") from error
    for folder in {path.parent for one in renamings for path in (one.file.path, one.to)}:
        _flush(folder)


def _rename_back(done: Sequence[Renaming]) -> None:
    for one in reversed(done):
        try:
            _rename(one.to, one.file.path)
        except OSError as error:
            raise Uncertain(
                f"some of the messages were changed, and not all: {error.strerror}", "mail.partly"
            ) from error


def _rename(source: Path, target: Path) -> None:
    if source == target:
        return
    with ExitStack() as stack:
        from_folder, to_folder = (_open_folder(path.parent, stack) for path in (source, target))
        try:
            rename_to_free(from_folder, source.name, to_folder, target.name)
        except FileExistsError:
            raise FileExistsError(errno.EEXIST, "another message is there already") from None
        except OSError as error:
            if error.errno not in {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP} or target.exists():
                raise
            source.rename(target)  # a disk that cannot rename to a free name in one go


def _flush(folder: Path) -> None:
    with ExitStack() as stack:
        os.fsync(_open_folder(folder, stack))


def _open_folder(folder: Path, stack: ExitStack) -> int:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    stack.callback(os.close, handle)
    return handle


def deliver(folder: MailFolder, unique: str, message: bytes, letters: str) -> None:
    """Put a message into a folder, whole or not at all."""
    new = folder.path / "tmp" / unique
    handle = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(message)
        file.flush()
        os.fsync(handle)
    new.rename(folder.path / "cur" / f"{unique}:2,{letters}")


class MaildirSent(Struct, frozen=True):
    """The folder that keeps copies of sent messages."""

    folders: MailFolders
    context: BackendContext

    async def holds(self, message_id: str) -> bool:
        """Say whether a message of this Message-ID is there."""
        return await to_thread.run_sync(lambda: self._holds(message_id))

    async def keep(self, message: bytes) -> None:
        """Put a message there, as read; the folder is made where there is none."""
        await to_thread.run_sync(lambda: self._keep(message))

    def _holds(self, message_id: str) -> bool:
        folder = self.folders.find("sent")
        return folder is not None and any(message_id_of(file) == message_id for file in list_files(folder))

    def _keep(self, message: bytes) -> None:
        try:
            unique = token_name(self.context.ids.token(), 0, int(self.context.clock.now().timestamp()))
            deliver(self.folders.make("sent"), unique, message, "S")
        except OSError as error:
            raise ProviderError(f"no copy could be kept ({error.strerror})", "mail.sent_copy") from error
