"""What is kept of a reply: its headers within limits, and its body if that is text."""

import zlib
from collections.abc import Iterable
from typing import Protocol, Self

MOST_HEADERS, LONGEST_HEADER = 50, 1000
_DROPPED = frozenset({"set-cookie", "set-cookie2"})
"""Headers that would only be of use in later requests, to which nothing is carried over."""
_TEXT = frozenset(
    {
        "application/json", "application/xml", "application/javascript", "application/x-www-form-urlencoded",
        "application/yaml", "application/x-yaml", "application/toml", "application/x-ndjson", "application/graphql",
    }
)  # fmt: skip
_CHARSETS = (
    "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-", "iso8859-", "latin1", "windows-125", "cp125", "koi8-",
    "shift_jis", "shift-jis", "euc-jp", "euc-kr", "gb2312", "gbk", "gb18030", "big5", "utf-16", "iso-2022-jp",
)  # fmt: skip
"""Beginnings of the names of charsets; Python knows other codecs that are none, and some that take very long."""
_KINDS = {"image": "a picture", "audio": "a sound", "video": "a film", "font": "a font"}
_LONGEST_KIND = 80
_MARK = b"\xef\xbb\xbf"
_UNITS = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3))


class _Inflater(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /, max_length: int = 0) -> bytes: ...


class Body:
    """Collects the body of a reply up to a limit, decompressing it."""

    def __init__(self, inflater: _Inflater | None, most: int) -> None:
        self._inflater = inflater
        self._most = most
        self._data = bytearray()
        self.problem = ""

    @classmethod
    def of(cls, encoding: str, most: int) -> Self | None:
        """Return an empty body; None if it is compressed in a way that is not read."""
        named = encoding.strip().lower()
        if named in {"gzip", "x-gzip", "deflate"}:
            # The added 32 lets zlib find out by itself which of its two formats it is.
            return cls(zlib.decompressobj(zlib.MAX_WBITS | 32), most)
        return cls(None, most) if named in {"", "identity"} else None

    def add(self, piece: bytes) -> bool:
        """Add a piece as it came; return whether more is wanted."""
        room = self._most - len(self._data)
        try:
            more = piece if self._inflater is None else self._inflater.decompress(piece, room + 1)
        except zlib.error:
            self.problem = "the rest is compressed wrongly"
            return False
        self._data += more[:room]
        if len(more) > room:
            self.problem = f"the reply is longer than {size_in_words(self._most)}"
        elif self._inflater is not None and self._inflater.unused_data:
            # zlib would keep all that follows the end, and copy it anew with each piece.
            self.problem = "more follows the end of its compressed form"
        return not self.problem

    def end(self, charset: str, why: str = "") -> tuple[str, str]:
        """Return what was collected as text, and what is missing; `why` says why nothing more comes.

        What is not valid in the charset is replaced by U+FFFD.
        """
        if self._inflater is not None and not self._inflater.eof:
            why = why or "its compressed form breaks off"
        data, missing = bytes(self._data), self.problem or why
        text = data[3:].decode("utf-8", "replace") if data.startswith(_MARK) else data.decode(charset, "replace")
        return text, f"only the beginning is here: {missing}" if missing else ""


def is_text(kind: str) -> bool:
    """Return whether a content type is a kind of text; a reply without one is taken for text."""
    named = _named(kind)
    return not named or named.startswith("text/") or named.endswith(("+json", "+xml", "+yaml")) or named in _TEXT


def find_charset(kind: str) -> str:
    """Return the charset that a content type names; UTF-8 if it names none that is known."""
    named = next((one[8:].strip('"') for one in _parameters(kind) if one.startswith("charset=")), "utf-8")
    if not named.startswith(_CHARSETS):
        return "utf-8"
    try:
        "".encode(named)
    except (LookupError, ValueError):  # a name with a NUL or half a character is no name
        return "utf-8"
    return named


def describe_other(kind: str, encoding: str, length: str) -> str:
    """Return what a body is that is not shown, from what the server says of it."""
    named = _named(kind)
    plain = named.replace("/", "").replace(".", "").replace("-", "").replace("+", "")
    if is_text(kind):
        what = "text that is compressed in a way that sayso does not read"
    elif not (plain.isascii() and plain.isalnum() and len(named) <= _LONGEST_KIND):
        what = "data of an unknown kind"
    else:
        what = _KINDS.get(named.partition("/")[0]) or f"data of the kind {named}"
    known = length.isascii() and length.isdigit() and len(length) < len(str(2**63))
    return f"{what} of {size_in_words(int(length))}, not shown" if known else f"{what}, not shown"


def size_in_words(size: int) -> str:
    """Return a size for people."""
    for unit, one in _UNITS:
        if size >= one:
            return f"{size / one:.0f} {unit}"
    return f"{size} bytes"


def kept_headers(headers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the headers of a reply within limits, without those that set cookies."""
    kept = [f"{name}: {value[:LONGEST_HEADER]}" for name, value in headers if name.lower() not in _DROPPED]
    return tuple(kept[:MOST_HEADERS])


def _parameters(kind: str) -> list[str]:
    return [one.strip().lower() for one in kind[:LONGEST_HEADER].split(";")[1:]]


def _named(kind: str) -> str:
    return kind.partition(";")[0].strip().lower()
