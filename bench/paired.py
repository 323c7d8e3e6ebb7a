"""Let sides take turns in one go, so that whatever else the machine does falls on all of them alike."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Any

ROOT = Path(__file__).parent.parent
_SYNCS = ("fsync(", "fdatasync(")


@dataclass(frozen=True)
class Took:
    """What doing some took: seconds by the clock, seconds of work, and what the side itself has to tell."""

    wall: float
    cpu: float
    found: Any = None


class Side(AbstractContextManager["Side"]):
    """A program of `bench.sides` that does as many as it is told; with `trace` its fsyncs are counted."""

    def __init__(
        self, module: str, *words: str, python: str = sys.executable, trace: Path | None = None, more: str = ""
    ) -> None:
        strace = ["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", str(trace)] if trace else []
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT / "src"), str(ROOT), more]))}
        self._trace = trace
        self._program = subprocess.Popen(
            [*strace, python, "-m", module, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
            cwd=ROOT,
            text=True,
        )
        self.found: Any = self._answer().get("found")
        """What it told of itself when it began."""

    def do(self, n: int) -> Took:
        """Let it do n, and say what that took."""
        if self._program.stdin is None:
            raise RuntimeError("the side has no standard input")
        self._program.stdin.write(f"{n}\n")
        self._program.stdin.flush()
        return Took(**self._answer())

    def syncs(self) -> int:
        """Return how many fsyncs and fdatasyncs there were so far."""
        return syncs_in(self._trace.read_text(encoding="utf-8")) if self._trace else 0

    def _answer(self) -> dict[str, Any]:
        line = self._program.stdout.readline() if self._program.stdout else ""
        if not line:
            said = self._program.stderr.read() if self._program.stderr else ""
            raise RuntimeError(f"a side ended early: {' '.join(map(str, self._program.args))}\n{said[-2000:]}")  # type: ignore[arg-type]
        return json.loads(line)

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the program end."""
        for pipe in (self._program.stdin, self._program.stdout, self._program.stderr):
            if pipe is not None:
                pipe.close()
        self._program.wait(timeout=60)


def syncs_in(trace: str) -> int:
    """Return how many calls of fsync and fdatasync a trace of strace tells of; one cut in two counts once."""
    return sum(any(call in line for call in _SYNCS) for line in trace.splitlines())


def in_turns(sides: Mapping[str, Callable[[], Took]], rounds: int) -> dict[str, list[Took]]:
    """Let each side go once in every round, beginning with another one each time."""
    names = list(sides)
    took: dict[str, list[Took]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in (*names[first:], *names[:first]):
            took[name].append(sides[name]())
    return took


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median of what ours is to theirs, round by round."""
    return median(one / other for one, other in zip(ours, theirs, strict=True))


def walls(took: Iterable[Took]) -> list[float]:
    """Return the seconds by the clock."""
    return [one.wall for one in took]


def cpus(took: Iterable[Took]) -> list[float]:
    """Return the seconds of work."""
    return [one.cpu for one in took]
