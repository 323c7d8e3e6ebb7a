"""Interpret a wish: which intents fit, and which one is meant."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, cast

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json, canonical
from sayso.models.builtin.grammar import Intent, Slot, Span, fits, slots_of, spoken
from sayso.models.builtin.match import (
    NOT_ALL,
    WHOLE,
    Choice,
    Found,
    Missing,
    Reading,
    Several,
    alike,
    list_choices,
    quote_words,
)
from sayso.models.builtin.slots import fill_template, read
from sayso.models.builtin.tokens import Word
from sayso.models.builtin.world import Scene

_TEXTS = frozenset({"wish", "title", "now", "todo", "place"})
_BODIES = frozenset({"body", "now"})
_FREE = _TEXTS | _BODIES | frozenset({"text", "new_text", "texts", "quote", "term", "person", "name", "question"})


class Meant(Struct, frozen=True):
    """An operation that a clause may mean."""

    intent: Intent
    arguments: Mapping[str, Json]
    sureness: float
    free: int
    """How many words were taken as they are: the fewer, the more of the clause was understood."""
    doubt: Several | Missing | None = None
    """Why it cannot be done as it was said."""
    slot: Slot | None = None
    """The slot in doubt."""
    said: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What the slots hold that are not in doubt."""
    open_ended: bool = False
    """It has a text without quotes around it in which another wish may be hidden."""
    verb: tuple[str, ...] = ()
    """The words before its first slot, where that is no free text: another thing may follow without them."""


class Listener:
    """Reads the slots of one text, each part of it once."""

    def __init__(self, scene: Scene, table: Sequence[Intent]) -> None:
        self.scene = scene
        self._table = table
        self._read: dict[tuple[str, int, int], Reading | None] = {}

    def of(
        self, words: Sequence[Word], spelled: Sequence[str], verb: Sequence[str] = (), *, alone: bool
    ) -> list[Meant]:
        """Return everything that these words may mean; `spelled` is what patterns are held against.

        `verb` is what another clause began with, and stands before these words too.
        """
        literal = (*verb, *spelled)
        words = (*(Word(word, 0, 0) for word in verb), *words)
        found: list[Meant] = []
        for intent in self._table:
            if intent.alone and not alone:
                continue
            for pattern in intent.patterns:
                if not literal or (pattern.firsts is not None and literal[0] not in pattern.firsts):
                    continue
                found += [
                    meant
                    for spans in fits(pattern.parts, literal)
                    if (meant := self._match_intent(intent, words, literal, spans)) is not None
                ]
        return found

    def _match_intent(
        self, intent: Intent, words: Sequence[Word], literal: Sequence[str], spans: tuple[Span, ...]
    ) -> Meant | None:
        said: dict[str, Json] = {}
        sureness, free, doubt, slot, body = intent.sure, 0, None, None, False
        for span in spans:
            part = words[span.start : span.end]
            reading = self._slot(span.slot.kind, part)
            if reading is None or (doubt is not None and not isinstance(reading, Found)):
                return None
            if isinstance(reading, Found):
                said[span.slot.name] = reading.value
                sureness, free = sureness * reading.sureness, free + reading.free
                body = body or (span.slot.kind in _BODIES and reading.free > 0)
                if intent.whole and reading.sureness < WHOLE:
                    doubt, slot = _whole_name(reading), span.slot
            else:
                doubt, slot = reading, span.slot
                free += len(part) if span.slot.kind in _TEXTS else 0
                sureness *= reading.sureness if isinstance(reading, Several) else 1.0
        verb = tuple(literal[: spans[0].start]) if spans and spans[0].slot.kind not in _FREE else ()
        if intent.ask and doubt is None:
            return Meant(intent, {}, sureness, free, Missing(intent.ask, sure=True))
        if doubt is not None:
            return Meant(intent, {}, sureness, free, doubt, slot, said, body, verb)
        arguments = arguments_of(intent, said, self.scene)
        return None if arguments is None else Meant(intent, arguments, sureness, free, None, None, said, body, verb)

    def _slot(self, kind: str, words: Sequence[Word]) -> Reading | None:
        key = (kind, words[0].start, words[-1].end)
        if key not in self._read:
            self._read[key] = read(kind, words, self.scene)
        return self._read[key]


def arguments_of(intent: Intent, said: Mapping[str, Json], scene: Scene) -> dict[str, Json] | None:
    """Return the arguments that an intent has when its slots hold this; None where one cannot be worked out."""
    arguments = dict(_fill_arguments(intent, said, scene))
    return None if None in arguments.values() else arguments


def _fill_arguments(intent: Intent, said: Mapping[str, Json], scene: Scene) -> Iterator[tuple[str, Json]]:
    for name, template in intent.arguments.items():
        yield name, fill_template(template, said, scene)


