"""Fetch messages: the headers of many in one command, only the parts that are needed, and Gmail's labels."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import collapse_rfc2231_value, decode_params
from typing import cast

from imapclient.imap_utf7 import decode, encode
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.quotes import quoted
from sayso.providers.mail.imap.client import ImapSession, SearchText
from sayso.providers.mail.messages import (
    Metadata,
    flags_of,
    head_of,
    keyword_of,
    label_of_keyword,
    labels_of,
    no_file,
    too_large,
)
from sayso.providers.mail.mime import (
    Headers,
    MimePart,
    about,
    attachments_of,
    decode_bytes,
    decode_field,
    files_of,
    headers_of,
    join_texts,
    text_of_part,
    texts_of,
)
from sayso.providers.mail.store import MOST_FILE, AttachmentFile, Flag, MailPlace, Message

LABELS, NUMBER = "X-GM-LABELS", "X-GM-MSGID"
INBOX = r"\Inbox"
"""Gmail's label for messages in the inbox. Removing it archives a message."""
_LABELS_AT_ONCE = 100


def has_labels(session: ImapSession) -> bool:
    """Return whether the server has Gmail's labels (X-GM-EXT-1)."""
    return session.has_capability("X-GM-EXT-1")


def with_labels(session: ImapSession, what: Sequence[str]) -> Sequence[str]:
    """Return the items to fetch, with Gmail's labels added if flags are fetched and the server has labels."""
    return (*what, LABELS) if "FLAGS" in what and has_labels(session) else what


def keywords_of_fetched(fetched: Mapping[bytes, object]) -> tuple[bytes, ...] | None:
    """Return the labels of a message as keywords, without Gmail's own labels; None if the answer has no labels."""
    answer = fetched.get(LABELS.encode())
    if not isinstance(answer, tuple | list):
        return None
    names = [_text(one) for one in cast("Iterable[object]", answer)]
    return tuple(keyword_of(name).encode() for name in names if name and not name.startswith("\\"))


def label_key(label: str) -> list[bytes]:
    """Return the search key for messages with a Gmail label."""
    return [LABELS.encode(), SearchText(encode(label))]


def elsewhere_key() -> list[bytes]:
    """Return the search key that leaves out messages in the inbox; Gmail shows these in all mail, too."""
    return [b"NOT", LABELS.encode(), SearchText(INBOX.encode())]


def store_labels(session: ImapSession, uids: str, keywords: Iterable[str], *, on: bool) -> None:
    """Add Gmail labels to messages or remove them. Each label is given as its keyword."""
    labels = [label_of_keyword(word) or word for word in keywords]
    change_labels(session, uids, labels, on=on)


def change_labels(session: ImapSession, uids: str, labels: Sequence[str], *, on: bool) -> None:
    """Add Gmail labels to messages or remove them, in one command."""
    if on:
        session.add_gmail_labels(uids, labels, silent=True)
    else:
        session.remove_gmail_labels(uids, labels, silent=True)


def numbers_key(numbers: Sequence[int]) -> list[list[bytes]]:
    """Return search keys that find messages by their Gmail numbers; each key is short enough for one line."""
    chunks = [numbers[start : start + _LABELS_AT_ONCE] for start in range(0, len(numbers), _LABELS_AT_ONCE)]
    return [_any([f"{NUMBER} {one}".encode() for one in chunk]) for chunk in chunks]


def _any(keys: list[bytes]) -> list[bytes]:
    if len(keys) == 1:
        return keys
    middle = len(keys) // 2  # halves, so that a hundred keys nest only seven deep
    return [b"OR (%b) (%b)" % (b" ".join(_any(keys[:middle])), b" ".join(_any(keys[middle:])))]


def _text(answer: object) -> str:
    if not isinstance(answer, bytes):
        return str(answer) if isinstance(answer, int) else ""
    try:
        return decode(answer)
    except (UnicodeError, ValueError):
        return answer.decode("latin-1")


