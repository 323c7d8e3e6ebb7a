"""Tell which operation a clause asks for, by adding up the weights of what stands in it."""

import math
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from types import MappingProxyType
from typing import cast

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.models.builtin.mentions import Mention
from sayso.models.builtin.tokens import Token, stem, word_list

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
SCALE = 20
"""Weights are written down as whole numbers, this many times as large."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST = 30
"""The highest weight that is written down, as a whole number."""

_DROPPED = frozenset(word_list("the a an please pls"))
_NEGATIONS = frozenset(word_list("not don't never no won't can't nobody nothing doesn't didn't isn't without"))
_ASKS = frozenset(word_list("what which who when where how why is are do does did have has can could will would"))
_LEAST, _SHORT, _LONG = 0.25, 4, 12


class Weights(Struct, frozen=True):
    """What was learned: the labels, and for each feature its weights, each as two digits of `DIGITS`.

    The first of them is the number of the label, the second the weight, of which `MOST` means nothing.
    """

    digest: str
    labels: tuple[str, ...]
    bias: tuple[int, ...]
    weights: dict[str, str]


class Guess(Struct, frozen=True):
    """A label, and how probable it is."""

    label: str
    probability: float


@lru_cache(maxsize=1)
def learned() -> Weights:
    """Return the weights that the package ships; `tools/wishes/train.py` writes them."""
    return msgspec.json.decode(files(__package__ or "").joinpath("weights.json").read_bytes(), type=Weights)


def guesses(told: Sequence[str]) -> list[Guess]:
    """Return all labels for a clause with these features, the most probable first."""
    model = learned()
    sums = [each / SCALE for each in model.bias]
    for feature in told:
        for label, weight in _weights_of(model, feature):
            sums[label] += weight
    most = max(sums)
    shares = [math.exp(each - most) for each in sums]
    total = sum(shares)
    found = [Guess(label, share / total) for label, share in zip(model.labels, shares, strict=True)]
    return sorted(found, key=lambda one: -one.probability)


def reasons(told: Sequence[str], label: str, other: str, most: int = 4) -> list[str]:
    """Return what spoke most for a label and against another one, as features."""
    model = learned()
    numbers = {name: at for at, name in enumerate(model.labels)}
    found: dict[str, float] = defaultdict(float)
    for feature in told:
        for at, weight in _weights_of(model, feature):
            found[feature] += weight * ((at == numbers[label]) - (at == numbers[other]))
    best = sorted(found, key=lambda one: -found[one])
    return [one for one in best if found[one] > 0][:most]


def _weights_of(model: Weights, feature: str) -> Iterator[tuple[int, float]]:
    told = model.weights.get(feature, "")
    for label, weight in zip(told[::2], told[1::2], strict=True):
        yield DIGITS.index(label), (DIGITS.index(weight) - MOST) / SCALE


def features(words: Sequence[Token], mentions: Sequence[Mention]) -> list[str]:
    """Return what the classifier looks at: words, pairs, kinds of mentions, and the form of the sentence."""
    return sorted(set(_features(words, mentions)))


def _features(words: Sequence[Token], mentions: Sequence[Mention]) -> Iterator[str]:
    strong = [one for one in mentions if one.strength >= _LEAST]
    symbols = symbols_of(words, strong)
    kinds = sorted({name for one in strong for name in _names(one)})
    plain = [each[0] for each in symbols if each[0][0] != "<"]
    yield from (f"k:{kind}" for kind in kinds)
    yield from (f"p:{one}&{other}" for one in kinds for other in kinds if one < other)
    yield from (f"m:<{one}>" for one in _best_kinds(strong))
    yield from (f"w:{word}" for word in plain)
    yield from (f"x:{word}&{kind}" for word in plain for kind in kinds)
    ends = [("^",), *symbols, ("$",)]
    for one, other in pairwise(ends):
        yield from (f"b:{left} {right}" for left in one for right in other)
    for one, _, other in zip(ends, ends[1:], ends[2:], strict=False):
        yield from (f"s:{left} _ {right}" for left in one for right in other)
    kin = sorted({one for word in plain for one in kin_of().get(word, ())})
    yield from (f"c:{one}" for one in kin)
    yield from (f"d:{one}&{kind}" for one in kin for kind in kinds)
    yield from (f"e:{one}&{other}" for one in kin for other in kin if one < other)
    yield from _form(words)


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
