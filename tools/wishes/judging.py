"""Learn how the signs of `models/builtin/judge.py` tell right readings from wrong ones.

The readings are those of wishes that the classifier has not seen.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sayso.models.builtin import classify, decide, learned
from sayso.models.builtin.classify import Weights
from sayso.models.builtin.clauses import focus_of, parts_of
from sayso.models.builtin.judge import Branch, Judge
from sayso.models.builtin.outcomes import Filled
from sayso.models.builtin.spoken import corrected
from sayso.models.builtin.spoken import written as put_down
from sayso.models.builtin.tokens import strip_courtesy, tokenize
from sayso.models.builtin.world import Utterance, world_of
from tests.assistant.scoring import verdict
from tests.assistant.worlds import DEVELOPMENT, Deed, World, read
from tests.assistant.worlds import Case as Wish
from tools.wishes.boosting import trees_of
from tools.wishes.spreading import spread

OUTPUT = Path(__file__).parents[2] / "src/sayso/models/builtin/judge.json"
FOLDS = 4
"""In how many parts the sets are left out."""
RESTING = 1.5
"""How much a sentence counts that asks for nothing that may be done."""
EARLY = 0.5
"""How much the wishes of the first sets count, which are plainer than those of people who talk in their own manner."""


class Judged(Struct, frozen=True):
    """The signs of a reading, whether it is right, and how much it counts."""

    signs: Mapping[str, float]
    right: bool
    share: float


Models = tuple[Weights, learned.Weights]


def write(sets: Sequence[Path], digest: str, models: Callable[[frozenset[str]], Models]) -> None:
    """Learn from what models say of sets that they have not seen, and write what was learned."""

    def read_without(fold: int) -> list[Judged]:
        left_out = sets[fold::FOLDS]
        use(models(frozenset(path.stem for path in left_out)))
        return [one for path in left_out for one in readings(path)]

    found = [one for each in spread(read_without, range(FOLDS)) for one in each]
    OUTPUT.write_bytes(written(Judge(digest, learned_from(found))))


def use(models: Models) -> None:
    """Use these models in this process."""
    classify.use(models[0])
    learned.use(models[1])
    decide.decide.cache_clear()


def written(judge: Judge) -> bytes:
    """Return a judge as the file has it, a tree each line."""
    trees = b",\n".join(msgspec.json.encode(one) for one in judge.trees)
    return b'{"digest":' + msgspec.json.encode(judge.digest) + b',"trees":[\n' + trees + b"\n]}\n"


def readings(path: Path) -> Iterator[Judged]:
    """Yield every reading of the wishes of a set."""
    wishes = read(path)
    early = EARLY if path in DEVELOPMENT else 1.0
    for case in wishes.cases:
        share = early * (RESTING if case.leave is not None else 1.0)
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


def learned_from(found: Sequence[Judged]) -> tuple[tuple[Branch, ...], ...]:
    """Return the trees that tell the right readings from the others."""
    np: Any = import_module("numpy")
    names = sorted({name for one in found for name in one.signs})
    numbers = np.array([[one.signs.get(name, 0.0) for name in names] for one in found])
    right = np.array([float(one.right) for one in found])
    return trees_of(numbers, right, np.array([one.share for one in found]), names)
