"""Tell how likely a reading of a wish is right, by signs that speak for and against it.

`tools/wishes/train_judge.py` learns what each sign weighs, from readings of wishes that the classifier had not seen.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

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


@lru_cache(maxsize=1)
def _weights() -> Mapping[str, float]:
    shipped = files(__package__ or "").joinpath("judge.json").read_bytes()
    return MappingProxyType(msgspec.json.decode(shipped, type=dict[str, float]))


def likelihood(signs: Mapping[str, float]) -> float:
    """Return how likely a reading with these signs is right."""
    weights = _weights()
    total = sum(weights.get(name, 0.0) * value for name, value in signs.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def signs_of(reading: Weighed, scene: Scene) -> dict[str, float]:
    """Return the signs that speak for a reading, and against it."""
    return {
        **dict(_of_words(reading, scene)),
        **dict(_of_arguments(reading, scene)),
        **dict(_of_guards(reading, scene)),
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
