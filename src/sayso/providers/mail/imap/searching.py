"""Find the newest messages that fulfil something, reading no more than their dates: bodies stay on the server."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from heapq import nlargest
from itertools import chain, islice

from sayso.core.values import dataclass
from sayso.providers.mail.criteria import came_within
from sayso.providers.mail.imap import gmail
from sayso.providers.mail.imap.boxes import Boxes
from sayso.providers.mail.imap.fetching import Selected, fetched, received_of, selected
from sayso.providers.mail.imap.wire import Key, Text, Wire
from sayso.providers.mail.labels import keyword_of
from sayso.providers.mail.store import Wanted

WINDOW = 80_000
"""Messages that one search looks at, so that no answer is longer than a line may be."""
_DAY = timedelta(days=1)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Hit:
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
        box = selected(wire, mailbox, boxes.name(mailbox))
        here = (*key, *beside_the_inbox(wire, boxes, mailbox))
        hits = nlargest(wanted.criteria.limit, chain(hits, _in(wire, box, here, wanted)), key=latest)
    return hits


def beside_the_inbox(wire: Wire, boxes: Boxes, mailbox: str) -> Key:
    """Return what to add to a search of the mailbox that holds all mail, so that no message is found twice."""
    return gmail.elsewhere_key() if mailbox == boxes.everything != "inbox" and gmail.offered(wire) else ()


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
        there = (Hit(received_of(told), box, uid) for uid, told in fetched(wire, uids, ("INTERNALDATE",)))
        kept = (hit for hit in there if came_within(hit.received, wanted))
        # In order, the first so many are enough; else all must be looked at.
        yield from islice(kept, wanted.criteria.limit) if sorts else kept


def latest(hit: Hit) -> tuple[datetime, int]:
    """Return what messages are ordered by."""
    return hit.received, hit.uid


def _day(moment: datetime) -> bytes:
    return f"{moment.day}-{_MONTHS[moment.month - 1]}-{moment.year:04}".encode()
