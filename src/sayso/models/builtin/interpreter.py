"""Interpret a wish: cut it into clauses, match each clause against the intents, and choose an action or a question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, cast

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json, canonical
from sayso.models.builtin.grammar import NAMED, Intent, Slot, SlotSpan, match_pattern, phrase_pattern, slots_of
from sayso.models.builtin.match import (
    BY_WORDS,
    FILLING,
    NOT_ALL,
    WHOLE,
    Ambiguous,
    Choice,
    Resolution,
    SlotValue,
    Unresolved,
    list_choices,
    quote_words,
    similarities,
)
from sayso.models.builtin.slots import fill_template, read
from sayso.models.builtin.times import parse_time
from sayso.models.builtin.tokens import Token, asks_somebody, is_past, source_text, tokenize, vocabulary, word_list
from sayso.models.builtin.world import Utterance

_TEXTS = frozenset({"wish", "title", "now", "todo", "place"})
_BODIES = frozenset({"body", "now"})
_FREE = _TEXTS | _BODIES | frozenset({"text", "new_text", "texts", "quote", "term", "person", "name", "question"})


class IntentMatch(Struct, frozen=True):
    """An intent that matches a clause, with the values of its slots."""

    intent: Intent
    arguments: tuple[Mapping[str, Json], ...]
    """The arguments of each action; nearly always there is one."""
    confidence: float
    free_words: int
    """Number of words that were copied into a text without being understood; the match with the fewest is preferred."""
    doubt: Ambiguous | Unresolved | None = None
    """The reason why the person must be asked before an action can be proposed; None if nothing is unclear."""
    slot: Slot | None = None
    """The slot that `doubt` is about."""
    values: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """The values of the slots that could be read, by slot name."""
    pointed: str = ""
    """What a word such as “it” was taken for, as it was named before; empty without such a word."""
    open_ended: bool = False
    """True if a slot took a text without quotes; this text may contain another wish."""
    verb: tuple[str, ...] = ()
    """The words before the first slot; the next clause may leave them out (“close tab 3 and tab 5”)."""

    @property
    def score(self) -> float:
        """Return the confidence, lowered for each word that was copied: words that are recognised count more."""
        return self.confidence - min(_MOST_FOR_COPIED, self.free_words * _FOR_COPIED)


class IntentMatcher:
    """Matches the clauses of one utterance against a table of intents; each slot value is read only once."""

    def __init__(self, utterance: Utterance, table: Sequence[Intent]) -> None:
        self.utterance = utterance
        self._table = table
        self._words = tokenize(utterance.text)
        self._read: dict[tuple[str, int, int], Resolution | None] = {}

    def match(
        self, words: Sequence[Token], spelled: Sequence[str], verb: Sequence[str] = (), *, alone: bool
    ) -> list[IntentMatch]:
        """Return every match of these words with an intent; `spelled` is the spelling that is compared.

        In `spelled`, typing errors may be corrected. `verb` has the first words of the previous clause, if this clause
        leaves them out. `alone` says that the clause is the whole utterance.
        """
        literal = (*verb, *spelled)
        words = (*(Token(word, 0, 0) for word in verb), *words)
        found: list[IntentMatch] = []
        for intent in self._table:
            if intent.alone and not alone:
                continue
            for pattern in intent.patterns:
                if not literal or (pattern.needs and pattern.needs.isdisjoint(literal)):
                    continue
                found += [
                    match
                    for spans in match_pattern(pattern.parts, literal)
                    if (match := self._match_intent(intent, words, literal, spans)) is not None
                ]
        return found

    def _match_intent(
        self, intent: Intent, words: Sequence[Token], literal: Sequence[str], spans: tuple[SlotSpan, ...]
    ) -> IntentMatch | None:
        values: dict[str, Json] = {}
        confidence, free_words, doubt, slot, body, pointed = intent.sure, 0, None, None, False, ""
        for span in spans:
            part = words[span.start : span.end]
            found = self._read_slot(span.slot.kind, part)
            if found is None or (doubt is not None and not isinstance(found, SlotValue)):
                return None
            if isinstance(found, SlotValue):
                values[span.slot.name] = found.value
                confidence, free_words = confidence * found.confidence, free_words + found.free_words
                pointed = pointed or found.pointed
                body = body or (span.slot.kind in _BODIES and found.free_words > 0)
                if intent.whole and found.confidence < WHOLE:
                    doubt, slot = _ask_for_whole_name(found), span.slot
            else:
                doubt, slot = found, span.slot
                free_words += len(part) if span.slot.kind in _TEXTS else 0
                confidence *= found.confidence if isinstance(found, Ambiguous) else 1.0
        verb = tuple(literal[: spans[0].start]) if spans and spans[0].slot.kind not in _FREE else ()
        if intent.ask and doubt is None:
            return IntentMatch(intent, (), confidence, free_words, Unresolved(intent.ask, sure=True))
        if doubt is not None:
            return IntentMatch(intent, (), confidence, free_words, doubt, slot, values, pointed, body, verb)
        arguments = arguments_of(intent, values, self.utterance)
        if arguments is None:
            return None
        return IntentMatch(intent, arguments, confidence, free_words, None, None, values, pointed, body, verb)

    def _read_slot(self, kind: str, words: Sequence[Token]) -> Resolution | None:
        key = (kind, words[0].start, words[-1].end)
        if key not in self._read:
            found = read(kind, words, self.utterance)
            if kind in NAMED and not isinstance(found, SlotValue) and is_pointing(words):
                found = self._pointed_at(kind, words[0].start) or found
            self._read[key] = found
        return self._read[key]

    def _pointed_at(self, kind: str, start: int) -> SlotValue | None:
        """Return the thing that a word such as “it” means: the one that was named with most words before it."""
        here = [word for word in self._words if word.end <= start][-_LOOKED_BACK:]
        texts = [
            (self.utterance, here),
            *((replace(self.utterance, text=one), None) for one in self.utterance.before[::-1]),
        ]
        found = (self._named_in(kind, text, tokenize(text.text) if words is None else words) for text, words in texts)
        return next((one for one in found if one is not None), None)

    @staticmethod
    def _named_in(kind: str, text: Utterance, before: Sequence[Token]) -> SlotValue | None:
        for length in range(min(_LONGEST_MENTION, len(before)), 0, -1):
            spans = [before[at : at + length] for at in range(len(before) - length + 1)]
            plain = [span for span in spans if span[0].text not in FILLING and not _is_small(span)]
            found = [(span, one) for span in plain if isinstance(one := read(kind, span, text), SlotValue)]
            least = WHOLE if kind in _LONG_NAMED and length == 1 else BY_WORDS
            values = {canonical(one.value): (span, one) for span, one in found if one.confidence >= least}
            if len(values) == 1:
                ((span, one),) = values.values()
                return SlotValue(one.value, BY_WORDS, pointed=source_text(text.text, span))
            if values:
                return None
        return None


_POINTING = frozenset(word_list("it that this them those these"))
_LAST = frozenset({"the last one", "last one", "the same one", "the same", "the one before"})
_AFTER_POINTING = frozenset(
    word_list("one task file tab page app event meeting habit folder too both two visit document")
)
_LONG_NAMED = frozenset({"tab", "tabs", "file", "files", "folder", "site"})
"""Kinds of things with long names, for which one word of the name is not enough to be pointed at later."""
_LOOKED_BACK, _LONGEST_MENTION, _SHORTEST_MENTION = 40, 6, 3


def is_pointing(words: Sequence[Token]) -> bool:
    """Say whether words name nothing, but point at what was named before: “it”, “that task”."""
    said = [word.text for word in words]
    if " ".join(said) in _LAST:
        return True
    return said[0] in _POINTING and all(word in _AFTER_POINTING | _POINTING for word in said[1:])


def _is_small(words: Sequence[Token]) -> bool:
    return all(len(word.text) < _SHORTEST_MENTION or word.text in FILLING | _POINTING for word in words)


def arguments_of(
    intent: Intent, values: Mapping[str, Json], utterance: Utterance
) -> tuple[Mapping[str, Json], ...] | None:
    """Return the arguments of each action of an intent; None if an argument cannot be computed."""
    many = cast("Sequence[Json]", values[intent.each]) if intent.each else [None]
    found = [dict(_fill_arguments(intent, {**values, "each": one}, utterance)) for one in many]
    return None if any(None in one.values() for one in found) else tuple(found)


def _fill_arguments(intent: Intent, values: Mapping[str, Json], utterance: Utterance) -> Iterator[tuple[str, Json]]:
    for name, template in intent.arguments.items():
        yield name, fill_template(template, values, utterance)


def actions_of(match: IntentMatch) -> tuple["RequestedAction", ...]:
    """Return the actions that a match asks for."""
    return tuple(RequestedAction(match.intent.means, arguments, match.pointed) for arguments in match.arguments)


def _ask_for_whole_name(found: SlotValue) -> Ambiguous:
    value = found.value
    if isinstance(value, Mapping):
        labels = [str(cast("Mapping[str, Json]", value)["title"])]
    else:
        labels = [str(one) for one in cast("Sequence[Json]", value)] if isinstance(value, list) else [str(value)]
    label = ", ".join(quote_words(one) for one in labels)
    return Ambiguous(f"Is {label} meant? It was not named by its whole name.", (Choice(label, found.value),))


NEAR = 0.08
"""If the confidence of other matches is less than this below that of the best one, the person is asked to choose."""
LEAST = 0.4
"""If no match has at least this confidence, the clause is not understood."""
_FOR_COPIED, _MOST_FOR_COPIED = 0.03, 0.3
_TOLD_APART = frozenset({"task", "habit"})
"""Kinds that are put before a name, as in “the task “Wine””, because a task and a habit may have the same name."""
SIMILAR_NAME = 75.0
"""The least similarity, out of 100, at which a known name is suggested for an unknown one."""
MOST_OFFERED = 3
DOUBTFUL = 100
"""The cost of a clause that names something unknown: it counts as this many copied words."""


class RequestedAction(Struct, frozen=True):
    """An operation with its arguments; `meant` tells what a word such as “it” was taken for."""

    operation: str
    arguments: Mapping[str, Json]
    meant: str = ""


class AnswerOption(Struct, frozen=True):
    """One possible answer to a question: the label that the person sees, and the actions that it leads to."""

    label: str
    actions: tuple[RequestedAction, ...] = ()


class ClauseQuestion(Struct, frozen=True):
    """A question about one clause: its text, the operations that it is about, and the possible answers."""

    text: str
    about: tuple[str, ...] = ()
    open_match: IntentMatch | None = None
    """The match that the answer completes; None if the question is not about one of its slots."""
    options: tuple[AnswerOption, ...] = ()


class Interpretation(Struct, frozen=True):
    """The actions that a clause asks for, or the question that must be asked about the clause."""

    outcome: tuple[RequestedAction, ...] | ClauseQuestion
    free_words: int
    verb: tuple[str, ...] = ()
    open_ended: bool = False
    match: IntentMatch | None = None
    """The match that the action was made from; None for a question."""


def choose_interpretation(matches: Iterable[IntentMatch]) -> Interpretation | None:
    """Return the action or the question for a clause; None if the clause is not understood."""
    best = _best_of_each(matches)
    certain = [one for one in best if not isinstance(one.doubt, Unresolved) or one.doubt.sure]
    if not certain:
        return _ask_for_unresolved([one for one in best if isinstance(one.doubt, Unresolved)])
    top = max(one.score for one in certain)
    near = [one for one in certain if one.score > top - NEAR]
    if max(one.confidence for one in certain) < LEAST:
        return None
    if len(near) == 1:
        return _interpret_match(near[0])
    doubtful = [one for one in near if one.doubt is not None]
    return _interpret_match(doubtful[0]) if doubtful else _ask_which(near)


def _best_of_each(matches: Iterable[IntentMatch]) -> list[IntentMatch]:
    """Return, for each operation, the matches that copy the fewest words; of matches with the same effect, only one."""
    best: dict[tuple[str, bytes], IntentMatch] = {}
    fewest: dict[str, int] = {}
    for one in matches:
        if isinstance(one.doubt, Unresolved) and not one.doubt.sure:
            best.setdefault((one.intent.means, one.doubt.why.encode()), one)
            continue
        fewest[one.intent.means] = min(fewest.get(one.intent.means, one.free_words), one.free_words)
        key = (one.intent.means, _effect_of(one))
        if key not in best or one.confidence > best[key].confidence:
            best[key] = one
    return [
        one
        for one in best.values()
        if (isinstance(one.doubt, Unresolved) and not one.doubt.sure) or one.free_words == fewest[one.intent.means]
    ]


def _effect_of(one: IntentMatch) -> bytes:
    if one.doubt is None:
        return canonical([dict(each) for each in one.arguments])
    return (one.doubt.why if isinstance(one.doubt, Unresolved) else one.doubt.question).encode()


def _interpret_match(match: IntentMatch) -> Interpretation:
    match match.doubt:
        case None:
            return Interpretation(
                actions_of(match),
                match.free_words,
                match.verb,
                match.open_ended,
                match,
            )
        case Unresolved(why):
            return Interpretation(ClauseQuestion(why, (match.intent.means,)), match.free_words, match.verb)
        case Ambiguous(question, choices):
            why = f"{question} There {'is' if len(choices) == 1 else 'are'} {list_choices(choices)}."
            return Interpretation(ClauseQuestion(why, (match.intent.means,), match), match.free_words, match.verb)


def _ask_which(near: Sequence[IntentMatch]) -> Interpretation:
    options = tuple(AnswerOption(phrase_intent(one.intent, one.values), actions_of(one)) for one in near)
    labels = " or ".join(option.label for option in options)
    about = tuple(dict.fromkeys(one.intent.means for one in near))
    return Interpretation(
        ClauseQuestion(f"It may mean one of these: {labels}. Which one?", about, options=options), near[0].free_words
    )


def phrase_intent(intent: Intent, values: Mapping[str, Json]) -> str:
    """Return an intent in words, with the values of its slots: `switch to tab 3`, `delete the task “Buy wine”`."""
    parts = intent.patterns[0].parts
    return phrase_pattern(
        parts, {slot.name: _phrase_value(slot, values[slot.name]) for slot in slots_of(parts) if slot.name in values}
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


def _ask_for_unresolved(missing: Sequence[IntentMatch]) -> Interpretation | None:
    if not missing:
        return None
    doubts = [one.doubt for one in missing if isinstance(one.doubt, Unresolved)]
    whys = dict.fromkeys(why for one in _explanations(doubts) for why in one)
    about = dict.fromkeys(one.intent.means for one in missing)
    parts = [why.removesuffix(f" {NOT_ALL}") for why in list(whys)[:2]]
    if any(one.why.endswith(NOT_ALL) for one in doubts):
        return Interpretation(ClauseQuestion(" ".join((*parts, NOT_ALL)), tuple(about)[:1]), DOUBTFUL)
    nearest = _most_similar(missing)
    if nearest is None:
        return Interpretation(ClauseQuestion(" ".join(parts), tuple(about)[:1]), DOUBTFUL)
    match, choices = nearest
    parts.append(f"Is {list_choices(choices)} meant?")
    open_ = replace(match, doubt=Ambiguous(parts[-1], choices))
    return Interpretation(ClauseQuestion(" ".join(parts), (match.intent.means,), open_), DOUBTFUL)


def _explanations(doubts: Sequence[Unresolved]) -> Iterator[list[str]]:
    """Yield lists of sentences that explain the doubts.

    If the same name was not found among several kinds, one sentence says so: “No task or habit here is called “wine”.”
    """
    shortest = min((one.quoted for one in doubts if one.kind), key=len, default="")
    same = [one for one in doubts if one.kind and shortest.strip("“”") in one.quoted]
    kinds = list(dict.fromkeys(one.kind for one in same))
    if kinds:
        every = " or ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))
        yield [f"No {every} here is called {shortest}."]
    yield [one.why for one in doubts if one not in same]


def _most_similar(missing: Sequence[IntentMatch]) -> tuple[IntentMatch, tuple[Choice, ...]] | None:
    """Return the match whose unknown name is most similar to known names, with these names; None if none is similar."""
    found = [
        (similarity, at, number)
        for at, one in enumerate(missing)
        if isinstance(one.doubt, Unresolved) and one.slot is not None
        for number, similarity in enumerate(
            similarities(one.doubt.name, [each.label for each in one.doubt.known], every=_takes_away(one))
        )
        if similarity >= SIMILAR_NAME
    ]
    if not found:
        return None
    _, at, _ = max(found, key=lambda one: one[0])
    match = missing[at]
    known = match.doubt.known if isinstance(match.doubt, Unresolved) else ()
    best = sorted((one for one in found if one[1] == at), key=lambda one: -one[0])[:MOST_OFFERED]
    return match, tuple(known[number] for _, _, number in best)


def _takes_away(match: IntentMatch) -> bool:
    """Say whether a match ends or removes something; then one similar word is not enough to offer a thing."""
    return match.intent.means.partition(".")[2] in {"delete", "delete_event", "quit", "close", "trash", "move"}


_JOINING = frozenset(
    {"and", "then", "also", "plus", "but", "afterwards", "after", "that", "next", "finally", "&", "so", "lastly"}
)
_PAUSES = frozenset(",;.!?…—–-")
_STRONG_REASONS = frozenset({"because", "since", "lest"})
_REASONS = _STRONG_REASONS | frozenset(
    word_list("as so for while which who whose where before though although given seeing whereas that being in")
)
ORDERS, _AND = vocabulary("orders"), frozenset({"and", "then", "so", "please", "kindly"})
"""Verbs with which another wish may begin inside what looks like a remark."""
_CONDITIONS = frozenset(word_list("if unless once until when whenever after suppose should"))
_MARKERS = frozenset(
    word_list("subject body text saying message titled with to about called named subj at on from says")
)
_SUBJECTS, _EARLY = frozenset(word_list("i we he she they there")), 14
_SPEAKERS = vocabulary("speakers")
_FINITE = vocabulary("finite")
"""Words with which a sentence tells something, rather than asks for something."""
_NOT_BESIDE = vocabulary("not_beside")
"""Words in a remark that may take back or put off what is wished beside it; then the person is asked."""
_HARMLESS_NOT = tuple(phrase.replace("_", " ") for phrase in sorted(vocabulary("harmless_not"), key=len, reverse=True))
"""Negations that give a reason, such as “I don't need it any more”."""
_CUTTING = frozenset(word_list("as so for while i i'm i've need got"))
MOST = 16
"""How many places in a text are tried at most as a boundary between two clauses."""
FEW, _LONG_WISH = 10, 50
"""How many places are tried in a long wish, and how many words make it long."""
NOT_UNDERSTOOD = 1000
_LONGEST_REMARK = 40


