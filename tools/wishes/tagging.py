"""Learn the weights of features by which each word of a sentence gets a label, so that the right labels are likeliest.

A chain of labels is as likely as the sum of the weights of its words' features and of its pairs of labels says.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, cast

from msgspec import Struct

EPOCHS, RATE, BATCH, LEFT_OUT, DECAY, SPARSE = 6, 0.1, 32, 0.1, 3e-4, 0.006
"""How often all sentences are seen, how far a step goes, how many at once, the share of features that is left out of a
sentence at random, and how much weights are drawn to nothing, in proportion and evenly."""
_NO = -1e4


class Sentence(Struct, frozen=True):
    """The features of each word, the right labels, the kind of the sentence, and how much it counts."""

    told: Sequence[Sequence[str]]
    labels: Sequence[int]
    kind: str
    share: float = 1.0


class Tags(Struct, frozen=True):
    """Which labels a kind of sentence may have, which may come first, after another one, and last."""

    allowed: Mapping[str, Sequence[int]]
    first: frozenset[int]
    following: Sequence[Sequence[int]]
    last: frozenset[int]


class Learned(Struct, frozen=True):
    """The weights of features, and of pairs of labels, for all kinds of sentences and for each."""

    features: dict[str, Any]
    after: Any
    after_of_kind: dict[str, Any]


class Numbered(Struct, frozen=True):
    """Sentences whose features are numbers, and the names of these, with how many sentences have each."""

    names: Sequence[str]
    counts: Sequence[int]
    sentences: Sequence["_Made"]


def numbered(sentences: Iterable[Sentence], kinds: Sequence[str]) -> Numbered:
    """Return sentences with numbers for features."""
    np: Any = import_module("numpy")
    place: dict[str, int] = {}
    counts: list[int] = []
    made: list[_Made] = []
    for one in sentences:
        told = [[place.setdefault(name, len(place)) for name in row] for row in one.told]
        counts += [0] * (len(place) - len(counts))
        for at in {each for row in told for each in row}:
            counts[at] += 1
        words = np.repeat(np.arange(len(told)), [len(row) for row in told])
        features = np.array([each for row in told for each in row], dtype=np.int64)
        made.append(_Made(words, features, np.array(one.labels), kinds.index(one.kind), one.share))
    return Numbered([*place], counts, made)


class Corpus:
    """Sentences with their features as numbers, of which some or all can be learned from."""

    def __init__(self, told: Sequence[Numbered], tags: Tags, least: int) -> None:
        """Keep the features that are seen in so many sentences at least."""
        self._np = np = import_module("numpy")
        self._tags, self._kinds = tags, sorted(tags.allowed)
        often: Counter[str] = Counter()
        for each in told:
            often.update(dict(zip(each.names, each.counts, strict=True)))
        self._names = sorted(name for name, count in often.items() if count >= least)
        place = {name: at for at, name in enumerate(self._names)}
        self._made: list[_Made] = []
        for each in told:
            here = np.array([place.get(name, -1) for name in each.names])
            for one in each.sentences:
                features = here[one.features]
                kept = features >= 0
                self._made.append(_Made(one.words[kept], features[kept], one.labels, one.kind, one.share))

    def learn(self, chosen: Sequence[int], seed: int) -> Learned:
        """Return the weights that some of the sentences teach; always the same."""
        made = sorted((self._made[at] for at in chosen), key=lambda one: len(one.labels))
        work = _Work(self._np, self._names, self._kinds, self._tags)
        chance = self._np.random.default_rng(seed)
        batches: list[list[_Made]] = [made[start : start + BATCH] for start in range(0, len(made), BATCH)]
        for epoch in range(EPOCHS):
            rate = RATE * (1.02 - epoch / EPOCHS)
            for at in cast("list[int]", chance.permutation(len(batches)).tolist()):
                work.learn(batches[at], rate, chance)
        after = dict(zip(self._kinds, work.pairs[:-1], strict=True))
        return Learned(dict(zip(self._names, work.table, strict=True)), work.pairs[-1], after)


class _Made(Struct):
    words: Any
    features: Any
    labels: Any
    kind: int
    share: float


class _Work:
    """The weights while they are learned."""

    def __init__(self, np: Any, names: Sequence[str], kinds: Sequence[str], tags: Tags) -> None:
        count = len(tags.following)
        self.np, self.count = np, count
        self.table = np.zeros((len(names), count), np.float32)
        self.pairs = np.zeros((len(kinds) + 1, count, count), np.float32)
        self.squares = [np.full_like(one, 1e-8) for one in (self.table, self.pairs)]
        self.barred = np.full((len(kinds), count), _NO, np.float32)
        for at, kind in enumerate(kinds):
            self.barred[at, list(tags.allowed[kind])] = 0
        self.never = np.full((count, count), _NO, np.float32)
        for before, each in enumerate(tags.following):
            self.never[before, list(each)] = 0
        self.first = np.array([0.0 if at in tags.first else _NO for at in range(count)], np.float32)
        self.last = np.array([0.0 if at in tags.last else _NO for at in range(count)], np.float32)

    def learn(self, batch: Sequence[_Made], rate: float, chance: Any) -> None:
        """Make the right labels of some sentences likelier."""
        np, count = self.np, self.count
        size, long = len(batch), max(len(one.labels) for one in batch)
        lengths = np.array([len(one.labels) for one in batch])
        kinds = np.array([one.kind for one in batch])
        shares = np.array([one.share for one in batch], np.float32)
        features = np.concatenate([one.features for one in batch])
        places = np.concatenate([at * long + one.words for at, one in enumerate(batch)])
        kept = chance.random(len(features)) > LEFT_OUT
        features, places = features[kept], places[kept]
        scores = np.zeros((size * long, count), np.float32)
        self._add(scores, places, self.table[features])
        scores = scores.reshape(size, long, count) + self.barred[kinds][:, None]
        pairs = self.pairs[kinds] + self.pairs[-1] + self.never
        right = np.zeros((size, long), np.int64)
        for at, one in enumerate(batch):
            right[at, : len(one.labels)] = one.labels
        there = np.arange(long)[None] < lengths[:, None]
        words, steps = self._expected(scores, pairs, lengths)
        words[np.arange(size)[:, None], np.arange(long)[None], right] -= 1
        words *= (there * shares[:, None])[..., None]
        steps *= shares[:, None, None]
        both = there[:, 1:]
        rows = np.broadcast_to(np.arange(size)[:, None], both.shape)[both]
        np.subtract.at(steps, (rows, right[:, :-1][both], right[:, 1:][both]), shares[rows])
        slope = np.zeros_like(self.pairs)
        np.add.at(slope, kinds, steps)
        slope[-1] = steps.sum(0)
        self._move(1, slice(None), slope + DECAY * self.pairs, rate)
        names, inner = np.unique(features, return_inverse=True)
        slope = np.zeros((len(names), count), np.float32)
        self._add(slope, inner, words.reshape(-1, count)[places])
        self._move(0, names, slope + DECAY * self.table[names], rate)

    def _add(self, total: Any, places: Any, rows: Any) -> None:
        np = self.np
        order = np.argsort(places, kind="stable")
        ordered = places[order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        total[ordered[starts]] += np.add.reduceat(rows[order], starts, axis=0)

    def _expected(self, scores: Any, pairs: Any, lengths: Any) -> tuple[Any, Any]:
        """Return how likely each label of each word is, and how often each pair of labels is expected."""
        np = self.np
        size, long, count = scores.shape
        ahead, back = np.zeros_like(scores), np.zeros_like(scores)
        ahead[:, 0] = scores[:, 0] + self.first
        for at in range(1, long):
            ahead[:, at] = self._sum(ahead[:, at - 1][:, :, None] + pairs, 1) + scores[:, at]
        back[np.arange(size), lengths - 1] = self.last
        for at in range(long - 2, -1, -1):
            inside = (at < lengths - 1)[:, None]
            more = self._sum(pairs + (scores[:, at + 1] + back[:, at + 1])[:, None, :], 2)
            back[:, at] = np.where(inside, more, back[:, at])
        whole = self._sum(ahead[np.arange(size), lengths - 1] + self.last, 1)
        words = np.exp(np.minimum(0, ahead + back - whole[:, None, None]))
        steps = np.zeros((size, count, count), np.float32)
        for at in range(long - 1):
            inside = (at < lengths - 1)[:, None, None]
            level = ahead[:, at][:, :, None] + pairs + (scores[:, at + 1] + back[:, at + 1])[:, None, :]
            steps += np.exp(np.minimum(0, level - whole[:, None, None])) * inside
        return words, steps

    def _sum(self, levels: Any, axis: int) -> Any:
        most = levels.max(axis, keepdims=True)
        return self.np.squeeze(most, axis) + self.np.log(self.np.exp(levels - most).sum(axis))

    def _move(self, at: int, where: Any, slope: Any, rate: float) -> None:
        weights, squares = (self.table, self.pairs)[at], self.squares[at]
        squares[where] += slope * slope
        held = rate / self.np.sqrt(squares[where])
        moved = weights[where] - held * slope
        weights[where] = self.np.sign(moved) * self.np.maximum(0, self.np.abs(moved) - held * SPARSE)
