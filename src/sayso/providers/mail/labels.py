"""Labels: when two are the same, and how one is written as a keyword of IMAP, which takes few characters.

A keyword is an atom in any case. What an atom cannot hold is written as in quoted-printable (`Two words` becomes
`Two=20words`); keywords of other programs that are no labels (`$Forwarded`, `NonJunk`) stay out of sight.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from sayso.providers.mail.store import Message

_PLAIN = re.compile(rb"[A-Za-z0-9._+/:#@!~-]")
_WRITTEN = re.compile(r"=([0-9A-Fa-f]{2})")
_NOT_LABELS = frozenset({"junk", "nonjunk", "notjunk", "forwarded", "old", "unread", "receipt-handled"})
"""Keywords that other programs set for themselves."""


def has_label(message: Message, label: str) -> bool:
    """Say whether a message has a label; case does not matter, as on every server."""
    return label.casefold() in {one.casefold() for one in message.labels}


def with_label(message: Message, label: str, *, on: bool) -> Message:
    """Return a message with a label, or without it."""
    others = tuple(one for one in message.labels if one.casefold() != label.casefold())
    return replace(message, labels=(*others, label) if on else others)


def keyword_of(label: str) -> str:
    """Return the keyword that stands for a label on a server."""
    written = "".join(_letter(code) for code in label.encode())
    return f"={ord(label[0]):02X}{written[1:]}" if label.casefold() in _NOT_LABELS else written


def label_of_keyword(keyword: str) -> str | None:
    """Return the label that a keyword stands for; None when it is no label, but another program's own."""
    try:
        label = _WRITTEN.sub(lambda found: chr(int(found[1], 16)), keyword).encode("latin-1").decode()
    except UnicodeError:
        return None
    there = bool(label) and keyword_of(label).casefold() == keyword.casefold()
    return label if there else None


def labels_of(keywords: Iterable[str]) -> tuple[str, ...]:
    """Return the labels among keywords, sorted, each once."""
    found = (label_of_keyword(keyword) for keyword in keywords)
    return tuple(sorted({label for label in found if label is not None}))


def _letter(code: int) -> str:
    letter = bytes([code])
    return letter.decode() if _PLAIN.fullmatch(letter) else f"={code:02X}"