_DEEPEST = 40
_SIMPLE, _TEXT, _MESSAGE = 8, 9, 11
"""Index of the disposition in the BODYSTRUCTURE of a part of each kind."""


def part_of(structure: object, section: str = "", depth: int = 0) -> MimePart:
    """Return the tree of parts in a BODYSTRUCTURE. An unreadable part has the type application/octet-stream."""
    items = cast("Sequence[object]", structure) if isinstance(structure, tuple | list) else ()
    if not items:
        return MimePart("application/octet-stream", section or "1")
    if isinstance(items[0], list) and depth < _DEEPEST:
        below = f"{section}." if section else ""
        children = cast("list[object]", items[0])
        parts = tuple(part_of(one, f"{below}{number}", depth + 1) for number, one in enumerate(children, 1))
        return MimePart(f"multipart/{_word(items, 1).lower() or 'mixed'}", section, parts=parts)
    return _leaf(items, section or "1")


def _leaf(items: Sequence[object], section: str) -> MimePart:
    kind = f"{_word(items, 0)}/{_word(items, 1)}".lower()
    params = _params(_at(items, 2))
    at = _TEXT if kind.startswith("text/") else _MESSAGE if kind == "message/rfc822" else _SIMPLE
    found = _at(items, at)
    disposition = cast("Sequence[object]", found) if isinstance(found, tuple | list) else ()
    more = _params(disposition[1]) if len(disposition) > 1 else {}
    size = _at(items, 6)
    return MimePart(
        kind,
        section,
        _word(items, 5).lower(),
        params.get("charset", ""),
        more.get("filename") or params.get("name", ""),
        _word(disposition, 0).lower(),
        size if isinstance(size, int) else 0,
    )


def _word(items: Sequence[object], at: int) -> str:
    found = _at(items, at)
    return found.decode("latin-1") if isinstance(found, bytes) else ""


def _at(items: Sequence[object], at: int) -> object:
    return items[at] if len(items) > at else None


def _params(structure: object) -> dict[str, str]:
    items = cast("Sequence[object]", structure) if isinstance(structure, tuple | list) else ()
    words = [one if isinstance(one, bytes) else b"" for one in items]
    pairs = [(name.decode("latin-1").lower(), value) for name, value in zip(words[::2], words[1::2], strict=False)]
    plain = {name: decode_field(value) for name, value in pairs if "*" not in name}
    coded = [(name, value.decode("latin-1")) for name, value in pairs if "*" in name]
    try:
        found = decode_params([("", ""), *coded])[1:]
        extended = {name: collapse_rfc2231_value(value, "replace", "utf-8").strip('"') for name, value in found}
    except (ValueError, LookupError, TypeError):
        extended = {}
    return {**plain, **extended}


HEAD = ("FLAGS", "INTERNALDATE", "RFC822.SIZE", "BODY.PEEK[HEADER.FIELDS (MESSAGE-ID FROM TO CC SUBJECT)]")
ID_HEADER = ("BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]",)
STRUCTURE = "BODYSTRUCTURE"
LISTED_BYTES, ALL_BYTES = 2**17, 2**24
"""The most bytes of the text of a message, in a list and when it is read alone."""
_MOST_TEXTS = 100
"""The most parts that are read as the text of one message. Of further parts, only the length is counted."""
_AT_ONCE = 500
"""The most messages in one command, so that no answer is too large."""
Fetched = Mapping[bytes, object]


class SelectedMailbox(Struct, frozen=True):
    """A mailbox that is open, and what the server said of it when it was opened."""

    mailbox: str
    uidvalidity: int
    exists: int
    permanent: tuple[bytes, ...] = ()
    flags: tuple[bytes, ...] = ()

    def takes(self, keyword: str) -> bool:
        """Return whether messages in this mailbox can be given a keyword."""
        known = {flag.lower() for flag in self.permanent}
        return rb"\*" in known or keyword.lower().encode() in known


