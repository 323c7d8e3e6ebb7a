"""Strict JSON from a model: which texts are accepted, why others are refused, and how they can be corrected."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, cast

import msgspec

from sayso.core.encoding import Json

DEEPEST = 32
"""How deeply objects and lists may be nested."""
MOST_DIGITS = 40
"""The most characters that a number may have."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SHOWN = 40


class NotStrict(ValueError):
    """A text is not strict JSON; `code` never changes, and `at` is the offset of the error (None if unknown)."""

    def __init__(self, code: str, sentence: str, at: int | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.at = at


def strict_json(text: str) -> Json:
    """Return the value of a JSON text.

    Raises `NotStrict` for anything that is not JSON (such as comments, NaN, infinities and a byte order mark), and for
    duplicate keys, numbers that cannot be stored exactly, half a surrogate pair, and more than `DEEPEST` levels
    (PA-06).
    """
    flat = _decode_flat(text)
    if flat is not None:
        return flat
    try:
        value = cast("Json", _DECODER.decode(text))
    except json.JSONDecodeError as wrong:
        raise NotStrict("json.malformed", _describe_json_error(wrong), wrong.pos) from None
    except RecursionError:
        raise NotStrict("json.deep", f"more than {DEEPEST} levels are nested in one another") from None
    if _ESCAPED_SURROGATE.search(text) or not (text.isascii() or _SURROGATE.search(text) is None):
        _must_be_whole(value)
    if text.count("{") + text.count("[") > DEEPEST and _depth(value) > DEEPEST:
        raise NotStrict("json.deep", f"more than {DEEPEST} levels are nested in one another")
    return value


def _decode_flat(text: str) -> dict[str, Json] | None:
    """Return the object in a text if its values are all strings without escapes, as in most blocks; else None.

    msgspec is much faster, but keeps only the last of two equal keys. Without escapes, each string has exactly two
    quotes, so the number of quotes shows whether a key occurs twice.
    """
    if "\\" in text:
        return None
    try:
        value = _FLAT.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
    return cast("dict[str, Json]", value) if text.count('"') == _QUOTES_OF_A_PAIR * len(value) else None


_FLAT = msgspec.json.Decoder(dict[str, str])
_QUOTES_OF_A_PAIR = 4


def place(text: str, at: int) -> str:
    """Return the line and column of an offset, for a message: “line 2, column 5”."""
    before = text[:at]
    return f"line {before.count(chr(10)) + 1}, column {at - (before.rfind(chr(10)) + 1) + 1}"


def _describe_json_error(wrong: json.JSONDecodeError) -> str:
    where, rest = place(wrong.doc, wrong.pos), wrong.doc[wrong.pos :]
    if wrong.doc.startswith("\ufeff"):
        return "a byte order mark stands before the JSON; leave it out"
    if rest.startswith(("//", "/*", "#")):
        return f"{where}: a comment; JSON has none"
    if not rest.strip():
        return f"{where}: the JSON breaks off; something is not closed"
    for start, sentence in _SAID:
        if wrong.msg.startswith(start):
            return f"{where}: {sentence}"
    return f"{where}: no JSON value begins here"


_SAID = (
    ("Extra data", "something follows the end of the JSON"),
    ("Expecting property name", "a key in double quotes must stand here"),
    ("Illegal trailing comma", "a comma stands before the closing bracket; leave it out"),
    ("Expecting ',' delimiter", "a comma or the closing bracket is missing"),
    ("Expecting ':' delimiter", "a colon is missing after the key"),
    ("Unterminated string", "a text that begins here is not closed"),
    ("Invalid control character", "a line break or control character stands in a text; write it as \\n or \\u…"),
    ("Invalid \\", "a backslash is followed by a character that it cannot escape"),
)


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise NotStrict("json.duplicate_key", f"the key “{twice[:_SHOWN]}” stands twice in one object")
    return members


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise NotStrict("json.number", f"a number of {len(digits)} digits is too long")
    if digits == "-0":
        raise NotStrict("json.number", "-0 is no number that can be kept; write 0")
    return int(digits)


def _real(digits: str) -> float:
    if len(digits) > MOST_DIGITS:
        raise NotStrict("json.number", f"a number of {len(digits)} characters is too long")
    number = float(digits)
    if not math.isfinite(number):
        raise NotStrict("json.number", f"{digits} is too large for a number")
    if digits[0] == "-" and number == 0:
        raise NotStrict("json.number", f"{digits} is no number that can be kept; write 0")
    if Decimal(digits) != Decimal(repr(number)):
        raise NotStrict("json.number", f"{digits} cannot be kept exactly; write fewer digits")
    return number


def _no_number(name: str) -> Json:
    raise NotStrict("json.number", f"{name} is no JSON number")


_DECODER: Any = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_integer, parse_float=_real, parse_constant=_no_number
)


def _inside(value: Json) -> Sequence[Json]:
    if isinstance(value, dict):
        return list(cast("dict[str, Json]", value).values())
    return cast("list[Json]", value) if isinstance(value, list) else ()


def _must_be_whole(value: Json) -> None:
    waiting: list[Json] = [value]
    while waiting:
        one = waiting.pop()
        texts = [one] if isinstance(one, str) else cast("dict[str, Json]", one) if isinstance(one, dict) else ()
        if any(_SURROGATE.search(text) for text in texts):
            raise NotStrict("json.surrogate", "a text holds half of a character pair (a lone surrogate)")
        waiting += _inside(cast("Json", one))


