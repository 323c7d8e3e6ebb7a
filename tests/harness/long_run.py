"""What every long run reads from the environment (`SEED`, `N`, `MIN`, `BREAK`), and its one JSON result line."""

import json
import math
import os
import random
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

CAUGHT, CLEAN, UNUSABLE = 1, 0, 2
"""Exit codes: a promise was seen broken; none was; the run could not be made or proved nothing."""

Planted = Mapping[str, Callable[[], None]]
"""The planted bugs of a run by name: each call changes the product in this process, and in its forks, for the worse."""


@dataclass
class Run:
    """One long run as it was asked for, and what it has seen so far."""

    name: str
    seed: int
    n: int
    minutes: float
    planted: str
    began: float = field(default_factory=time.monotonic)
    counts: dict[str, int] = field(default_factory=dict[str, int])
    coverage: dict[str, object] = field(default_factory=dict[str, object])
    broken: list[str] = field(default_factory=list[str])
    gaps: list[str] = field(default_factory=list[str])

    def fixed(self, short: int) -> bool:
        """Say whether this is the short form: it walks a fixed list, also with a planted bug, and draws nothing."""
        return self.n <= short and not self.minutes

    def count(self, what: str, by: int = 1) -> None:
        """Count something that happened."""
        self.counts[what] = self.counts.get(what, 0) + by

    def breach(self, what: str) -> None:
        """Write down that a promise was seen broken."""
        self.broken.append(what)

    def gap(self, what: str) -> None:
        """Write down that the run did not try enough to prove what it is for."""
        self.gaps.append(what)

    def over(self, done: int) -> bool:
        """Say whether `N` tries are done, or `MIN` minutes have passed where those were given."""
        return self.spent() if self.minutes else done >= self.n

    def spent(self) -> bool:
        """Say whether the `MIN` minutes have passed; never where those were not given."""
        return self.left() <= 0

    def left(self) -> float:
        """Return how many seconds are left of the `MIN` minutes; without end where those were not given."""
        return self.began + self.minutes * 60 - time.monotonic() if self.minutes else math.inf

    def ended(self) -> int:
        """Print the JSON line, and what was seen broken on standard error; return the exit code."""
        for line in (*self.broken[:20], *(f"not enough: {gap}" for gap in self.gaps)):
            print(line, file=sys.stderr)
        line = {
            "run": self.name,
            "seed": self.seed,
            "n": self.n,
            "break": self.planted or None,
            "seconds": round(time.monotonic() - self.began, 1),
            "counts": self.counts,
            "coverage": self.coverage,
            "broken": len(self.broken),
            "gaps": self.gaps,
        }
        print(json.dumps(line, ensure_ascii=False))
        return CAUGHT if self.broken else UNUSABLE if self.gaps else CLEAN


def start_run(name: str, planted: Planted, n: int) -> Run:
    """Read the environment, plant the bug that `BREAK` names, and return the run; `n` tries are the default.

    Ends the process with one sentence when a value is not usable.
    """
    asked = os.environ.get("BREAK", "")
    if asked and asked not in planted:
        sys.exit(f"BREAK={asked}: {name} knows {', '.join(sorted(planted))}")
    try:
        seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(2**32))
        run = Run(name, seed, int(os.environ.get("N") or n), float(os.environ.get("MIN") or 0), asked)
    except ValueError as wrong:
        sys.exit(f"SEED and N are whole numbers and MIN is minutes: {wrong}")
    if asked:
        planted[asked]()
    return run
