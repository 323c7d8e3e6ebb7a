"""Learn everything that the built-in rules ship from paraphrases and sets of wishes: three files of weights.

`python -m tools.wishes.train` takes about fifteen minutes, always comes to the same files, and says what it wrote:
`weights.json` (what a wish asks for), `spans.json` (where its texts begin and end) and `judge.json` (whether a reading
is right, learned from readings of wishes that the other two had not seen). It needs numpy:
`uv run --group train python -m tools.wishes.train`.
A test says when the files are older than what they were learned from: the sets, the paraphrases, or the code.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.models.builtin.classify import Weights
from tests.assistant.worlds import BUILT_WITH
from tools.wishes import judging, train_spans
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
SETS = BUILT_WITH
WIDTH, LEAST_SEEN, MOST_FEATURES, LARGEST = 48, 3, 16_000, 1_400_000
"""How many numbers a feature has, how often it must be seen, how many are kept, and how many bytes they may take."""
EPOCHS, RATE, DECAY, BATCH, DROPPED, LEFT_OUT = 12, 2e-3, 1e-5, 256, 0.3, 0.15
_LARGE, _MOST_OF = 127, 0.9995


_CODE = (
    "tokens", "spoken", "times", "timespans", "names", "mentions", "clauses", "classify", "spans", "left_out", "judge",
)  # fmt: skip
"""The modules that make what is learned from."""


def digest() -> str:
    """Return the digest of everything that the weights are learned from: the texts, and the code that reads them."""
    told = hashlib.sha256()
    data = (*sorted(PARAPHRASES.glob("*.toml")), *sorted(MANNERS.glob("*.toml")), train_spans.SAMPLES_FILE, *SETS)
    for path in (*data, ROOM / "kin.toml", ROOM / "vocabulary.toml"):
        told.update(path.read_bytes())
    for path in (*(ROOM / f"{name}.py" for name in _CODE), *sorted(Path(__file__).parent.glob("*.py"))):
        told.update(_meaning(path.read_text("utf-8")).encode())
    return told.hexdigest()[:16]


def _meaning(source: str) -> str:
    """Return what a module does, whichever way it is laid out, commented and typed."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, name, [_uncast(one) for one in cast("list[object]", value) if not _is_comment(one)])
            else:
                setattr(node, name, _uncast(value))
    return ast.dump(tree)


def _uncast(node: object) -> object:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cast":
        return node.args[1]
    return node


def _is_comment(node: object) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


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
            one.astype(np.float32)
            for one in (draw(0, 0.1, (features, WIDTH)), np.zeros(WIDTH), draw(0, WIDTH**-0.5, (WIDTH, labels + 1)),
                        np.zeros(labels + 1))
        ]  # fmt: skip
        self.slopes = [np.zeros_like(one) for one in self.parts]
        self.squares = [np.zeros_like(one) for one in self.parts]
        self.steps = 0

    def learn(self, batch: Batch, rate: float) -> None:
        """Make what is right in a batch more probable."""
        np, (table, middle, weights, bias) = self.np, self.parts
        count = len(batch.right)
        kept = self.chance.random(len(batch.features)) > LEFT_OUT
        lengths = (np.maximum(1, np.bincount(batch.rows, minlength=count)) ** -0.5).astype(np.float32)
        factors = lengths[batch.rows] * kept
        sums = self._added(batch.rows, table[batch.features] * factors[:, None], count) + middle
        mask = (self.chance.random(sums.shape) > DROPPED) / np.float32(1 - DROPPED)
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
        found = self.np.zeros((count, rows.shape[1]), rows.dtype)
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
        even = (1 - 0.9**self.steps, 1 - slow**self.steps) if at else (1.0, 1.0)
        self.parts[at][where] -= rate * (mean[where] / even[0]) / (np.sqrt(square[where] / even[1]) + 1e-7)


def learn(found: Sequence[Example]) -> Weights:
    """Return weights by which the right label of each example is probable."""
    np: Any = import_module("numpy")
    seen = Counter(feature for one in found for feature in one.features)
    names = sorted(name for name, count in seen.items() if count >= LEAST_SEEN)
    place = {name: at for at, name in enumerate(names)}
    labels = sorted({one.label for one in found} - {SEVERAL})
    number = {label: at for at, label in enumerate(labels)}
    told = [np.array([place[one] for one in each.features if one in place], dtype=int) for each in found]
    right = np.array([number.get(each.label, 0) for each in found])
    several = np.array([each.label == SEVERAL for each in found], np.float32)
    shares = np.array([each.share for each in found], np.float32)
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
        "", tuple(labels), round(scale, 3), tuple(names[at] for at in kept), rows.tobytes(),
        tuple(middle.round(4).tolist()), tuple(map(tuple, weights.round(3).tolist())), tuple(bias.round(3).tolist()),
    )  # fmt: skip


def written(model: Weights) -> bytes:
    """Return weights as the file has them."""
    return msgspec.json.format(msgspec.json.encode(model), indent=1) + b"\n"


class Material:
    """All examples, made once, to learn from all of them or from those of some sets."""

    def __init__(self) -> None:
        """Make the examples, with the cues alone."""
        self.texts = train_spans.told()
        self.wishes = examples()

    def models(self, left_out: frozenset[str] = frozenset()) -> judging.Models:
        """Return what is learned without some sets: what wishes ask for, and where their texts are."""
        heard = learn([one for one in self.wishes if one.group not in left_out])
        return heard, self.texts.learn(left_out)


def main() -> None:
    """Learn, write what was learned, and print the names of the files that were written."""
    now = digest()
    material = Material()
    judging.write(SETS, now, material.models)
    heard, texts = material.models()
    OUTPUT.write_bytes(written(replace(heard, digest=now)))
    train_spans.OUT.write_text(train_spans.shipped(replace(texts, digest=now)), "utf-8")
    for path in (judging.OUTPUT, train_spans.OUT, OUTPUT):
        print(f"wrote {path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
