"""The backend over a Maildir: every step a set of renames, each of which happens or does not."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import assert_never

from anyio import to_thread

from sayso.core.errors import ProposalError, ProviderError
from sayso.core.plan import Applied, CannotTell, ChangeRef, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.accounts.keyring import password_line
from sayso.providers.mail.addresses import sender_of
from sayso.providers.mail.attachments import Saving
from sayso.providers.mail.compose import Composer, Outgoing, message_bytes
from sayso.providers.mail.health import searching, sending
from sayso.providers.mail.imap.account import entry_of, secret_of
from sayso.providers.mail.maildir.changes import SentFolder, letter_of, marks, moves, rename_all, token_name
from sayso.providers.mail.maildir.files import LETTERS, Folders, keywords_in, number_for, numbers_of
from sayso.providers.mail.maildir.reads import Entry, Reads, date_entry, entries, labels_of, message_id_of
from sayso.providers.mail.messages import Place, keyword_of, write_time
from sayso.providers.mail.model import (
    Changing,
    ComposeMessage,
    MailAt,
    MailComposed,
    MailFlag,
    MailLabel,
    MoveMessages,
    RemoveSaved,
    SaveAttachment,
    SendMessage,
    SetFlag,
    SetLabel,
    Steps,
)
from sayso.providers.mail.overlay import Imagined, imagine_step
from sayso.providers.mail.reads import Seen
from sayso.providers.mail.store import Mail
from sayso.providers.programs.run import ProgramRunner

USUAL = "Maildir"
NOBODY = "you@localhost"


def build(ground: BackendContext) -> "Maildir":
    """Build it over the folder that the settings name, or `Maildir` in the person's home; nothing is made yet."""
    path, name = ground.settings.get("path"), str(ground.settings.get("name") or "")
    address = str(ground.settings.get("address") or NOBODY)
    where = str(path) if path else f"{ground.home.rstrip('/')}/{USUAL}"
    return Maildir(Path(where), ground, sender_of(address, name))