def open_mailbox(session: ImapSession, mailbox: str, name: str, *, writing: bool = False) -> SelectedMailbox:
    """Open a mailbox for reading or writing. If it is open already, only ask the server what has changed."""
    fetched = session.select_mailbox(name, writing=writing)
    validity, exists = fetched.get(b"UIDVALIDITY", 0), fetched.get(b"EXISTS", 0)
    permanent = fetched.get(b"PERMANENTFLAGS", ())
    return SelectedMailbox(
        mailbox,
        validity if isinstance(validity, int) else 0,
        exists if isinstance(exists, int) else 0,
        _flags(permanent),
        _flags(fetched.get(b"FLAGS", ())),
    )


def fetch_messages(session: ImapSession, uids: Sequence[int], what: Sequence[str]) -> Iterator[tuple[int, Fetched]]:
    """Yield the fetched items of each message, in the order of `uids`. Messages that are gone are left out."""
    asked = with_labels(session, what)
    for start in range(0, len(uids), _AT_ONCE):
        some = uids[start : start + _AT_ONCE]
        fetched = session.fetch(some, asked)
        yield from ((uid, fetched[uid]) for uid in some if uid in fetched)


def heads(session: ImapSession, box: SelectedMailbox, uids: Sequence[int]) -> Iterator[tuple[int, Message]]:
    """Yield messages without their text. Messages that are marked as deleted are left out."""
    for uid, fetched in fetch_messages(session, uids, HEAD):
        if not is_deleted(fetched):
            yield uid, head_of_fetched(box, uid, fetched)


def with_texts(session: ImapSession, box: SelectedMailbox, uids: Sequence[int], most: int) -> dict[int, Message]:
    """Return messages with the first `most` bytes of their text, and with the list of their attachments."""
    messages: dict[int, Message] = {}
    roots: dict[int, MimePart] = {}
    for uid, fetched in fetch_messages(session, uids, (*HEAD, STRUCTURE)):
        if not is_deleted(fetched):
            roots[uid] = structure_of(fetched)
            messages[uid] = replace(head_of_fetched(box, uid, fetched), attachments=attachments_of(roots[uid]))
    contents = _contents(session, roots, most)
    return {uid: _with_text(one, texts_of(roots[uid]), contents[uid]) for uid, one in messages.items()}


def attachment_of(session: ImapSession, box: SelectedMailbox, uid: int, number: int) -> AttachmentFile | None:
    """Return attachment `number` of a message, with all its bytes; None if the message is gone."""
    for _, fetched in fetch_messages(session, [uid], (*HEAD, STRUCTURE)):
        head, root = head_of_fetched(box, uid, fetched), structure_of(fetched)
        parts, named = files_of(root), attachments_of(root)
        if not 1 <= number <= len(parts):
            raise no_file(number, len(parts))
        part, name = parts[number - 1], named[number - 1].name
        raw = _contents_of(session, part.section, [uid], 2 * MOST_FILE).get(uid, b"")
        data = decode_bytes(raw, part.encoding)
        if len(data) > MOST_FILE:
            raise too_large(name, MOST_FILE)
        return AttachmentFile(head.from_address, head.subject, name, data)
    return None


def received_time(fetched: Fetched) -> datetime:
    """Return when a message was received."""
    moment = fetched.get(b"INTERNALDATE")
    return moment.astimezone(UTC) if isinstance(moment, datetime) else datetime.fromtimestamp(0, UTC)


def flags_of_fetched(fetched: Fetched) -> tuple[bytes, ...]:
    """Return the flags and keywords of a message. Gmail's labels are returned as keywords."""
    flags, labels = _flags(fetched.get(b"FLAGS", ())), keywords_of_fetched(fetched)
    return flags if labels is None else (*(flag for flag in flags if flag.startswith(b"\\")), *labels)


def structure_of(fetched: Fetched) -> MimePart:
    """Return the tree of the parts of a message."""
    return part_of(fetched.get(b"BODYSTRUCTURE"))


