"""The backend for an account on an IMAP server.

If the connection is lost during a step, the server is asked afterwards whether the step was done.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec import Struct

from sayso.core.errors import ProposalError, ProviderError, SaysoError, Uncertain
from sayso.core.plan import Applied, CannotTell, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.core.quotes import quoted
from sayso.providers.accounts.keyring import password_line
from sayso.providers.mail.account import account_of, entry_of
from sayso.providers.mail.addresses import sender_of
from sayso.providers.mail.backend import KnownPlaces, MailBackend, search_capability, sending_capability
from sayso.providers.mail.compose import message_bytes
from sayso.providers.mail.imap import fetch
from sayso.providers.mail.imap.client import ImapSession, SearchText, numbers, sets
from sayso.providers.mail.imap.connection import ImapConnection, Mailboxes
from sayso.providers.mail.imap.fetch import (
    ID_HEADER,
    SelectedMailbox,
    check_uidvalidity,
    fetch_messages,
    flags_of_fetched,
    is_deleted,
    marks_of,
    message_id_of,
    open_mailbox,
    place_at,
)
from sayso.providers.mail.imap.reads import ImapMail, MessageFinder
from sayso.providers.mail.messages import keyword_of, label_of_keyword
from sayso.providers.mail.model import (
    Changing,
    ComposeMessage,
    MailAt,
    MailFlag,
    MailLabel,
    Marking,
    MoveMessages,
    SetFlag,
    SetLabel,
)
from sayso.providers.mail.store import MailContext, MailPlace


def build(context: BackendContext) -> "Imap":
    """Build the backend without connecting to the server. Raises `SetupError` if a setting is missing."""
    account_of(context)
    settings = context.settings
    user = str(settings.get("user") or settings.get("address") or "")
    address, name = str(settings.get("address") or user), str(settings.get("name") or "")
    return Imap(context, f"imap:{user}", sender_of(address, name))


class Imap(MailBackend[ImapMail]):
    """The person's mail on a server."""

    def __init__(self, context: BackendContext, name: str, sender: str) -> None:
        self.name = name
        self._connection = ImapConnection(context)
        super().__init__(context, ImapSent(self._connection, context))
        mail = MailContext(sender, context.ids, context.clock)
        self.reads = ImapMail(KnownPlaces(), mail, self.outgoing, self.saver, self._connection)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    async def change(self, step: Changing | ComposeMessage, expects: Facts) -> Applied:
        """Do a step, after asking the server whether everything is as expected."""
        if isinstance(step, ComposeMessage):
            return await self._save_draft(step)

        def act(session: ImapSession, checked: CheckedMessages) -> dict[str, MailPlace]:
            self.kill(step, "before")
            places: dict[str, MailPlace] = {}
            if isinstance(step, MoveMessages):
                places = move_messages(session, step, checked)
            else:
                mark_messages(session, step, checked)
            self.kill(step, "after")
            return places

        places = await self._connection.change(
            lambda session, boxes: check_messages(session, boxes, self.reads.known, step, expects), act
        )
        return self.result_of(step, places)

    async def settle_change(self, step: Changing | ComposeMessage, expects: Facts) -> Settlement:
        if isinstance(step, ComposeMessage):
            return await self._settle_draft(step)
        try:
            await self._connection.read(
                lambda session, boxes: check_messages(session, boxes, self.reads.known, step, expects)
            )
        except (ProviderError, ProposalError) as changed:
            if changed.code != "world.changed":
                raise
            return CannotTell("some of the messages are not as they were, and who changed them cannot be seen")
        return NotDone("all messages are as they were")

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return whether the password is available, the server lists mailboxes, and mail can be searched and sent."""
        password = await password_line(self.context, entry_of(self.context.settings))
        mailboxes = (await self._mailboxes(),) if password.served else ()
        return password, *mailboxes, search_capability(), sending_capability(self.context)

    async def _mailboxes(self) -> Capability:
        try:
            boxes = await self._connection.read(lambda session, boxes: boxes)
        except SaysoError as error:
            says, _, fix = str(error).partition("; ")
            return Capability("mailboxes", "", says, fix, asked=True)
        named = account_of(self.context).named
        return Capability("mailboxes", named, f"mail.host names it; {len(boxes.names)} mailboxes")

    async def _save_draft(self, step: ComposeMessage) -> Applied:
        now = self.context.clock.now()
        data = message_bytes(step, self.reads.context.sender, now)

        def act(session: ImapSession, boxes: Mailboxes) -> MailPlace | None:
            name = boxes.make(session, "drafts")
            self.kill(step, "before")
            session.append(name, data, (rb"\Draft", rb"\Seen"), now)
            self.kill(step, "after")
            return find_copy(session, boxes, "drafts", step.message_id)

        place = await self._connection.change(lambda session, boxes: boxes, act)
        if place is None:
            raise ProviderError("the mail server accepted the draft, but does not show it", "mail.draft")
        return self.result_of(step, {step.message_id: place})

    async def _settle_draft(self, step: ComposeMessage) -> Settlement:
        place = await self._connection.read(lambda session, boxes: find_copy(session, boxes, "drafts", step.message_id))
        return NotDone("there is no such draft") if place is None else self.result_of(step, {step.message_id: place})


class ImapSent(Struct, frozen=True):
    """The mailbox on the server that keeps copies of sent messages."""

    connection: ImapConnection
    context: BackendContext

    async def holds(self, message_id: str) -> bool:
        """Return whether the mailbox has a message with this Message-ID."""
        found = await self.connection.read(lambda session, boxes: find_copy(session, boxes, "sent", message_id))
        return found is not None

    async def keep(self, message: bytes) -> None:
        """Add a message to the mailbox, marked as read; create the mailbox if it is missing."""

        def action(session: ImapSession, boxes: Mailboxes) -> None:
            session.append(boxes.make(session, "sent"), message, (rb"\Seen",), self.context.clock.now())

        await self.connection.change(lambda session, boxes: boxes, action)


def find_copy(session: ImapSession, boxes: Mailboxes, mailbox: str, message_id: str) -> MailPlace | None:
    """Return the place of a message that sayso wrote to a mailbox; None if it is not there."""
    if mailbox not in boxes.names:
        return None
    box = open_mailbox(session, mailbox, boxes.name(mailbox))
    key = [b"HEADER", b"MESSAGE-ID", SearchText(message_id.encode())]
    for uid, fetched in fetch_messages(session, session.search_uids(key), ID_HEADER):
        if message_id_of(fetched, place_at(box, uid)) == message_id:
            return place_at(box, uid)
    return None


_FLAGS: Mapping[str, str] = {"starred": r"\Flagged", "read": r"\Seen"}


class CheckedMessages(Struct, frozen=True):
    """Messages that were found to be as expected: their places and flags, by their ids."""

    boxes: Mailboxes
    places: Mapping[str, MailPlace]
    flags: Mapping[str, tuple[bytes, ...]]
    modseq: int = 0
    """The highest modification sequence of the messages (RFC 7162); 0 if the server counts none."""


def check_messages(
    session: ImapSession, boxes: Mailboxes, known: KnownPlaces, step: Changing, expects: Facts
) -> CheckedMessages:
    """Return the messages if all are as expected. Otherwise raises `ProviderError`, which names one that is not."""
    places = {fact.about: fact.place for fact in expects if isinstance(fact, MailAt)}
    elsewhere = [one for one in step.ids if one not in places]
    if elsewhere:
        found = MessageFinder(session, boxes, known).find(elsewhere, first=False)
        places |= {one: message.place for one, message in found.items()}
    flags: dict[str, tuple[bytes, ...]] = {}
    modseq = 0
    for mailbox in dict.fromkeys(place.mailbox for place in places.values()):
        box = open_mailbox(session, mailbox, boxes.name(mailbox), writing=True)
        wanted = {int(place.uid): one for one, place in places.items() if place.mailbox == mailbox}
        for one in wanted.values():
            check_uidvalidity(box, places[one].uidvalidity)
        _check_keyword(session, box, step)
        counted = session.has_capability("CONDSTORE") and not isinstance(step, MoveMessages)
        for uid, fetched in fetch_messages(session, list(wanted), ("FLAGS", "MODSEQ") if counted else ("FLAGS",)):
            if not is_deleted(fetched):
                flags[wanted[uid]] = flags_of_fetched(fetched)
                modseq = max(modseq, _modseq(fetched))
    _check_facts(step.ids, flags, expects)
    return CheckedMessages(boxes, places, flags, modseq)


def move_messages(session: ImapSession, step: MoveMessages, checked: CheckedMessages) -> dict[str, MailPlace]:
    """Move messages; return their new places. Raises `Uncertain` if not all of them were found after the move."""
    by_uid = {int(checked.places[one].uid): one for one in step.ids}
    if _moves_by_label(session, checked.boxes, step):
        return _all_of(step, _relabel_messages(session, checked.boxes, step, by_uid))
    name = checked.boxes.make(session, step.destination)
    moves = session.has_capability("MOVE")
    if not moves and not session.has_capability("UIDPLUS") and session.search_uids([b"DELETED"]):
        raise ProviderError(
            f"other messages in {quoted(step.source)} wait to be deleted, and this "
            "server cannot move some without deleting "
            "those; nothing was done",
            "mail.expunge",
        )
    places: dict[str, MailPlace] = {}
    for part in sets(list(by_uid)):
        session.code("COPYUID")
        if moves:
            session.move(part, name)
        else:
            session.copy(part, name)
        places |= _read_copyuid(session.code("COPYUID"), by_uid, step.destination)
        if not moves:
            _remove_part(session, part)
    if len(places) < len(step.ids) and not session.has_capability("UIDPLUS"):
        places = _find_moved(session, checked.boxes, step)
    return _all_of(step, places)


def _moves_by_label(session: ImapSession, boxes: Mailboxes, step: MoveMessages) -> bool:
    """Return whether a move only adds or removes Gmail's inbox label.

    It does between the inbox and the mailbox of all mail, which is then the archive.
    """
    archive = boxes.names.get("archive")
    everything = bool(boxes.everything) and archive == boxes.names.get(boxes.everything)
    return everything and fetch.has_labels(session) and {step.source, step.destination} == {"inbox", "archive"}


def _relabel_messages(
    session: ImapSession, boxes: Mailboxes, step: MoveMessages, by_uid: Mapping[int, str]
) -> dict[str, MailPlace]:
    """Remove the inbox label from messages, or add it; return their places afterwards.

    The mailbox with the messages must be open. Raises `ProviderError`, with nothing done, if Gmail does not return a
    number for each message.
    """
    known = _gmail_numbers(session, list(by_uid))
    if len(known) < len(by_uid):
        raise ProviderError("the mail server does not name each of the messages; nothing was done", "world.changed")
    for part in sets(list(by_uid)):
        fetch.change_labels(session, part, [fetch.INBOX], on=step.destination == "inbox")
    ids = {number: by_uid[uid] for uid, number in known.items()}
    box = open_mailbox(session, step.destination, boxes.name(step.destination))
    found = [uid for key in fetch.numbers_key(list(ids)) for uid in session.search_uids(key)]
    return {ids[number]: place_at(box, uid) for uid, number in _gmail_numbers(session, found).items() if number in ids}


def _gmail_numbers(session: ImapSession, uids: Sequence[int]) -> dict[int, int]:
    """Return Gmail's number of each message, which is the same in every mailbox that shows the message."""
    fetched = fetch_messages(session, uids, (fetch.NUMBER,))
    numbered = ((uid, one.get(fetch.NUMBER.encode())) for uid, one in fetched)
    return {uid: number for uid, number in numbered if isinstance(number, int)}


