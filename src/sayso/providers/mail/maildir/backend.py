"""The backend for a Maildir; it changes messages by renaming their files, each completely or not at all."""

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import assert_never

from anyio import to_thread
from msgspec import Struct

from sayso.core.errors import ProposalError, ProviderError, Uncertain
from sayso.core.plan import Applied, CannotTell, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.accounts.keyring import password_line
from sayso.providers.disk.syscalls import rename_to_free
from sayso.providers.mail.account import entry_of
from sayso.providers.mail.addresses import sender_of
from sayso.providers.mail.backend import KnownPlaces, MailBackend, search_capability, sending_capability
from sayso.providers.mail.compose import message_bytes
from sayso.providers.mail.maildir.files import (
    LETTERS,
    FileName,
    MailFolder,
    MailFolders,
    keywords_in,
    number_for,
    numbers_of,
)
from sayso.providers.mail.maildir.reads import MaildirMail, MessageFile, list_files, message_id_of, with_stat
from sayso.providers.mail.messages import keyword_of
from sayso.providers.mail.model import (
    Changing,
    ComposeMessage,
    MailAt,
    MailFlag,
    MailLabel,
    MoveMessages,
    SetFlag,
    SetLabel,
)
from sayso.providers.mail.store import MailContext, MailPlace

Between = Callable[[int], None]
"""Called with the number of each file except the first, before that file is renamed."""


class Renaming(Struct, frozen=True):
    """One message file, and its new path."""

    file: MessageFile
    to: Path


def token_name(token: str, number: int, seconds: int) -> str:
    """Return the file name of a moved message: its time, the step's token, and its number in the step."""
    return f"{seconds}.{token}_{number}.sayso"


def plan_moves(found: Sequence[MessageFile], folder: MailFolder, token: str) -> list[Renaming]:
    """Return the renames that move messages to a folder; their flags and labels are kept."""
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
    """Return the renames that give each message the letters that `change` returns for it."""
    return [Renaming(one, one.folder.path / "cur" / str(one.name.with_letters(change(one)))) for one in found]


def letter_of(number: int) -> str:
    """Return the letter of a keyword: `a` for number 0."""
    return chr(ord("a") + number)


