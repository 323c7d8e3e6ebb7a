"""The mailboxes of an account: what each is for, and what Gmail adds to them (X-GM-EXT-1)."""

from collections.abc import Iterable, Mapping, Sequence
from imaplib import IMAP4
from typing import cast

from imapclient.imap_utf7 import decode, encode
from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.providers.mail.imap.client import Text, Wire
from sayso.providers.mail.messages import keyword_of, label_of_keyword
from sayso.providers.mail.store import Role

LABELS, NUMBER = "X-GM-LABELS", "X-GM-MSGID"
INBOX = r"\Inbox"
"""The label of what is in the inbox; to archive is to take it off."""
_AT_ONCE = 100


def has_gmail_labels(wire: Wire) -> bool:
    """Say whether a server has Gmail's labels."""
    return wire.has_capability("X-GM-EXT-1")


def with_labels(wire: Wire, what: Sequence[str]) -> Sequence[str]:
    """Return what to fetch: with the labels, where flags are asked for and the server has labels."""
    return (*what, LABELS) if "FLAGS" in what and has_gmail_labels(wire) else what


def keywords_told(told: Mapping[bytes, object]) -> tuple[bytes, ...] | None:
    """Return the labels of a message as keywords, but for Gmail's own; None where the server told of no labels."""
    said = told.get(LABELS.encode())
    if not isinstance(said, tuple | list):
        return None
    names = [_text(one) for one in cast("Iterable[object]", said)]
    return tuple(keyword_of(name).encode() for name in names if name and not name.startswith("\\"))


def label_key(label: str) -> list[bytes]:
    """Return the search key for messages with this label."""
    return [LABELS.encode(), Text(encode(label))]


def elsewhere_key() -> list[bytes]:
    """Return the search key that leaves out what is in the inbox, which Gmail shows among all mail, too."""
    return [b"NOT", LABELS.encode(), Text(INBOX.encode())]


def store(wire: Wire, uids: str, keywords: Iterable[str], *, on: bool) -> None:
    """Add labels to messages or take them off; each is given as its keyword."""
    labels = [label_of_keyword(word) or word for word in keywords]
    change(wire, uids, labels, on=on)


def change(wire: Wire, uids: str, labels: Sequence[str], *, on: bool) -> None:
    """Add labels to messages or take them off, in one exchange."""
    if on:
        wire.add_gmail_labels(uids, labels, silent=True)
    else:
        wire.remove_gmail_labels(uids, labels, silent=True)


def numbers_key(numbers: Sequence[int]) -> list[list[bytes]]:
    """Return search keys that find these messages by Gmail's own numbers, as few as lines allow."""
    chunks = [numbers[start : start + _AT_ONCE] for start in range(0, len(numbers), _AT_ONCE)]
    return [_any([f"{NUMBER} {one}".encode() for one in chunk]) for chunk in chunks]


def _any(keys: list[bytes]) -> list[bytes]:
    if len(keys) == 1:
        return keys
    middle = len(keys) // 2  # halves, so that a hundred stand seven deep
    return [b"OR (%b) (%b)" % (b" ".join(_any(keys[:middle])), b" ".join(_any(keys[middle:])))]


def _text(said: object) -> str:
    if not isinstance(said, bytes):
        return str(said) if isinstance(said, int) else ""
    try:
        return decode(said)
    except (UnicodeError, ValueError):
        return said.decode("latin-1")


_SPECIAL: dict[bytes, Role] = {
    rb"\archive": "archive",
    rb"\sent": "sent",
    rb"\trash": "trash",
    rb"\drafts": "drafts",
    rb"\junk": "junk",
}
_USUAL: dict[Role, tuple[str, ...]] = {
    "archive": ("archive", "archives"),
    "sent": ("sent", "sent items", "sent messages", "sent mail"),
    "trash": ("trash", "deleted items", "deleted messages", "bin"),
    "drafts": ("drafts", "draft"),
    "junk": ("junk", "spam", "junk e-mail", "bulk mail"),
}
_NO_MAIL = frozenset({rb"\noselect", rb"\nonexistent"})


class Boxes(Struct, frozen=True):
    """What was there when the connection was opened; `names` is what the server calls each, the inbox first."""

    names: dict[str, str]
    prefix: str = ""
    everything: str = ""
    """The mailbox that holds all mail at once, where there is one."""

    def name(self, mailbox: str) -> str:
        """Return what the server calls a mailbox. Raises `ProviderError` where there is none."""
        if mailbox not in self.names:
            raise ProviderError(f"there is no mailbox “{mailbox}” any more; nothing was done", "world.changed")
        return self.names[mailbox]

    def made(self, wire: Wire, mailbox: str) -> str:
        """Return what the server calls a mailbox; one that has a purpose is made where it is missing."""
        role = next((role for role in _USUAL if role == mailbox), None)
        if mailbox in self.names or role is None:
            return self.name(mailbox)
        name = f"{self.prefix}{role.capitalize()}"
        wire.create_folder(name)
        try:
            wire.subscribe_folder(name)
        except IMAP4.abort:
            raise
        except IMAP4.error:
            pass  # it is there all the same
        self.names[mailbox] = name
        return name

    def mailboxes_to_search(self) -> list[str]:
        """Return the mailboxes that a search looks through, each message being in one of them."""
        if self.everything:
            return ["inbox", *([] if self.everything == "inbox" else [self.everything])]
        return [mailbox for mailbox in self.names if mailbox not in {"trash", "junk"}]


def boxes_of(wire: Wire) -> Boxes:
    """Ask the server what there is."""
    listed = [(flags, name) for flags, _, name in wire.list_folders() if _fit(flags, name)]
    lowered = [({flag.lower() for flag in flags}, name) for flags, name in listed]
    names = {"inbox": next((name for _, name in lowered if name.upper() == "INBOX"), "INBOX")}
    for flags, name in lowered:
        role = next((role for flag, role in _SPECIAL.items() if flag in flags), None)
        if role is not None:
            names.setdefault(role, name)
    everything = next((name for flags, name in lowered if rb"\all" in flags), "")
    if everything and "archive" not in names:
        names["archive"] = everything
    for role, usual in _USUAL.items():
        named = next((name for _, name in lowered if name.replace(".", "/").rpartition("/")[2].lower() in usual), None)
        if named is not None and named not in names.values():
            names.setdefault(role, named)
    known = set(names.values())
    names.update((name, name) for _, name in lowered if name not in known and name not in names)
    mailbox = next((mailbox for mailbox, name in names.items() if name == everything), "") if everything else ""
    return Boxes(names, _prefix(wire), mailbox)


def _fit(flags: tuple[bytes, ...], name: str) -> bool:
    # A name with a line break or the like in it would be a command of its own (ML-07).
    return name.isprintable() and not _NO_MAIL & {flag.lower() for flag in flags}


def _prefix(wire: Wire) -> str:
    if not wire.has_capability("NAMESPACE"):
        return ""
    personal = wire.namespace()[0]
    prefix = personal[0][0] if personal else ""
    return prefix if prefix.isprintable() else ""