def _all_of(step: MoveMessages, places: dict[str, MailPlace]) -> dict[str, MailPlace]:
    if len(places) < len(step.ids):
        raise Uncertain(f"{len(places)} of {len(step.ids)} messages were moved", "mail.partly")
    return places


def mark_messages(session: ImapSession, step: Marking, checked: CheckedMessages) -> None:
    """Set or clear a flag or label. Raises `ProviderError` if a message was changed since it was checked."""
    done: list[tuple[str, list[int]]] = []
    for mailbox in dict.fromkeys(checked.places[one].mailbox for one in step.ids):
        ids = [one for one in step.ids if checked.places[one].mailbox == mailbox]
        uids = [int(checked.places[one].uid) for one in ids]
        box = open_mailbox(session, mailbox, checked.boxes.name(mailbox), writing=True)
        check_uidvalidity(box, checked.places[ids[0]].uidvalidity)
        changed_since = _store_flags(session, step, uids, checked)
        done.append((mailbox, [uid for uid in uids if uid not in changed_since]))
        if changed_since or not _is_so(session, step, uids):
            _restore_flags(session, step, checked, done)
            raise ProviderError("a message was changed by another program; nothing was done", "world.changed")


def _words_of(step: Marking, checked: CheckedMessages) -> list[str]:
    """Return the flags or keywords of a step. A label is removed in every spelling that the messages have it in."""
    if isinstance(step, SetFlag):
        return [_FLAGS[step.flag]]
    wanted = step.label.casefold()
    used = {flag.decode("latin-1") for flags in checked.flags.values() for flag in flags if not flag.startswith(b"\\")}
    same = [word for word in used if (label_of_keyword(word) or "").casefold() == wanted]
    return [keyword_of(step.label)] if step.on else sorted({keyword_of(step.label), *same})


