"""Learn the weights of `models/builtin/classify.py` from paraphrases and sets of wishes, and write `weights.json`.

`python -m tools.wishes.train` takes up to nine minutes, always comes to the same weights, and says what it wrote.
First it learns by what readings are judged (`judging.py`).
It needs numpy: `uv run --group train python -m tools.wishes.train`.
A test says when weights are older than what they were learned from.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sayso.models.builtin.classify import Weights
from tests.assistant.worlds import BUILT_WITH, OPENED
from tools.wishes import judging
from tools.wishes.augment import MANNERS
from tools.wishes.examples import (
    PARAPHRASES,
    SEVERAL,
    Example,
    examples_of,
    of_paraphrases,
    of_sets,
    of_two,
    says,
    scenes_of,
    texts_of,
)

ROOM = Path(__file__).parents[2] / "src/sayso/models/builtin"
OUTPUT = ROOM / "weights.json"
SETS = (*BUILT_WITH, *OPENED)
WIDTH, LEAST_SEEN, MOST_FEATURES, LARGEST = 48, 3, 16_000, 1_400_000
"""How many numbers a feature has, how often it must be seen, how many are kept, and how many bytes they may take."""
EPOCHS, RATE, DECAY, BATCH, DROPPED, LEFT_OUT = 12, 2e-3, 1e-5, 256, 0.3, 0.15
_LARGE, _MOST_OF = 127, 0.9995


def digest() -> str:
    """Return the digest of everything that the weights are learned from."""
    told = hashlib.sha256()
    for path in (*sorted(PARAPHRASES.glob("*.toml")), *sorted(MANNERS.glob("*.toml")), *SETS, ROOM / "kin.toml"):
        told.update(path.read_bytes())
    return told.hexdigest()[:16]


def examples() -> list[Example]:
    """Return all examples."""
    scenes, texts = scenes_of(SETS), texts_of(SETS)
    return examples_of([
        *of_sets(SETS), *of_paraphrases(says(), scenes, texts), *of_two(says(), scenes, texts)
    ])  # fmt: skip


class Batch(Struct):
    """Examples as arrays: which feature stands in which example, how much each counts, and what is right."""

    rows: Any
    features: Any
    right: Any
    several: Any
    shares: Any


class Network:
    """Numbers for each feature, which are added up, and weights from the sums to the labels."""

    def __init__(self, np: Any, features: int, labels: int) -> None:
        """Begin with small numbers, always the same."""
        self.np, self.chance = np, np.random.default_rng(1)
        draw = self.chance.normal
        self.parts = [
            draw(0, 0.1, (features, WIDTH)), np.zeros(WIDTH), draw(0, WIDTH**-0.5, (WIDTH, labels + 1)),
            np.zeros(labels + 1),
        ]  # fmt: skip
        self.slopes = [np.zeros_like(one) for one in self.parts]
        self.squares = [np.zeros_like(one) for one in self.parts]
        self.steps = 0

    def learn(self, batch: Batch, rate: float) -> None:
        """Make what is right in a batch more probable."""
        np, (table, middle, weights, bias) = self.np, self.parts
        count = len(batch.right)
        kept = self.chance.random(len(batch.features)) > LEFT_OUT
        lengths = np.maximum(1, np.bincount(batch.rows, minlength=count)) ** -0.5
        factors = lengths[batch.rows] * kept
        sums = self._added(batch.rows, table[batch.features] * factors[:, None], count) + middle
        mask = (self.chance.random(sums.shape) > DROPPED) / (1 - DROPPED)
        heights = np.maximum(sums, 0) * mask
        errors = self._errors(heights @ weights + bias, batch)
        back = (errors @ weights.T) * mask * (sums > 0)
        places, inner = np.unique(batch.features, return_inverse=True)
        slope = self._added(inner, back[batch.rows] * factors[:, None], len(places)) + DECAY * table[places]
        self.steps += 1
        for at, one in enumerate((back.sum(0), heights.T @ errors + DECAY * weights, errors.sum(0)), 1):
            self._move(at, slice(None), one, rate, 0.999)
        self._move(0, places, slope, rate, 0.99)

    def _added(self, places: Any, rows: Any, count: int) -> Any:
        order = self.np.argsort(places, kind="stable")
        starts = self.np.searchsorted(places[order], self.np.arange(count))
        found = self.np.zeros((count, rows.shape[1]))
        there = self.np.bincount(places, minlength=count) > 0
        found[there] = self.np.add.reduceat(rows[order], starts[there], axis=0)
        return found

    def _errors(self, levels: Any, batch: Batch) -> Any:
        np, each = self.np, self.np.arange(len(batch.right))
        shares = np.exp(levels[:, :-1] - levels[:, :-1].max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        shares[each, batch.right] -= 1
        shares *= (1 - batch.several)[:, None]
        several = 1 / (1 + np.exp(-levels[:, -1])) - batch.several
        return np.concatenate([shares, several[:, None]], 1) * batch.shares[:, None] / len(each)

    def _move(self, at: int, where: Any, slope: Any, rate: float, slow: float) -> None:
        np = self.np
        mean, square = self.slopes[at], self.squares[at]
        mean[where] = 0.9 * mean[where] + 0.1 * slope
        square[where] = slow * square[where] + (1 - slow) * slope * slope
        even = np.array([1 - 0.9**self.steps, 1 - slow**self.steps]) if at else np.ones(2)
        self.parts[at][where] -= rate * (mean[where] / even[0]) / (np.sqrt(square[where] / even[1]) + 1e-7)


_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def learn(found: Sequence[Example]) -> Weights:
    """Return weights by which the right label of each example is probable."""
    os.environ.update(dict.fromkeys(_THREADS, "1"))  # sums come out the same only if one thread adds them up
    np: Any = import_module("numpy")
    seen = Counter(feature for one in found for feature in one.features)
    names = sorted(name for name, count in seen.items() if count >= LEAST_SEEN)
    place = {name: at for at, name in enumerate(names)}
    labels = sorted({one.label for one in found} - {SEVERAL})
    number = {label: at for at, label in enumerate(labels)}
    told = [np.array([place[one] for one in each.features if one in place], dtype=int) for each in found]
    right = np.array([number.get(each.label, 0) for each in found])
    several = np.array([float(each.label == SEVERAL) for each in found])
    shares = np.array([each.share for each in found])
    network = Network(np, len(names), len(labels))
    for epoch in range(EPOCHS):
        order = network.chance.permutation(len(found))
        for start in range(0, len(found), BATCH):
            at = order[start : start + BATCH]
            rows = np.repeat(np.arange(len(at)), [len(told[one]) for one in at])
            features = np.concatenate([told[one] for one in at])
            network.learn(Batch(rows, features, right[at], several[at], shares[at]), RATE * (1.05 - epoch / EPOCHS))
    table, middle, weights, bias = network.parts
    counts = np.array([seen[name] for name in names])
    worth = np.linalg.norm(table, axis=1) * np.sqrt(counts)
    kept: list[int] = np.sort(np.argsort(-worth, kind="stable")[:MOST_FEATURES]).tolist()
    scale = _LARGE / float(np.quantile(np.abs(table[kept]), _MOST_OF))
    rows = np.clip(np.rint(table[kept] * scale), -_LARGE, _LARGE).astype(np.int8)
    return Weights(
        digest(), tuple(labels), round(scale, 3), tuple(names[at] for at in kept), rows.tobytes(),
        tuple(middle.round(4).tolist()), tuple(map(tuple, weights.round(3).tolist())), tuple(bias.round(3).tolist()),
    )  # fmt: skip


def written(model: Weights) -> bytes:
    """Return weights as the file has them."""
    return msgspec.json.format(msgspec.json.encode(model), indent=1) + b"\n"


def main() -> None:
    """Learn, write what was learned, and print the names of the files that were written."""
    found = examples()
    judging.write(SETS, lambda left_out: learn([one for one in found if one.group not in left_out]))
    OUTPUT.write_bytes(written(learn(found)))
    for path in (judging.OUTPUT, OUTPUT):
        print(f"wrote {path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
