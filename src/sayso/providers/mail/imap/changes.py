"""Change messages on a server: checked first, then one exchange for each mailbox."""

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec import Struct

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Facts
from sayso.core.ports import BackendContext
from sayso.providers.mail.imap import mailboxes
from sayso.providers.mail.imap.client import Text, Wire, numbers, sets
from sayso.providers.mail.imap.connection import Line
from sayso.providers.mail.imap.fetch import (
    Selected,
    fetch_messages,
    flags_told,
    is_deleted,
    message_id_of,
    must_be_same,
    place_at,
    select_mailbox,
)
from sayso.providers.mail.imap.mailboxes import Boxes
from sayso.providers.mail.imap.search import Finder
from sayso.providers.mail.messages import Place, keyword_of, label_of_keyword
from sayso.providers.mail.model import MailAt, MailFlag, MailLabel, MoveMessages, SetFlag, SetLabel
from sayso.providers.mail.reads import Seen


def by_label(wire: Wire, boxes: Boxes, step: MoveMessages) -> bool:
    """Say whether a move is a label that goes or comes: between the inbox and all mail, where Gmail keeps both."""
    archive = boxes.names.get("archive")
    everything = bool(boxes.everything) and archive == boxes.names.get(boxes.everything)
    return everything and mailboxes.has_gmail_labels(wire) and {step.source, step.destination} == {"inbox", "archive"}


def relabel_messages(wire: Wire, boxes: Boxes, step: MoveMessages, by_uid: Mapping[int, str]) -> dict[str, Place]:
    """Take messages out of the inbox, or back into it; return where each of them is found then.

    The mailbox that they are in is open. Raises `ProviderError` where Gmail does not name each: then nothing is done.
    """
    known = numbers_of(wire, list(by_uid))
    if len(known) < len(by_uid):
        raise ProviderError("the mail server does not name each of the messages; nothing was done", "world.changed")
    for part in sets(list(by_uid)):
        mailboxes.change(wire, part, [mailboxes.INBOX], on=step.destination == "inbox")
    ids = {number: by_uid[uid] for uid, number in known.items()}
    box = select_mailbox(wire, step.destination, boxes.name(step.destination))
    found = [uid for key in mailboxes.numbers_key(list(ids)) for uid in wire.found(key)]
    there = numbers_of(wire, found)
    return {ids[number]: place_at(box, uid) for uid, number in there.items() if number in ids}


def numbers_of(wire: Wire, uids: Sequence[int]) -> dict[int, int]:
    """Return the number that Gmail knows each message by, in whichever mailbox it is shown."""
    told = ((uid, one.get(mailboxes.NUMBER.encode())) for uid, one in fetch_messages(wire, uids, (mailboxes.NUMBER,)))
    return {uid: number for uid, number in told if isinstance(number, int)}


class SentBox(Struct, frozen=True):
    """Where copies of what was sent are kept."""

    line: Line
    ground: BackendContext

    async def holds(self, message_id: str) -> bool:
        """Say whether a message of this Message-ID is there."""
        return await self.line.asks(lambda wire, boxes: _has_message(wire, boxes, message_id))

    async def keep(self, message: bytes) -> None:
        """Put a message there, as read; the mailbox is made where there is none."""

        def deed(wire: Wire, boxes: Boxes) -> None:
            wire.append(boxes.made(wire, "sent"), message, (rb"\Seen",), self.ground.clock.now())

        await self.line.does(lambda wire, boxes: boxes, deed)


def _has_message(wire: Wire, boxes: Boxes, message_id: str) -> bool:
    if "sent" not in boxes.names:
        return False
    box = select_mailbox(wire, "sent", boxes.name("sent"))
    key = [b"HEADER", b"MESSAGE-ID", Text(message_id.encode())]
    told = fetch_messages(wire, wire.found(key), ("BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]",))
    return any(message_id_of(one, place_at(box, uid)) == message_id for uid, one in told)


_FLAGS: Mapping[str, str] = {"starred": r"\Flagged", "read": r"\Seen"}


class Checked(Struct, frozen=True):
    """Messages that are as expected, by their ids, and when they were last changed."""

    boxes: Boxes
    places: Mapping[str, Place]
    flags: Mapping[str, tuple[bytes, ...]]
    modseq: int = 0
    """The latest change of any of them; 0 where the server does not count."""


