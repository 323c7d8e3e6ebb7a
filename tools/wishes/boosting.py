"""Learn a row of small decision trees, each of which puts right what those before it left wrong."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from msgspec import Struct, field

from sayso.models.builtin.judge import Branch

BINS, LEAVES, FEWEST, HELD = 32, 12, 12, 1.0
"""Into how many steps a number is cut, how many leaves a tree has, how many examples each, and how still it is held."""
TREES, RATE = 250, 0.05


class _Leaf(Struct):
    """The examples that come to one place of a tree, and the best way to divide them."""

    at: int
    rows: Any
    gain: float = 0.0
    column: int = 0
    step: int = 0


class _Told(Struct):
    """The examples: the step of each number, the thresholds between steps, and how much is left wrong."""

    steps: Any
    edges: Sequence[Any]
    slope: Any = field(default=None)
    bend: Any = field(default=None)


def trees_of(numbers: Any, right: Any, shares: Any, names: Sequence[str]) -> tuple[tuple[Branch, ...], ...]:
    """Return the trees; the sum of what they say, as odds, is how likely an example is right."""
    np: Any = import_module("numpy")
    edges = [_edges(np, column) for column in numbers.T]
    steps = [np.searchsorted(edge, column, side="left") for edge, column in zip(edges, numbers.T, strict=True)]
    told = _Told(steps, edges)
    levels = np.zeros(len(right))
    found: list[tuple[Branch, ...]] = []
    for _ in range(TREES):
        likely = 1 / (1 + np.exp(-levels))
        told.slope, told.bend = (likely - right) * shares, np.maximum(likely * (1 - likely), 1e-9) * shares
        found.append(_tree(np, told, names, levels))
    return tuple(found)


def _edges(np: Any, column: Any) -> Any:
    values = np.unique(np.round(column, 4))
    between = (values[1:] + values[:-1]) / 2
    if len(between) >= BINS:
        between = np.unique(np.quantile(column, np.arange(1, BINS) / BINS, method="lower"))
    return np.round(between, 5)


def _tree(np: Any, told: _Told, names: Sequence[str], levels: Any) -> tuple[Branch, ...]:
    """Return one tree, and add what it says to the levels."""
    branches = [Branch()]
    leaves = [_divided(np, told, _Leaf(0, np.arange(len(levels))))]
    while len(leaves) < LEAVES:
        best = max(leaves, key=lambda one: (one.gain, -one.at))
        if best.gain <= 0:
            break
        leaves.remove(best)
        below = told.steps[best.column][best.rows] <= best.step
        here = len(branches)
        edge = float(told.edges[best.column][best.step])
        branches[best.at] = Branch(names[best.column], edge, here, here + 1)
        branches += [Branch(), Branch()]
        leaves += [_divided(np, told, _Leaf(here + at, best.rows[side])) for at, side in enumerate((below, ~below))]
    for leaf in leaves:
        level = round(float(-RATE * told.slope[leaf.rows].sum() / (told.bend[leaf.rows].sum() + HELD)), 4)
        branches[leaf.at] = Branch(level=level)
        levels[leaf.rows] += level
    return tuple(branches)


def _divided(np: Any, told: _Told, leaf: _Leaf) -> _Leaf:
    """Return the leaf with the best way to divide it."""
    slope, bend = told.slope[leaf.rows], told.bend[leaf.rows]
    whole = slope.sum() ** 2 / (bend.sum() + HELD)
    for column, edge in enumerate(told.edges):
        if not len(edge):
            continue
        step, size = told.steps[column][leaf.rows], len(edge) + 1
        slopes, bends, counts = (
            np.cumsum(np.bincount(step, weights, size))[:-1] for weights in (slope, bend, np.ones(len(step)))
        )
        apart = slopes**2 / (bends + HELD) + (slope.sum() - slopes) ** 2 / (bend.sum() - bends + HELD) - whole
        apart[(counts < FEWEST) | (len(step) - counts < FEWEST)] = 0
        best = int(np.argmax(apart))
        if apart[best] > leaf.gain + 1e-9:
            leaf = _Leaf(leaf.at, leaf.rows, float(apart[best]), column, best)
    return leaf