def is_remark(words: Sequence[Token], utterance: Utterance, *, after_pause: bool, asks_next: bool = False) -> bool:
    """Say whether words beside a wish only tell something, as in “close the tab, I have read it”.

    Words that may take back, put off or restrict the wish are no remark, unless they give a reason, as after “because”,
    or a polite request follows. A quote and a condition are never a remark.
    """
    said = [word.text for word in words]
    if len(said) > _LONGEST_REMARK or words[-1].pause == ":" or said[0] in _CONDITIONS | _MARKERS | ORDERS:
        return False
    if said[0] in _REASONS and said[1:2] and said[1] in ORDERS:
        return False  # “so close it” is a wish
    if any(
        words[at].text in ORDERS and (words[at - 1].text in _AND or words[at - 1].pause) for at in range(1, len(words))
    ):
        return False
    telling = said[0] in _SPEAKERS or said[0].endswith("'s") or bool(_FINITE & set(said[1:]))
    tells = telling or bool((_SUBJECTS | _SPEAKERS) & set(said[1:_EARLY]))
    reason = said[0] in _STRONG_REASONS or (after_pause and said[0] in _REASONS and tells)
    if len(said) > 1 and ((asks_next and tells) or reason):
        return not any(word.quoted for word in words)
    plain = f" {' '.join(said)} "
    for phrase in _HARMLESS_NOT:
        plain = plain.replace(f" {phrase} ", " ")
    if (
        words[-1].pause == "?"
        or any(word.quoted for word in words)
        or _NOT_BESIDE & set(plain.split())
        or parse_time(said, utterance.now)
    ):
        return False
    return (telling and len(said) > 1) or (after_pause and is_past(said[0]))