def _whole_name(reading: Found) -> Several:
    value = reading.value
    said = quote_words(str(cast("Mapping[str, Json]", value)["title"] if isinstance(value, Mapping) else value))
    return Several(f"Is {said} meant? It was not named by its whole name.", (Choice(said, reading.value),))


NEAR = 0.08
"""Two meanings that are no further apart are both asked about."""
LEAST = 0.4
"""What is less sure than this is not done."""
_TOLD_APART = frozenset({"task", "habit"})
"""Kinds of things that are named with their kind, since one of another kind may have the same name."""
LIKE = 75.0
"""How like the name that was said, of 100, one must be that is offered instead."""
MOST_OFFERED = 3
_UNKNOWN = 100
"""As many words as count for a clause about something that is not there."""


class Act(Struct, frozen=True):
    """What is to be done."""

    operation: str
    arguments: Mapping[str, Json]


class Option(Struct, frozen=True):
    """One way to go on: what a person is told, and what it would do."""

    said: str
    act: Act | None = None


class Ask(Struct, frozen=True):
    """A question, the operations in doubt, and what may be answered."""

    why: str
    about: tuple[str, ...] = ()
    open: Meant | None = None
    """What goes on when one of the choices is named."""
    options: tuple[Option, ...] = ()


class Understood(Struct, frozen=True):
    """What a clause comes to, and how many of its words were not understood, only taken."""

    what: Act | Ask
    free: int
    verb: tuple[str, ...] = ()
    open_ended: bool = False
    meant: Meant | None = None
    """What it was made of, where it is to be done."""


def choose_meaning(all_meant: Iterable[Meant]) -> Understood | None:
    """Return what is to be done about a clause, or asked; None when it is not understood at all."""
    best = _best_of_each(all_meant)
    certain = [one for one in best if not isinstance(one.doubt, Missing) or one.doubt.sure]
    if not certain:
        return _missing([one for one in best if isinstance(one.doubt, Missing)])
    top = max(one.sureness for one in certain)
    near = [one for one in certain if one.sureness > top - NEAR]
    if top < LEAST:
        return None
    if len(near) == 1:
        return _one(near[0])
    doubtful = [one for one in near if one.doubt is not None]
    return _one(doubtful[0]) if doubtful else _which(near)


def _best_of_each(all_meant: Iterable[Meant]) -> list[Meant]:
    """Return, of each operation, the meaning that took the fewest words as they are; the same thing counts once."""
    best: dict[tuple[str, bytes], Meant] = {}
    fewest: dict[str, int] = {}
    for one in all_meant:
        if isinstance(one.doubt, Missing) and not one.doubt.sure:
            best.setdefault((one.intent.means, one.doubt.why.encode()), one)
            continue
        fewest[one.intent.means] = min(fewest.get(one.intent.means, one.free), one.free)
        key = (one.intent.means, _same(one))
        if key not in best or one.sureness > best[key].sureness:
            best[key] = one
    return [
        one
        for one in best.values()
        if (isinstance(one.doubt, Missing) and not one.doubt.sure) or one.free == fewest[one.intent.means]
    ]


def _same(one: Meant) -> bytes:
    if one.doubt is None:
        return canonical(dict(one.arguments))
    return (one.doubt.why if isinstance(one.doubt, Missing) else one.doubt.said).encode()


def _one(meant: Meant) -> Understood:
    match meant.doubt:
        case None:
            return Understood(Act(meant.intent.means, meant.arguments), meant.free, meant.verb, meant.open_ended, meant)
        case Missing(why):
            return Understood(Ask(why, (meant.intent.means,)), meant.free, meant.verb)
        case Several(said, choices):
            why = f"{said} There {'is' if len(choices) == 1 else 'are'} {list_choices(choices)}."
            return Understood(Ask(why, (meant.intent.means,), meant), meant.free, meant.verb)


def _which(near: Sequence[Meant]) -> Understood:
    options = tuple(Option(phrase_intent(one.intent, one.said), Act(one.intent.means, one.arguments)) for one in near)
    said = " or ".join(option.said for option in options)
    about = tuple(dict.fromkeys(one.intent.means for one in near))
    return Understood(Ask(f"It may mean one of these: {said}. Which one?", about, options=options), near[0].free)


def phrase_intent(intent: Intent, said: Mapping[str, Json]) -> str:
    """Return an intent with what its slots hold as one may say it: `switch to tab 3`, `delete the task “Buy wine”`."""
    parts = intent.patterns[0].parts
    return spoken(
        parts, {slot.name: _phrase_value(slot, said[slot.name]) for slot in slots_of(parts) if slot.name in said}
    )


def _phrase_value(slot: Slot, value: Json) -> str:
    kind = slot.kind.partition("_")[0]
    match value:
        case list() | tuple():
            each = cast("Sequence[Json]", value)
            said = ", ".join(str(one) if isinstance(one, int) else quote_words(str(one)) for one in each)
            return f"{kind} {said}" if kind == "tabs" else said
        case int():
            return f"{kind} {value}"
        case Mapping():
            return quote_words(str(cast("Mapping[str, Json]", value).get("title", "")))
        case _:
            said = quote_words(str(value))
            return f"the {kind} {said}" if kind in _TOLD_APART else said