def check_messages(
    wire: Wire, boxes: Boxes, seen: Seen, step: MoveMessages | SetFlag | SetLabel, expects: Facts
) -> Checked:
    """Look whether all messages are as expected. Raises `ProviderError` that says which is not."""
    places = {
        fact.about: Place(fact.mailbox, fact.uid, fact.uidvalidity) for fact in expects if isinstance(fact, MailAt)
    }
    elsewhere = [one for one in step.ids if one not in places]
    if elsewhere:
        found = Finder(wire, boxes, seen).found(elsewhere, first=False)
        places |= {one: Place(it.mailbox, it.uid, it.uidvalidity) for one, it in found.items()}
    flags: dict[str, tuple[bytes, ...]] = {}
    modseq = 0
    for mailbox in dict.fromkeys(place.mailbox for place in places.values()):
        box = select_mailbox(wire, mailbox, boxes.name(mailbox), writing=True)
        wanted = {int(place.uid): one for one, place in places.items() if place.mailbox == mailbox}
        for one in wanted.values():
            must_be_same(box, places[one].uidvalidity)
        _must_take(wire, box, step)
        counts = wire.has_capability("CONDSTORE") and not isinstance(step, MoveMessages)
        for uid, told in fetch_messages(wire, list(wanted), ("FLAGS", "MODSEQ") if counts else ("FLAGS",)):
            if not is_deleted(told):
                flags[wanted[uid]] = flags_told(told)
                modseq = max(modseq, _modseq(told))
    _must_hold(step.ids, flags, expects)
    return Checked(boxes, places, flags, modseq)


def move_messages(wire: Wire, step: MoveMessages, there: Checked) -> dict[str, Place]:
    """Move messages; return where each of them is now."""
    by_uid = {int(there.places[one].uid): one for one in step.ids}
    if by_label(wire, there.boxes, step):
        return _all_of(step, relabel_messages(wire, there.boxes, step, by_uid))
    name = there.boxes.made(wire, step.destination)
    moves = wire.has_capability("MOVE")
    if not moves and not wire.has_capability("UIDPLUS") and wire.found([b"DELETED"]):
        raise ProviderError(
            f"other messages in “{step.source}” wait to be deleted, and this server cannot move some without deleting "
            "those; nothing was done",
            "mail.expunge",
        )
    places: dict[str, Place] = {}
    for part in sets(list(by_uid)):
        wire.code("COPYUID")
        if moves:
            wire.move(part, name)
        else:
            wire.copy(part, name)
        places |= _read_copyuid(wire.code("COPYUID"), by_uid, step.destination)
        if not moves:
            _remove_part(wire, part)
    if len(places) < len(step.ids) and not wire.has_capability("UIDPLUS"):
        places = _find_moved(wire, there.boxes, step)
    return _all_of(step, places)


def _all_of(step: MoveMessages, places: dict[str, Place]) -> dict[str, Place]:
    if len(places) < len(step.ids):
        raise Uncertain(f"{len(places)} of {len(step.ids)} messages were moved", "mail.partly")
    return places


def mark_messages(wire: Wire, step: SetFlag | SetLabel, there: Checked) -> None:
    """Set or clear a flag or label of messages that nobody changed since they were checked."""
    done: list[tuple[str, list[int]]] = []
    for mailbox in dict.fromkeys(there.places[one].mailbox for one in step.ids):
        ids = [one for one in step.ids if there.places[one].mailbox == mailbox]
        uids = [int(there.places[one].uid) for one in ids]
        box = select_mailbox(wire, mailbox, there.boxes.name(mailbox), writing=True)
        must_be_same(box, there.places[ids[0]].uidvalidity)
        spoiled = _store_flags(wire, step, uids, there)
        done.append((mailbox, [uid for uid in uids if uid not in spoiled]))
        if spoiled or not _is_so(wire, step, uids):
            _restore_flags(wire, step, there, done)
            raise ProviderError("a message was changed by another program; nothing was done", "world.changed")


def words_of(step: SetFlag | SetLabel, there: Checked) -> list[str]:
    """Return the flags or keywords that a step is about, however a label is written there."""
    if isinstance(step, SetFlag):
        return [_FLAGS[step.flag]]
    wanted = step.label.casefold()
    used = {flag.decode("latin-1") for flags in there.flags.values() for flag in flags if not flag.startswith(b"\\")}
    same = [word for word in used if (label_of_keyword(word) or "").casefold() == wanted]
    return [keyword_of(step.label)] if step.on else sorted({keyword_of(step.label), *same})


def _store_flags(wire: Wire, step: SetFlag | SetLabel, uids: Sequence[int], there: Checked) -> set[int]:
    """Change the flags; return the UIDs of messages that somebody else changed meanwhile, and that stay as they are."""
    how, flags = "+FLAGS.SILENT" if step.on else "-FLAGS.SILENT", f"({' '.join(words_of(step, there))})"
    spoiled: set[int] = set()
    for part in sets(uids):
        if _has_labels(wire, step):
            mailboxes.store(wire, part, words_of(step, there), on=step.on)
        elif there.modseq:
            said = wire.store_unless_changed(part, there.modseq, how, flags)
            spoiled |= set(numbers(said)) if said else set()
        else:
            _plainly(wire, part, words_of(step, there), on=step.on)
    return spoiled


