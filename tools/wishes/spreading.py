"""Let several processes work at once, so that what comes out is the same as if one had done it all."""

import os
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from typing import Any, TypeVar

_Thing = TypeVar("_Thing")
_Made = TypeVar("_Made")
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
PROCESSES = int(os.environ.get("PROCESSES", "2"))
os.environ.update(dict.fromkeys(_THREADS, "1"))  # sums come out the same only if one thread adds them up
_inherited: list[Callable[[Any], Any]] = []


def spread(work: Callable[[_Thing], _Made], things: Sequence[_Thing]) -> list[_Made]:
    """Return what is made of each thing, in their order; the work may use all that there is in this process."""
    if len(things) == 1:
        return [work(things[0])]
    _inherited[:] = [work]
    with get_context("fork").Pool(PROCESSES) as pool:
        return pool.map(_call, things, chunksize=1)


def _call(thing: Any) -> Any:
    return _inherited[0](thing)


def cut(things: Sequence[_Thing], size: int) -> list[Sequence[_Thing]]:
    """Return the things in stretches of such a size."""
    return [things[start : start + size] for start in range(0, len(things), size)]