def describe(match: IntentMatch) -> str:
    """Return how a pattern was matched, in one line: its operation, its score, what was read, and what is in doubt."""
    read_ = ", ".join(f"{name} is {quote_words(str(value))}" for name, value in match.values.items())
    copied = "1 word" if match.free_words == 1 else f"{match.free_words} words"
    copied = f" ({copied} of it taken over unread)" if match.free_words else ""
    doubt = match.doubt.question if isinstance(match.doubt, Ambiguous) else match.doubt.why if match.doubt else ""
    return (
        f"a pattern of {match.intent.means or 'a question'} fits to {match.score:.0%}"
        f"{f': {read_}' if read_ else ''}{copied}{f'; {doubt}' if doubt else ''}"
    )


class ClauseInterpreter(Protocol):
    """Interprets the words of a clause; `verb` and `alone` mean the same as in `IntentMatcher.match`."""

    def __call__(
        self, words: Sequence[Token], verb: tuple[str, ...] = (), *, alone: bool = False
    ) -> Interpretation | None:
        """Return the interpretation of the words; None if they fit no intent."""
        ...


class Segmentation(Struct, frozen=True):
    """A text cut into clauses; each has its interpretation, or None if it was not understood.

    `cost` is the number of words that were copied without being understood, plus a penalty for each clause that was not
    understood.
    """

    clauses: tuple[Interpretation | None, ...]
    cost: float


