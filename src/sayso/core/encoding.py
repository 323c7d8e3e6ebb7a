"""Canonical JSON (RFC 8785), digests of it, and incremental decoding of UTF-8."""

import codecs
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from json.encoder import encode_basestring as _quoted
from typing import Any, cast

from sayso.core.lazy import load

Json = object  # a JSON value: None, bool, int, float, str, list or tuple of Json, mapping of str to Json

EXACT_INTEGER = 2**53 - 1
LONG_TEXT = 4096
"""The size in UTF-8 bytes beyond which a digest uses a text's length and hash instead of the text."""
_MOST_BYTES = 4
"""The largest number of bytes of one character in UTF-8."""


def canonical(value: Json) -> bytes:
    """Return the RFC 8785 form of `value`.

    Raises `ValueError` for lone surrogates and for values that JSON cannot express: NaN, infinities, and keys that are
    not texts. Integers beyond ±(2⁵³−1) become decimal strings, because RFC 8785 numbers are doubles.
    """
    return _write_value(value, _quoted).encode("utf-8")


def digest(value: Json) -> str:
    """Return `sha256:` and the hex SHA-256 of the canonical form, in which long texts are replaced by their hash."""
    return "sha256:" + _sha256(_write_value(value, _short).encode("utf-8"))


def shorten_text(text: str) -> Json:
    """Return a text of over 4 kB as `{"sha256", "bytes"}`, as a digest uses it; return a shorter text unchanged."""
    data = text.encode("utf-8", "surrogatepass")
    return text if len(data) <= LONG_TEXT else {"sha256": _sha256(data), "bytes": len(data)}


_CODE_LENGTH = 28


def code(text: str) -> str:
    """Return a code of a text, by which a person can tell it from any other: 140 bits of its SHA-256."""
    digest = _hashing()(text.encode("utf-8", "surrogatepass")).digest()
    return load("base64:b32encode")(digest).decode("ascii").lower()[:_CODE_LENGTH]


def _short(text: str) -> str:
    return _quoted(text) if len(text) * _MOST_BYTES <= LONG_TEXT else _write_value(shorten_text(text), _quoted)


def _sha256(data: bytes) -> str:
    return _hashing()(data).hexdigest()


@cache
def _hashing() -> Callable[[bytes], Any]:
    return load("hashlib:sha256")


def _write_value(value: Json, quoted: Callable[[str], str]) -> str:
    """Return the JSON of a value; `quoted` writes each text except keys."""
    if type(value) is dict:  # the most frequent type except texts
        return _write_object(cast("Mapping[object, Json]", value), quoted)
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, int):
        return str(value) if -EXACT_INTEGER <= value <= EXACT_INTEGER else f'"{value}"'
    if isinstance(value, float):
        return ecmascript(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([_write_value(item, quoted) for item in cast("Sequence[Json]", value)]) + "]"
    if isinstance(value, Mapping):
        return _write_object(cast("Mapping[object, Json]", value), quoted)
    raise ValueError(f"{type(value).__name__} is not a JSON value")


def _write_object(members: Mapping[object, Json], quoted: Callable[[str], str]) -> str:
    written: list[str] = []
    for name in _sorted_names(members):
        value = members[name]
        text = quoted(value) if type(value) is str else _write_value(value, quoted)
        written.append(f"{_quoted(name)}:{text}")
    return "{" + ",".join(written) + "}"


def _sorted_names(members: Mapping[object, Json]) -> list[str]:
    """Return the keys in the order of their UTF-16 code units."""
    try:
        if "".join(cast("Iterable[str]", members)).isascii():  # for ASCII, Python's order is the same
            return sorted(cast("Iterable[str]", members))
    except TypeError as odd:
        raise ValueError("a JSON object has text keys only") from odd
    return sorted(cast("Iterable[str]", members), key=_utf16)


_WORDS = {None: "null", True: "true", False: "false"}


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")


def ecmascript(number: float) -> str:
    """Return a double as ECMAScript's `Number::toString` writes it (RFC 8785, 3.2.2.3)."""
    if not math.isfinite(number):
        raise ValueError("NaN and infinities have no place in JSON")
    if number < 0:
        return "-" + ecmascript(-number)
    if number == 0:
        return "0"
    mantissa, _, exponent = repr(float(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    return _place_point((whole + fraction).rstrip("0"), len(whole) + int(exponent or 0))


MOST_WHOLE_DIGITS, MOST_ZEROS = 21, 6
"""The limits beyond which ECMAScript writes an exponent."""


def _place_point(digits: str, point: int) -> str:
    count = len(digits)
    if not -MOST_ZEROS < point <= MOST_WHOLE_DIGITS:
        return digits[0] + (f".{digits[1:]}" if count > 1 else "") + f"e{point - 1:+d}"
    if point <= 0:
        return "0." + "0" * -point + digits
    if point < count:
        return f"{digits[:point]}.{digits[point:]}"
    return digits + "0" * (point - count)


class NotUtf8(ValueError):
    """Bytes are not UTF-8 text; `at` is the offset of the first wrong byte, counted from the first piece."""

    def __init__(self, at: int, byte: int, reason: str) -> None:
        super().__init__(f"byte {at} is 0x{byte:02x} ({reason})")
        self.at = at
        self.byte = byte
        self.reason = reason


def decode_pieces(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the text of each piece; characters split between pieces are joined, line ends and byte order marks kept.

    Raises `NotUtf8` at the first byte that is not part of a character, or if the last character is incomplete.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    fed = 0
    for piece in pieces:
        if text := _decode_piece(decoder, piece, fed, last=False):
            yield text
        fed += len(piece)
    _decode_piece(decoder, b"", fed, last=True)


def _decode_piece(decoder: codecs.IncrementalDecoder, piece: bytes, fed: int, *, last: bool) -> str:
    held = len(decoder.getstate()[0])
    try:
        return decoder.decode(piece, last)
    except UnicodeDecodeError as wrong:
        raise NotUtf8(fed - held + wrong.start, wrong.object[wrong.start], wrong.reason) from None