def rename_all(renamings: Sequence[Renaming], between: Between) -> None:
    """Rename all files, and flush their folders. If one rename fails, undo those before it.

    Raises `ProviderError` if everything is as before, and `Uncertain` if some renames could not be undone.
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
            source.rename(target)  # this file system cannot rename without replacing in one operation


def _flush(folder: Path) -> None:
    with ExitStack() as stack:
        os.fsync(_open_folder(folder, stack))


def _open_folder(folder: Path, stack: ExitStack) -> int:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    stack.callback(os.close, handle)
    return handle


def deliver(folder: MailFolder, unique: str, message: bytes, letters: str) -> None:
    """Write a message into a folder, completely or not at all."""
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
        """Return whether the folder has a message with this Message-ID."""
        return await to_thread.run_sync(lambda: self._holds(message_id))

    async def keep(self, message: bytes) -> None:
        """Add a message to the folder, marked as read; create the folder if it is missing."""
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


USUAL = "Maildir"
NOBODY = "you@localhost"


def build(context: BackendContext) -> "Maildir":
    """Build the backend for the folder in the settings, or `Maildir` in the home folder. No folder is created yet."""
    path, name = context.settings.get("path"), str(context.settings.get("name") or "")
    address = str(context.settings.get("address") or NOBODY)
    root = str(path) if path else f"{context.home.rstrip('/')}/{USUAL}"
    return Maildir(Path(root), context, sender_of(address, name))


class Maildir(MailBackend[MaildirMail]):
    """The person's mail in the folders below `root`."""

    name = "maildir"

    def __init__(self, root: Path, context: BackendContext, sender: str) -> None:
        self._folders = MailFolders(root)
        super().__init__(context, MaildirSent(self._folders, context))
        mail = MailContext(sender, context.ids, context.clock)
        self.reads = MaildirMail(KnownPlaces(), mail, self.outgoing, self.saver, self._folders)

    async def change(self, step: Changing | ComposeMessage, expects: Facts) -> Applied:
        return await to_thread.run_sync(lambda: self._change(step, expects))

    async def settle_change(self, step: Changing | ComposeMessage, expects: Facts) -> Settlement:
        """Return whether an interrupted step was done.

        The files that a step moved or wrote have its token in their names.
        """
        return await to_thread.run_sync(lambda: self._settle_change(step, expects))

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return where the mail is, whether it can be searched and sent, and whether there is a password for sending.

        No server is contacted.
        """
        root, settings = self._folders.root, self.context.settings
        why = "mail.path names it" if settings.get("path") else "the default, as mail.path names no other folder"
        if lacks := self._folders.why_none():
            makes = "" if root.is_file() else "; the first draft makes it"
            missing = f"no mailbox is set up: {lacks} ({why}){makes}"
            mailboxes = Capability("mailboxes", "", missing, "sayso config mail")
        else:
            mailboxes = Capability("mailboxes", str(root), f"{why}; it is there")
        signs_in = settings.get("smtp_host") and settings.get("user")
        password = (await password_line(self.context, entry_of(settings)),) if signs_in else ()
        return mailboxes, search_capability(), sending_capability(self.context), *password

    def _change(self, step: Changing | ComposeMessage, expects: Facts) -> Applied:
        if isinstance(step, ComposeMessage):
            return self._save_draft(step)
        found = self._expected_files(step.ids, expects)
        renamings = self._plan_renamings(step, found)
        self.kill(step, "before")
        rename_all(renamings, lambda _: self.kill(step, "between"))
        self.kill(step, "after")
        if not isinstance(step, MoveMessages):
            return Applied(step.leaves())
        uids = (one.to.name.partition(":")[0] for one in renamings)
        return self.result_of(
            step, {id_: MailPlace(step.destination, uid) for id_, uid in zip(step.ids, uids, strict=True)}
        )

    def _plan_renamings(self, step: Changing, found: Sequence[MessageFile]) -> list[Renaming]:
        match step:
            case MoveMessages(destination=destination, token=token):
                return plan_moves(found, self._folders.make(destination), token or self.context.ids.token())
            case SetFlag(_, flag, on):
                letter = {LETTERS[flag]}
                return plan_marks(found, lambda one: one.letters | letter if on else one.letters - letter)
            case SetLabel():
                return plan_marks(found, lambda one: _letters(one, step))
            case _:
                assert_never(step)

    def _save_draft(self, step: ComposeMessage) -> Applied:
        folder = self._folders.make("drafts")
        now = self.context.clock.now()
        unique = token_name(step.message_id.partition("@")[0].strip("<"), 0, int(now.timestamp()))
        self.kill(step, "before")
        deliver(folder, unique, message_bytes(step, self.reads.context.sender, now), "DS")
        self.kill(step, "after")
        return self.result_of(step, {step.message_id: MailPlace("drafts", unique)})

    def _expected_files(self, ids: Sequence[str], expects: Facts) -> list[MessageFile]:
        """Return the files of messages if all are as expected. Otherwise raises `ProviderError`, with nothing done."""
        places = {fact.about: fact.place for fact in expects if isinstance(fact, MailAt)}
        found = self._files_at(places)
        elsewhere = [one for one in ids if one not in places]
        found |= self.reads.files_of(elsewhere) if elsewhere else {}
        for one in ids:
            if one not in found:
                raise ProviderError(f"the message {one} is not where it was; nothing was done", "world.changed")
        for fact in expects:
            if isinstance(fact, MailFlag | MailLabel):
                file = found[fact.message_id]
                if not fact.agrees(file.name.flags, file.labels):
                    raise ProviderError(
                        f"the message {fact.message_id} was changed since; nothing was done", "world.changed"
                    )
        return [found[one] for one in ids]

    def _files_at(self, places: dict[str, MailPlace]) -> dict[str, MessageFile]:
        found: dict[str, MessageFile] = {}
        for mailbox in {place.mailbox for place in places.values()}:
            folder = self._folders.find(mailbox)
            by_uid = {file.name.unique: file for file in list_files(folder)} if folder else {}
            for one, place in places.items():
                file = by_uid.get(place.uid) if place.mailbox == mailbox else None
                if file is not None and (dated := with_stat(file)) is not None:
                    found[one] = dated
        return found

    def _settle_change(self, step: Changing | ComposeMessage, expects: Facts) -> Settlement:
        if isinstance(step, ComposeMessage):
            return self._settle_draft(step)
        if isinstance(step, MoveMessages) and step.token:
            moved = self._names_left_by(step)
            if len(moved) == len(step.ids):
                places = {one: MailPlace(step.destination, uid) for one, uid in zip(step.ids, moved, strict=True)}
                return Applied(step.leaves(places))
            if moved:
                return CannotTell(f"{len(moved)} of {len(step.ids)} messages were moved")
        try:
            self._expected_files(step.ids, expects)
        except (ProviderError, ProposalError):
            return CannotTell("some of the messages are not as they were, and who changed them cannot be seen")
        return NotDone("all messages are as they were")

    def _names_left_by(self, step: MoveMessages) -> list[str]:
        """Return the names of the files that this step moved, in the order of its ids."""
        folder = self._folders.find(step.destination)
        names = [file.name.unique for file in list_files(folder)] if folder else []
        numbered = {
            int(name.partition(f".{step.token}_")[2].partition(".")[0]): name
            for name in names
            if f".{step.token}_" in name
        }
        return [numbered[number] for number in sorted(numbered)]

    def _settle_draft(self, step: ComposeMessage) -> Settlement:
        folder = self._folders.find("drafts")
        for file in list_files(folder) if folder else ():
            if message_id_of(file) == step.message_id:
                return Applied(step.leaves({step.message_id: file.place}))
        return NotDone("there is no such draft")


def _letters(file: MessageFile, step: SetLabel) -> set[str]:
    folder = file.folder.path
    if step.on:
        return file.letters | {letter_of(number_for(folder, keyword_of(step.label)))}
    return file.letters - {letter_of(number) for number in numbers_of(keywords_in(folder), step.label)}
