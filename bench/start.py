"""Measure how long sayso takes to start, and how much room it takes, beside a Python that does nothing.

All sides take turns, with modules compiled before, and what is printed is the median of the pairs' ratios. A journal
of many rows is measured with the home that `--home` names; what is run there is journaled there.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
MEGABYTE = 1024.0
"""Kilobytes, in which the kernel tells the room that a process took."""
MOST_ROOM = 45
PAGE_LINES = 40


@dataclass(frozen=True)
class Case:
    """One command line, the text it is given, and how many times the empty Python's time it may take."""

    words: tuple[str, ...]
    target: float
    text: str = ""


@dataclass(frozen=True)
class Took:
    """Seconds of one start by the clock, and of the processor, and the most room it took in kilobytes."""

    wall: float
    cpu: float
    room: int


CASES = (
    Case(("--version",), 2),
    Case(("--help",), 3),
    Case(("parse", "--dialect", "lines"), 6, "CREATE_FOLDER ~/Documents/Letters\n"),
    Case(("log",), 9),
    Case(("run", "--dialect", "lines", "--mode", "destructive"), 14, "CREATE_FOLDER ~/Documents/Letters-{n}\n"),
    Case(("ask", "what is in my documents"), 24),
)


class Ground:
    """A scratch home, and an environment in which compiled modules are kept and found again."""

    def __init__(self, folder: Path, home: Path | None = None) -> None:
        (folder / "Documents").mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COVERAGE", "XDG"))}
        self._environ = {
            **kept,
            "HOME": str(folder),
            "SAYSO_HOME": str(home or folder / "sayso"),
            "PYTHONPATH": str(ROOT / "src"),
            "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
        }

    def took(self, words: Sequence[str], text: str = "") -> Took:
        """Start Python with these words and wait for its end. Raises `RuntimeError` when it does not end well."""
        before = time.perf_counter()
        program = subprocess.Popen(
            [sys.executable, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=self._environ,
            start_new_session=True,
        )
        if program.stdin is None or program.stderr is None:
            raise RuntimeError("the program has no streams")
        with program.stdin as given, program.stderr as said:
            given.write(text.encode())
            given.close()
            complaint = said.read().decode()
            _, status, used = os.wait4(program.pid, 0)
        wall = time.perf_counter() - before
        program.returncode = os.waitstatus_to_exitcode(status)
        if program.returncode != 0:
            raise RuntimeError(f"{' '.join(words)} ended with {program.returncode}: {complaint}")
        return Took(wall, used.ru_utime + used.ru_stime, used.ru_maxrss)


def paired(ground: Ground, rounds: int) -> list[dict[str, object]]:
    """Return, for each case, the median over the rounds of its time beside the empty Python's of the same round."""
    ratios: dict[Case, list[tuple[float, float]]] = {case: [] for case in CASES}
    for number in range(-1, rounds):
        empty = ground.took(("-c", "pass"))
        for case in CASES:
            took = ground.took(("-m", "sayso", *case.words), case.text.format(n=number))
            if number >= 0:  # the first round compiles
                ratios[case].append((took.wall / empty.wall, took.cpu / empty.cpu))
    return [
        {
            "what": f"sayso {case.words[0]} beside python -c pass",
            "value": round(median(wall for wall, _ in found), 2),
            "target": case.target,
            "beside": f"{median(cpu for _, cpu in found):.2f} × in time of the processor",
        }
        for case, found in ratios.items()
    ]


def room(ground: Ground, what: str) -> dict[str, object]:
    """Return the most room that running a page of text takes."""
    words = ("-m", "sayso", "run", "--dialect", "lines", "--mode", "destructive")
    pages = [
        "".join(f"CREATE_FOLDER ~/Documents/page-{number}-{n}\n" for n in range(PAGE_LINES)) for number in range(3)
    ]
    took = median(ground.took(words, page).room for page in pages) / MEGABYTE
    return {"what": what, "value": round(took, 1), "target": MOST_ROOM, "unit": "MB", "beside": f"{PAGE_LINES} lines"}


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print a line for each, and at last all of them as one JSON line."""
    parser = argparse.ArgumentParser(prog="python -m bench.start", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--home", type=Path, help="a home of sayso whose journal has many rows")
    chosen = parser.parse_args(words)
    with TemporaryDirectory(prefix="start-") as folder:
        ground = Ground(Path(folder))
        lines = [*paired(ground, chosen.rounds), room(ground, "running a page of text, most room")]
    if chosen.home is not None:
        with TemporaryDirectory(prefix="start-") as folder:
            lines.append(room(Ground(Path(folder), chosen.home.absolute()), "the same with a journal of many rows"))
    for line in lines:
        print(f"{line['what']}: {line['value']} {line.get('unit', '×')} (at most {line['target']}); {line['beside']}")
    print(json.dumps({"lines": lines}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
