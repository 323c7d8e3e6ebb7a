"""Decide whether a query matches one message; the results of every backend must agree with it."""

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
"""What must be fetched of a message, in addition to its flags, size and time."""


class QueryMessage(Struct, frozen=True):
    """One message. Fields that a query does not need (see `needs`) may be empty."""

    received: datetime
    """When the message was received, with an offset: INTERNALDATE, or the time of the file in a Maildir."""
    size: int
    """Size in bytes as IMAP counts it (RFC822.SIZE), with CR LF at the end of every line."""
    mailbox: str
    read: bool = False
    starred: bool = False
    labels: tuple[str, ...] = ()
    message_id: str = ""
    sender: str = ""
    to: tuple[str, ...] = ()
    """Each is `Name <address>`, decoded; `cc` and `bcc` have the same form."""
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    subject: str = ""
    body: str = ""
    """The plain text of the message, or the text of its HTML if it has no plain text."""
    attachments: tuple[str, ...] = ()
    """The name of each attachment; empty for an attachment without a name."""


_PARTS: Mapping[Field, tuple[Part, ...]] = {"text": ("headers", "body"), "filename": ("attachments",)}


def matches(query: Query, message: QueryMessage) -> bool:
    """Return whether a query finds this message."""
    return query.searches(fold_mailbox(message.mailbox)) and _QueryMatch(message, {}).holds(query.term)


def needs(query: Query) -> frozenset[Part]:
    """Return what this query needs to know of a message, in addition to its flags, size and time."""
    return frozenset(part for leaf in leaves(query.term) for part in _needed_parts(leaf))


def leaves(term: Term) -> Iterator[Leaf]:
    """Yield the terms in a tree that do not contain other terms."""
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
    """The words of each field that was needed, so that no field is split into words twice."""

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
    """Return a Message-ID without its angle brackets."""
    return message_id.strip().removeprefix("<").removesuffix(">")
