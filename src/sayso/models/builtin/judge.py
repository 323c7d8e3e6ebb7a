"""Tell how likely a reading of a wish is right, by signs that speak for and against it.

`tools/wishes/judging.py` learns a row of small decision trees over these signs, from readings of wishes that the
classifier had not seen.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from sayso.models.builtin import guards
from sayso.models.builtin.classify import MERGED, NONE, OTHER, Heard
from sayso.models.builtin.clauses import Part
from sayso.models.builtin.filling import Filled
from sayso.models.builtin.mentions import Mention
from sayso.models.builtin.tokens import Token

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
    length: int
    question: bool


class Branch(Struct, frozen=True, array_like=True):
    """A place of a decision tree: which sign is looked at, and where to go on; without a sign, what the tree says."""

    sign: str = ""
    most: float = 0.0
    """A sign up to this one leads to `low`, another to `high`."""
    low: int = 0
    high: int = 0
    level: float = 0.0


Trees = tuple[tuple[Branch, ...], ...]
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
    return msgspec.json.decode(files(__package__ or "").joinpath("judge.json").read_bytes(), type=Trees)


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
    }


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
    yield "length", min(2.0, scene.length / _LONG)


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


_TEXTS = frozenset({"title", "text", "body", "new_text", "subject", "location", "content"})
_WORD = re.compile(r"[\w']+")


def _words_in(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _is_beside(words: Sequence[Token], at: int, texts: frozenset[str]) -> bool:
    return any(0 <= one < len(words) and words[one].text in texts for one in (at - 1, at + 1))
