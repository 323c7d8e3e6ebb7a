"""Find messages on a server by their ids: first where they were seen, then in every mailbox."""

from collections.abc import Iterator, Sequence

from sayso.providers.mail.finding import Seen
from sayso.providers.mail.ids import ambiguous
from sayso.providers.mail.imap.boxes import Boxes
from sayso.providers.mail.imap.fetching import Selected, fetched, heads, message_id_of, place_at, selected
from sayso.providers.mail.imap.wire import Text, Wire
from sayso.providers.mail.places import Place, place_of
from sayso.providers.mail.store import Message

_FEW = 20
"""So many ids are asked for one by one; for more, the ids of a whole mailbox are read, the newest first."""
_WINDOW = 5_000
_ID = ("FLAGS", "BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]")


class Finder:
    """Finds messages on one connection."""

    def __init__(self, wire: Wire, boxes: Boxes, seen: Seen) -> None:
        self._wire = wire
        self._boxes = boxes
        self._seen = seen

    def found(self, ids: Sequence[str], *, first: bool) -> dict[str, Message]:
        """Return messages without their text by their ids; unknown ones are left out.

        Of several with one id in one mailbox it is the newest when `first`; else raises `ProposalError`.
        """
        messages = self._where_seen(ids)
        missing = {one for one in ids if one not in messages and place_of(one) is None}
        last = {"trash", "junk"}
        for mailbox in sorted(self._boxes.names, key=lambda one: (one in last, one != "inbox")):
            if not missing:
                break
            box = selected(self._wire, mailbox, self._boxes.name(mailbox))
            for one, uids in self._in(box, missing).items():
                if len(uids) > 1 and not first:
                    raise ambiguous(one, [place_at(box, uid) for uid in uids])
                for _, message in heads(self._wire, box, [max(uids)]):
                    messages[one] = message
                    self._seen.put(one, place_at(box, max(uids)))
                    missing.discard(one)
        return messages

    def _where_seen(self, ids: Sequence[str]) -> dict[str, Message]:
        by_box: dict[tuple[str, int], dict[int, str]] = {}
        for one in ids:
            place = place_of(one) or self._seen[one]
            if place is not None and place.uid.isdecimal():
                by_box.setdefault((place.mailbox, place.uidvalidity), {})[int(place.uid)] = one
        found: dict[str, Message] = {}
        for (mailbox, validity), wanted in by_box.items():
            if mailbox not in self._boxes.names:
                continue
            box = selected(self._wire, mailbox, self._boxes.name(mailbox))
            for uid, message in heads(self._wire, box, list(wanted)) if box.uidvalidity == validity else ():
                if wanted[uid] in {message.message_id, str(place_at(box, uid))}:
                    found[wanted[uid]] = message
        return found

    def _in(self, box: Selected, wanted: set[str]) -> dict[str, list[int]]:
        uids = self._asked(wanted) if len(wanted) <= _FEW else self._windows(box)
        found: dict[str, list[int]] = {}
        for uid, told in fetched(self._wire, list(uids), _ID):
            id_ = message_id_of(told, Place(box.mailbox, str(uid), box.uidvalidity))
            if id_ in wanted:
                found.setdefault(id_, []).append(uid)
        return found

    def _asked(self, wanted: set[str]) -> Iterator[int]:
        for one in sorted(wanted):
            yield from self._wire.found([b"UNDELETED", b"HEADER", b"MESSAGE-ID", Text(one.encode())])

    def _windows(self, box: Selected) -> Iterator[int]:
        for last in range(box.exists, 0, -_WINDOW):
            yield from self._wire.found([f"{max(1, last - _WINDOW + 1)}:{last}".encode(), b"UNDELETED"])
