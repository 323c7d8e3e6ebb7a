"""Text of mail: charsets, transfer encodings, and HTML as a reader would see it."""

import binascii
import codecs
import re
from html import unescape

_ALIASES = {
    # What is called so is, in mail, nearly always the larger set that holds it.
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
    """Return the text of bytes in a charset; where that is unknown or wrong, as UTF-8, else as Windows writes."""
    known = _known(charset)
    for name in (known, "utf-8"):
        if name is None or (name == "cp1252" and not data.isascii()):
            continue
        try:
            return data.decode(name)
        except (UnicodeError, LookupError, ValueError):
            continue
    if known not in {None, "utf-8"}:
        return data.decode(known or "", "replace")
    # Most of it is UTF-8 with a slip, or it is none at all.
    loose = data.decode("utf-8", "replace")
    return loose if loose.count("\ufffd") * 20 < len(loose) else data.decode("cp1252", "replace")


def tidy(text: str) -> str:
    """Return a text with plain line ends and without the control characters that no reader shows."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Return a text as one line, fit for a header or a name."""
    return " ".join(_CONTROL.sub(" ", text.replace("\u2028", " ").replace("\u2029", " ").replace("\x85", " ")).split())


def _known(charset: str | None) -> str | None:
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


def decoded_bytes(data: bytes, encoding: str) -> bytes:
    """Return what was encoded; an encoding nobody knows is taken for none."""
    match encoding.strip().lower():
        case "base64":
            return base64_of(data)
        case "quoted-printable":
            return quoted_of(data)
        case _:
            return data


def base64_of(data: bytes) -> bytes:
    """Return the bytes of base64, even when it is cut off or has other letters in it."""
    plain = _NOT_BASE64.sub(b"", data.partition(b"=")[0] if data.count(b"=") <= _PADDING else data)
    whole = plain[: len(plain) - len(plain) % 4]
    rest = plain[len(whole) :]
    padded = rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""
    return binascii.a2b_base64(whole + padded)


def quoted_of(data: bytes) -> bytes:
    """Return the bytes of quoted-printable."""
    return binascii.a2b_qp(data)


def about(encoding: str, octets: int) -> int:
    """Return about how many bytes come of this many encoded ones."""
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
    """Return the text: blocks on lines of their own, items with a dash, links with their address behind them."""
    writing = _Writing()
    at = 0
    while True:
        found = _OPENS.search(source, at)
        if found is None:
            writing.say(source[at:])
            return writing.text()
        writing.say(source[at : found.start()])
        at = _past(source, found.start(), writing)


def _past(source: str, opens: int, writing: "_Writing") -> int:
    """Take what begins with `<` at `opens`; return where to go on."""
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


def _end_of_tag(source: str, opens: int, writing: "_Writing") -> int:
    if not writing.loose:
        found = _REST_OF_TAG.match(source, opens + 1)
        if found is not None:
            return found.end()
        # A quotation mark is never closed: from here on none counts, so that nobody looks for its end again and again.
        writing.loose = True
    plain = source.find(">", opens)
    return len(source) if plain < 0 else plain + 1


def _after_closing(source: str, name: str, at: int, writing: "_Writing") -> int:
    found = None if name in writing.open else re.compile(rf"</{name}\b[^>]*>?", re.IGNORECASE).search(source, at)
    if found is not None:
        return found.end()
    # Never closed: of a head the rest is shown all the same, of a program nothing.
    writing.open.add(name)
    return len(source) if name in {"script", "style", "template"} else at


class _Writing:
    """What was written so far."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._link = ""
        self._said_at = 0
        self.open: set[str] = set()
        """What is never closed again."""
        self.loose = False
        """Quotation marks in tags count for nothing."""

    def say(self, text: str) -> None:
        """Write text, in which blanks count once."""
        if text:
            self._parts.append(_BLANKS.sub(" ", unescape(text)))

    def tag(self, name: str, rest: str, *, closing: bool) -> None:
        """Write what a tag looks like."""
        if name == "br":
            self._parts.append("\n")
        elif name == "li":
            self._parts.append("\n" if closing else "\n- ")
        elif name in {"td", "th"} and closing:
            self._parts.append("\t")
        elif name == "a":
            self._linked(rest, closing=closing)
        elif _BLOCKS.fullmatch(name):
            self._parts.append("\n\n" if _APART.fullmatch(name) else "\n")

    def text(self) -> str:
        """Return all of it."""
        whole = "".join(self._parts).replace("\xa0", " ").replace("\u200c", "")
        lines = (re.sub(r" {2,}", " ", line.strip()) for line in whole.split("\n"))
        return _MANY.sub("\n\n", "\n".join(lines)).strip()

    def _linked(self, rest: str, *, closing: bool) -> None:
        if not closing:
            found = _HREF.search(rest)
            self._link = unescape(next(filter(None, found.groups()), "")) if found else ""
            self._said_at = len(self._parts)
            return
        said = "".join(self._parts[self._said_at :]).strip()
        if self._link.lower().startswith(("http:", "https:", "mailto:")) and said != self._link:
            self._parts.append(f" ({self._link.strip()})" if said else self._link.strip())
        self._link, self._said_at = "", len(self._parts)
