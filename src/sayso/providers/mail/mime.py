"""MIME: the parts of a message, their headers, charsets and encodings, and the text of HTML."""

import binascii
import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from email import message_from_bytes
from email.message import Message as Tree
from email.policy import Compat32
from email.utils import getaddresses
from html import unescape
from typing import cast

from msgspec import Struct

from sayso.providers.mail.addresses import Recipient
from sayso.providers.mail.store import Attachment

_ALIASES = {
    # Mail that names one of these charsets is nearly always written in a larger one that contains it.
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "ansi_x3.4-1968": "cp1252",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-8-e": "iso-8859-8",
    "iso-8859-6-i": "iso-8859-6",
    "tis-620": "cp874",
    "x-windows-874": "cp874",
    "x-mac-roman": "mac-roman",
    "unicode-1-1-utf-7": "utf-7",
    "utf8mb4": "utf-8",
    "cp-850": "cp850",
    "x-user-defined": "cp1252",
}
_NO_TEXT = frozenset({"base64", "hex", "bz2", "zlib", "quopri", "uu", "rot13", "idna", "punycode", "unicode_escape"})
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def text_of(data: bytes, charset: str | None) -> str:
    """Return the text of bytes in a charset. If the charset is unknown or does not fit the bytes, UTF-8 is tried.

    Bytes said to be ASCII or Latin-1 are tried as UTF-8 first. If UTF-8 fails too, the bytes are decoded with the known
    charset, and U+FFFD replaces what is invalid. Without a known charset, bytes with few errors in UTF-8 are read as
    UTF-8, and others as Windows-1252.
    """
    known = _known_charset(charset)
    for name in (known, "utf-8"):
        if name is None or (name == "cp1252" and not data.isascii()):
            continue
        try:
            return data.decode(name)
        except (UnicodeError, LookupError, ValueError):
            continue
    if known not in {None, "utf-8"}:
        return data.decode(known or "", "replace")
    # The bytes are UTF-8 with a few errors, or not UTF-8 at all.
    loose = data.decode("utf-8", "replace")
    return loose if loose.count("\ufffd") * 20 < len(loose) else data.decode("cp1252", "replace")


def tidy(text: str) -> str:
    """Return a text with LF line ends and without control characters."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Return a text as one line without control characters, for a header or a name."""
    return " ".join(_CONTROL.sub(" ", text.replace("\u2028", " ").replace("\u2029", " ").replace("\x85", " ")).split())


def _known_charset(charset: str | None) -> str | None:
    if not charset:
        return None
    name = charset.strip().strip("\"'").partition("*")[0].lower()
    name = _ALIASES.get(name, name)
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError, UnicodeError):
        return None
    return None if found.replace("-", "_") in _NO_TEXT or found in _NO_TEXT else _ALIASES.get(found, found)


_PADDING = 2
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")


def decode_bytes(data: bytes, encoding: str) -> bytes:
    """Return the decoded bytes; bytes in an unknown encoding are returned unchanged."""
    match encoding.strip().lower():
        case "base64":
            return base64_of(data)
        case "quoted-printable":
            return decode_quoted_printable(data)
        case _:
            return data


def base64_of(data: bytes) -> bytes:
    """Return the bytes of base64. It may be cut off, and other characters in it are ignored."""
    plain = _NOT_BASE64.sub(b"", data.partition(b"=")[0] if data.count(b"=") <= _PADDING else data)
    whole = plain[: len(plain) - len(plain) % 4]
    rest = plain[len(whole) :]
    padded = rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""
    return binascii.a2b_base64(whole + padded)


def decode_quoted_printable(data: bytes) -> bytes:
    """Return the decoded bytes of quoted-printable."""
    return binascii.a2b_qp(data)


def about(encoding: str, octets: int) -> int:
    """Return the approximate number of decoded bytes for a number of encoded bytes."""
    return octets * 57 // 78 if encoding.strip().lower() == "base64" else octets


_OPENS = re.compile(r"<[a-zA-Z/!?]")
_TAG = re.compile(r"/?([a-zA-Z][a-zA-Z0-9]*)")
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_SILENT = frozenset({"script", "style", "head", "title", "template", "noscript", "object"})
_BLOCKS = re.compile(
    r"address|article|aside|blockquote|center|div|dl|dt|dd|fieldset|figure|footer|form|h[1-6]|header|hr|main|nav|ol|p|pre"
    r"|section|table|tr|ul"
)
_APART = re.compile(r"p|h[1-6]|table|ul|ol|blockquote|pre")
_REST_OF_TAG = re.compile(r"""(?:[^"'>]++|"[^"]*+"|'[^']*+')*+>""")
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_MANY = re.compile(r"\n{3,}")


