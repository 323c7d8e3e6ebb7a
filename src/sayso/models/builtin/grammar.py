"""Read the wordings of wishes from `intents.toml`, parse them, and match words against them."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import permutations

import msgspec
from msgspec import Struct, field

from sayso.core.encoding import Json
from sayso.models.builtin.tokens import COLON, word_list

_TOKEN = re.compile(r"\{[a-z_]+(?::[a-z_]+)?\}|<[a-z_]+>|[()\[\]|]|[^\s()\[\]|{}<>]+")


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


class Phrases(Struct, frozen=True):
    """Several phrases without slots, one of which must match; indexed by their first words, because many are long."""

    starts: Mapping[str, tuple[tuple[str, ...], ...]]
    """The rests of the phrases, by their first word."""
    first: tuple[str, ...]
    """The phrase that stands for all in a sentence to the person."""
    optional: bool


Part = LiteralPart | Slot | Alternatives | Phrases
Parts = tuple[Part, ...]


class SlotSpan(Struct, frozen=True):
    """The words that fill a slot: from index `start` up to, but not including, index `end`."""

    slot: Slot
    start: int
    end: int


NOISE = frozenset(
    word_list(
        ": a an the my our your some me us it of please just also again back over up out now so then here there "
        "really quickly quick one another kindly actually simply straight both away "
        "directly into myself yourself already still"
    )
)
"""Words that may stand between the words of a pattern without changing its meaning; never inside a copied text."""
_BESIDE_A_NAME = NOISE - frozenset(word_list("a an the my our your some this that these those one both"))
_MEASURED = frozenset(
    word_list("when often long days level area edge monitor mail span shift size ending clock moment repeat")
)
"""Kinds of slots that no small word belongs to."""
COPIED = frozenset(
    word_list("text body new_text wish title heading todo place term person now texts quote name question path")
)
"""Kinds of slots that copy words as they are."""


def parse_pattern(pattern: str, words: Mapping[str, str] | None = None) -> Parts:
    """Return the parts of a pattern; `<name>` stands for the words of that name.

    Raises `ValueError` if a bracket, a slot or a name in it is malformed or unknown.
    """
    tokens = _TOKEN.findall(pattern)
    if "".join(tokens) != "".join(pattern.split()):
        raise ValueError(f"the pattern “{pattern}” holds something that is neither word, slot nor bracket")
    parts, rest = _sequence(tokens, pattern, words or {})
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
            case LiteralPart() | Phrases():
                pass


def literals_of(parts: Sequence[Part]) -> Iterator[str]:
    """Yield every word of a pattern."""
    for part in parts:
        match part:
            case LiteralPart(word):
                yield word
            case Alternatives(ways):
                for way in ways:
                    yield from literals_of(way)
            case Phrases(starts):
                for word, rests in starts.items():
                    yield from (word, *(other for rest in rests for other in rest))
            case Slot():
                pass


def needed_words(parts: Sequence[Part]) -> frozenset[str]:
    """Return words of which at least one stands in everything that a pattern matches; empty if there are none."""
    found = [_needed(part) for part in parts]
    return min((one for one in found if one), key=len, default=frozenset[str]())


def _needed(part: Part) -> frozenset[str]:
    match part:
        case LiteralPart(word):
            return frozenset({word})
        case Alternatives(ways):
            each = [needed_words(way) for way in ways]
            return frozenset[str]().union(*each) if all(each) else frozenset[str]()
        case Phrases(starts, _, optional):
            return frozenset[str]() if optional else frozenset(starts)
        case Slot():
            return frozenset[str]()


def match_pattern(parts: Sequence[Part], words: tuple[str, ...], start: int = 0) -> Iterator[tuple[SlotSpan, ...]]:
    """Yield, for each possible match of a pattern with all words from `start` on, the words of each slot.

    Words of `NOISE` may stand between the parts, but not beside a copied text.
    """
    for spans, end in _match_parts(tuple(parts), words, start):
        at = end
        if not (spans and spans[-1].end == at and spans[-1].slot.kind in COPIED):
            while at < len(words) and words[at] in NOISE:
                at += 1
        if at == len(words):
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
            case Phrases(_, phrase, optional):
                found += [] if optional else phrase
    return " ".join(found)


def _match_parts(
    parts: Parts, words: tuple[str, ...], start: int, *, after_copy: bool = False
) -> Iterator[tuple[tuple[SlotSpan, ...], int]]:
    if not parts:
        yield (), start
        return
    first, rest = parts[0], parts[1:]
    match first:
        case LiteralPart(word):
            for end in _ends_of_phrase((word,), words, start, after_copy=after_copy):
                yield from _match_parts(rest, words, end)
        case Phrases():
            for end in _ends_of_phrases(first, words, start, after_copy=after_copy):
                yield from _match_parts(rest, words, end, after_copy=after_copy and end == start)
        case Slot():
            yield from _match_slot(first, rest, words, start, after_copy=after_copy)
        case Alternatives(ways):
            for way in ways:
                yield from _match_parts((*way, *rest), words, start, after_copy=after_copy)


def _match_slot(
    slot: Slot, rest: Parts, words: tuple[str, ...], start: int, *, after_copy: bool
) -> Iterator[tuple[tuple[SlotSpan, ...], int]]:
    copied = slot.kind in COPIED
    beside = NOISE if slot.kind in _MEASURED else _BESIDE_A_NAME
    while start < len(words) and words[start] == COLON:
        start += 1
    begins = [start]
    most = 1 if copied or after_copy else MOST_SMALL
    while len(begins) < most and begins[-1] < len(words) and words[begins[-1]] in beside:
        begins.append(begins[-1] + 1)
    for begin in begins:
        last = len(words) if copied else min(len(words), begin + LONGEST_NAME)
        for end in range(begin + 1, last + 1):
            for spans, stop in _match_parts(rest, words, end, after_copy=copied):
                yield (SlotSpan(slot, begin, end), *spans), stop


def _ends_of_phrases(phrases: Phrases, words: tuple[str, ...], start: int, *, after_copy: bool) -> list[int]:
    """Return the places after the phrases that begin here, after any small words; the start itself if optional."""
    found = {start} if phrases.optional else set[int]()
    at = start
    while at < min(len(words), start + MOST_SMALL):
        for rest in phrases.starts.get(words[at], ()):
            found.update(_ends_of_phrase(rest, words, at + 1))
        if after_copy or words[at] not in NOISE:
            break
        at += 1
    return sorted(found, reverse=True)


def _ends_of_phrase(
    phrase: Sequence[str], words: tuple[str, ...], start: int, *, after_copy: bool = False
) -> Iterator[int]:
    at = start
    for word in phrase:
        most = at + MOST_SMALL
        while at < min(len(words), most) and words[at] != word and words[at] in NOISE and not after_copy:
            at += 1
        if at == len(words) or words[at] != word:
            return
        at += 1
    yield at


def _sequence(tokens: list[str], pattern: str, words: Mapping[str, str]) -> tuple[Parts, list[str]]:
    parts: list[Part] = []
    while tokens and tokens[0] not in {")", "]", "|"}:
        token, tokens = tokens[0], tokens[1:]
        if token in {"(", "["}:
            either, tokens = _alternatives(token, tokens, pattern, words)
            parts.append(either)
        elif token.startswith("{"):
            name, _, kind = token[1:-1].partition(":")
            parts.append(Slot(name, kind or name))
        elif token.startswith("<"):
            if token[1:-1] not in words:
                raise ValueError(f"the pattern “{pattern}” uses {token}, which is not among the words")
            parts += parse_pattern(f"({words[token[1:-1]]})", words)
        else:
            parts.append(LiteralPart(token))
    return tuple(parts), tokens


def _alternatives(opened: str, tokens: list[str], pattern: str, words: Mapping[str, str]) -> tuple[Part, list[str]]:
    ways: list[Parts] = []
    closing = ")" if opened == "(" else "]"
    while True:
        way, tokens = _sequence(tokens, pattern, words)
        ways.append(way)
        if not tokens or tokens[0] not in {"|", closing}:
            raise ValueError(f"the pattern “{pattern}” opens a bracket that is not closed")
        mark, tokens = tokens[0], tokens[1:]
        if mark == closing:
            return alternatives((*ways, ()) if opened == "[" else tuple(ways)), tokens


def alternatives(ways: tuple[Parts, ...]) -> Part:
    """Return a part that matches one of these ways."""
    full = [way for way in ways if way]
    plain = [phrase for way in full if (phrase := _plain(way)) is not None]
    if len(plain) < len(full):
        return Alternatives(ways)
    every = [phrase for phrases in plain for phrase in phrases]
    starts: dict[str, list[tuple[str, ...]]] = {}
    for phrase in every:
        starts.setdefault(phrase[0], []).append(phrase[1:])
    return Phrases({word: tuple(rests) for word, rests in starts.items()}, every[0], () in ways)


def _plain(way: Parts) -> list[tuple[str, ...]] | None:
    """Return the phrases that a way consists of; None if it has a slot or optional parts."""
    match way:
        case (Phrases(starts, first, False),):
            every = [(word, *rest) for word, rests in starts.items() for rest in rests]
            return [first, *(one for one in every if one != first)]
        case _ if all(isinstance(part, LiteralPart) for part in way):
            return [tuple(part.word for part in way if isinstance(part, LiteralPart))]
        case _:
            return None


PLACE = "intents.toml"
MOST_SMALL = 5
"""How many small words may stand between two parts of a pattern."""
LONGEST_NAME = 14
"""How many words a name, a time or a place may have at most; copied texts may be longer."""
NAMED = frozenset(
    word_list("tab tabs app running reminder task completed habit event file files folder preset site monitor")
)
"""Kinds of slots that may be named first, before the verb: “tab 3, close it”."""
_POINTING = "[it|them|that|that one|this|this one|those|these|that task|that tab|the file]"


class IntentRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of `intents.toml` as it is written; `Intent` explains the fields."""

    means: str
    says: tuple[str, ...]
    arguments: dict[str, Json] = {}
    sure: float = 1.0
    alone: bool = False
    whole: bool = False
    ask: str = ""
    each: str = ""


