"""Fetch messages: headers of many at once, and only the parts that are asked for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import collapse_rfc2231_value, decode_params
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.providers.mail.imap.client import Wire
from sayso.providers.mail.imap.mailboxes import keywords_told, with_labels
from sayso.providers.mail.messages import Beside, Place, flags_of, head_of, labels_of, no_file, too_large
from sayso.providers.mail.mime import (
    Headers,
    Part,
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
from sayso.providers.mail.store import MOST_FILE, Came, Message

_DEEPEST = 40
_SIMPLE, _TEXT, _MESSAGE = 8, 9, 11
"""Where the disposition stands, in a part of each kind."""


def part_of(told: object, section: str = "", depth: int = 0) -> Part:
    """Return the tree; what cannot be read is a part that nobody knows the type of."""
    items = cast("Sequence[object]", told) if isinstance(told, tuple | list) else ()
    if not items:
        return Part("application/octet-stream", section or "1")
    if isinstance(items[0], list) and depth < _DEEPEST:
        below = f"{section}." if section else ""
        children = cast("list[object]", items[0])
        parts = tuple(part_of(one, f"{below}{number}", depth + 1) for number, one in enumerate(children, 1))
        return Part(f"multipart/{_word(items, 1).lower() or 'mixed'}", section, parts=parts)
    return _leaf(items, section or "1")


def _leaf(items: Sequence[object], section: str) -> Part:
    kind = f"{_word(items, 0)}/{_word(items, 1)}".lower()
    params = _params(_at(items, 2))
    at = _TEXT if kind.startswith("text/") else _MESSAGE if kind == "message/rfc822" else _SIMPLE
    told = _at(items, at)
    disposed = cast("Sequence[object]", told) if isinstance(told, tuple | list) else ()
    more = _params(disposed[1]) if len(disposed) > 1 else {}
    size = _at(items, 6)
    return Part(
        kind,
        section,
        _word(items, 5).lower(),
        params.get("charset", ""),
        more.get("filename") or params.get("name", ""),
        _word(disposed, 0).lower(),
        size if isinstance(size, int) else 0,
    )


def _word(items: Sequence[object], at: int) -> str:
    found = _at(items, at)
    return found.decode("latin-1") if isinstance(found, bytes) else ""


def _at(items: Sequence[object], at: int) -> object:
    return items[at] if len(items) > at else None


def _params(told: object) -> dict[str, str]:
    items = cast("Sequence[object]", told) if isinstance(told, tuple | list) else ()
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
SHAPE = "BODYSTRUCTURE"
LISTED_BYTES, ALL_BYTES = 2**17, 2**24
"""Of the text of one message, in a list and alone."""
_MOST_TEXTS = 100
"""Of one message so many parts are read as its text; of the others it is said how long they are."""
_AT_ONCE = 500
"""Messages in one exchange, so that no answer is large."""
Told = Mapping[bytes, object]


class Selected(Struct, frozen=True):
    """A mailbox that is open."""

    mailbox: str
    uidvalidity: int
    exists: int
    permanent: tuple[bytes, ...] = ()
    flags: tuple[bytes, ...] = ()

    def takes(self, keyword: str) -> bool:
        """Say whether a message here can be given this keyword."""
        known = {flag.lower() for flag in self.permanent}
        return rb"\*" in known or keyword.lower().encode() in known


def select_mailbox(wire: Wire, mailbox: str, name: str, *, writing: bool = False) -> Selected:
    """Open a mailbox, to look at it or to write in it; one that is open already is asked what is new."""
    told = wire.opened(name, writing=writing)
    validity, exists = told.get(b"UIDVALIDITY", 0), told.get(b"EXISTS", 0)
    permanent = told.get(b"PERMANENTFLAGS", ())
    return Selected(
        mailbox,
        validity if isinstance(validity, int) else 0,
        exists if isinstance(exists, int) else 0,
        _flags(permanent),
        _flags(told.get(b"FLAGS", ())),
    )


def fetch_messages(wire: Wire, uids: Sequence[int], what: Sequence[str]) -> Iterator[tuple[int, Told]]:
    """Yield what the server says of messages, in their order; those that are gone are left out."""
    asked = with_labels(wire, what)
    for start in range(0, len(uids), _AT_ONCE):
        some = uids[start : start + _AT_ONCE]
        told = wire.fetch(some, asked)
        yield from ((uid, told[uid]) for uid in some if uid in told)


def heads(wire: Wire, box: Selected, uids: Sequence[int]) -> Iterator[tuple[int, Message]]:
    """Yield messages without their text; one that is marked as deleted is gone."""
    for uid, told in fetch_messages(wire, uids, HEAD):
        if not is_deleted(told):
            yield uid, head_told(box, uid, told)


def with_texts(wire: Wire, box: Selected, uids: Sequence[int], most: int) -> dict[int, Message]:
    """Return messages with the first `most` bytes of their text, and what is attached to them."""
    messages: dict[int, Message] = {}
    roots: dict[int, Part] = {}
    for uid, told in fetch_messages(wire, uids, (*HEAD, SHAPE)):
        if not is_deleted(told):
            roots[uid] = shape_told(told)
            messages[uid] = replace(head_told(box, uid, told), attachments=attachments_of(roots[uid]))
    contents = _contents(wire, roots, most)
    return {uid: _with_text(one, texts_of(roots[uid]), contents[uid]) for uid, one in messages.items()}


def file_of(wire: Wire, box: Selected, uid: int, number: int) -> Came | None:
    """Return file `number` of a message, with all its bytes; None where the message is gone."""
    for _, told in fetch_messages(wire, [uid], (*HEAD, SHAPE)):
        head, root = head_told(box, uid, told), shape_told(told)
        parts, named = files_of(root), attachments_of(root)
        if not 1 <= number <= len(parts):
            raise no_file(number, len(parts))
        part, name = parts[number - 1], named[number - 1].name
        raw = _contents_of(wire, part.section, [uid], 2 * MOST_FILE).get(uid, b"")
        data = decode_bytes(raw, part.encoding)
        if len(data) > MOST_FILE:
            raise too_large(name, MOST_FILE)
        return Came(head.from_address, head.subject, name, data)
    return None


def received_time(told: Told) -> datetime:
    """Return when a message came."""
    moment = told.get(b"INTERNALDATE")
    return moment.astimezone(UTC) if isinstance(moment, datetime) else datetime.fromtimestamp(0, UTC)


def flags_told(told: Told) -> tuple[bytes, ...]:
    """Return the flags and keywords of a message; where a server has labels beside flags, they are its keywords."""
    flags, labels = _flags(told.get(b"FLAGS", ())), keywords_told(told)
    return flags if labels is None else (*(flag for flag in flags if flag.startswith(b"\\")), *labels)


def shape_told(told: Told) -> Part:
    """Return the tree of the parts of a message."""
    return part_of(told.get(b"BODYSTRUCTURE"))


def is_deleted(told: Told) -> bool:
    """Say whether a message is marked as deleted: it is as good as gone."""
    return rb"\deleted" in {flag.lower() for flag in flags_told(told)}


def message_id_of(told: Told, place: Place) -> str:
    """Return the id that a message goes by."""
    return headers_told(told).message_id() or str(place)


def place_at(box: Selected, uid: int) -> Place:
    """Return the place of a message."""
    return Place(box.mailbox, str(uid), box.uidvalidity)


def head_told(box: Selected, uid: int, told: Told) -> Message:
    """Return a message without its text."""
    flags = flags_told(told)
    lowered = {flag.lower() for flag in flags}
    size = told.get(b"RFC822.SIZE", 0)
    beside = Beside(
        place_at(box, uid),
        received_time(told),
        flags_of(starred=rb"\flagged" in lowered, read=rb"\seen" in lowered),
        labels_of(flag.decode("latin-1") for flag in flags if not flag.startswith(b"\\")),
        size if isinstance(size, int) else 0,
    )
    return head_of(headers_told(told), beside)


def headers_told(told: Told) -> Headers:
    """Return the headers that were asked for."""
    raw = next((value for key, value in told.items() if key.upper().startswith(b"BODY[HEADER")), b"")
    return headers_of(raw if isinstance(raw, bytes) else b"")


def _flags(told: object) -> tuple[bytes, ...]:
    items = cast("Iterable[object]", told) if isinstance(told, tuple | list) else ()
    return tuple(one for one in items if isinstance(one, bytes))


def _contents(wire: Wire, roots: Mapping[int, Part], most: int) -> dict[int, dict[str, bytes]]:
    """Return the bytes of the text parts: one exchange for all messages whose text stands in the same place."""
    wanted: dict[str, list[int]] = {}
    for uid, root in roots.items():
        for part in texts_of(root)[:_MOST_TEXTS]:
            wanted.setdefault(part.section, []).append(uid)
    contents: dict[int, dict[str, bytes]] = {uid: {} for uid in roots}
    for section, uids in wanted.items():
        for uid, raw in _contents_of(wire, section, uids, most).items():
            contents[uid][section] = raw
    return contents


def _contents_of(wire: Wire, section: str, uids: Sequence[int], most: int) -> dict[int, bytes]:
    """Return the first bytes of one part of messages, as they are encoded."""
    contents: dict[int, bytes] = {}
    for uid, told in fetch_messages(wire, uids, (f"BODY.PEEK[{section}]<0.{most}>",)):
        raw = next((value for key, value in told.items() if key.upper().startswith(b"BODY[")), b"")
        contents[uid] = raw if isinstance(raw, bytes) else b""
    return contents


def _with_text(message: Message, parts: Sequence[Part], contents: Mapping[str, bytes]) -> Message:
    text = join_texts([text_of_part(part, contents.get(part.section, b"")) for part in parts])
    left = sum(about(part.encoding, max(0, part.size - len(contents.get(part.section, b"")))) for part in parts)
    return replace(message, body_text=text, text_left=left)


def must_be_same(box: Selected, uidvalidity: int) -> None:
    """Raise `ProviderError` when UIDs of a mailbox mean nothing any more (ML-08)."""
    if box.uidvalidity != uidvalidity:
        raise ProviderError(
            f"the mailbox “{box.mailbox}” was made anew on the server; nothing was done, list the messages again",
            "world.changed",
        )
