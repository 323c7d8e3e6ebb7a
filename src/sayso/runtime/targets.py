"""What an action is aimed at, so that nothing is destroyed after a step on the same thing went wrong (T-18)."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import cast

from sayso.core.arguments import text_problem
from sayso.core.canonical import Json
from sayso.core.operation import Operation
from sayso.core.values import dataclass
from sayso.policy.paths import normal


@dataclass(frozen=True)
class Aim:
    """The paths and other names an action is aimed at; `raw` is the text of one that could not be read whole."""

    paths: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    raw: str = ""


def aim(operation: Operation | None, arguments: Mapping[str, Json], said: str, home: str) -> Aim:
    """Return what an action is aimed at."""
    if operation is None:
        return Aim(raw=said)
    paths: set[str] = set()
    names: set[str] = set()
    readable = True
    for parameter in operation.parameters:
        value = arguments.get(parameter.name)
        if parameter.kind == "path" and isinstance(value, str):
            if value and text_problem(value, "path") is None:
                paths.add(normal(value, home))
            else:
                readable = False
        elif parameter.name in _TARGETS and value is not None:
            items = cast("list[Json]", value) if isinstance(value, list) else [value]
            names.update(f"{parameter.name}:{item}" for item in items)
    return Aim(frozenset(paths), frozenset(names), "" if readable and (paths or names) else said)


_TARGETS = frozenset({"target", "parent", "name", "id", "ids", "index", "indices"})


LONGEST_RAW, ALL_RAW = 2**16, 2**20
"""Characters of one text that could not be read, and of all of a run, that are searched for paths."""


class Failures:
    """The aims of what did not happen so far in a run, with the number of each step."""

    def __init__(self, home: str) -> None:
        self._home = home.rstrip("/")
        self._missed: dict[str, int] = {}
        self._above: dict[str, int] = {}
        self._raws: list[str] = []
        self._joined: str | None = None
        self._raw_starts: list[int] = []
        self._raw_steps: list[int] = []
        self._raw_size = 0
        self._too_much: int | None = None

    def add(self, step: int, missed: Aim) -> None:
        """Remember that step number `step` (from 1) did not happen."""
        for name in missed.names | missed.paths:
            _keep_first(self._missed, name, step)
        for path in missed.paths:
            for folder in folders_above(path):
                _keep_first(self._above, folder, step)
        if missed.raw:
            self._add_raw(step, missed.raw[:LONGEST_RAW])

    def _add_raw(self, step: int, raw: str) -> None:
        """Keep a text that could not be read; it is joined with the others so that a path is searched for once."""
        if self._raw_size + len(raw) > ALL_RAW:
            self._too_much = step if self._too_much is None else min(step, self._too_much)
        else:
            self._raw_starts.append(self._raw_size)
            self._raw_steps.append(step)
            self._raws.append(raw)
            self._joined = None
            self._raw_size += len(raw) + 1

    def in_the_way(self, wanted: Aim, of: int) -> int | None:
        """Return the number of the first step before step `of` that went wrong on the same thing, if any."""
        steps = [self._missed[name] for name in wanted.names if name in self._missed]
        for path in wanted.paths:
            steps += [self._above[path]] if path in self._above else []
            steps += [self._missed[one] for one in (path, *folders_above(path)) if one in self._missed]
            steps += self._spelt_in_raw(path)
        return min((step for step in steps if step < of), default=None)

    def _spelt_in_raw(self, path: str) -> list[int]:
        # More than can be searched: nothing is destroyed after it.
        steps = [] if self._too_much is None else [self._too_much]
        if self._joined is None:
            self._joined = "\n".join(self._raws)
        for spelt in self._spellings(path):
            steps += self._spelt_by(spelt, self._joined)
        return steps

    def _spelt_by(self, spelt: str, raws: str) -> Iterator[int]:
        place = raws.find(spelt)
        while place >= 0:
            after = bisect_right(self._raw_starts, place)
            yield self._raw_steps[after - 1]
            if after == len(self._raw_starts):
                break
            place = raws.find(spelt, self._raw_starts[after])

    def _spellings(self, path: str) -> tuple[str, ...]:
        if path == self._home or path.startswith(self._home + "/"):
            return (path, "~" + path[len(self._home) :])
        return (path,)


def _keep_first(steps: dict[str, int], name: str, step: int) -> None:
    steps[name] = min(step, steps.get(name, step))


def folders_above(path: str) -> list[str]:
    """Return every folder that a path lies in."""
    parts = path.split("/")
    return ["/".join(parts[:count]) or "/" for count in range(1, len(parts))]