def segment(words: Sequence[Token], decide: ClauseInterpreter, utterance: Utterance) -> Segmentation:
    """Return the segmentation with the lowest cost; if several have this cost, the one with the fewest clauses."""
    places = [0, *_possible_cuts(words), len(words)]
    best: list[Segmentation] = [Segmentation((), 0)]
    for last in range(1, len(places)):
        options = [
            option
            for first in range(last)
            for option in _extend(words, (places[first], places[last]), best[first], decide, utterance)
        ]
        best.append(min(options, key=lambda option: (option.cost, len(option.clauses))))
    return best[-1]


def _possible_cuts(words: Sequence[Token]) -> list[int]:
    sure = [
        at
        for at in range(1, len(words))
        if (words[at].text in {"and", "then", "plus", "&"} and not words[at].quoted) or words[at - 1].pause in _PAUSES
    ]
    reasons = [
        at
        for at in range(1, len(words))
        if words[at].text in _STRONG_REASONS | _CUTTING and not words[at].quoted and at not in sure
    ]
    most = MOST if len(words) <= _LONG_WISH else FEW
    return sorted((*sure[:most], *reasons[: max(0, most - len(sure))]))


def _interpret_clause(
    words: Sequence[Token], start: int, end: int, before: Segmentation, decide: ClauseInterpreter
) -> Interpretation | None:
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


