"""Tell which operation a clause asks for, by adding up the weights of what stands in it."""

import math
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from types import MappingProxyType
from typing import cast

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.models.builtin.mentions import THINGS, Mention
from sayso.models.builtin.names import NOUNS, SMALL
from sayso.models.builtin.tokens import Token, stem, vocabulary, word_list

NONE = "none"
"""The label of a clause that asks for nothing."""
OTHER = "other"
"""The label of what operations do that these rules never propose, such as to star a mail or to run a script."""
MERGED = MappingProxyType(
    {
        "app.open": "app.activate",
        "calendar.today": "calendar.list",
        "mail.query": "mail.search",
        "task.add_all": "task.add",
        **dict.fromkeys(
            word_list(
                "mail.get mail.get_many mail.archive mail.trash mail.star mail.unstar mail.mark_read mail.mark_unread "
                "mail.add_label mail.remove_label mail.save_attachment page.click page.fill page.run_js page.snapshot "
                "log.write chat.add_message agent.call net.fetch shortcut.run template.run"
            ),
            OTHER,
        ),
    }
)
"""Operations that are not told apart by words, but by what there is and which day is meant."""
_WISHING = vocabulary("orders") | vocabulary("verbs") | SMALL | frozenset[str]().union(*NOUNS.values())
"""Words that are in names too, but alone name nothing."""
_DROPPED = frozenset(word_list("the a an please pls"))
_NEGATIONS = frozenset(word_list("not don't never no won't can't nobody nothing doesn't didn't isn't without"))
_ASKS = frozenset(word_list("what which who when where how why is are do does did have has can could will would"))
_LEAST, _SHORT, _LONG = 0.25, 4, 12


class Weights(Struct, frozen=True):
    """What was learned: for each feature a row of whole numbers, and how likely each label is for a sum of rows."""

    digest: str
    labels: tuple[str, ...]
    scale: float
    """The numbers of a row are this many times as large as they mean."""
    features: tuple[str, ...]
    rows: bytes
    """All rows one after the other, a signed byte for each number."""
    middle: tuple[float, ...]
    """What is added to each number of the sum."""
    weights: tuple[tuple[float, ...], ...]
    """For each number of the sum that is above zero, what it adds to each label, and to there being several wishes."""
    bias: tuple[float, ...]


class Learned:
    """Weights, made ready to look features up in."""

    def __init__(self, weights: Weights) -> None:
        """Make the weights ready."""
        self.weights = weights
        self.digest, self.labels = weights.digest, weights.labels
        self._width = len(weights.middle)
        self._place = {name: at for at, name in enumerate(weights.features)}
        self._rows = memoryview(weights.rows).cast("b")

    def rows(self, told: Sequence[str]) -> dict[str, Sequence[int]]:
        """Return the row of each feature that is known."""
        places = {name: self._place[name] * self._width for name in told if name in self._place}
        return {name: self._rows[at : at + self._width].tolist() for name, at in places.items()}

    def levels(self, sums: Sequence[int], count: int) -> list[float]:
        """Return how much speaks for each label, and then for several wishes, from a sum of so many rows."""
        each = self.weights.scale * math.sqrt(max(1, count))
        levels = list(self.weights.bias)
        for one, more, row in zip(sums, self.weights.middle, self.weights.weights, strict=True):
            height = one / each + more
            if height > 0:
                levels = [level + height * weight for level, weight in zip(levels, row, strict=True)]
        return levels


class Guess(Struct, frozen=True):
    """A label, and how probable it is."""

    label: str
    probability: float


_instead: list[Weights] = []


def use(weights: Weights) -> None:
    """Use these weights in this process instead of those that the package ships; for training and measuring."""
    _instead[:] = [weights]
    learned.cache_clear()


@lru_cache(maxsize=1)
def learned() -> Learned:
    """Return the weights that the package ships; `tools/wishes/train.py` writes them."""
    if _instead:
        return Learned(_instead[0])
    shipped = files(__package__ or "").joinpath("weights.json").read_bytes()
    return Learned(msgspec.json.decode(shipped, type=Weights))


class Heard(Struct, frozen=True):
    """What a clause may ask for."""

    guesses: tuple[Guess, ...]
    """All labels, the most probable first."""
    several: float
    """How probable it is that it asks for more than one thing."""
    familiar: float = 1.0
    """Which share of its features was learned."""


def hear(told: Sequence[str]) -> Heard:
    """Return what a clause with these features may ask for."""
    model = learned()
    rows = model.rows(told)
    *levels, several = model.levels(_sum(rows.values(), len(model.weights.middle)), len(rows))
    most = max(levels)
    shares = [math.exp(level - most) for level in levels]
    total = sum(shares)
    found = [Guess(label, share / total) for label, share in zip(model.labels, shares, strict=True)]
    ordered = tuple(sorted(found, key=lambda one: -one.probability))
    return Heard(ordered, 1 / (1 + math.exp(-several)), len(rows) / max(1, len(told)))


