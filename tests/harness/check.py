"""Run every harness once as it is and once with each of its planted bugs, and show that all of them are caught."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple

HARNESSES = ("kills", "races", "fuzz", "soak", "soak_page", "leftovers", "injection")
FEWEST = 3
"""How many planted bugs a harness must know at least."""


class Checked(NamedTuple):
    """What one run of a harness came to."""

    harness: str
    planted: str | None
    code: int
    line: str
    seen: str
    """The end of what it wrote on standard error: what it saw broken."""

    @property
    def as_it_should(self) -> bool:
        """Say whether a planted bug was caught, or nothing was found where nothing was planted.

        A run that ended without its line was none: a bug that could not be planted was not caught either.
        """
        return self.code == (1 if self.planted else 0) and self.line.startswith('{"run":')


def runs(names: tuple[str, ...]) -> Iterator[tuple[str, str | None, int]]:
    """Yield harness, planted bug or none, and how many tries; each module tells its `PLANTED` and its `SHORT` form."""
    for name in names:
        module = import_module(f"tests.harness.{name}")
        if len(module.PLANTED) < FEWEST:
            sys.exit(f"{name} knows {len(module.PLANTED)} planted bugs; it should know at least {FEWEST}")
        yield name, None, module.SHORT
        for planted in module.PLANTED:
            yield name, planted, module.SHORT


def needed(name: str) -> tuple[str, ...]:
    """Return the programs that a harness cannot do without."""
    return getattr(import_module(f"tests.harness.{name}"), "NEEDED", ())


def checked(harness: str, planted: str | None, n: int) -> Checked:
    """Run one harness in a process of its own; what is no short form draws its seed, and prints it in its line."""
    short = import_module(f"tests.harness.{harness}").SHORT
    seed = os.environ.get("SEED") or ("1" if n <= short else "")
    environ = {**os.environ, "N": str(n), "SEED": seed, "BREAK": planted or "", "MIN": ""}
    environ["PYTHONHASHSEED"] = "0"  # sets are gone through in one order, so that the same seed draws the same
    command = [sys.executable, "-m", f"tests.harness.{harness}"]
    ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    told = ran.stdout.strip().splitlines() or [""]
    return Checked(harness, planted, ran.returncode, told[-1], ran.stderr.strip()[-1200:])


def main(names: tuple[str, ...]) -> int:
    """Print one line for each run; return 0 when every planted bug was caught and nothing else was."""
    wrong = 0
    for asked in runs(names or HARNESSES):
        found = checked(*asked)
        wrong += not found.as_it_should
        print(
            "ok    " if found.as_it_should else "WRONG ",
            found.harness,
            found.planted or "(nothing planted)",
            found.line,
            "" if found.as_it_should else found.seen,
        )
    print(json.dumps({"run": "harness-check", "wrong": wrong}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:])))