def is_deleted(fetched: Fetched) -> bool:
    """Return whether a message is marked as deleted, in which case it counts as gone."""
    return rb"\deleted" in {flag.lower() for flag in flags_of_fetched(fetched)}


def message_id_of(fetched: Fetched, place: MailPlace) -> str:
    """Return the id of a message: its Message-ID, or else its place."""
    return headers_of_fetched(fetched).message_id() or str(place)


def place_at(box: SelectedMailbox, uid: int) -> MailPlace:
    """Return the place of a message in an open mailbox."""
    return MailPlace(box.mailbox, str(uid), box.uidvalidity)


def head_of_fetched(box: SelectedMailbox, uid: int, fetched: Fetched) -> Message:
    """Return a message without its text."""
    size = fetched.get(b"RFC822.SIZE", 0)
    metadata = Metadata(
        place_at(box, uid),
        received_time(fetched),
        *marks_of(flags_of_fetched(fetched)),
        size if isinstance(size, int) else 0,
    )
    return head_of(headers_of_fetched(fetched), metadata)


def marks_of(flags: Sequence[bytes]) -> tuple[tuple[Flag, ...], tuple[str, ...]]:
    """Return the flags and the labels among the flags and keywords from a server."""
    lowered = {flag.lower() for flag in flags}
    labels = labels_of(flag.decode("latin-1") for flag in flags if not flag.startswith(b"\\"))
    return flags_of(starred=rb"\flagged" in lowered, read=rb"\seen" in lowered), labels


def headers_of_fetched(fetched: Fetched) -> Headers:
    """Return the header fields that were fetched."""
    raw = next((value for key, value in fetched.items() if key.upper().startswith(b"BODY[HEADER")), b"")
    return headers_of(raw if isinstance(raw, bytes) else b"")


def _flags(value: object) -> tuple[bytes, ...]:
    items = cast("Iterable[object]", value) if isinstance(value, tuple | list) else ()
    return tuple(one for one in items if isinstance(one, bytes))


def _contents(session: ImapSession, roots: Mapping[int, MimePart], most: int) -> dict[int, dict[str, bytes]]:
    """Return the bytes of the text parts, with one command for all messages whose text has the same part number."""
    wanted: dict[str, list[int]] = {}
    for uid, root in roots.items():
        for part in texts_of(root)[:_MOST_TEXTS]:
            wanted.setdefault(part.section, []).append(uid)
    contents: dict[int, dict[str, bytes]] = {uid: {} for uid in roots}
    for section, uids in wanted.items():
        for uid, raw in _contents_of(session, section, uids, most).items():
            contents[uid][section] = raw
    return contents


def _contents_of(session: ImapSession, section: str, uids: Sequence[int], most: int) -> dict[int, bytes]:
    """Return the first encoded bytes of one part of each message."""
    contents: dict[int, bytes] = {}
    for uid, fetched in fetch_messages(session, uids, (f"BODY.PEEK[{section}]<0.{most}>",)):
        raw = next((value for key, value in fetched.items() if key.upper().startswith(b"BODY[")), b"")
        contents[uid] = raw if isinstance(raw, bytes) else b""
    return contents


def _with_text(message: Message, parts: Sequence[MimePart], contents: Mapping[str, bytes]) -> Message:
    text = join_texts([text_of_part(part, contents.get(part.section, b"")) for part in parts])
    left = sum(about(part.encoding, max(0, part.size - len(contents.get(part.section, b"")))) for part in parts)
    return replace(message, body_text=text, text_left=left)


def check_uidvalidity(box: SelectedMailbox, uidvalidity: int) -> None:
    """Raise `ProviderError` if the UIDVALIDITY of a mailbox has changed, since old UIDs are then not valid (ML-08)."""
    if box.uidvalidity != uidvalidity:
        raise ProviderError(
            f"the mailbox {quoted(box.mailbox)} was made anew on the server; nothing was done, list the messages again",
            "world.changed",
        )
