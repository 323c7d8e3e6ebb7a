"""Read the patterns of the table of intents, and find the ways in which words fit one.

A pattern is words and slots: `(switch|go) to [the] {tab} [tab]`. Round brackets hold alternatives, square ones
what may be left out, and `{name:kind}` (or `{kind}` alone) is a slot for one or more words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from sayso.core.values import dataclass

_TOKEN = re.compile(r"\{[a-z_]+(?::[a-z_]+)?\}|[()\[\]|]|[^\s()\[\]|{}]+")


@dataclass(frozen=True, slots=True)
class Literal:
    """A word that must stand there."""

    word: str


@dataclass(frozen=True, slots=True)
class Slot:
    """One or more words that are read as a kind of thing."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Either:
    """One of several sequences; where one of them is empty it may be left out."""

    ways: tuple["Parts", ...]


Part = Literal | Slot | Either
Parts = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """The words that a slot got: from one up to, and without, another."""

    slot: Slot
    start: int
    end: int


def parsed(pattern: str) -> Parts:
    """Return a pattern as parts. Raises `ValueError` for one that cannot be read."""
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
            case Either(ways):
                for way in ways:
                    yield from slots_of(way)
            case Literal():
                pass


def firsts(parts: Sequence[Part]) -> frozenset[str] | None:
    """Return the words with which a pattern may begin; None where that may be any word."""
    found: set[str] = set()
    for part in parts:
        match part:
            case Literal(word):
                return frozenset(found | {word})
            case Slot():
                return None
            case Either(ways):
                for way in ways:
                    begin = firsts(way) if way else frozenset[str]()
                    if begin is None:
                        return None
                    found |= begin
                if () not in ways:
                    return frozenset(found)
    return None


def fits(parts: Sequence[Part], words: tuple[str, ...], start: int = 0) -> Iterator[tuple[Span, ...]]:
    """Yield every way in which all words from `start` on fit a pattern: which slot gets which of them."""
    for spans, end in _fits(parts, words, start):
        if end == len(words):
            yield spans


def spoken(parts: Sequence[Part], said: Mapping[str, str]) -> str:
    """Return a pattern as one may say it: the first of all alternatives, what may be left out left out."""
    found: list[str] = []
    for part in parts:
        match part:
            case Literal(word):
                found.append(word)
            case Slot(name):
                found.append(said.get(name, name))
            case Either(ways):
                found += [] if () in ways else [spoken(ways[0], said)]
    return " ".join(found)


def _fits(parts: Sequence[Part], words: tuple[str, ...], start: int) -> Iterator[tuple[tuple[Span, ...], int]]:
    if not parts:
        yield (), start
        return
    first, rest = parts[0], parts[1:]
    match first:
        case Literal(word):
            if words[start : start + 1] == (word,):
                yield from _fits(rest, words, start + 1)
        case Slot():
            yield from _fits_slot(first, rest, words, start)
        case Either(ways):
            for way in ways:
                yield from _fits((*way, *rest), words, start)


def _fits_slot(
    slot: Slot, rest: Sequence[Part], words: tuple[str, ...], start: int
) -> Iterator[tuple[tuple[Span, ...], int]]:
    for end in range(start + 1, len(words) + 1):
        for spans, stop in _fits(rest, words, end):
            yield (Span(slot, start, end), *spans), stop


def _sequence(tokens: list[str], pattern: str) -> tuple[Parts, list[str]]:
    parts: list[Part] = []
    while tokens and tokens[0] not in {")", "]", "|"}:
        token, tokens = tokens[0], tokens[1:]
        if token in {"(", "["}:
            either, tokens = _either(token, tokens, pattern)
            parts.append(either)
        elif token.startswith("{"):
            name, _, kind = token[1:-1].partition(":")
            parts.append(Slot(name, kind or name))
        else:
            parts.append(Literal(token))
    return tuple(parts), tokens


def _either(opened: str, tokens: list[str], pattern: str) -> tuple[Either, list[str]]:
    ways: list[Parts] = []
    closing = ")" if opened == "(" else "]"
    while True:
        way, tokens = _sequence(tokens, pattern)
        ways.append(way)
        if not tokens or tokens[0] not in {"|", closing}:
            raise ValueError(f"the pattern “{pattern}” opens a bracket that is not closed")
        mark, tokens = tokens[0], tokens[1:]
        if mark == closing:
            return Either((*ways, ()) if opened == "[" else tuple(ways)), tokens