def guesses(told: Sequence[str]) -> tuple[Guess, ...]:
    """Return all labels for a clause with these features, the most probable first."""
    return hear(told).guesses


def _sum(rows: Iterable[Sequence[int]], width: int) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)] or [0] * width


def reasons(told: Sequence[str], label: str, other: str, most: int = 4) -> list[str]:
    """Return the features without which a label would be least ahead of another one."""
    model = learned()
    at, beside = model.labels.index(label), model.labels.index(other)
    rows = model.rows(told)
    total = _sum(rows.values(), len(model.weights.middle))

    def ahead(sums: Sequence[int]) -> float:
        levels = model.levels(sums, len(rows))
        return levels[at] - levels[beside]

    whole = ahead(total)
    left = {name: ahead([one - less for one, less in zip(total, row, strict=True)]) for name, row in rows.items()}
    return [name for name in sorted(left, key=lambda one: left[one]) if left[name] < whole][:most]


def features(words: Sequence[Token], mentions: Sequence[Mention]) -> list[str]:
    """Return what the classifier looks at: words, pairs, kinds of mentions, and the form of the sentence."""
    return sorted(set(_features(words, mentions)))


def _features(words: Sequence[Token], mentions: Sequence[Mention]) -> Iterator[str]:
    strong = [one for one in mentions if one.strength >= _LEAST and not _names_nothing(one, words)]
    symbols = symbols_of(words, strong)
    plain = [each[0] for each in symbols if each[0][0] != "<"]
    yield from (f"k:{kind}" for kind in {name for one in strong for name in _names(one)})
    yield from (f"m:<{one}>" for one in _best_kinds(strong))
    yield from (f"w:{word}" for word in plain)
    for one, other in pairwise([("^",), *symbols, ("$",)]):
        yield from (f"b:{left} {right}" for left in one for right in other)
    yield from (f"c:{one}" for word in plain for one in kin_of().get(word, ()))
    yield from _form(words)


def _names_nothing(mention: Mention, words: Sequence[Token]) -> bool:
    """Say whether a thing is only likened to words by which people say what they want, as in “delete the task”."""
    return (
        mention.kind in THINGS
        and mention.strength < 1
        and all(word.text in _WISHING for word in words[mention.start : mention.end])
    )


def _best_kinds(mentions: Sequence[Mention]) -> set[str]:
    """Return the kinds of things that are named best, each by words that name nothing else as well."""
    best: dict[int, float] = defaultdict(float)
    for one in mentions:
        for at in range(one.start, one.end):
            best[at] = max(best[at], one.strength)
    return {one.kind for one in mentions if all(one.strength >= best[at] for at in range(one.start, one.end))}


def _names(mention: Mention) -> Iterator[str]:
    yield f"<{mention.kind}>"
    if mention.kind == "time" and isinstance(mention.value, dict):
        yield from (f"<time.{form}>" for form in cast("dict[str, Json]", mention.value))


@lru_cache(maxsize=1)
def _kin() -> dict[str, dict[str, str]]:
    text = files(__package__ or "").joinpath("kin.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, dict[str, str]])


def kin_words() -> frozenset[str]:
    """Return every word of `kin.toml`."""
    return frozenset(word for classes in _kin().values() for words in classes.values() for word in words.split())


@lru_cache(maxsize=1)
def kin_of() -> Mapping[str, tuple[str, ...]]:
    """Return the classes of each word of `kin.toml`, by its stem."""
    found: dict[str, tuple[str, ...]] = {}
    for sort, classes in _kin().items():
        for name, words in classes.items():
            for word in {stem(one) for one in words.split()}:
                found[word] = (*found.get(word, ()), f"{sort[0]}.{name}")
    return found


def _form(words: Sequence[Token]) -> Iterator[str]:
    said = [word.text for word in words]
    if words and words[-1].pause == "?":
        yield "form:question"
    if said and said[0] in _ASKS:
        yield "form:asks"
    if any(word.quoted for word in words):
        yield "form:quote"
    if _NEGATIONS & set(said):
        yield "form:not"
    if any(word.pause == ":" for word in words):
        yield "form:colon"
    yield f"form:{'short' if len(said) <= _SHORT else 'long' if len(said) > _LONG else 'medium'}"


def symbols_of(words: Sequence[Token], mentions: Sequence[Mention]) -> list[tuple[str, ...]]:
    """Return the words in their order, by their stems; a mention stands as the kinds of things that it may be."""
    found: list[tuple[str, ...]] = []
    starts: dict[int, list[Mention]] = defaultdict(list)
    for one in mentions:
        starts[one.start].append(one)
    at = 0
    while at < len(words):
        here = starts.get(at)
        if here:
            end = max(one.end for one in here)
            found.append(tuple(sorted({f"<{one.kind}>" for one in here if one.end == end})))
            at = max(end, at + 1)
            continue
        if words[at].text not in _DROPPED:
            found.append((stem(words[at].text),))
        at += 1
    return found