def text_of_html(source: str) -> str:
    """Return the text of HTML: blocks on their own lines, list items with a dash, links followed by their address."""
    writing = _TextWriter()
    at = 0
    while True:
        found = _OPENS.search(source, at)
        if found is None:
            writing.say(source[at:])
            return writing.text()
        writing.say(source[at : found.start()])
        at = _past(source, found.start(), writing)


def _past(source: str, opens: int, writing: "_TextWriter") -> int:
    """Handle the tag or comment that begins at `opens`; return the position after it."""
    if source.startswith("<!--", opens):
        ends = source.find("-->", opens + 4)
        return len(source) if ends < 0 else ends + 3
    found = _TAG.match(source, opens + 1)
    closes = _end_of_tag(source, opens, writing)
    if found is None:
        return closes
    name, closing = found[1].lower(), source[opens + 1] == "/"
    if name in _SILENT and not closing:
        return _after_closing(source, name, closes, writing)
    writing.tag(name, source[found.end() : closes], closing=closing)
    return closes


def _end_of_tag(source: str, opens: int, writing: "_TextWriter") -> int:
    if not writing.loose:
        found = _REST_OF_TAG.match(source, opens + 1)
        if found is not None:
            return found.end()
        # A quotation mark is not closed. From here on, all quotation marks are ignored; otherwise the closing one would
        # be searched for at every tag.
        writing.loose = True
    plain = source.find(">", opens)
    return len(source) if plain < 0 else plain + 1


def _after_closing(source: str, name: str, at: int, writing: "_TextWriter") -> int:
    found = (
        None if name in writing.open else re.compile(rf"</{re.escape(name)}\b[^>]*>?", re.IGNORECASE).search(source, at)
    )
    if found is not None:
        return found.end()
    # Never closed: the rest of a head is shown as text, and the rest of a script, style or template is skipped.
    writing.open.add(name)
    return len(source) if name in {"script", "style", "template"} else at


