"""Learn the weights of `models/builtin/classify.py` from paraphrases and sets of wishes, and write `weights.json`.

`python -m tools.wishes.train` takes about two minutes and always comes to the same weights. A test says when they are
older than what they were learned from.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from sayso.models.builtin.classify import DIGITS, MERGED, MOST, SCALE, Weights
from tests.assistant.worlds import BUILT_WITH
from tools.wishes.chance import Chance
from tools.wishes.examples import PARAPHRASES, Example, of_paraphrases, of_sets, says, scenes_of, texts_of

OUTPUT = Path(__file__).parents[2] / "src/sayso/models/builtin/weights.json"
ROOM = Path(__file__).parents[2] / "src/sayso/models/builtin"
EPOCHS, RATE, DECAY, LEAST_SEEN, LEAST_WEIGHT, UNLIKELY = 12, 0.1, 2e-3, 2, 4, 1e-3
LARGEST = 385_000
"""How many bytes the weights may take; those of features that tell least are left out."""
_START = 1e-2
BIAS = ""
"""The feature that every example has."""


def digest() -> str:
    """Return the digest of everything that the weights are learned from."""
    told = hashlib.sha256()
    sources = (*sorted(PARAPHRASES.glob("*.toml")), *BUILT_WITH, ROOM / "kin.toml")
    for path in sources:
        told.update(path.read_bytes())
    return told.hexdigest()[:16]


def examples() -> Iterator[Example]:
    """Yield all examples."""
    yield from of_sets(BUILT_WITH)
    yield from of_paraphrases(says(), scenes_of(BUILT_WITH), texts_of(BUILT_WITH))


def learn(found: Sequence[Example]) -> Weights:
    """Return weights by which the right label of each example has the highest sum: a logistic regression."""
    seen = Counter(feature for one in found for feature in one.features)
    labels = sorted({_label(one) for one in found})
    number = {label: at for at, label in enumerate(labels)}
    weights: dict[str, list[float]] = {name: [0.0] * len(labels) for name in seen if seen[name] >= LEAST_SEEN}
    weights[BIAS] = [0.0] * len(labels)
    squares = {name: [_START] * len(labels) for name in weights}
    cases = [([one for one in (*each.features, BIAS) if one in weights], number[_label(each)]) for each in found]
    chance = Chance("weights")
    for _ in range(EPOCHS):
        for features, right in chance.shuffled(cases):
            _step([weights[one] for one in features], [squares[one] for one in features], right)
    bias = weights.pop(BIAS)
    return Weights(digest(), tuple(labels), tuple(round(one * SCALE) for one in bias), dict(sorted(_written(weights))))


def _step(rows: Sequence[list[float]], squares: Sequence[list[float]], right: int) -> None:
    sums = [math.fsum(column) for column in zip(*rows, strict=True)]
    most = max(sums)
    shares = [math.exp(each - most) for each in sums]
    total = math.fsum(shares)
    errors = [(at, share / total - (at == right)) for at, share in enumerate(shares)]
    errors = [(at, error) for at, error in errors if abs(error) > UNLIKELY]
    for row, square in zip(rows, squares, strict=True):
        for at, error in errors:
            step = error + DECAY * row[at]
            square[at] += step * step
            row[at] -= RATE * step / math.sqrt(square[at])


def _written(weights: dict[str, list[float]]) -> Iterator[tuple[str, str]]:
    """Yield the features that tell most, and their weights as two digits each."""
    whole = {name: [round(one * SCALE) for one in row] for name, row in weights.items()}
    left = LARGEST
    for name in sorted(whole, key=lambda one: (-sum(map(abs, whole[one])), one)):
        kept = [(at, one) for at, one in enumerate(whole[name]) if abs(one) >= LEAST_WEIGHT]
        told = "".join(DIGITS[at] + DIGITS[max(-MOST, min(MOST, one)) + MOST] for at, one in kept)
        left -= len(name) + len(told) + 8
        if left < 0:
            return
        if told:
            yield name, told


def _label(one: Example) -> str:
    return MERGED.get(one.label, one.label)


def written(model: Weights) -> bytes:
    """Return weights as the file has them, a feature a line."""
    return msgspec.json.format(msgspec.json.encode(model), indent=1) + b"\n"


def main(found: Iterable[Example]) -> None:
    """Learn, and write the weights."""
    OUTPUT.write_bytes(written(learn(list(found))))


if __name__ == "__main__":
    main(examples())