def _store_flags(session: ImapSession, step: Marking, uids: Sequence[int], checked: CheckedMessages) -> set[int]:
    """Change the flags. Return the UIDs of messages that another program changed, whose flags stay as they are."""
    how, flags = "+FLAGS.SILENT" if step.on else "-FLAGS.SILENT", f"({' '.join(_words_of(step, checked))})"
    changed_since: set[int] = set()
    for part in sets(uids):
        if _uses_gmail_labels(session, step):
            fetch.store_labels(session, part, _words_of(step, checked), on=step.on)
        elif checked.modseq:
            others = session.store_unless_changed(part, checked.modseq, how, flags)
            changed_since |= set(numbers(others)) if others else set()
        else:
            _set_flags(session, part, _words_of(step, checked), on=step.on)
    return changed_since


def _set_flags(session: ImapSession, part: str, words: Sequence[str], *, on: bool) -> None:
    flags = [word.encode() for word in words]
    if on:
        session.add_flags(part, flags, silent=True)
    else:
        session.remove_flags(part, flags, silent=True)


def _is_so(session: ImapSession, step: Marking, uids: Sequence[int]) -> bool:
    """Read the flags again, and return whether all messages have the flag or label as it was set."""
    wanted = step.leaves()[0]  # all facts have the same flag or label
    marks = {uid: marks_of(flags_of_fetched(fetched)) for uid, fetched in fetch_messages(session, uids, ("FLAGS",))}
    return all(uid in marks and wanted.agrees(*marks[uid]) for uid in uids)


