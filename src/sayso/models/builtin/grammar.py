"""Read the patterns of wishes from `intents.toml`, parse them, and match words against them."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct, field

from sayso.core.encoding import Json

_TOKEN = re.compile(r"\{[a-z_]+(?::[a-z_]+)?\}|[()\[\]|]|[^\s()\[\]|{}]+")


class LiteralPart(Struct, frozen=True):
    """A word that must occur at this place of the pattern."""

    word: str


class Slot(Struct, frozen=True):
    """A placeholder for one or more words that are read as a value of its kind."""

    name: str
    kind: str


class Alternatives(Struct, frozen=True):
    """Several sequences of parts, one of which must match; an empty one makes this part of the pattern optional."""

    ways: tuple["Parts", ...]


Part = LiteralPart | Slot | Alternatives
Parts = tuple[Part, ...]


class SlotSpan(Struct, frozen=True):
    """The words that fill a slot: from index `start` up to, but not including, index `end`."""

    slot: Slot
    start: int
    end: int


def parse_pattern(pattern: str) -> Parts:
    """Return the parts of a pattern. Raises `ValueError` if a bracket or slot in it is malformed."""
    tokens = _TOKEN.findall(pattern)
    if "".join(tokens) != "".join(pattern.split()):
        raise ValueError(f"the pattern “{pattern}” holds something that is neither word, slot nor bracket")
    parts, rest = _sequence(tokens, pattern)
    if rest:
        raise ValueError(f"the pattern “{pattern}” closes a bracket that was not opened")
    return parts


def slots_of(parts: Sequence[Part]) -> Iterator[Slot]:
    """Yield every slot of a pattern."""
    for part in parts:
        match part:
            case Slot():
                yield part
            case Alternatives(ways):
                for way in ways:
                    yield from slots_of(way)
            case LiteralPart():
                pass


def first_words(parts: Sequence[Part]) -> frozenset[str] | None:
    """Return the words that a pattern may begin with; None if it may begin with any word."""
    found: set[str] = set()
    for part in parts:
        match part:
            case LiteralPart(word):
                return frozenset(found | {word})
            case Slot():
                return None
            case Alternatives(ways):
                for way in ways:
                    begin = first_words(way) if way else frozenset[str]()
                    if begin is None:
                        return None
                    found |= begin
                if () not in ways:
                    return frozenset(found)
    return None


def match_pattern(parts: Sequence[Part], words: tuple[str, ...], start: int = 0) -> Iterator[tuple[SlotSpan, ...]]:
    """Yield, for each possible match of a pattern with all words from `start` on, the words of each slot."""
    for spans, end in _match_parts(parts, words, start):
        if end == len(words):
            yield spans


def phrase_pattern(parts: Sequence[Part], said: Mapping[str, str]) -> str:
    """Return a sentence that the pattern matches; it uses the first of all alternatives, and no optional parts."""
    found: list[str] = []
    for part in parts:
        match part:
            case LiteralPart(word):
                found.append(word)
            case Slot(name):
                found.append(said.get(name, name))
            case Alternatives(ways):
                found += [] if () in ways else [phrase_pattern(ways[0], said)]
    return " ".join(found)


def _match_parts(
    parts: Sequence[Part], words: tuple[str, ...], start: int
) -> Iterator[tuple[tuple[SlotSpan, ...], int]]:
    if not parts:
        yield (), start
        return
    first, rest = parts[0], parts[1:]
    match first:
        case LiteralPart(word):
            if words[start : start + 1] == (word,):
                yield from _match_parts(rest, words, start + 1)
        case Slot():
            yield from _match_slot(first, rest, words, start)
        case Alternatives(ways):
            for way in ways:
                yield from _match_parts((*way, *rest), words, start)


def _match_slot(
    slot: Slot, rest: Sequence[Part], words: tuple[str, ...], start: int
) -> Iterator[tuple[tuple[SlotSpan, ...], int]]:
    for end in range(start + 1, len(words) + 1):
        for spans, stop in _match_parts(rest, words, end):
            yield (SlotSpan(slot, start, end), *spans), stop


def _sequence(tokens: list[str], pattern: str) -> tuple[Parts, list[str]]:
    parts: list[Part] = []
    while tokens and tokens[0] not in {")", "]", "|"}:
        token, tokens = tokens[0], tokens[1:]
        if token in {"(", "["}:
            either, tokens = _alternatives(token, tokens, pattern)
            parts.append(either)
        elif token.startswith("{"):
            name, _, kind = token[1:-1].partition(":")
            parts.append(Slot(name, kind or name))
        else:
            parts.append(LiteralPart(token))
    return tuple(parts), tokens


def _alternatives(opened: str, tokens: list[str], pattern: str) -> tuple[Alternatives, list[str]]:
    ways: list[Parts] = []
    closing = ")" if opened == "(" else "]"
    while True:
        way, tokens = _sequence(tokens, pattern)
        ways.append(way)
        if not tokens or tokens[0] not in {"|", closing}:
            raise ValueError(f"the pattern “{pattern}” opens a bracket that is not closed")
        mark, tokens = tokens[0], tokens[1:]
        if mark == closing:
            return Alternatives((*ways, ()) if opened == "[" else tuple(ways)), tokens


PLACE = "intents.toml"


class IntentRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of `intents.toml` as it is written; `Intent` explains the fields."""

    means: str
    says: tuple[str, ...]
    arguments: dict[str, Json] = {}
    sure: float = 1.0
    alone: bool = False
    whole: bool = False
    ask: str = ""


class Pattern(Struct, frozen=True):
    """One wording of a wish: the text of the pattern, and the parts into which it was parsed."""

    written: str
    parts: Parts
    firsts: frozenset[str] | None
    """The words that the pattern may begin with; None if it may begin with any word."""


class Intent(Struct, frozen=True):
    """Patterns with the same meaning; `means` is the operation, and `arguments` are its arguments, for all of them."""

    means: str
    patterns: tuple[Pattern, ...]
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])
    sure: float = 1.0
    """The confidence of a match before its slots are read; below 1, a match of another intent may be preferred."""
    alone: bool = False
    """True if the intent matches only a clause that is the whole utterance."""
    whole: bool = False
    """True if a thing must be named by its full name; if it is not, the person is asked whether it is the right one."""
    ask: str = ""
    """The question that is asked instead of proposing an action; empty for an intent that leads to an action."""


@lru_cache(maxsize=1)
def intents() -> tuple[Intent, ...]:
    """Return all intents of `intents.toml`; the file is read once per process."""
    text = files(__package__ or "").joinpath(PLACE).read_text("utf-8")
    rows = msgspec.convert(tomllib.loads(text)["intent"], tuple[IntentRow, ...])
    return tuple(_intent(row) for row in rows)


def _intent(row: IntentRow) -> Intent:
    patterns = tuple(_pattern(written) for written in row.says)
    return Intent(row.means, patterns, row.arguments, row.sure, row.alone, row.whole, row.ask)


def _pattern(written: str) -> Pattern:
    parts = parse_pattern(written)
    return Pattern(written, parts, first_words(parts))