class Maildir:
    """The person's mail in the folders below `root`."""

    name = "maildir"
    imagines = True
    note = ""

    def __init__(self, root: Path, ground: BackendContext, sender: str) -> None:
        self._ground = ground
        self._folders = Folders(root)
        sent = SentFolder(self._folders, ground)
        self._outgoing = Outgoing(ground, sent, secret_of, Composer(ProgramRunner(ground.environ, ground.ids)))
        self._saving = Saving(ground)
        self.reads = Reads(Seen(), ground.ids, ground.clock, sender, self._outgoing, self._saving, self._folders)

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do a step if everything is as expected, which is looked at before anything is touched."""
        if isinstance(step, SendMessage):
            return await self._outgoing.send(step)
        if isinstance(step, ComposeMessage) and not step.draft:
            return await self._outgoing.composer.open(step)
        if isinstance(step, SaveAttachment | RemoveSaved):
            return await self._saving.carry_out(step, expects, self.reads.came)
        return await to_thread.run_sync(lambda: self._apply(step, expects))

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        """Say what became of a step: what it moved or wrote has its token in its name."""
        if isinstance(step, SendMessage):
            return await self._outgoing.settle(step)
        if isinstance(step, ComposeMessage) and not step.draft:
            return CannotTell("whether a window was opened cannot be seen")
        if isinstance(step, SaveAttachment | RemoveSaved):
            return await self._saving.settle(step, expects)
        return await to_thread.run_sync(lambda: self._settle(step, expects))

    def holds(self, step: Steps) -> float:
        """Return for how many seconds a step is held back."""
        return self._outgoing.holds(step)

    def tells(self, step: Steps, left: Applied) -> str:
        """Say what of a step could not be done as it was asked."""
        return self._outgoing.tells(step, left)

    def imagine(self, seen: Mail, step: Steps, ref: ChangeRef) -> Imagined:
        """Return reads in which the step has been done; nothing is touched."""
        return imagine_step(seen, step, ref, write_time(self._ground.clock.now()))

    async def capabilities(self) -> tuple[Capability, ...]:
        """Say where the mail lies, whether it can be searched and sent, and whether the password for that can be had.

        The server is not asked.
        """
        root = self._folders.root
        there = "it is there" if root.is_dir() else "it is not there yet; the first draft makes it"
        why = "mail.path names it" if self._ground.settings.get("path") else "mail.path names no other folder"
        box = Capability("mailboxes", str(root), f"{why}; {there}")
        settings = self._ground.settings
        signs_in = settings.get("smtp_host") and settings.get("user")
        line = (await password_line(self._ground, entry_of(settings)),) if signs_in else ()
        return box, searching(), sending(self._ground), *line

    def _apply(self, step: Changing | ComposeMessage, expects: Facts) -> Applied:
        match step:
            case MoveMessages():
                return self._execute_move(step, self._expected_entries(step.ids, expects))
            case SetFlag():
                return self._execute_flag(step, self._expected_entries(step.ids, expects))
            case SetLabel():
                return self._execute_label(step, self._expected_entries(step.ids, expects))
            case ComposeMessage():
                return self._execute_draft(step)
            case _:
                assert_never(step)

    def _execute_move(self, step: MoveMessages, found: Sequence[Entry]) -> Applied:
        folder = self._folders.made(step.destination)
        self._kill(step, "before")
        renamings = moves(found, folder, step.token or self._ground.ids.token())
        rename_all(renamings, lambda _: self._kill(step, "between"))
        self._kill(step, "after")
        uids = [one.to.name.partition(":")[0] for one in renamings]
        for one, uid in zip(step.ids, uids, strict=True):
            self.reads.seen.put(one, Place(step.destination, uid))
        return Applied(tuple(MailAt(one, step.destination, uid) for one, uid in zip(step.ids, uids, strict=True)))

    def _execute_flag(self, step: SetFlag, found: Sequence[Entry]) -> Applied:
        letter = {LETTERS[step.flag]}
        self._kill(step, "before")
        change = marks(found, lambda one: set(one.name.letters) | letter if step.on else set(one.name.letters) - letter)
        rename_all(change, lambda _: self._kill(step, "between"))
        self._kill(step, "after")
        return Applied(tuple(MailFlag(f"{step.flag} {one}", one, step.flag, step.on) for one in step.ids))

    def _execute_label(self, step: SetLabel, found: Sequence[Entry]) -> Applied:
        self._kill(step, "before")
        rename_all(marks(found, lambda one: _letters(one, step)), lambda _: self._kill(step, "between"))
        self._kill(step, "after")
        return Applied(tuple(MailLabel(f"{step.label} {one}", one, step.label, step.on) for one in step.ids))

    def _execute_draft(self, step: ComposeMessage) -> Applied:
        folder = self._folders.made("drafts")
        now = self._ground.clock.now()
        unique = token_name(step.message_id.partition("@")[0].strip("<"), 0, int(now.timestamp()))
        new = folder.path / "tmp" / unique
        self._kill(step, "before")
        handle = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(message_bytes(step, self.reads.address, now))
            file.flush()
            os.fsync(handle)
        new.rename(folder.path / "cur" / f"{unique}:2,DS")
        self._kill(step, "after")
        self.reads.seen.put(step.message_id, Place("drafts", unique))
        return Applied((MailComposed(step.message_id), MailAt(step.message_id, "drafts", unique)))

    def _expected_entries(self, ids: Sequence[str], expects: Facts) -> list[Entry]:
        """Return the files of messages, each where it is expected. Raises `ProviderError`; then nothing was done."""
        places = {fact.about: Place(fact.mailbox, fact.uid) for fact in expects if isinstance(fact, MailAt)}
        found = self._at(places)
        elsewhere = [one for one in ids if one not in places]
        found |= self.reads.entries_of(elsewhere) if elsewhere else {}
        for one in ids:
            if one not in found:
                raise ProviderError(f"the message {one} is not where it was; nothing was done", "world.changed")
        for fact in expects:
            if isinstance(fact, MailFlag | MailLabel) and not _holds(fact, found[fact.message_id]):
                raise ProviderError(
                    f"the message {fact.message_id} was changed since; nothing was done", "world.changed"
                )
        return [found[one] for one in ids]

    def _at(self, places: dict[str, Place]) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        for mailbox in {place.mailbox for place in places.values()}:
            folder = self._folders.find(mailbox)
            there = {entry.name.unique: entry for entry in entries(folder)} if folder else {}
            for one, place in places.items():
                entry = there.get(place.uid) if place.mailbox == mailbox else None
                if entry is not None and (seen := date_entry(entry)) is not None:
                    found[one] = seen
        return found

    def _settle(self, step: Changing | ComposeMessage, expects: Facts) -> Settlement:
        if isinstance(step, ComposeMessage):
            return self._settle_draft(step)
        if isinstance(step, MoveMessages) and step.token:
            there = self._names_left_by(step)
            if len(there) == len(step.ids):
                return Applied(
                    tuple(MailAt(one, step.destination, uid) for one, uid in zip(step.ids, there, strict=True))
                )
            if there:
                return CannotTell(f"{len(there)} of {len(step.ids)} messages were moved")
        try:
            self._expected_entries(step.ids, expects)
        except (ProviderError, ProposalError):
            return CannotTell("some of the messages are not as they were, and who changed them cannot be seen")
        return NotDone("all messages are as they were")

    def _names_left_by(self, step: MoveMessages) -> list[str]:
        """Return the names of what this very step moved, in the order of its ids."""
        folder = self._folders.find(step.destination)
        names = [entry.name.unique for entry in entries(folder)] if folder else []
        numbered = {
            int(name.partition(f".{step.token}_")[2].partition(".")[0]): name
            for name in names
            if f".{step.token}_" in name
        }
        return [numbered[number] for number in sorted(numbered)]

    def _settle_draft(self, step: ComposeMessage) -> Settlement:
        folder = self._folders.find("drafts")
        for entry in entries(folder) if folder else ():
            if message_id_of(entry) == step.message_id:
                return Applied((MailComposed(step.message_id), MailAt(step.message_id, "drafts", entry.name.unique)))
        return NotDone("there is no such draft")

    def _kill(self, step: Steps, when: str) -> None:
        self._ground.kill(f"{step.step}.{when}")


def _letters(entry: Entry, step: SetLabel) -> set[str]:
    letters, folder = set(entry.name.letters), entry.folder.path
    if step.on:
        return letters | {letter_of(number_for(folder, keyword_of(step.label)))}
    return letters - {letter_of(number) for number in numbers_of(keywords_in(folder), step.label)}


def _holds(fact: MailFlag | MailLabel, entry: Entry) -> bool:
    if isinstance(fact, MailFlag):
        return (fact.flag in entry.name.flags) is fact.on
    return (fact.label.casefold() in {one.casefold() for one in labels_of(entry)}) is fact.on
