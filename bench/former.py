"""How sayso stands beside itself as it was before its modules were joined: commit 7ccaf49, in the same run."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from bench.line import Gap, Line
from bench.paired import ROOT, Took, in_turns, ratio, walls
from bench.size import Size

COMMIT = "7ccaf49"
FOLDER = ROOT / ".build" / "former" / COMMIT
PAGE = "".join(f"CREATE_FOLDER ~/Documents/page-{number}\n" for number in range(20_000))
COMMANDS: dict[str, tuple[tuple[str, ...], str]] = {
    "--version": (("--version",), ""),
    "log": (("log",), ""),
    "run of one line": (("run", "--dialect", "lines", "--mode", "never"), "CREATE_FOLDER ~/Documents/Letters\n"),
    "ask, with built-in rules": (("ask", "what is in my documents"), ""),
    "parse of 20,000 lines": (("parse", "--dialect", "lines"), PAGE),
}


def checkout() -> Path | None:
    """Return a folder with that commit, kept from run to run; None where the repository does not have it."""
    if not (FOLDER / "src").is_dir():
        FOLDER.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(["git", "archive", COMMIT, "src"], cwd=ROOT, capture_output=True, check=False)
        if archive.returncode != 0:
            return None
        subprocess.run(["tar", "-x", "-C", FOLDER], input=archive.stdout, check=True)
    return FOLDER


def measured(size: Size) -> list[Line | Gap]:
    """Count one `file.move` in both, then let their commands take turns."""
    then = checkout()
    if then is None:
        return [Gap(f"beside {COMMIT}", "this repository does not have that commit")]
    sides = {"now": Home(ROOT / "src", size), "then": Home(then / "src", size)}
    return [*_walks(sides), *(_beside(what, sides, size.rounds) for what in COMMANDS)]


class Home:
    """One of the two with a home of its own."""

    def __init__(self, source: Path, size: Size) -> None:
        home = Path(size.folder("home"))
        (home / "Documents").mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COVERAGE", "XDG"))}
        self._environ = {
            **kept,
            "HOME": str(home),
            "SAYSO_HOME": str(home / "sayso"),
            "PYTHONPATH": os.pathsep.join((str(source), str(ROOT))),
            "PYTHONPYCACHEPREFIX": str(home / "compiled"),
        }

    def python(self, *words: str, text: str = "") -> str:
        """Run this Python and return what it printed. Raises `CalledProcessError`."""
        ran = subprocess.run(
            [sys.executable, *words], env=self._environ, input=text, capture_output=True, text=True, check=True
        )
        return ran.stdout

    def took(self, words: tuple[str, ...], text: str) -> Took:
        """Return how long one command took."""
        began = time.perf_counter()
        self.python("-m", "sayso", *words, text=text)
        return Took(time.perf_counter() - began, 0)


def _walks(sides: dict[str, Home]) -> list[Line | Gap]:
    now, then = (json.loads(side.python("-m", "bench.sides.walk")) for side in sides.values())
    targets = {"imports": 90, "calls": 3500, "functions": 600, "modules": 60, "frames": 30, "engine": 31}
    return [
        Line(f"one file.move from the command line: {what}", now[what], most, unit="", beside=f"{then[what]} then")
        for what, most in targets.items()
    ]


def _beside(what: str, sides: dict[str, Home], rounds: int) -> Line:
    words, text = COMMANDS[what]
    for side in sides.values():
        side.took(words, text)  # the first time compiles
    took = in_turns({name: lambda side=side: side.took(words, text) for name, side in sides.items()}, rounds)
    return Line(f"sayso {what}, beside {COMMIT}", ratio(walls(took["now"]), walls(took["then"])), 1)