def _depth(value: Json) -> int:
    level, deep = [value], 0
    while level := [one for one in level if _is_box(one)]:
        deep += 1
        level = [inner for one in level for inner in _inside(one)]
    return deep


def _is_box(value: Json) -> bool:
    return isinstance(value, dict | list)


_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[^\s"]', re.DOTALL)
_OPEN, _CLOSE = frozenset("{["), frozenset("}]")

Span = tuple[int, int]


def elements(text: str, key: str | None = None) -> list[Span]:
    """Return the start and end of each element of a list: the list under `key` in an object, or the whole text.

    `text` must be strict JSON that contains this list.
    """
    tokens = _TOKEN.finditer(text)
    if key is not None:
        _go_to_value(tokens, key)
    next(tokens)  # the bracket that opens the list
    return list(_elements(tokens))


def _go_to_value(tokens: Iterator[re.Match[str]], key: str) -> None:
    depth = 1
    for before, token in pairwise(tokens):
        said = token.group()
        if depth == 1 and said == ":" and json.loads(before.group()) == key:
            return
        depth += (said in _OPEN) - (said in _CLOSE)


def _elements(tokens: Iterator[re.Match[str]]) -> Iterator[Span]:
    depth, found = 0, None
    for token in tokens:
        said = token.group()
        if depth == 0 and said in ",]":
            if found is not None:
                yield found
            if said == "]":
                return
            found = None
            continue
        depth += (said in _OPEN) - (said in _CLOSE)
        found = (token.start() if found is None else found[0], token.end())


_FENCED = re.compile(r"\s*+(`{3,}+|~{3,}+)[^\n`]*+\n")


class Whole:
    """A text that is collected piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def add(self, piece: str) -> None:
        """Take the next piece."""
        if piece:
            self._pieces.append(piece)

    def take(self) -> str:
        """Return the whole text."""
        return "".join(self._pieces)


def strip_fence(text: str) -> tuple[str, int]:
    """Return the text without a code fence that encloses all of it, and the line on which the returned text begins."""
    opening = _FENCED.match(text)
    if opening is None:
        return text, 1
    rest = text[opening.end() :].rstrip()
    fence = opening.group(1)
    lines, newline, last = rest.rpartition("\n")
    if not last.strip().startswith(fence) or last.strip().strip(fence[0]):
        return text, 1
    body = lines + newline
    return body, text.count("\n", 0, opening.end()) + 1


LONGEST = 1_000
"""How many characters a text may have at most to be corrected."""
SAID_BEFORE = "; written correctly it would be "
"""The words before the corrected JSON in a message."""

_MENDING_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|\#[^\n]*|/\*.*?\*/)
      | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|“[^”]*”)
      | (?P<mark>[][{}:,])
      | (?P<word>[^\s][^\s\]\[{}:,"'“]*)""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_CLOSES = {"{": "}", "[": "]"}
_BEGIN = re.compile(r"[{\[]")


def suggest_correction(text: str) -> str:
    """Return `; written correctly it would be …` for JSON with small faults; empty for other texts.

    These faults are corrected: trailing commas, single and typographic quotes, comments, keys without quotes, Python's
    `True`, `False` and `None`, missing closing brackets, and prose around the object. If the result is still not strict
    JSON, nothing is returned.
    """
    written = correct_json(text)
    return f"{SAID_BEFORE}{written}" if written else ""


def correct_json(text: str) -> str:
    """Return a text with small faults as strict JSON; empty if it cannot be corrected with certainty."""
    begin = _BEGIN.search(text) if len(text) <= LONGEST else None
    if begin is None:
        return ""
    written = _rewrite_json(text[begin.start() :])
    try:
        strict_json(written)
    except NotStrict:
        return ""
    return written


def _rewrite_json(text: str) -> str:
    out: list[str] = []
    open_: list[str] = []
    for token in _MENDING_TOKEN.finditer(text):
        if token.lastgroup == "comment":
            continue
        said = token.group()
        if token.lastgroup == "mark":
            _mark(said, out, open_)
        else:
            out.append(_value(said, text=token.lastgroup == "text"))
        if not open_:
            break
    while open_:
        _mark(_CLOSES[open_[-1]], out, open_)
    return "".join(out)


def _mark(said: str, out: list[str], open_: list[str]) -> None:
    if said in _CLOSES:
        open_.append(said)
    elif said in "]}":
        if out[-1] == ", ":
            out.pop()
        while open_ and _CLOSES[open_[-1]] != said:
            out.append(_CLOSES[open_.pop()])
        if open_:
            open_.pop()
    out.append({":": ": ", ",": ", "}.get(said, said))


def _value(said: str, *, text: bool) -> str:
    if text:
        inner = said[1:-1]
        return said if said[0] == '"' else json.dumps(inner.replace("\\'", "'"), ensure_ascii=False)
    if said in _WORDS or _is_json(said):
        return _WORDS.get(said, said)
    return json.dumps(said, ensure_ascii=False)


def _is_json(word: str) -> bool:
    try:
        strict_json(word)
    except NotStrict:
        return False
    return True
