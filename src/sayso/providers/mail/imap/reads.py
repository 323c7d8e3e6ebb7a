"""Search for messages on a server, find them by their ids, and read them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nlargest
from itertools import chain, islice

from msgspec import Struct
from msgspec.structs import replace

from sayso.providers.mail.backend import KnownPlaces, StoredMail, shorten_message, tell_apart
from sayso.providers.mail.imap import fetch
from sayso.providers.mail.imap.client import ImapSession, Key, SearchText
from sayso.providers.mail.imap.connection import ImapConnection, Mailboxes
from sayso.providers.mail.imap.fetch import (
    ALL_BYTES,
    HEAD,
    ID_HEADER,
    LISTED_BYTES,
    STRUCTURE,
    SelectedMailbox,
    attachment_of,
    fetch_messages,
    head_of_fetched,
    headers_of_fetched,
    heads,
    message_id_of,
    open_mailbox,
    place_at,
    received_time,
    structure_of,
    with_texts,
)
from sayso.providers.mail.messages import (
    QUERY_HEADERS,
    ambiguous,
    came_within,
    keyword_of,
    label_of_keyword,
    parse_query,
    query_message,
    with_files,
)
from sayso.providers.mail.query.imap_search import SearchServer, search_day, to_imap
from sayso.providers.mail.query.match import matches, needs
from sayso.providers.mail.query.parser import Query, fold_mailbox
from sayso.providers.mail.store import (
    HIDDEN,
    AttachmentFile,
    Criteria,
    DatedCriteria,
    Message,
    place_of,
)

WINDOW = 80_000
"""The most messages in one search command, so that the answer does not exceed the limit of a line."""
_DAY = timedelta(days=1)
_AT_ONCE = 100


class SearchHit(Struct, frozen=True):
    """A message that a search found."""

    received: datetime
    box: SelectedMailbox
    uid: int


def key_of(wanted: DatedCriteria, label_key: Callable[[str], Sequence[bytes]]) -> Key:
    """Return the criteria as a search key.

    The dates in the key are wider than those of the criteria, since servers compare days without times.
    """
    criteria = wanted.criteria
    key: list[bytes] = []
    for names, part in (
        ((b"FROM",), criteria.sender),
        ((b"SUBJECT",), criteria.subject),
        ((b"TO", b"CC"), criteria.to),
        ((b"SUBJECT", b"BODY"), criteria.text),
    ):
        if part is not None:
            key += [b"OR"] * (len(names) - 1)
            key += [word for name in names for word in (name, SearchText(part.encode()))]
    if criteria.label is not None:
        key += label_key(criteria.label)
    if criteria.unread is not None:
        key.append(b"UNSEEN" if criteria.unread else b"SEEN")
    if wanted.after is not None:
        key += [b"SINCE", search_day(wanted.after - _DAY).encode()]
    if wanted.before is not None:
        key += [b"BEFORE", search_day(wanted.before + 2 * _DAY).encode()]
    return tuple(key)


def keyword_key(label: str) -> list[bytes]:
    """Return the search key for messages with this label, on servers that store labels as keywords."""
    return [b"KEYWORD", keyword_of(label).encode()]


def find_by_criteria(
    session: ImapSession, boxes: Mailboxes, mailboxes: Sequence[str], wanted: DatedCriteria
) -> list[SearchHit]:
    """Return the newest messages of these mailboxes that match the criteria, up to their limit."""
    key = key_of(wanted, fetch.label_key if fetch.has_labels(session) else keyword_key)
    limit, dated = wanted.criteria.limit, wanted.after is not None or wanted.before is not None

    def search(box: SelectedMailbox) -> Iterator[SearchHit]:
        def within(uids: Sequence[int]) -> Iterator[SearchHit]:
            return (hit for hit in _with_times(session, box, uids) if came_within(hit.received, wanted))

        here = (*key, *outside_inbox_key(session, boxes, box.mailbox))
        return _hits_in(session, box, here, limit, within if dated else None)

    return _newest(session, boxes, mailboxes, limit, search)


def find_by_query(session: ImapSession, boxes: Mailboxes, query: Query, limit: int) -> list[SearchHit]:
    """Return the newest messages that a query finds, at most `limit`."""
    mailboxes = [
        mailbox
        for mailbox in boxes.names
        if query.searches(fold_mailbox(mailbox))
        and (not boxes.everything or mailbox in {*boxes.mailboxes_to_search(), *HIDDEN})
    ]

    def search(box: SelectedMailbox) -> Iterator[SearchHit]:
        found = to_imap(query, _server(session, box))
        if found is None:
            return iter(())
        words = (one.encode() if isinstance(one, str) else SearchText(one.data) for one in found.key)
        key = (*words, *outside_inbox_key(session, boxes, box.mailbox))
        return _hits_in(
            session, box, key, limit, None if found.exact else lambda uids: _decide_hits(session, box, query, uids)
        )

    return _newest(session, boxes, mailboxes, limit, search)


def _newest(
    session: ImapSession,
    boxes: Mailboxes,
    mailboxes: Sequence[str],
    limit: int,
    search: Callable[[SelectedMailbox], Iterator[SearchHit]],
) -> list[SearchHit]:
    hits: list[SearchHit] = []
    for mailbox in nonempty_mailboxes(session, boxes, mailboxes):
        box = open_mailbox(session, mailbox, boxes.name(mailbox))
        hits = nlargest(limit, chain(hits, search(box)), key=latest)
    return hits


def outside_inbox_key(session: ImapSession, boxes: Mailboxes, mailbox: str) -> Key:
    """Return the key that leaves out the inbox in the mailbox of all mail, so that no message is found twice."""
    holds_all = mailbox == boxes.everything != "inbox"
    return fetch.elsewhere_key() if holds_all and fetch.has_labels(session) else ()


def nonempty_mailboxes(session: ImapSession, boxes: Mailboxes, mailboxes: Sequence[str]) -> list[str]:
    """Return the mailboxes that are not empty. The open one comes first, so that it is not opened again."""
    if len(mailboxes) > 1:
        counts = session.message_counts()
        mailboxes = [one for one in mailboxes if counts.get(boxes.name(one)) != 0]
    return sorted(mailboxes, key=lambda one: boxes.name(one) != session.open_name)


def _hits_in(
    session: ImapSession,
    box: SelectedMailbox,
    key: Key,
    limit: int,
    decide: Callable[[Sequence[int]], Iterator[SearchHit]] | None,
) -> Iterator[SearchHit]:
    """Yield the messages in a mailbox that match a key. `decide` selects from them; None keeps all."""
    sorts = session.has_capability("SORT")
    for last in range(box.exists, 0, -WINDOW):
        window = f"{max(1, last - WINDOW + 1)}:{last}".encode()
        uids = session.search_uids([window, b"UNDELETED", *key], newest=sorts)
        if decide is None:
            yield from _with_times(session, box, uids[:limit] if sorts else uids)
        else:
            # If the server sorts, the first `limit` messages are the newest. Otherwise all must be looked at.
            yield from islice(decide(uids), limit) if sorts else decide(uids)


def _with_times(session: ImapSession, box: SelectedMailbox, uids: Sequence[int]) -> Iterator[SearchHit]:
    fetched = fetch_messages(session, uids, ("INTERNALDATE",))
    return (SearchHit(received_time(data), box, uid) for uid, data in fetched)


def latest(hit: SearchHit) -> tuple[datetime, int]:
    """Return the sort key of a message: its time, then its UID."""
    return hit.received, hit.uid


def _server(session: ImapSession, box: SelectedMailbox) -> SearchServer:
    def keywords(name: str) -> tuple[str, ...]:
        known = (flag.decode("latin-1") for flag in box.flags if not flag.startswith(b"\\"))
        return tuple(word for word in known if fold_mailbox(label_of_keyword(word) or "") == name)

    level = session.has_capability("I18NLEVEL=1") or session.has_capability("I18NLEVEL=2")
    return SearchServer(box.mailbox, keywords, unicode=level, gmail=session.has_capability("X-GM-EXT-1"))


def _decide_hits(session: ImapSession, box: SelectedMailbox, query: Query, uids: Sequence[int]) -> Iterator[SearchHit]:
    needed = needs(query)
    what = (*HEAD[:3], f"BODY.PEEK[HEADER.FIELDS ({QUERY_HEADERS})]", *([STRUCTURE] if "attachments" in needed else []))
    for start in range(0, len(uids), _AT_ONCE):
        some = uids[start : start + _AT_ONCE]
        texts = with_texts(session, box, some, ALL_BYTES) if "body" in needed else {}
        for uid, fetched in fetch_messages(session, some, what):
            bcc = headers_of_fetched(fetched).addresses("bcc")
            message = query_message(head_of_fetched(box, uid, fetched), bcc)
            message = with_files(message, structure_of(fetched)) if "attachments" in needed else message
            body = texts[uid].body_text if uid in texts else ""
            if matches(query, replace(message, body=body)):
                yield SearchHit(received_time(fetched), box, uid)


_FEW = 20
"""Up to this many ids are searched for one by one. For more, the ids in a whole mailbox are read, newest first."""
_WINDOW = 5_000
_ID = ("FLAGS", *ID_HEADER)


class MessageFinder:
    """Finds messages by their ids, starting where they were last seen."""

    def __init__(self, session: ImapSession, boxes: Mailboxes, known: KnownPlaces) -> None:
        self._wire = session
        self._boxes = boxes
        self._known = known

    def find(self, ids: Sequence[str], *, first: bool) -> dict[str, Message]:
        """Return messages without their text, by their ids; unknown ids are left out.

        If several messages in a mailbox have the same id, returns the newest one if `first`, and else raises
        `ProposalError`.
        """
        messages = self._find_known(ids)
        missing = {one for one in ids if one not in messages and place_of(one) is None}
        for mailbox in sorted(self._boxes.names, key=lambda one: (one in HIDDEN, one != "inbox")):
            if not missing:
                break
            box = open_mailbox(self._wire, mailbox, self._boxes.name(mailbox))
            for one, uids in self._in(box, missing).items():
                if len(uids) > 1 and not first:
                    raise ambiguous(one, [place_at(box, uid) for uid in uids])
                for _, message in heads(self._wire, box, [max(uids)]):
                    messages[one] = message
                    self._known.put(one, place_at(box, max(uids)))
                    missing.discard(one)
        return messages

    def _find_known(self, ids: Sequence[str]) -> dict[str, Message]:
        by_box: dict[tuple[str, int], dict[int, str]] = {}
        for one in ids:
            fold_mailbox = place_of(one) or self._known[one]
            if fold_mailbox is not None and fold_mailbox.uid.isdecimal():
                by_box.setdefault((fold_mailbox.mailbox, fold_mailbox.uidvalidity), {})[int(fold_mailbox.uid)] = one
        found: dict[str, Message] = {}
        for (mailbox, validity), wanted in by_box.items():
            if mailbox not in self._boxes.names:
                continue
            box = open_mailbox(self._wire, mailbox, self._boxes.name(mailbox))
            for uid, message in heads(self._wire, box, list(wanted)) if box.uidvalidity == validity else ():
                if wanted[uid] in {message.message_id, str(place_at(box, uid))}:
                    found[wanted[uid]] = message
        return found

    def _in(self, box: SelectedMailbox, wanted: set[str]) -> dict[str, list[int]]:
        uids = self._ask_for_ids(wanted) if len(wanted) <= _FEW else self._windows(box)
        found: dict[str, list[int]] = {}
        for uid, fetched in fetch_messages(self._wire, list(uids), _ID):
            id_ = message_id_of(fetched, place_at(box, uid))
            if id_ in wanted:
                found.setdefault(id_, []).append(uid)
        return found

    def _ask_for_ids(self, wanted: set[str]) -> Iterator[int]:
        for one in sorted(wanted):
            yield from self._wire.search_uids([b"UNDELETED", b"HEADER", b"MESSAGE-ID", SearchText(one.encode())])

    def _windows(self, box: SelectedMailbox) -> Iterator[int]:
        for last in range(box.exists, 0, -_WINDOW):
            yield from self._wire.search_uids([f"{max(1, last - _WINDOW + 1)}:{last}".encode(), b"UNDELETED"])


@dataclass(frozen=True)
class ImapMail(StoredMail):
    """The person's mail in the mailboxes of one IMAP account."""

    connection: ImapConnection

    async def inbox(self, limit: int, *, include_read: bool) -> tuple[Message, ...]:
        wanted = DatedCriteria(Criteria(limit=limit, unread=None if include_read else True))
        return await self.connection.read(lambda session, boxes: self._list_messages(session, boxes, ["inbox"], wanted))

    async def search(self, wanted: DatedCriteria) -> tuple[Message, ...]:
        return await self.connection.read(
            lambda session, boxes: self._list_messages(session, boxes, boxes.mailboxes_to_search(), wanted)
        )

    async def query(self, query: str, limit: int) -> tuple[Message, ...]:
        parsed = parse_query(query, self.context)

        def question(session: ImapSession, boxes: Mailboxes) -> tuple[Message, ...]:
            return self._tell_apart(self._read_hits(session, boxes, find_by_query(session, boxes, parsed, limit)))

        return await self.connection.read(question)

    async def get(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        return await self.connection.read(lambda session, boxes: self._get(session, boxes, ids))

    async def heads(self, ids: tuple[str, ...]) -> tuple[Message, ...]:
        found = await self.connection.read(
            lambda session, boxes: MessageFinder(session, boxes, self.known).find(ids, first=False)
        )
        return tuple(replace(found[one], message_id=one) for one in ids if one in found)

    async def find_attachment(self, id_: str, number: int) -> AttachmentFile | None:
        return await self.connection.read(lambda session, boxes: self._attachment(session, boxes, id_, number))

    def _list_messages(
        self, session: ImapSession, boxes: Mailboxes, mailboxes: Sequence[str], wanted: DatedCriteria
    ) -> tuple[Message, ...]:
        hits = find_by_criteria(session, boxes, mailboxes, wanted)
        return self._tell_apart(self._read_hits(session, boxes, hits))

    def _tell_apart(self, found: Sequence[Message]) -> tuple[Message, ...]:
        return tell_apart((shorten_message(one) for one in found), self.known)

    @staticmethod
    def _read_hits(session: ImapSession, boxes: Mailboxes, hits: Sequence[SearchHit]) -> list[Message]:
        by_box: dict[str, list[SearchHit]] = {}
        for hit in hits:
            by_box.setdefault(hit.box.mailbox, []).append(hit)
        messages: dict[tuple[str, int], Message] = {}
        for mailbox, some in sorted(by_box.items(), key=lambda one: boxes.name(one[0]) != session.open_name):
            box = open_mailbox(session, mailbox, boxes.name(mailbox))
            read = with_texts(session, box, [hit.uid for hit in some], LISTED_BYTES)
            messages.update({(mailbox, uid): message for uid, message in read.items()})
        checked = ((hit.box.mailbox, hit.uid) for hit in hits)
        return [messages[one] for one in checked if one in messages]

    def _get(self, session: ImapSession, boxes: Mailboxes, ids: Sequence[str]) -> tuple[Message, ...]:
        found = MessageFinder(session, boxes, self.known).find(ids, first=True)
        by_box: dict[str, list[str]] = {}
        for one, message in found.items():
            by_box.setdefault(message.mailbox, []).append(one)
        whole: dict[str, Message] = {}
        for mailbox, some in by_box.items():
            box = open_mailbox(session, mailbox, boxes.name(mailbox))
            read = with_texts(session, box, [int(found[one].uid) for one in some], ALL_BYTES)
            for one in some:
                if int(found[one].uid) in read:
                    whole[one] = replace(read[int(found[one].uid)], message_id=one)
        return tuple(whole[one] for one in ids if one in whole)

    def _attachment(self, session: ImapSession, boxes: Mailboxes, id_: str, number: int) -> AttachmentFile | None:
        found = MessageFinder(session, boxes, self.known).find([id_], first=True)
        for message in found.values():
            box = open_mailbox(session, message.mailbox, boxes.name(message.mailbox))
            return attachment_of(session, box, int(message.uid), number)
        return None
