"""Tell how likely a reading of a wish is right, by signs that speak for and against it.

`tools/wishes/judging.py` learns a row of small decision trees over these signs, from readings of wishes that the
classifier had not seen.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import cast

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.models.builtin import guards
from sayso.models.builtin.classify import MERGED, NONE, OTHER, Heard
from sayso.models.builtin.clauses import ORDERS, Part
from sayso.models.builtin.left_out import flat, kinds_left_out, means
from sayso.models.builtin.mentions import THINGS, Mention
from sayso.models.builtin.names import SMALL
from sayso.models.builtin.outcomes import Filled, RequestedAction
from sayso.models.builtin.spans import LEADS, find_spans
from sayso.models.builtin.tokens import Token, tokenize, word_list
from sayso.models.builtin.world import Utterance

_TINY, _LONG = 1e-4, 20
_WEAK, _BARE = 0.5, 0.6


class Weighed(Struct, frozen=True):
    """What a reading is judged by: what it came to, and how the words, and the words without remarks, were heard."""

    operation: str
    found: Filled
    words: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    cover: float
    pointed: bool
    more: bool
    """True if there is another order beside it."""
    taken: frozenset[int]
    """The places of the words that name what operations of this kind are about."""
    known: frozenset[str]
    """The words with which people say what they want."""


class Scene(Struct, frozen=True):
    """What all readings of one wish are judged with."""

    focus: Heard
    """How the words without remarks were heard."""
    whole: Heard
    parts: Sequence[Part]
    mentions: tuple[Mention, ...]
    """What all words of the wish mention."""
    rivals: Sequence[tuple[str, float]]
    """The operations whose arguments are not clear, or that are read too, with their shares."""
    words: tuple[Token, ...]
    question: bool
    utterance: Utterance


class Branch(Struct, frozen=True, array_like=True):
    """A place of a decision tree: which sign is looked at, and where to go on; without a sign, what the tree says."""

    sign: str = ""
    most: float = 0.0
    """A sign up to this one leads to `low`, another to `high`."""
    low: int = 0
    high: int = 0
    level: float = 0.0


Trees = tuple[tuple[Branch, ...], ...]


class Judge(Struct, frozen=True):
    """The file of trees, with the digest of what they were learned from."""

    digest: str
    trees: Trees


_instead: list[Trees] = []


def use(trees: Trees) -> None:
    """Use these trees in this process instead of those that the package ships; for training and measuring."""
    _instead[:] = [trees]
    _trees.cache_clear()


@lru_cache(maxsize=1)
def _trees() -> Trees:
    return _instead[0] if _instead else shipped()


def shipped() -> Trees:
    """Return the trees that the package ships."""
    return msgspec.json.decode(files(__package__ or "").joinpath("judge.json").read_bytes(), type=Judge).trees


def likelihood(signs: Mapping[str, float]) -> float:
    """Return how likely a reading with these signs is right."""
    total = sum(_said(tree, signs) for tree in _trees())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def _said(tree: Sequence[Branch], signs: Mapping[str, float]) -> float:
    at = tree[0]
    while at.sign:
        at = tree[at.low if signs.get(at.sign, 0.0) <= at.most else at.high]
    return at.level


def signs_of(reading: Weighed, scene: Scene) -> dict[str, float]:
    """Return the signs that speak for a reading, and against it."""
    return {
        **dict(_of_words(reading, scene)),
        **dict(_of_arguments(reading, scene)),
        **dict(_of_guards(reading, scene)),
        **dict(_of_rest(reading)),
        **dict(_of_texts(reading)),
        **dict(_of_losses(reading)),
        **dict(_of_doubts(reading, scene)),
        **dict(_of_change(reading, scene)),
    }


def _of_doubts(reading: Weighed, scene: Scene) -> Iterator[tuple[str, float]]:
    """Yield how surely texts were cut, how well the words are known, and what has no place in the arguments."""
    spans = find_spans(reading.operation, reading.words, reading.mentions)
    yield "margin", min((one.margin for one in spans), default=_FULL) / _FULL
    yield "texts", float(len(spans))
    yield "familiar", min(scene.focus.familiar, scene.whole.familiar)
    yield f"is {reading.operation}", 1.0
    actions = [RequestedAction(reading.operation, one) for one in reading.found.arguments]
    kinds = [*kinds_left_out(actions, scene.words, scene.mentions, scene.parts, scene.utterance)]
    yield from ((f"left out: {kind}", 1.0) for kind in kinds)
    yield "left out", float(len(kinds))


_FULL = 100.0


def _of_words(reading: Weighed, scene: Scene) -> Iterator[tuple[str, float]]:
    label = MERGED.get(reading.operation, reading.operation)
    focus, whole = ({one.label: one.probability for one in heard.guesses} for heard in (scene.focus, scene.whole))
    share = {name: (focus[name] + whole[name]) / 2 for name in focus}
    best = max(share, key=lambda name: share[name])
    others = max((value for name, value in share.items() if name not in {label, NONE}), default=0.0)
    yield "always", 1.0
    yield "share", share[label]
    yield "odds", _odds(share[label])
    yield "odds of focus", _odds(focus[label])
    yield "odds of whole", _odds(whole[label])
    yield "least odds", min(_odds(focus[label]), _odds(whole[label]))
    yield "ahead", (math.log(share[label] + _TINY) - math.log(others + _TINY)) / 4
    yield "best", float(best == label)
    yield "nothing", share[NONE]
    yield "odds of nothing", _odds(share[NONE])
    yield "other", share[OTHER]
    yield "several", (scene.focus.several + scene.whole.several) / 2
    yield "odds of several", max(_odds(scene.focus.several), _odds(scene.whole.several))
    yield "order", float(any(part.order for part in scene.parts))
    yield "asked", float(any(part.asked for part in scene.parts))
    yield "remarks", min(3, sum(part.telling for part in scene.parts)) / 3
    yield "parts", min(5, len(scene.parts)) / 5
    yield "length", min(2.0, len(scene.words) / _LONG)


def _odds(share: float) -> float:
    share = min(1 - _TINY, max(_TINY, share))
    return math.log(share / (1 - share)) / 4


def _of_arguments(reading: Weighed, scene: Scene) -> Iterator[tuple[str, float]]:
    strength = reading.found.strength
    yield "strength", strength
    yield "log of strength", math.log(max(0.05, strength))
    yield "weak", float(strength < _WEAK)
    yield "cover", reading.cover
    yield "bare", float(reading.cover < _BARE)
    yield "rival", max((_odds(share) for _, share in scene.rivals), default=-3.0)
    yield "leaves out", float(guards.leaves_out(reading.operation, reading.found, scene.mentions))
    yield "odd", float(guards.is_odd(reading.operation, reading.words, reading.mentions))
    yield f"of {reading.operation.partition('.')[0]}", 1.0
    yield "risky", float(guards.is_risky(reading.operation))
    yield "more", float(reading.more)
    yield "pointed", float(reading.pointed)
    yield "copied", min(8, reading.found.free_words) / 8
    yield "many", float(len(reading.found.arguments) > 1)


def _of_guards(reading: Weighed, scene: Scene) -> Iterator[tuple[str, float]]:
    kinds = guards.kinds(reading.operation, reading.found, reading.words, reading.mentions, scene.parts)
    yield from ((f"guard: {kind}", 1.0) for kind in kinds)
    if kinds:
        nothing = max(
            one.probability for heard in (scene.focus, scene.whole) for one in heard.guesses if one.label == NONE
        )
        yield "guard", 1.0
        yield "guard and nothing", _odds(nothing)
    reads = guards.only_reads(reading.operation)
    yield "reads", float(reads)
    yield "question", float(scene.question)
    yield "question but changes", float(scene.question and not reads)


def _of_rest(reading: Weighed) -> Iterator[tuple[str, float]]:
    """Yield what tells how much of the words is left over, above all beside what was taken for a text."""
    words, taken = reading.words, frozenset(reading.taken)
    values = _words_in(str([*reading.found.arguments]))
    texts = _words_in(
        " ".join(
            str(value)
            for one in reading.found.arguments
            for name, value in one.items()
            if name in _TEXTS and isinstance(value, str)
        )
    )
    there = [at in taken or word.text in values for at, word in enumerate(words)]
    left = [at for at, word in enumerate(words) if not there[at] and word.text not in reading.known]
    beside = [at for at in range(len(words)) if not there[at] and _is_beside(words, at, texts)]
    telling = [
        at
        for at in left
        if any(0 <= one < len(words) and words[one].text in texts - reading.known for one in (at - 1, at + 1))
    ]
    runs = "".join(" " if one else "x" for one in there).split()
    yield "left", min(6, len(left)) / 6
    yield "left share", len(left) / max(1, len(words))
    yield "left beside a text", float(len(telling))
    yield "beside a text", float(len(beside))
    yield "not taken", there.count(False) / max(1, len(words))
    yield "longest not taken", min(10, max(map(len, runs), default=0)) / 10
    yield "words of texts", min(12, len(texts)) / 12
    yield "actions", len(reading.found.arguments) / 3


_TEXTS = frozenset({"title", "text", "body", "new_text", "subject", "location", "content", "message", "from"})
_WORD = re.compile(r"[\w']+")


def _words_in(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _is_beside(words: Sequence[Token], at: int, texts: frozenset[str]) -> bool:
    return any(0 <= one < len(words) and words[one].text in texts for one in (at - 1, at + 1))


def _of_texts(reading: Weighed) -> Iterator[tuple[str, float]]:
    """Yield what tells whether texts were cut where they begin and end."""
    runs_on = runs_on_unknown = begins_inside = sentences = commas = orders = ends_small = altered = quoted = 0
    begins_small = cut_off = 0
    inside_texts: set[int] = set()
    words = reading.words
    for text in _texts_of(reading.found.arguments):
        place = _place_of(text, words)
        if place is None:
            altered += 1
            continue
        start, end = place
        inside = words[start:end]
        inside_texts |= {*range(start, end)}
        quoted += inside[0].quoted
        if end < len(words) and not inside[-1].pause:
            runs_on += 1
            runs_on_unknown += words[end].text not in reading.known
        if start and not words[start - 1].pause:
            begins_inside += words[start - 1].text not in _LEADS
        sentences += any(word.pause in _ENDS for word in inside[:-1] if word.pause)
        commas += any(word.pause == "," for word in inside[:-1])
        orders += any(other.text in ORDERS and (one.pause or one.text in _JOINS) for one, other in pairwise(inside))
        ends_small += inside[-1].text in SMALL and not inside[-1].quoted
        begins_small += inside[0].text in SMALL | LEADS and not inside[0].quoted
        cut_off += end < len(words) and inside[-1].pause == ","
    starts = {at for at in inside_texts if at - 1 not in inside_texts}
    unled = [
        at
        for at, word in enumerate(words)
        if word.text in _NAMES_TEXT and at not in inside_texts and not starts & {at + 1, at + 2, at + 3}
    ]
    yield "no text after a word for one", min(3, len(unled)) / 3
    yield "text begins small", float(begins_small)
    yield "text ends at a comma", float(cut_off)
    yield "text runs on", float(runs_on)
    yield "text runs on to a name", float(runs_on_unknown)
    yield "text begins inside", float(begins_inside)
    yield "sentences in text", float(sentences)
    yield "commas in text", float(commas)
    yield "order in text", float(orders)
    yield "text ends small", float(ends_small)
    yield "text altered", float(altered)
    yield "text quoted", float(quoted)


_NAMES_TEXT = frozenset(word_list("text says saying body reads read titled called named subject message title write"))
_ENDS, _JOINS = frozenset(".!?;"), frozenset({"and", "then", "also"})
_LEADS = frozenset(word_list("to that called named saying says text titled subject about for : is add of reads"))


def _texts_of(arguments: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    for one in arguments:
        inner = one.get("criteria")
        told = {**one, **cast("Mapping[str, Json]", inner)} if isinstance(inner, Mapping) else one
        yield from (value for name, value in told.items() if name in _TEXTS and isinstance(value, str) and value)


def _place_of(text: str, words: Sequence[Token]) -> tuple[int, int] | None:
    """Return where the words of a text stand; None if they stand nowhere in a row."""
    quoted = next((at for at, word in enumerate(words) if word.quoted and word.text == text.casefold()), None)
    if quoted is not None:
        return quoted, quoted + 1
    wanted = [word.text for word in tokenize(text)]
    said = [word.text for word in words]
    starts = (at for at in range(len(said) - len(wanted) + 1) if said[at : at + len(wanted)] == wanted)
    return next(((at, at + len(wanted)) for at in starts if wanted), None)


def _of_losses(reading: Weighed) -> Iterator[tuple[str, float]]:
    """Yield what was said exactly and stands in no argument: times of day, numbers, things that are named wholly."""
    values = [*flat(reading.found.arguments)]
    told = " ".join(str(value).casefold() for value in values)
    places = [place for text in _texts_of(reading.found.arguments) if (place := _place_of(text, reading.words))]
    in_texts = {at for start, end in places for at in range(start, end)}
    lost: Counter[str] = Counter()
    used: set[int] = set()
    left: list[Mention] = []
    for one in reading.mentions:
        at = {*range(one.start, one.end)}
        if at & in_texts:
            continue
        if one.kind in {"time", "repeat"}:
            lost["clock"] += any(clock not in told for clock in _CLOCK.findall(str(one.value)))
            lost["day"] += any(day not in told for day in _DAY.findall(str(one.value)))
            lost["times"] += 1
        elif one.kind == "number":
            lost["number"] += str(one.value) not in told
        elif any(means(one.value, value) for value in values):
            used |= at
        elif one.kind in _PLACED:
            lost[one.kind] += 1
        if one.kind in _EXACT and one.strength >= _SURE and not at & used:
            left.append(one)
    lost["thing"] = sum(used.isdisjoint(range(one.start, one.end)) for one in left)
    yield from ((f"{kind} lost", min(3, count) / 3) for kind, count in lost.items())
    yield "clocks used", len(_CLOCK.findall(told)) / 3


def _of_change(reading: Weighed, scene: Scene) -> Iterator[tuple[str, float]]:
    """Yield whether something is to become what it is: an event begins when it does, a file goes to where it is."""
    begins = {event.id: event.start[:_MINUTE].replace("T", " ") for event in scene.utterance.world.events}
    for one in reading.found.arguments:
        source, goal = str(one.get("source", "")), str(one.get("destination", "~"))
        same = bool(source) and source.endswith(goal.removeprefix("~"))
        yield "changes nothing", float(same or one.get("start", "") == begins.get(str(one.get("id"))))


_MINUTE = len("2027-01-01 12:00")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PLACED = frozenset({"side", "area", "monitor", "size"})
_CLOCK = re.compile(r"\d\d:\d\d")
_EXACT = frozenset({*THINGS, "area", "monitor", "address", "path", "filename"})
_SURE = 0.9
