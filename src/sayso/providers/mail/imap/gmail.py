"""What Gmail adds to IMAP (X-GM-EXT-1): labels, and its own numbers of messages."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from imapclient.imap_utf7 import decode, encode

from sayso.providers.mail.imap.client import ImapSession, SearchText
from sayso.providers.mail.messages import keyword_of, label_of_keyword

LABELS, NUMBER = "X-GM-LABELS", "X-GM-MSGID"
INBOX = r"\Inbox"
"""The label of what is in the inbox; to archive is to take it off."""
_AT_ONCE = 100


def has_labels(session: ImapSession) -> bool:
    """Say whether a server has Gmail's labels (X-GM-EXT-1)."""
    return session.has_capability("X-GM-EXT-1")


def with_labels(session: ImapSession, what: Sequence[str]) -> Sequence[str]:
    """Return what to fetch: with the labels, where flags are asked for and the server has labels."""
    return (*what, LABELS) if "FLAGS" in what and has_labels(session) else what


def keywords_of_fetched(fetched: Mapping[bytes, object]) -> tuple[bytes, ...] | None:
    """Return the labels of a message as keywords, but for Gmail's own; None where the server told of no labels."""
    answer = fetched.get(LABELS.encode())
    if not isinstance(answer, tuple | list):
        return None
    names = [_text(one) for one in cast("Iterable[object]", answer)]
    return tuple(keyword_of(name).encode() for name in names if name and not name.startswith("\\"))


def label_key(label: str) -> list[bytes]:
    """Return the search key for messages with this label."""
    return [LABELS.encode(), SearchText(encode(label))]


def elsewhere_key() -> list[bytes]:
    """Return the search key that leaves out what is in the inbox, which Gmail shows among all mail, too."""
    return [b"NOT", LABELS.encode(), SearchText(INBOX.encode())]


def store_labels(session: ImapSession, uids: str, keywords: Iterable[str], *, on: bool) -> None:
    """Add labels to messages or take them off; each is given as its keyword."""
    labels = [label_of_keyword(word) or word for word in keywords]
    change_labels(session, uids, labels, on=on)


def change_labels(session: ImapSession, uids: str, labels: Sequence[str], *, on: bool) -> None:
    """Add labels to messages or take them off, in one exchange."""
    if on:
        session.add_gmail_labels(uids, labels, silent=True)
    else:
        session.remove_gmail_labels(uids, labels, silent=True)


def numbers_key(numbers: Sequence[int]) -> list[list[bytes]]:
    """Return search keys that find these messages by Gmail's own numbers, as few as lines allow."""
    chunks = [numbers[start : start + _AT_ONCE] for start in range(0, len(numbers), _AT_ONCE)]
    return [_any([f"{NUMBER} {one}".encode() for one in chunk]) for chunk in chunks]


def _any(keys: list[bytes]) -> list[bytes]:
    if len(keys) == 1:
        return keys
    middle = len(keys) // 2  # halves, so that a hundred stand seven deep
    return [b"OR (%b) (%b)" % (b" ".join(_any(keys[:middle])), b" ".join(_any(keys[middle:])))]


def _text(answer: object) -> str:
    if not isinstance(answer, bytes):
        return str(answer) if isinstance(answer, int) else ""
    try:
        return decode(answer)
    except (UnicodeError, ValueError):
        return answer.decode("latin-1")