def _plainly(wire: Wire, part: str, words: Sequence[str], *, on: bool) -> None:
    flags = [word.encode() for word in words]
    if on:
        wire.add_flags(part, flags, silent=True)
    else:
        wire.remove_flags(part, flags, silent=True)


def _is_so(wire: Wire, step: SetFlag | SetLabel, uids: Sequence[int]) -> bool:
    """Read back what was changed."""
    seen = {uid: _has(step, flags_told(told)) for uid, told in fetch_messages(wire, uids, ("FLAGS",))}
    return all(seen.get(uid) is step.on for uid in uids)


def _restore_flags(
    wire: Wire, step: SetFlag | SetLabel, there: Checked, done: Sequence[tuple[str, Sequence[int]]]
) -> None:
    for mailbox, uids in done:
        select_mailbox(wire, mailbox, there.boxes.name(mailbox), writing=True)
        for part in sets(uids):
            put = mailboxes.store if _has_labels(wire, step) else _plainly
            put(wire, part, words_of(step, there), on=not step.on)


def _has_labels(wire: Wire, step: SetFlag | SetLabel) -> bool:
    return isinstance(step, SetLabel) and mailboxes.has_gmail_labels(wire)


def _has(fact: SetFlag | SetLabel | MailFlag | MailLabel, flags: Sequence[bytes]) -> bool:
    names = {flag.decode("latin-1") for flag in flags}
    if isinstance(fact, SetFlag | MailFlag):
        return _FLAGS[fact.flag].lower() in {name.lower() for name in names}
    labels = (label_of_keyword(name) for name in names if not name.startswith("\\"))
    return fact.label.casefold() in {label.casefold() for label in labels if label is not None}


def _must_hold(ids: Sequence[str], flags: Mapping[str, tuple[bytes, ...]], expects: Facts) -> None:
    for one in ids:
        if one not in flags:
            raise ProviderError(f"the message {one} is not where it was; nothing was done", "world.changed")
    for fact in expects:
        if isinstance(fact, MailFlag | MailLabel) and _has(fact, flags.get(fact.message_id, ())) is not fact.on:
            raise ProviderError(f"the message {fact.message_id} was changed since; nothing was done", "world.changed")


def _must_take(wire: Wire, box: Selected, step: MoveMessages | SetFlag | SetLabel) -> None:
    if (
        isinstance(step, SetLabel)
        and step.on
        and not mailboxes.has_gmail_labels(wire)
        and not box.takes(keyword_of(step.label))
    ):
        raise ProviderError(
            f"the mail server takes no label “{step.label}” in “{box.mailbox}”; nothing was done", "mail.labels"
        )


def _modseq(told: Mapping[bytes, object]) -> int:
    said = told.get(b"MODSEQ")
    found = next(iter(cast("tuple[object, ...]", said)), 0) if isinstance(said, tuple) else 0
    return found if isinstance(found, int) else 0


def _read_copyuid(said: bytes | None, by_uid: Mapping[int, str], mailbox: str) -> dict[str, Place]:
    words = (said or b"").decode("ascii", "replace").split()
    match words:
        case [validity, old, new] if validity.isdecimal():
            pairs = zip(numbers(old), numbers(new), strict=True)
            return {by_uid[one]: Place(mailbox, str(other), int(validity)) for one, other in pairs if one in by_uid}
        case _:
            return {}


def _remove_part(wire: Wire, part: str) -> None:
    wire.add_flags(part, [rb"\Deleted"], silent=True)
    if wire.has_capability("UIDPLUS"):
        wire.uid_expunge(part)
    else:
        wire.expunge()


def _find_moved(wire: Wire, boxes: Boxes, step: MoveMessages) -> dict[str, Place]:
    """Find moved messages by their ids, on a server that does not say where it put them."""
    box = select_mailbox(wire, step.destination, boxes.name(step.destination))
    uids = wire.found([f"{max(1, box.exists - 2 * len(step.ids))}:{max(1, box.exists)}".encode()]) if box.exists else []
    found: dict[str, Place] = {}
    for uid, told in fetch_messages(wire, uids, ("BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]",)):
        place = place_at(box, uid)
        found[message_id_of(told, place)] = place
    return {one: found[one] for one in step.ids if one in found}