def _restore_flags(
    session: ImapSession, step: Marking, checked: CheckedMessages, done: Sequence[tuple[str, Sequence[int]]]
) -> None:
    for mailbox, uids in done:
        open_mailbox(session, mailbox, checked.boxes.name(mailbox), writing=True)
        for part in sets(uids):
            put = fetch.store_labels if _uses_gmail_labels(session, step) else _set_flags
            put(session, part, _words_of(step, checked), on=not step.on)


def _uses_gmail_labels(session: ImapSession, step: Marking) -> bool:
    return isinstance(step, SetLabel) and fetch.has_labels(session)


def _check_facts(ids: Sequence[str], flags: Mapping[str, tuple[bytes, ...]], expects: Facts) -> None:
    for one in ids:
        if one not in flags:
            raise ProviderError(f"the message {one} is not where it was; nothing was done", "world.changed")
    for fact in expects:
        if isinstance(fact, MailFlag | MailLabel) and not fact.agrees(*marks_of(flags.get(fact.message_id, ()))):
            raise ProviderError(f"the message {fact.message_id} was changed since; nothing was done", "world.changed")


def _check_keyword(session: ImapSession, box: SelectedMailbox, step: Changing) -> None:
    if (
        isinstance(step, SetLabel)
        and step.on
        and not fetch.has_labels(session)
        and not box.takes(keyword_of(step.label))
    ):
        raise ProviderError(
            f"the mail server takes no label {quoted(step.label)} in {quoted(box.mailbox)}; nothing was done",
            "mail.labels",
        )


def _modseq(fetched: Mapping[bytes, object]) -> int:
    value = fetched.get(b"MODSEQ")
    first = next(iter(cast("tuple[object, ...]", value)), 0) if isinstance(value, tuple) else 0
    return first if isinstance(first, int) else 0


def _read_copyuid(code: bytes | None, by_uid: Mapping[int, str], mailbox: str) -> dict[str, MailPlace]:
    words = (code or b"").decode("ascii", "replace").split()
    match words:
        case [validity, old, new] if validity.isdecimal():
            pairs = zip(numbers(old), numbers(new), strict=True)
            return {by_uid[one]: MailPlace(mailbox, str(other), int(validity)) for one, other in pairs if one in by_uid}
        case _:
            return {}


def _remove_part(session: ImapSession, part: str) -> None:
    session.add_flags(part, [rb"\Deleted"], silent=True)
    if session.has_capability("UIDPLUS"):
        session.uid_expunge(part)
    else:
        session.expunge()


def _find_moved(session: ImapSession, boxes: Mailboxes, step: MoveMessages) -> dict[str, MailPlace]:
    """Find moved messages by their ids, on a server that does not return their new UIDs."""
    box = open_mailbox(session, step.destination, boxes.name(step.destination))
    window = f"{max(1, box.exists - 2 * len(step.ids))}:{max(1, box.exists)}".encode()
    uids = session.search_uids([window]) if box.exists else []
    found: dict[str, MailPlace] = {}
    for uid, fetched in fetch_messages(session, uids, ID_HEADER):
        place = place_at(box, uid)
        found[message_id_of(fetched, place)] = place
    return {one: found[one] for one in step.ids if one in found}