class _TextWriter:
    """Collects the text of an HTML source."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._link = ""
        self._said_at = 0
        self.open: set[str] = set()
        """Names of tags that are not closed anywhere in the rest of the source."""
        self.loose = False
        """Whether quotation marks in tags are ignored."""

    def say(self, text: str) -> None:
        """Add text, with each run of blanks as one blank."""
        if text:
            self._parts.append(_BLANKS.sub(" ", unescape(text)))

    def tag(self, name: str, rest: str, *, closing: bool) -> None:
        """Add the line breaks, dash, tab or address that represent a tag."""
        if name == "br":
            self._parts.append("\n")
        elif name == "li":
            self._parts.append("\n" if closing else "\n- ")
        elif name in {"td", "th"} and closing:
            self._parts.append("\t")
        elif name == "a":
            self._write_link(rest, closing=closing)
        elif _BLOCKS.fullmatch(name):
            self._parts.append("\n\n" if _APART.fullmatch(name) else "\n")

    def text(self) -> str:
        """Return the collected text, with its blanks and empty lines tidied."""
        whole = "".join(self._parts).replace("\xa0", " ").replace("\u200c", "")
        lines = (re.sub(r" {2,}", " ", line.strip()) for line in whole.split("\n"))
        return _MANY.sub("\n\n", "\n".join(lines)).strip()

    def _write_link(self, rest: str, *, closing: bool) -> None:
        if not closing:
            found = _HREF.search(rest)
            self._link = unescape(next(filter(None, found.groups()), "")) if found else ""
            self._said_at = len(self._parts)
            return
        said = "".join(self._parts[self._said_at :]).strip()
        if self._link.lower().startswith(("http:", "https:", "mailto:")) and said != self._link:
            self._parts.append(f" ({self._link.strip()})" if said else self._link.strip())
        self._link, self._said_at = "", len(self._parts)


_WORD = re.compile(rb"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")
_FIELD = re.compile(rb"([!-9;-~]+)[ \t]*:")
_OWN_ID = re.compile(r"<[!-;=?-~]{1,500}>")
MOST_ADDRESSES = 200
"""The most addresses that are shown of one field."""

_PARTS_OPENS = re.compile(r"\(")

_DEEPEST = 200
_LONGEST = 65_536
"""The most bytes that are read of one field."""


class Headers(Struct, frozen=True):
    """The header fields of one message or part, by their names in lower case."""

    fields: Mapping[str, Sequence[bytes]]

    def raw(self, name: str) -> bytes:
        """Return the bytes of the first field of this name, unfolded but not decoded; empty if there is none."""
        return next(iter(self.fields.get(name, ())), b"")[:_LONGEST]

    def line(self, name: str) -> str:
        """Return the first field of this name, decoded, as one line of text."""
        return one_line(decode_field(self.raw(name)))

    def addresses(self, name: str) -> tuple[str, ...]:
        """Return the addresses in the first field of this name, each with its display name."""
        return addresses(self.raw(name))

    def message_id(self) -> str:
        """Return the Message-ID; empty if there is none or it is malformed."""
        said = self.raw("message-id").strip().decode("ascii", "replace")
        return said if _OWN_ID.fullmatch(said) else ""


def headers_of(head: bytes) -> Headers:
    """Read the header fields, which end at the first empty line."""
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


def decode_field(raw: bytes) -> str:
    """Return a field as text, with its encoded words decoded.

    Adjacent encoded words of one charset are decoded together.
    """
    text: list[str] = []
    waiting, charset, after = b"", "", 0
    for found in _WORD.finditer(raw):
        between = raw[after : found.start()]
        word = base64_of(found[3]) if found[2] in b"bB" else decode_quoted_printable(found[3].replace(b"_", b" "))
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
    """Return the addresses in a field. They are split before they are decoded, so that a name cannot add an address."""
    plain = raw.decode("latin-1")
    found = _split_quoted(plain)[:MOST_ADDRESSES]
    listed = [(one_line(decode_field(name.encode("latin-1"))), one_line(address)) for name, address in found]
    shown = [str(Recipient(address, name)) if address else name for name, address in listed if address or name]
    return tuple(shown) or ((one_line(decode_field(raw)),) if raw.strip() else ())


def _split_quoted(plain: str) -> list[tuple[str, str]]:
    if len(_PARTS_OPENS.findall(plain)) > _DEEPEST:
        return []  # too many nested comments for the meaning to be clear
    try:
        return getaddresses([plain])
    except (ValueError, IndexError):
        return []


_BLANK = 4
"""A text part of fewer bytes counts as empty."""
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


class MimePart(Struct, frozen=True):
    """One part of a message. `section` is its number in IMAP, such as “1” or “2.1”."""

    type: str
    section: str
    encoding: str = ""
    charset: str = ""
    name: str = ""
    disposition: str = ""
    size: int = 0
    """Number of encoded bytes."""
    parts: tuple["MimePart", ...] = ()


def texts_of(part: MimePart) -> tuple[MimePart, ...]:
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


def files_of(part: MimePart) -> tuple[MimePart, ...]:
    """Return the parts of a message that are attachments, in their order."""
    texts = set(texts_of(part))
    return tuple(one for one in _leaves(part, either=False) if one not in texts)


def attachments_of(part: MimePart) -> tuple[Attachment, ...]:
    """Return the descriptions of the attachments of a message."""
    return tuple(
        Attachment(number, file_name(one, number), one.type, about(one.encoding, one.size))
        for number, one in enumerate(files_of(part), 1)
    )


def file_name(part: MimePart, number: int) -> str:
    """Return a safe file name for an attachment, without characters that have a meaning in paths or cannot be shown."""
    last = one_line(part.name).replace("\\", "/").rpartition("/")[2]
    plain = "".join("_" if letter in ':*?"<>|' or not letter.isprintable() else letter for letter in last)
    plain = plain.strip(" .").encode()[:_LONGEST_NAME].decode(errors="ignore")
    return plain or f"part-{number}{_ENDINGS.get(part.type, '')}"


def _says(way: tuple[MimePart, ...]) -> bool:
    return all(one.type == "text/plain" for one in way) and any(one.size >= _BLANK for one in way)


def _leaves(part: MimePart, *, either: bool) -> Iterator[MimePart]:
    """Yield the innermost parts.

    `either` says that the part is inside multipart/alternative: its texts are versions of the message's text, not
    attachments, so a text part without a file name is left out.
    """
    if part.parts or part.type.startswith("multipart/"):
        for one in part.parts:
            yield from _leaves(one, either=either or part.type == "multipart/alternative")
    elif not (either and part.type in {"text/plain", "text/html", "text/enriched"} and not part.name):
        yield part


_META = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([A-Za-z0-9_:.-]{1,40})""", re.IGNORECASE)