def _extend(
    words: Sequence[Token], span: tuple[int, int], before: Segmentation, decide: ClauseInterpreter, utterance: Utterance
) -> Iterator[Segmentation]:
    """Yield the segmentation with one more clause, read as a wish, and as a remark if it may be one."""
    start, end = span
    clause = _interpret_clause(words, start, end, before, decide)
    if clause is None:
        yield Segmentation((*before.clauses, None), before.cost + NOT_UNDERSTOOD)
    else:
        yield Segmentation((*before.clauses, clause), before.cost + clause.free_words)
    after_pause = start == 0 or words[start - 1].pause in _PAUSES
    ends_well = end == len(words) or words[end - 1].pause in _PAUSES or words[end].text in {"so", "and"}
    part = [word for at, word in enumerate(words[start:end]) if at or word.text not in {"and", "so"}]
    unclear = clause is None or isinstance(clause.outcome, ClauseQuestion)
    asks_next = end < len(words) and asks_somebody(words[end:])
    if unclear and part and ends_well and after_pause and _is_topic(part, words[end : end + _NEXT]):
        yield Segmentation((*before.clauses, REMARK), before.cost + 1 + len(part))
    if unclear and part and ends_well and is_remark(part, utterance, after_pause=after_pause, asks_next=asks_next):
        each = 0.5 if after_pause else 1.5
        yield Segmentation((*before.clauses, REMARK), before.cost + 1 + each * len(part))


def _is_topic(words: Sequence[Token], following: Sequence[Token]) -> bool:
    """Say whether words only name what the next clause points at, as in “the gate is painted, tick it off”."""
    said = {word.text for word in words}
    points = bool(_POINTING & {word.text for word in following}) and not any(word.pause for word in following[:1])
    return points and not said & _NOT_BESIDE and words[0].text not in ORDERS and not any(one.quoted for one in words)


_NEXT = 6
REMARK = Interpretation((), 0)
"""A clause that only tells something; nothing is done about it."""
