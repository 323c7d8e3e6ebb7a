"""Put a query to the server, mailbox by mailbox, and decide here what the server cannot tell."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from heapq import nlargest
from itertools import chain, islice

from sayso.providers.mail.imap.boxes import Boxes
from sayso.providers.mail.imap.fetching import (
    ALL_BYTES,
    HEAD,
    SHAPE,
    Selected,
    fetched,
    head_told,
    headers_told,
    received_of,
    selected,
    shape_told,
    with_texts,
)
from sayso.providers.mail.imap.searching import WINDOW, Hit, beside_the_inbox, in_turn, latest
from sayso.providers.mail.imap.wire import Key, Text, Wire
from sayso.providers.mail.labels import label_of_keyword
from sayso.providers.mail.letters import HEADERS, letter_of, with_files
from sayso.providers.mail.query.imap import Search, Server, to_imap
from sayso.providers.mail.query.matching import matches, needs
from sayso.providers.mail.query.terms import Query
from sayso.providers.mail.query.words import place

_AT_ONCE = 100


def asked(wire: Wire, boxes: Boxes, query: Query, limit: int) -> list[Hit]:
    """Return the newest messages that a query finds."""
    hits: list[Hit] = []
    mailboxes = [
        mailbox
        for mailbox in boxes.names
        if query.searches(place(mailbox)) and (not boxes.everything or mailbox in {*boxes.searched(), "trash", "junk"})
    ]
    for mailbox in in_turn(wire, boxes, mailboxes):
        box = selected(wire, mailbox, boxes.name(mailbox))
        search = to_imap(query, _server(wire, box))
        if search is not None:
            key = (*_said(search), *beside_the_inbox(wire, boxes, mailbox))
            found = _in(wire, box, query if not search.exact else None, key, limit)
            hits = nlargest(limit, chain(hits, found), key=latest)
    return hits


def _server(wire: Wire, box: Selected) -> Server:
    def keywords(name: str) -> tuple[str, ...]:
        known = (flag.decode("latin-1") for flag in box.flags if not flag.startswith(b"\\"))
        return tuple(word for word in known if place(label_of_keyword(word) or "") == name)

    level = wire.has_capability("I18NLEVEL=1") or wire.has_capability("I18NLEVEL=2")
    return Server(box.mailbox, keywords, unicode=level, gmail=wire.has_capability("X-GM-EXT-1"))


def _said(search: Search) -> Key:
    return [one.encode() if isinstance(one, str) else Text(one.data) for one in search.key]


def _in(wire: Wire, box: Selected, query: Query | None, key: Key, limit: int) -> Iterator[Hit]:
    """Yield what a key finds in a mailbox, and of that what a query holds for, where it is to be decided here."""
    sorts = wire.has_capability("SORT")
    for last in range(box.exists, 0, -WINDOW):
        window = f"{max(1, last - WINDOW + 1)}:{last}".encode()
        uids = wire.found([window, b"UNDELETED", *key], newest=sorts)
        found = _decided(wire, box, query, uids) if query is not None else _plain(wire, box, uids)
        yield from islice(found, limit) if sorts else found


def _plain(wire: Wire, box: Selected, uids: Sequence[int]) -> Iterator[Hit]:
    return (Hit(received_of(told), box, uid) for uid, told in fetched(wire, uids, ("INTERNALDATE",)))


def _decided(wire: Wire, box: Selected, query: Query, uids: Sequence[int]) -> Iterator[Hit]:
    needed = needs(query)
    what = (*HEAD[:3], f"BODY.PEEK[HEADER.FIELDS ({HEADERS})]", *([SHAPE] if "attachments" in needed else []))
    for start in range(0, len(uids), _AT_ONCE):
        some = uids[start : start + _AT_ONCE]
        texts = with_texts(wire, box, some, ALL_BYTES) if "body" in needed else {}
        for uid, told in fetched(wire, some, what):
            letter = letter_of(head_told(box, uid, told), headers_told(told))
            letter = with_files(letter, shape_told(told)) if "attachments" in needed else letter
            body = texts[uid].body_text if uid in texts else ""
            if matches(query, replace(letter, body=body)):
                yield Hit(received_of(told), box, uid)
