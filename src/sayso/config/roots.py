"""The folders that actions may reach, as they really are on this disk."""

import os
from collections.abc import Iterable, Sequence

from sayso.core.values import dataclass
from sayso.policy.paths import within


@dataclass(frozen=True, slots=True)
class Root:
    """One folder as it was written, absolute, and with its links resolved."""

    path: str
    real: str
    is_there: bool


def roots_at(paths: Iterable[str]) -> list[Root]:
    """Look where these folders are; nothing is made."""
    return [_root(path) for path in dict.fromkeys(paths)]


def _root(path: str) -> Root:
    real = os.path.realpath(path)
    return Root(path, real, os.path.isdir(real))  # noqa: PTH112 - Path.is_dir() raises where a folder is closed to us


def both(own: Sequence[Root], others: Sequence[Root]) -> list[Root]:
    """Return the folders that lie in one of each: the inner one of every pair that overlaps."""
    inner = [_inner(one, two) for one in own for two in others if one.is_there and two.is_there]
    return list(dict.fromkeys(root for root in inner if root is not None))


def _inner(one: Root, two: Root) -> Root | None:
    if within(one.real, (two.real,)):
        return one
    return two if within(two.real, (one.real,)) else None
