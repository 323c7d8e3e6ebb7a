"""The headers of a message, as bytes came and as text, whatever its sender made of the rules."""

import re
from collections.abc import Mapping, Sequence
from email.utils import getaddresses

from sayso.core.values import dataclass
from sayso.providers.mail.addresses import Recipient
from sayso.providers.mail.mime.charsets import one_line, text_of
from sayso.providers.mail.mime.encodings import base64_of, quoted_of

_WORD = re.compile(rb"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")
_FIELD = re.compile(rb"([!-9;-~]+)[ \t]*:")
_OWN_ID = re.compile(r"<[!-;=?-~]{1,500}>")
MOST_ADDRESSES = 200
"""How many addresses of one field are shown."""
_OPENS = re.compile(r"\(")
_DEEPEST = 200
_LONGEST = 65_536
"""Bytes of one field that are looked at."""


@dataclass(frozen=True)
class Headers:
    """The fields of one message or part, by their names in small letters."""

    fields: Mapping[str, Sequence[bytes]]

    def raw(self, name: str) -> bytes:
        """Return the first field of this name as it came, unfolded; empty where there is none."""
        return next(iter(self.fields.get(name, ())), b"")[:_LONGEST]

    def line(self, name: str) -> str:
        """Return the first field of this name as one line of text."""
        return one_line(decoded(self.raw(name)))

    def addresses(self, name: str) -> tuple[str, ...]:
        """Return the addresses in the first field of this name, each with the name written before it."""
        return addresses(self.raw(name))

    def message_id(self) -> str:
        """Return the Message-ID; empty where there is none that a line can hold."""
        said = self.raw("message-id").strip().decode("ascii", "replace")
        return said if _OWN_ID.fullmatch(said) else ""


def headers_of(head: bytes) -> Headers:
    """Read the fields before the first empty line."""
    fields: dict[str, list[list[bytes]]] = {}
    lines: list[bytes] = []
    for line in head.replace(b"\r\n", b"\n").split(b"\n"):
        if not line:
            break
        if line[:1] in {b" ", b"\t"}:
            lines.append(line)
            continue
        lines = []
        found = _FIELD.match(line)
        if found is not None:
            lines.append(line[found.end() :])
            fields.setdefault(found[1].decode("ascii").lower(), []).append(lines)
    return Headers({name: [b"".join(lines) for lines in values] for name, values in fields.items()})


def decoded(raw: bytes) -> str:
    """Return a field as text, its encoded words decoded; words of one charset that stand together are read as one."""
    text: list[str] = []
    waiting, charset, after = b"", "", 0
    for found in _WORD.finditer(raw):
        between = raw[after : found.start()]
        word = base64_of(found[3]) if found[2] in b"bB" else quoted_of(found[3].replace(b"_", b" "))
        named = found[1].decode("ascii", "replace").partition("*")[0].lower()
        if waiting and (between.strip() or named != charset):
            text.append(text_of(waiting, charset))
            waiting = b""
        if between.strip() or not after:
            text.append(text_of(between, None))
        waiting, charset, after = waiting + word, named, found.end()
    if waiting:
        text.append(text_of(waiting, charset))
    return "".join((*text, text_of(raw[after:], None)))


def addresses(raw: bytes) -> tuple[str, ...]:
    """Return the addresses in a field, decoded after they were told apart: a name can add no address."""
    plain = raw.decode("latin-1")
    found = _told_apart(plain)[:MOST_ADDRESSES]
    listed = [(one_line(decoded(name.encode("latin-1"))), one_line(address)) for name, address in found]
    shown = [str(Recipient(address, name)) if address else name for name, address in listed if address or name]
    return tuple(shown) or ((one_line(decoded(raw)),) if raw.strip() else ())


def _told_apart(plain: str) -> list[tuple[str, str]]:
    if len(_OPENS.findall(plain)) > _DEEPEST:
        return []  # comments within comments within comments: what it means is nobody's to say
    try:
        return getaddresses([plain])
    except (ValueError, IndexError):
        return []
