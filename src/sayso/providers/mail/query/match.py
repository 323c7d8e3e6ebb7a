"""Decide a query here, for one message: the meaning that every backend's answer is held to."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Literal, assert_never

from msgspec import Struct

from sayso.providers.mail.query.parser import (
    AllOf,
    AnyOf,
    Before,
    Field,
    HasAttachment,
    Larger,
    Leaf,
    Marked,
    Not,
    Query,
    Since,
    Smaller,
    Term,
    WithId,
    Within,
    Words,
    fold_mailbox,
    space_words,
)

Part = Literal["headers", "body", "attachments"]
"""What of a message must be fetched beyond its flags, size and time."""


class QueryMessage(Struct, frozen=True):
    """One message; what a query does not need (`needs`) may be left empty."""

    received: datetime
    """When it came, with an offset: INTERNALDATE, or the time of the file of a Maildir."""
    size: int
    """Bytes as IMAP counts them (RFC822.SIZE): every line ends with CR LF."""
    mailbox: str
    read: bool = False
    starred: bool = False
    labels: tuple[str, ...] = ()
    message_id: str = ""
    sender: str = ""
    to: tuple[str, ...] = ()
    """Each `Name <address>`, decoded; so are copies and hidden copies."""
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    subject: str = ""
    body: str = ""
    """The text that a person reads: the plain one, or what the HTML says where there is no other."""
    attachments: tuple[str, ...] = ()
    """The name of each file in it; empty for one without a name."""


_PARTS: Mapping[Field, tuple[Part, ...]] = {"text": ("headers", "body"), "filename": ("attachments",)}


def matches(query: Query, message: QueryMessage) -> bool:
    """Say whether this message is one that the query finds."""
    return query.searches(fold_mailbox(message.mailbox)) and _QueryMatch(message, {}).holds(query.term)


def needs(query: Query) -> frozenset[Part]:
    """Return what must be known of a message, beyond its flags, size and time, to decide this query."""
    return frozenset(part for leaf in leaves(query.term) for part in _needed_parts(leaf))


def leaves(term: Term) -> Iterator[Leaf]:
    """Yield the terms that are not made of others."""
    match term:
        case AllOf(terms) | AnyOf(terms):
            for one in terms:
                yield from leaves(one)
        case Not(inner):
            yield from leaves(inner)
        case _:
            yield term


def _needed_parts(leaf: Leaf) -> tuple[Part, ...]:
    match leaf:
        case Words(field):
            return _PARTS.get(field, ("headers",))
        case WithId():
            return ("headers",)
        case HasAttachment():
            return ("attachments",)
        case Marked() | Within() | Since() | Before() | Larger() | Smaller():
            return ()
        case _:
            assert_never(leaf)


class _QueryMatch(Struct, frozen=True):
    message: QueryMessage
    known: dict[Field, tuple[str, ...]]
    """The words of each field that was needed, so that none is cut twice."""

    def holds(self, term: Term) -> bool:
        match term:
            case AllOf(terms):
                return all(self.holds(one) for one in terms)
            case AnyOf(terms):
                return any(self.holds(one) for one in terms)
            case Not(inner):
                return not self.holds(inner)
            case Words(field, words):
                sought = f" {' '.join(words)} "
                return any(sought in text for text in self._words(field))
            case _:
                return _holds(self.message, term)

    def _words(self, field: Field) -> tuple[str, ...]:
        if field not in self.known:
            self.known[field] = tuple(space_words(text) for text in _texts(self.message, field))
        return self.known[field]


def _texts(message: QueryMessage, field: Field) -> tuple[str, ...]:
    match field:
        case "from":
            return (message.sender,)
        case "to":
            return (*message.to, *message.cc, *message.bcc)
        case "cc":
            return message.cc
        case "bcc":
            return message.bcc
        case "subject":
            return (message.subject,)
        case "filename":
            return message.attachments
        case "text":
            return (message.subject, message.sender, *message.to, *message.cc, *message.bcc, message.body)
        case _:
            assert_never(field)


def _holds(
    message: QueryMessage, leaf: WithId | HasAttachment | Marked | Within | Since | Before | Larger | Smaller
) -> bool:
    match leaf:
        case WithId(message_id):
            return bare(message.message_id) == bare(message_id)
        case HasAttachment():
            return bool(message.attachments)
        case Marked(flag, on):
            return (message.read if flag == "read" else message.starred) is on
        case Within(name):
            return name in {fold_mailbox(message.mailbox), *(fold_mailbox(label) for label in message.labels)}
        case Since(moment):
            return message.received >= moment
        case Before(moment):
            return message.received < moment
        case Larger() | Smaller():
            return message.size > leaf.size if isinstance(leaf, Larger) else message.size < leaf.size
        case _:
            assert_never(leaf)


def bare(message_id: str) -> str:
    """Return a Message-ID without the brackets around it."""
    return message_id.strip().removeprefix("<").removesuffix(">")
