"""Archive on Gmail, and bring back into the inbox: a label goes or comes, and the message is where it always was."""

from collections.abc import Mapping, Sequence

from sayso.core.errors import ProviderError
from sayso.providers.mail.imap import gmail
from sayso.providers.mail.imap.boxes import Boxes
from sayso.providers.mail.imap.fetching import fetched, place_at, selected
from sayso.providers.mail.imap.uids import sets
from sayso.providers.mail.imap.wire import Wire
from sayso.providers.mail.places import Place
from sayso.providers.mail.steps import MoveMessages


def by_label(wire: Wire, boxes: Boxes, step: MoveMessages) -> bool:
    """Say whether a move is a label that goes or comes: between the inbox and all mail, where Gmail keeps both."""
    archive = boxes.names.get("archive")
    everything = bool(boxes.everything) and archive == boxes.names.get(boxes.everything)
    return everything and gmail.offered(wire) and {step.source, step.destination} == {"inbox", "archive"}


def relabelled(wire: Wire, boxes: Boxes, step: MoveMessages, by_uid: Mapping[int, str]) -> dict[str, Place]:
    """Take messages out of the inbox, or back into it; return where each of them is found then.

    The mailbox that they are in is open. Raises `ProviderError` where Gmail does not name each: then nothing is done.
    """
    known = numbers_of(wire, list(by_uid))
    if len(known) < len(by_uid):
        raise ProviderError("the mail server does not name each of the messages; nothing was done", "world.changed")
    for part in sets(list(by_uid)):
        gmail.change(wire, part, [gmail.INBOX], on=step.destination == "inbox")
    ids = {number: by_uid[uid] for uid, number in known.items()}
    box = selected(wire, step.destination, boxes.name(step.destination))
    found = [uid for key in gmail.numbers_key(list(ids)) for uid in wire.found(key)]
    there = numbers_of(wire, found)
    return {ids[number]: place_at(box, uid) for uid, number in there.items() if number in ids}


def numbers_of(wire: Wire, uids: Sequence[int]) -> dict[int, int]:
    """Return the number that Gmail knows each message by, in whichever mailbox it is shown."""
    told = ((uid, one.get(gmail.NUMBER.encode())) for uid, one in fetched(wire, uids, (gmail.NUMBER,)))
    return {uid: number for uid, number in told if isinstance(number, int)}
