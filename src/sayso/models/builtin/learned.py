"""Read what was learned from examples about free texts and the words of wishes."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct


class Weights(Struct, frozen=True, eq=False):
    """Learned weights: each feature has some for labels, and `known` are the words that count as themselves.

    `cues` are the words with which people say what they want, rather than name something.
    """

    digest: str
    known: str
    cues: str
    weights: Mapping[str, Mapping[int, int]]


class Shipped(Struct, frozen=True, forbid_unknown_fields=True):
    """The file of weights: features by operation, each with its weights in the form of `written`."""

    digest: str
    known: str
    cues: str
    weights: dict[str, dict[str, str]]


_CODES = "abcdefghijklmnopqrstuvwxyz"
_instead: list[Weights] = []


def use(weights: Weights) -> None:
    """Use these weights in this process instead of those that the package ships; for training and measuring."""
    _instead[:] = [weights]
    for each in (learned, cues):
        each.cache_clear()


@lru_cache(maxsize=1)
def learned() -> Weights:
    """Return the weights that the package ships."""
    if _instead:
        return _instead[0]
    told = msgspec.json.decode(files(__package__ or "").joinpath("spans.json").read_bytes(), type=Shipped)
    return Weights(told.digest, told.known, told.cues, _Rows(told.weights))


class _Rows(Mapping[str, Mapping[int, int]]):
    """The weights of each feature, read from their text when they are first asked for."""

    def __init__(self, written: Mapping[str, Mapping[str, str]]) -> None:
        self._written = written
        self._read: dict[str, Mapping[int, int]] = {}

    def __getitem__(self, feature: str) -> Mapping[int, int]:
        row = self._read.get(feature)
        if row is None:
            operation, _, rest = feature.partition(" ")
            rows = self._written.get(operation)
            row = read_row(self._written[""][feature] if rows is None else rows[rest])
            self._read[feature] = row
        return row

    def __iter__(self) -> Iterator[str]:
        for operation, rows in self._written.items():
            yield from (f"{operation} {feature}" if operation else feature for feature in rows)

    def __len__(self) -> int:
        return sum(map(len, self._written.values()))


def written(row: Mapping[int, int]) -> str:
    """Return the weights of a feature as a text: a letter for each label, and its weight, such as `a12c-3`."""
    return "".join(f"{_CODES[label]}{weight}" for label, weight in sorted(row.items()))


def read_row(text: str) -> dict[int, int]:
    """Return the weights that `written` wrote."""
    row: dict[int, int] = {}
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and text[end] not in _CODES:
            end += 1
        row[_CODES.index(text[at])] = int(text[at + 1 : end])
        at = end
    return row


@lru_cache(maxsize=4)
def known_words(known: str) -> frozenset[str]:
    """Return the words that count as themselves where texts are looked for."""
    return frozenset(known.split())


def known() -> frozenset[str]:
    """Return the words that the shipped weights know as themselves."""
    return known_words(learned().known)


@lru_cache(maxsize=1)
def cues() -> frozenset[str]:
    """Return the words with which people say what they want."""
    return frozenset(learned().cues.split())
