"""Search messages on a server, and find them by their ids."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from heapq import nlargest
from itertools import chain, islice

from msgspec import Struct
from msgspec.structs import replace

from sayso.providers.mail.imap import mailboxes as gmail
from sayso.providers.mail.imap.client import Key, Text, Wire
from sayso.providers.mail.imap.fetch import (
    ALL_BYTES,
    HEAD,
    SHAPE,
    Selected,
    fetch_messages,
    head_told,
    headers_told,
    heads,
    message_id_of,
    place_at,
    received_time,
    select_mailbox,
    shape_told,
    with_texts,
)
from sayso.providers.mail.imap.mailboxes import Boxes
from sayso.providers.mail.messages import (
    LETTERS_HEADERS,
    Place,
    ambiguous,
    came_within,
    keyword_of,
    label_of_keyword,
    letter_of,
    place_of,
    with_files,
)
from sayso.providers.mail.query.imap_search import Search, Server, to_imap
from sayso.providers.mail.query.match import matches, needs
from sayso.providers.mail.query.parser import Query, place
from sayso.providers.mail.reads import Seen
from sayso.providers.mail.store import Message, Wanted

WINDOW = 80_000
"""Messages that one search looks at, so that no answer is longer than a line may be."""
_DAY = timedelta(days=1)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Hit(Struct, frozen=True):
    """A message that was found."""

    received: datetime
    box: Selected
    uid: int


def key_of(wanted: Wanted, label_key: Callable[[str], Sequence[bytes]]) -> Key:
    """Return the criteria as a search key; days are wider than asked for, since a server knows no hours."""
    criteria = wanted.criteria
    key: list[bytes] = [b"UNDELETED"]
    for names, part in (
        ((b"FROM",), criteria.sender),
        ((b"SUBJECT",), criteria.subject),
        ((b"TO", b"CC"), criteria.to),
        ((b"SUBJECT", b"BODY"), criteria.text),
    ):
        if part is not None:
            key += [b"OR"] * (len(names) - 1)
            key += [word for name in names for word in (name, Text(part.encode()))]
    if criteria.label is not None:
        key += label_key(criteria.label)
    if criteria.unread is not None:
        key.append(b"UNSEEN" if criteria.unread else b"SEEN")
    if wanted.after is not None:
        key += [b"SINCE", _day(wanted.after - _DAY)]
    if wanted.before is not None:
        key += [b"BEFORE", _day(wanted.before + 2 * _DAY)]
    return tuple(key)


def keyword_key(label: str) -> list[bytes]:
    """Return the search key for messages with this label, where labels are keywords."""
    return [b"KEYWORD", keyword_of(label).encode()]


def newest(wire: Wire, boxes: Boxes, mailboxes: Sequence[str], key: Key, wanted: Wanted) -> list[Hit]:
    """Return the newest messages of these mailboxes that fulfil a key, as many as are wanted."""
    hits: list[Hit] = []
    for mailbox in in_turn(wire, boxes, mailboxes):
        box = select_mailbox(wire, mailbox, boxes.name(mailbox))
        here = (*key, *beside_the_inbox(wire, boxes, mailbox))
        hits = nlargest(wanted.criteria.limit, chain(hits, _in(wire, box, here, wanted)), key=latest)
    return hits


def beside_the_inbox(wire: Wire, boxes: Boxes, mailbox: str) -> Key:
    """Return what to add to a search of the mailbox that holds all mail, so that no message is found twice."""
    return gmail.elsewhere_key() if mailbox == boxes.everything != "inbox" and gmail.has_gmail_labels(wire) else ()


def in_turn(wire: Wire, boxes: Boxes, mailboxes: Sequence[str]) -> list[str]:
    """Return the mailboxes that hold something: the one that is open comes first, so that it is not opened again."""
    if len(mailboxes) > 1:
        counts = wire.counts()
        mailboxes = [one for one in mailboxes if counts.get(boxes.name(one)) != 0]
    return sorted(mailboxes, key=lambda one: boxes.name(one) != wire.at)


def _in(wire: Wire, box: Selected, key: Key, wanted: Wanted) -> Iterator[Hit]:
    sorts = wire.has_capability("SORT")
    for last in range(box.exists, 0, -WINDOW):
        window = f"{max(1, last - WINDOW + 1)}:{last}".encode()
        uids = wire.found([window, *key], newest=sorts)
        plain = sorts and wanted.after is None and wanted.before is None
        uids = uids[: wanted.criteria.limit] if plain else uids
        there = (Hit(received_time(told), box, uid) for uid, told in fetch_messages(wire, uids, ("INTERNALDATE",)))
        kept = (hit for hit in there if came_within(hit.received, wanted))
        # In order, the first so many are enough; else all must be looked at.
        yield from islice(kept, wanted.criteria.limit) if sorts else kept


def latest(hit: Hit) -> tuple[datetime, int]:
    """Return what messages are ordered by."""
    return hit.received, hit.uid


def _day(moment: datetime) -> bytes:
    return f"{moment.day}-{_MONTHS[moment.month - 1]}-{moment.year:04}".encode()


_AT_ONCE = 100


def find_hits(wire: Wire, boxes: Boxes, query: Query, limit: int) -> list[Hit]:
    """Return the newest messages that a query finds."""
    hits: list[Hit] = []
    mailboxes = [
        mailbox
        for mailbox in boxes.names
        if query.searches(place(mailbox))
        and (not boxes.everything or mailbox in {*boxes.mailboxes_to_search(), "trash", "junk"})
    ]
    for mailbox in in_turn(wire, boxes, mailboxes):
        box = select_mailbox(wire, mailbox, boxes.name(mailbox))
        search = to_imap(query, _server(wire, box))
        if search is not None:
            key = (*_search_key(search), *beside_the_inbox(wire, boxes, mailbox))
            found = _in_asking(wire, box, query if not search.exact else None, key, limit)
            hits = nlargest(limit, chain(hits, found), key=latest)
    return hits


def _server(wire: Wire, box: Selected) -> Server:
    def keywords(name: str) -> tuple[str, ...]:
        known = (flag.decode("latin-1") for flag in box.flags if not flag.startswith(b"\\"))
        return tuple(word for word in known if place(label_of_keyword(word) or "") == name)

    level = wire.has_capability("I18NLEVEL=1") or wire.has_capability("I18NLEVEL=2")
    return Server(box.mailbox, keywords, unicode=level, gmail=wire.has_capability("X-GM-EXT-1"))


def _search_key(search: Search) -> Key:
    return [one.encode() if isinstance(one, str) else Text(one.data) for one in search.key]


def _in_asking(wire: Wire, box: Selected, query: Query | None, key: Key, limit: int) -> Iterator[Hit]:
    """Yield what a key finds in a mailbox, and of that what a query holds for, where it is to be decided here."""
    sorts = wire.has_capability("SORT")
    for last in range(box.exists, 0, -WINDOW):
        window = f"{max(1, last - WINDOW + 1)}:{last}".encode()
        uids = wire.found([window, b"UNDELETED", *key], newest=sorts)
        found = _decide_hits(wire, box, query, uids) if query is not None else _plain(wire, box, uids)
        yield from islice(found, limit) if sorts else found


def _plain(wire: Wire, box: Selected, uids: Sequence[int]) -> Iterator[Hit]:
    return (Hit(received_time(told), box, uid) for uid, told in fetch_messages(wire, uids, ("INTERNALDATE",)))


def _decide_hits(wire: Wire, box: Selected, query: Query, uids: Sequence[int]) -> Iterator[Hit]:
    needed = needs(query)
    what = (*HEAD[:3], f"BODY.PEEK[HEADER.FIELDS ({LETTERS_HEADERS})]", *([SHAPE] if "attachments" in needed else []))
    for start in range(0, len(uids), _AT_ONCE):
        some = uids[start : start + _AT_ONCE]
        texts = with_texts(wire, box, some, ALL_BYTES) if "body" in needed else {}
        for uid, told in fetch_messages(wire, some, what):
            letter = letter_of(head_told(box, uid, told), headers_told(told))
            letter = with_files(letter, shape_told(told)) if "attachments" in needed else letter
            body = texts[uid].body_text if uid in texts else ""
            if matches(query, replace(letter, body=body)):
                yield Hit(received_time(told), box, uid)


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
            box = select_mailbox(self._wire, mailbox, self._boxes.name(mailbox))
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
            box = select_mailbox(self._wire, mailbox, self._boxes.name(mailbox))
            for uid, message in heads(self._wire, box, list(wanted)) if box.uidvalidity == validity else ():
                if wanted[uid] in {message.message_id, str(place_at(box, uid))}:
                    found[wanted[uid]] = message
        return found

    def _in(self, box: Selected, wanted: set[str]) -> dict[str, list[int]]:
        uids = self._ask_for_ids(wanted) if len(wanted) <= _FEW else self._windows(box)
        found: dict[str, list[int]] = {}
        for uid, told in fetch_messages(self._wire, list(uids), _ID):
            id_ = message_id_of(told, Place(box.mailbox, str(uid), box.uidvalidity))
            if id_ in wanted:
                found.setdefault(id_, []).append(uid)
        return found

    def _ask_for_ids(self, wanted: set[str]) -> Iterator[int]:
        for one in sorted(wanted):
            yield from self._wire.found([b"UNDELETED", b"HEADER", b"MESSAGE-ID", Text(one.encode())])

    def _windows(self, box: Selected) -> Iterator[int]:
        for last in range(box.exists, 0, -_WINDOW):
            yield from self._wire.found([f"{max(1, last - _WINDOW + 1)}:{last}".encode(), b"UNDELETED"])