def _missing(missing: Sequence[Meant]) -> Understood | None:
    if not missing:
        return None
    doubts = [one.doubt for one in missing if isinstance(one.doubt, Missing)]
    whys = dict.fromkeys(why for one in _by_their_words(doubts) for why in one)
    about = dict.fromkeys(one.intent.means for one in missing)
    parts = [why.removesuffix(f" {NOT_ALL}") for why in list(whys)[:2]]
    if any(one.why.endswith(NOT_ALL) for one in doubts):
        return Understood(Ask(" ".join((*parts, NOT_ALL)), tuple(about)[:1]), _UNKNOWN)
    nearest = _nearest(missing)
    if nearest is None:
        return Understood(Ask(" ".join(parts), tuple(about)[:1]), _UNKNOWN)
    meant, choices = nearest
    parts.append(f"Is {list_choices(choices)} meant?")
    open_ = replace(meant, doubt=Several(parts[-1], choices))
    return Understood(Ask(" ".join(parts), (meant.intent.means,), open_), _UNKNOWN)


def _by_their_words(doubts: Sequence[Missing]) -> Iterator[list[str]]:
    """Yield the sentences about each of the doubts; what the same words name none of is said in one."""
    shortest = min((one.said for one in doubts if one.what), key=len, default="")
    same = [one for one in doubts if one.what and shortest.strip("“”") in one.said]
    kinds = list(dict.fromkeys(one.what for one in same))
    if kinds:
        every = " or ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))
        yield [f"No {every} here is called {shortest}."]
    yield [one.why for one in doubts if one not in same]


def _nearest(missing: Sequence[Meant]) -> tuple[Meant, tuple[Choice, ...]] | None:
    """Return what goes by the name that is most like the one that was said; None where none is like it."""
    found = [
        (likeness, at, number)
        for at, one in enumerate(missing)
        if isinstance(one.doubt, Missing) and one.slot is not None
        for number, likeness in enumerate(alike(one.doubt.telling, [choice.said for choice in one.doubt.there]))
        if likeness >= LIKE
    ]
    if not found:
        return None
    _, at, _ = max(found, key=lambda one: one[0])
    meant = missing[at]
    there = meant.doubt.there if isinstance(meant.doubt, Missing) else ()
    best = sorted((one for one in found if one[1] == at), key=lambda one: -one[0])[:MOST_OFFERED]
    return meant, tuple(there[number] for _, _, number in best)


_JOINING = frozenset(
    {"and", "then", "also", "plus", "but", "afterwards", "after", "that", "next", "finally", "&", "so"}
)
_PAUSES = frozenset(",;.!?")
MOST = 12
"""So many places at which a text may be cut are looked at."""
NOT_UNDERSTOOD = 1000


class Decide(Protocol):
    """Says what words mean, after words that another clause began with; alone is what nothing else was said with."""

    def __call__(self, words: Sequence[Word], verb: tuple[str, ...] = (), *, alone: bool = False) -> Understood | None:
        """Return it, or None where they mean nothing here."""
        ...


class Cut(Struct, frozen=True):
    """A text cut into clauses, each understood or not, and how many words were not."""

    clauses: tuple[Understood | None, ...]
    cost: int


def cut(words: Sequence[Word], decide: Decide) -> Cut:
    """Return the best way to cut: the one with the fewest words that are not understood, then the fewest clauses."""
    places = [0, *_places(words), len(words)]
    best: list[Cut] = [Cut((), 0)]
    for last in range(1, len(places)):
        options = [
            _longer(best[first], _clause(words, places[first], places[last], best[first], decide))
            for first in range(last)
        ]
        best.append(min(options, key=lambda option: (option.cost, len(option.clauses))))
    return best[-1]


def _places(words: Sequence[Word]) -> list[int]:
    found = [
        at
        for at in range(1, len(words))
        if (words[at].text in {"and", "then", "plus", "&"} and not words[at].quoted) or words[at - 1].pause in _PAUSES
    ]
    return found[:MOST]


def _clause(words: Sequence[Word], start: int, end: int, before: Cut, decide: Decide) -> Understood | None:
    alone = start == 0 and end == len(words)
    while start < end and start and words[start].text in _JOINING and not words[start].quoted:
        start += 1
    part = words[start:end]
    if not part:
        return None
    found = decide(part, alone=alone)
    last = before.clauses[-1] if before.clauses else None
    if found is None and last is not None and last.verb:
        return decide(part, last.verb)
    return found


def _longer(before: Cut, clause: Understood | None) -> Cut:
    if clause is None:
        return Cut((*before.clauses, None), before.cost + NOT_UNDERSTOOD)
    return Cut((*before.clauses, clause), before.cost + clause.free)
