"""Functions of this process timed in turns: nanoseconds of work for each call."""

import gc
import time
from collections.abc import Callable, Mapping
from statistics import median


def work_of(function: Callable[[], object]) -> float:
    """Return the seconds of work that one call takes, without the collector in between."""
    gc.collect()
    gc.disable()
    try:
        begun = time.process_time()
        function()
        return time.process_time() - begun
    finally:
        gc.enable()


def in_turns(functions: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Time each function once in every round, beginning with another one each time."""
    names = list(functions)
    for function in functions.values():
        function()
    took: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in (*names[first:], *names[:first]):
            took[name].append(work_of(functions[name]))
    return took


def times(took: Mapping[str, list[float]], ours: str, theirs: str) -> float:
    """Return the median of what ours is to theirs, round by round."""
    return median(one / other for one, other in zip(took[ours], took[theirs], strict=True))