def text_of_part(part: MimePart, content: bytes) -> str:
    """Return the text of a part, given its encoded bytes, which may be cut off."""
    data = decode_bytes(content, part.encoding)
    if part.type != "text/html":
        return tidy(text_of(data, part.charset))
    return text_of_html(tidy(text_of(data, part.charset or _within(data))))


def _within(data: bytes) -> str:
    found = _META.search(data[:4096])
    return found[1].decode("ascii") if found else ""


DEEPEST = 40
"""The most levels of nested parts that are read."""
MOST_PARAMETERS = 200
"""The most parameters that are read of one field such as Content-Type."""
_LONGEST_PARAMETERS = 10_000
"""The most characters that are read of one field such as Content-Type; the library looks at them once for each `;`."""


class _BoundedFields(Compat32):
    """Cuts the fields about content, and writes all others as they were, which takes linear time."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        if name[:8].lower() == "content-":
            value = ";".join(value[:_LONGEST_PARAMETERS].split(";", MOST_PARAMETERS + 1)[: MOST_PARAMETERS + 1])
        return name, value

    def fold_binary(self, name: str, value: str) -> bytes:
        text = f"{name}: {value}\n".replace("\r\n", "\n").replace("\r", "\n")
        return text.encode("ascii", "surrogateescape")


class _BoundedTree(Tree):
    """A message in which parts that are nested too deep are plain texts; the library tries each line at each level."""

    depth = 0

    def attach(self, payload: "Tree | str") -> None:
        if isinstance(payload, _BoundedTree):
            payload.depth = self.depth + 1
        super().attach(payload)

    def get_content_type(self) -> str:
        return "text/plain" if self.depth > DEEPEST else super().get_content_type()


_POLICY = _BoundedFields(message_factory=_BoundedTree)


class ParsedMessage(Struct, frozen=True):
    """A parsed message: the tree of its parts, and the decoded bytes of each part by its section."""

    root: MimePart
    contents: dict[str, bytes]

    def text(self) -> str:
        """Return the text of the message."""
        return join_texts([text_of_part(part, self.contents[part.section]) for part in texts_of(self.root)])

    def file(self, number: int) -> bytes | None:
        """Return the bytes of attachment `number`; None if there is no such attachment."""
        files = files_of(self.root)
        if not 1 <= number <= len(files):
            return None
        return self.contents[files[number - 1].section]


def join_texts(texts: list[str]) -> str:
    """Return the texts of several parts as one text, with an empty line between them."""
    return tidy("\n\n".join(text.strip("\n") for text in texts if text.strip()) if len(texts) > 1 else "".join(texts))


def parse_message(data: bytes) -> ParsedMessage:
    """Parse a message. If its structure cannot be parsed, its body is returned as one plain text."""
    contents: dict[str, bytes] = {}
    try:
        tree = message_from_bytes(data, policy=_POLICY)
        return ParsedMessage(_part(tree, "", contents), contents)
    except (RecursionError, ValueError, LookupError, AttributeError, TypeError):
        body = data.replace(b"\r\n", b"\n").partition(b"\n\n")[2]
        return ParsedMessage(MimePart("text/plain", "1", size=len(body)), {"1": body})


def _part(tree: Tree, section: str, contents: dict[str, bytes], depth: int = 0) -> MimePart:
    kind = tree.get_content_type()
    payload = cast("object", tree.get_payload())
    children = cast("list[Tree]", payload) if isinstance(payload, list) else []
    if children and kind.startswith("multipart/") and depth < DEEPEST:
        below = f"{section}." if section else ""
        parts = tuple(_part(one, f"{below}{number}", contents, depth + 1) for number, one in enumerate(children, 1))
        return MimePart(kind, section, parts=parts)
    section = section or "1"
    plain: object = tree.get_payload(decode=True)
    contents[section] = plain if isinstance(plain, bytes) else b"".join(one.as_bytes() for one in children)
    return MimePart(
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
    return decode_field(found.encode("utf-8", "surrogateescape")) if found else ""