class Pattern(Struct, frozen=True):
    """One wording of a wish: the text of the pattern, and the parts into which it was parsed."""

    written: str
    parts: Parts
    needs: frozenset[str] = frozenset()
    """Words of which at least one stands in everything that the pattern matches; empty if there are none."""


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
    each: str = ""
    """The name of a slot with several values, for each of which there is one action; empty if there is one action."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    words: dict[str, str]
    intent: tuple[IntentRow, ...]


@lru_cache(maxsize=1)
def intents() -> tuple[Intent, ...]:
    """Return all intents of `intents.toml`; the file is read once per process."""
    text = files(__package__ or "").joinpath(PLACE).read_text("utf-8")
    told = msgspec.convert(tomllib.loads(text), _File)
    return tuple(_intent(row, told.words) for row in told.intent)


def _intent(row: IntentRow, words: Mapping[str, str]) -> Intent:
    patterns = tuple(_pattern(order, words) for written in row.says for order in word_orders(written))
    return Intent(row.means, patterns, row.arguments, row.sure, row.alone, row.whole, row.ask, row.each)


def word_orders(written: str) -> Iterator[str]:
    """Yield a pattern in each order of its parts: parts between `&` are in any order, and a named thing may be first.

    Example: `<close> {tabs}` is also `{tabs} <close> [it|them]`.
    """
    orders = [" ".join(order) for order in permutations(part.strip() for part in written.split(" & "))]
    yield from orders
    for order in orders:
        first, _, rest = order.partition(" ")
        slot, _, tail = rest.partition(" ")
        kind = slot.strip("{}").rpartition(":")[2]
        if first.startswith("<") and slot.startswith("{") and kind in NAMED:
            yield f"{slot} {first} {_POINTING} {tail}".strip()


def _pattern(written: str, words: Mapping[str, str]) -> Pattern:
    parts = parse_pattern(written, words)
    return Pattern(written, parts, needed_words(parts))
