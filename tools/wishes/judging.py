"""Learn what each sign of `models/builtin/judge.py` weighs, from wishes that the classifier has not seen."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from sayso.models.builtin import classify, decide
from sayso.models.builtin.classify import Weights
from sayso.models.builtin.clauses import focus_of, parts_of
from sayso.models.builtin.filling import Filled
from sayso.models.builtin.spelling import corrected
from sayso.models.builtin.spoken import written as put_down
from sayso.models.builtin.tokens import strip_courtesy, tokenize
from sayso.models.builtin.world import Utterance, world_of
from tests.assistant.scoring import verdict
from tests.assistant.worlds import DEVELOPMENT, Deed, World, read
from tests.assistant.worlds import Case as Wish

OUTPUT = Path(__file__).parents[2] / "src/sayso/models/builtin/judge.json"
FOLDS, ROUNDS, HELD = 4, 12, 1.0
EARLY = 0.5
"""How much the wishes of the first sets count, which are plainer than those of people who talk in their own manner."""


class Judged(Struct, frozen=True):
    """The signs of a reading, whether it is right, and how much it counts."""

    signs: Mapping[str, float]
    right: bool
    share: float


def write(sets: Sequence[Path], learn: Callable[[frozenset[str]], Weights]) -> None:
    """Learn, and write the weights of all signs."""
    found: list[Judged] = []
    for fold in range(FOLDS):
        left_out = sets[fold::FOLDS]
        classify.use(learn(frozenset(path.stem for path in left_out)))
        decide.decide.cache_clear()
        found += [one for path in left_out for one in readings(path)]
    OUTPUT.write_bytes(msgspec.json.format(msgspec.json.encode(weights_of(found)), indent=1) + b"\n")


def readings(path: Path) -> Iterator[Judged]:
    """Yield every reading of the wishes of a set."""
    wishes = read(path)
    share = EARLY if path in DEVELOPMENT else 1.0
    for case in wishes.cases:
        world = wishes.worlds[case.world]
        utterance, _ = put_down(Utterance(case.words, world_of(world.context()), world.moment))
        words = strip_courtesy(corrected(tokenize(utterance.text), utterance.world)).words
        parts = parts_of(words)
        if not parts:
            continue
        stretches = [decide.Stretch(one, utterance) for one in dict.fromkeys((focus_of(parts), words))]
        tried = decide.tried(stretches, utterance)
        for reading, signs in decide.signs_of_all(tried, stretches, parts, utterance):
            arguments = reading.found.arguments if isinstance(reading.found, Filled) else ()
            deeds = [Deed(reading.operation, dict(one)) for one in arguments]
            yield Judged(signs, _is_right(case, world, deeds), share)


def _is_right(case: Wish, world: World, deeds: Sequence[Deed]) -> bool:
    if case.right:
        return verdict(case, world, deeds) == "right"
    return case.leave is not None and all(deed.operation in case.may for deed in deeds)


def weights_of(found: Sequence[Judged]) -> dict[str, float]:
    """Return the weights of a logistic regression, found by steps of Newton's method."""
    names = sorted({name for one in found for name in one.signs})
    rows = [[one.signs.get(name, 0.0) for name in names] for one in found]
    weights = [0.0] * len(names)
    for _ in range(ROUNDS):
        slope = [HELD * one for one in weights]
        bend = [[HELD * (at == to) for to in range(len(names))] for at in range(len(names))]
        for row, one in zip(rows, found, strict=True):
            share = 1 / (1 + math.exp(-sum(map(float.__mul__, row, weights))))
            there = [at for at, value in enumerate(row) if value]
            for at in there:
                slope[at] += one.share * (share - one.right) * row[at]
                for to in there:
                    bend[at][to] += one.share * share * (1 - share) * row[at] * row[to]
        weights = [one - step for one, step in zip(weights, _solved(bend, slope), strict=True)]
    return {name: round(one, 3) for name, one in zip(names, weights, strict=True)}


def _solved(rows: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Return the solution of linear equations."""
    left = [[*row, value] for row, value in zip(rows, right, strict=True)]
    for at in range(len(left)):
        best = max(range(at, len(left)), key=lambda one: abs(left[one][at]))
        left[at], left[best] = left[best], left[at]
        left[at] = [value / left[at][at] for value in left[at]]
        for other in range(len(left)):
            if other != at and left[other][at]:
                factor = left[other][at]
                left[other] = [one - factor * two for one, two in zip(left[other], left[at], strict=True)]
    return [row[-1] for row in left]
