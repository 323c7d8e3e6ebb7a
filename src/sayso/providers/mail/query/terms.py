"""What a query means, as a tree of terms."""

from datetime import datetime
from typing import Literal

from sayso.core.values import dataclass

Field = Literal["from", "to", "cc", "bcc", "subject", "text", "filename"]
"""Where words are looked for. `to` is who it went to, copies too; `text` is what a person reads of it."""


@dataclass(frozen=True, slots=True)
class Words:
    """These words follow each other in one of the field's values."""

    field: Field
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WithId:
    """The message has this Message-ID."""

    message_id: str


@dataclass(frozen=True, slots=True)
class HasAttachment:
    """The message carries a file."""


@dataclass(frozen=True, slots=True)
class Marked:
    """The message has a flag, or has it not."""

    flag: Literal["read", "starred"]
    on: bool


@dataclass(frozen=True, slots=True)
class Within:
    """The message is in the mailbox of this name, or has the label of this name; the name is folded."""

    name: str


@dataclass(frozen=True, slots=True)
class Since:
    """The message came at this time or later."""

    moment: datetime


@dataclass(frozen=True, slots=True)
class Before:
    """The message came before this time."""

    moment: datetime


@dataclass(frozen=True, slots=True)
class Larger:
    """The message is larger than this many bytes."""

    size: int


@dataclass(frozen=True, slots=True)
class Smaller:
    """The message is smaller than this many bytes."""

    size: int


@dataclass(frozen=True, slots=True)
class AllOf:
    """All of these hold; of none, that is so."""

    terms: "tuple[Term, ...]"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of these holds."""

    terms: "tuple[Term, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """The term does not hold."""

    term: "Term"


Leaf = Words | WithId | HasAttachment | Marked | Within | Since | Before | Larger | Smaller
Term = Leaf | AllOf | AnyOf | Not

APART = frozenset({"trash", "spam"})
"""Mailboxes that are searched only by a query that names them, or says `in:anywhere`."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was understood: the text as it was written, and what it means."""

    text: str
    term: Term
    apart: frozenset[str] = frozenset()
    """Those of `APART` that it searches too."""

    def searches(self, mailbox: str) -> bool:
        """Say whether messages of this mailbox can be among what it finds."""
        return mailbox not in APART or mailbox in self.apart
