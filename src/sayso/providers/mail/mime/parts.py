"""The headers of a message, the tree of its parts, and their text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from email import message_from_bytes
from email.message import Message as Tree
from email.policy import compat32
from email.utils import getaddresses
from typing import cast

from sayso.core.values import dataclass
from sayso.providers.mail.addresses import Recipient
from sayso.providers.mail.mime.text import (
    about,
    base64_of,
    decoded_bytes,
    one_line,
    quoted_of,
    text_of,
    text_of_html,
    tidy,
)
from sayso.providers.mail.store import Attachment

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


_BLANK = 4

"""A text of fewer bytes says nothing."""

_LONGEST_NAME = 120

_ENDINGS = {
    "text/calendar": ".ics",
    "message/rfc822": ".eml",
    "text/html": ".html",
    "application/pdf": ".pdf",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "text/vcard": ".vcf",
}


@dataclass(frozen=True, slots=True)
class Part:
    """One part. `section` is how IMAP calls it: “1”, “2.1”."""

    type: str
    section: str
    encoding: str = ""
    charset: str = ""
    name: str = ""
    disposition: str = ""
    size: int = 0
    """Bytes as they are encoded."""
    parts: tuple["Part", ...] = ()


def texts_of(part: Part) -> tuple[Part, ...]:
    """Return the parts that make up the text of a message, in their order."""
    if part.type == "multipart/alternative":
        ways = [found for one in part.parts if (found := texts_of(one))]
        plain = (way for way in ways if _says(way))
        return next(plain, ways[-1] if ways else ())
    if part.parts or part.type.startswith("multipart/"):
        return tuple(text for one in part.parts for text in texts_of(one))
    alone = part.section == "1"
    named = bool(part.name) and not alone
    is_text = part.type in {"text/plain", "text/html", "text/enriched"} or (alone and part.type.startswith("text/"))
    return (part,) if is_text and part.disposition != "attachment" and not named else ()


def files_of(part: Part) -> tuple[Part, ...]:
    """Return the parts that came with a message as files, in their order."""
    texts = set(texts_of(part))
    return tuple(one for one in _leaves(part, either=False) if one not in texts)


def attachments_of(part: Part) -> tuple[Attachment, ...]:
    """Return what is said of the files that came with a message."""
    return tuple(
        Attachment(number, file_name(one, number), one.type, about(one.encoding, one.size))
        for number, one in enumerate(files_of(part), 1)
    )


def file_name(part: Part, number: int) -> str:
    """Return a plain name for a file, without anything that a path or a screen could misread."""
    last = one_line(part.name).replace("\\", "/").rpartition("/")[2]
    plain = "".join("_" if letter in ':*?"<>|' or not letter.isprintable() else letter for letter in last)
    plain = plain.strip(" .").encode()[:_LONGEST_NAME].decode(errors="ignore")
    return plain or f"part-{number}{_ENDINGS.get(part.type, '')}"


def _says(way: tuple[Part, ...]) -> bool:
    return all(one.type == "text/plain" for one in way) and any(one.size >= _BLANK for one in way)


def _leaves(part: Part, *, either: bool) -> Iterator[Part]:
    """Yield the parts that have none; `either`: this one is the same as another, said in another way."""
    if part.parts or part.type.startswith("multipart/"):
        for one in part.parts:
            yield from _leaves(one, either=either or part.type == "multipart/alternative")
    elif not (either and part.type in {"text/plain", "text/html", "text/enriched"} and not part.name):
        yield part


_META = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([A-Za-z0-9_:.-]{1,40})""", re.IGNORECASE)


def text_of_part(part: Part, content: bytes) -> str:
    """Return the text of a part, given its bytes as they are encoded; they may be cut off."""
    data = decoded_bytes(content, part.encoding)
    if part.type != "text/html":
        return tidy(text_of(data, part.charset))
    return text_of_html(tidy(text_of(data, part.charset or _within(data))))


def _within(data: bytes) -> str:
    found = _META.search(data[:4096])
    return found[1].decode("ascii") if found else ""


DEEPEST = 40

"""How many levels of parts within parts are looked at."""


@dataclass(frozen=True)
class Whole:
    """A message read: the tree of its parts, and the bytes of each by its section, decoded."""

    root: Part
    contents: dict[str, bytes]

    def text(self) -> str:
        """Return the text of the message."""
        return joined([text_of_part(part, self.contents[part.section]) for part in texts_of(self.root)])

    def file(self, number: int) -> bytes | None:
        """Return what came with it as file `number`; None where there is no such."""
        files = files_of(self.root)
        if not 1 <= number <= len(files):
            return None
        return self.contents[files[number - 1].section]


def joined(texts: list[str]) -> str:
    """Return the texts of several parts as one."""
    return tidy("\n\n".join(text.strip("\n") for text in texts if text.strip()) if len(texts) > 1 else "".join(texts))


def read_whole(data: bytes) -> Whole:
    """Read a message; what is too tangled to take apart is one plain text."""
    contents: dict[str, bytes] = {}
    try:
        tree = message_from_bytes(data, policy=compat32)
        return Whole(_part(tree, "", contents), contents)
    except (RecursionError, ValueError, LookupError, AttributeError, TypeError):
        body = data.replace(b"\r\n", b"\n").partition(b"\n\n")[2]
        return Whole(Part("text/plain", "1", size=len(body)), {"1": body})


def _part(tree: Tree, section: str, contents: dict[str, bytes], depth: int = 0) -> Part:
    kind = tree.get_content_type()
    payload = cast("object", tree.get_payload())
    children = cast("list[Tree]", payload) if isinstance(payload, list) else []
    if children and kind.startswith("multipart/") and depth < DEEPEST:
        below = f"{section}." if section else ""
        parts = tuple(_part(one, f"{below}{number}", contents, depth + 1) for number, one in enumerate(children, 1))
        return Part(kind, section, parts=parts)
    section = section or "1"
    plain: object = tree.get_payload(decode=True)
    contents[section] = plain if isinstance(plain, bytes) else b"".join(one.as_bytes() for one in children)
    return Part(
        "text/plain" if kind.startswith("multipart/") else kind,
        section,
        charset=str(tree.get_param("charset", "") or ""),
        name=_name(tree),
        disposition=(tree.get_content_disposition() or "").lower(),
        size=len(contents[section]),
    )


def _name(tree: Tree) -> str:
    try:
        found = tree.get_filename() or ""
    except (ValueError, LookupError, TypeError):
        return ""
    return decoded(found.encode("utf-8", "surrogateescape")) if found else ""
