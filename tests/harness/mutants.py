"""Change the code of the guarded rooms bit by bit; each change must make a test fail, or be listed with a reason.

`N=` tries that many of the changes, drawn by `SEED`; `FILES=` and `TESTS=` choose files and tests; `SINCE=` a commit,
and then only statements that were written after it are changed; `WORKERS=` says how many are tried at once.
"""

import gc
import importlib
import importlib.metadata
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.harness import mutants_list
from tests.harness.long_run import Planted, Run, start_run
from tests.harness.mutants_forks import (
    CRASHED,
    KILLED,
    SURVIVED,
    TIMED_OUT,
    UNFIT,
    UNREACHED,
    Loaded,
    loaded,
    plant,
    swap,
    verdicts,
)
from tests.harness.mutants_made import Mutant, mutants_of
from tests.harness.mutants_tests import FirstFailure, Judge, Known, Once, measure, read_known, write_known

ROOT = Path(__file__).parent.parent.parent
GUARDED = (
    "src/sayso/core/encoding.py",
    "src/sayso/core/operation.py",
    "src/sayso/core/schema.py",
    "src/sayso/core/sanitize.py",
    "src/sayso/policy/*.py",
    *(
        f"src/sayso/runtime/{name}.py"
        for name in ("engine", "questions", "planner", "executor", "apply", "proposal_state", "undo", "recovery")
    ),
    *(f"src/sayso/runtime/{name}.py" for name in ("services", "locks")),
    *(f"src/sayso/providers/files/local/{name}.py" for name in ("sandbox", "measure", "transaction")),
    "src/sayso/providers/files/paths.py",
    "src/sayso/providers/disk/syscalls.py",
    *(f"src/sayso/dialects/{name}.py" for name in ("base", "json", "fences", "vocabulary", "detect")),
    *(f"src/sayso/dialects/{name}.py" for name in ("blocks", "actions", "commands", "tools")),
    *(f"src/sayso/dialects/lines/{name}.py" for name in ("grammar", "reader", "dialect")),
)
TESTS = (
    "tests/core tests/policy tests/dialects tests/runtime tests/providers/files tests/providers/disk "
    "tests/testing tests/security"
)
MOST_SECONDS = 30.0
"""How long the tests of one mutant may take together; the quickest come first."""
SLOW = 3.0
"""Tests that take longer come last."""
PLANTED: Planted = {}
LOADED = "ignore::pytest.PytestAssertRewriteWarning"
ROOTED = ("-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}")
QUIET = ("-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", LOADED, *ROOTED)
NAMES = {
    KILLED: "killed",
    CRASHED: "killed",
    TIMED_OUT: "timed out",
    SURVIVED: "survived",
    UNREACHED: "not reached",
    UNFIT: "not tried",
}


def files_of(words: str) -> list[str]:
    """Return the guarded files that are asked for: a part of their path is enough."""
    guarded = sorted({str(file.relative_to(ROOT)) for glob in GUARDED for file in ROOT.glob(glob)})
    asked = words.split()
    return [file for file in guarded if not asked or any(word in file for word in asked)]


def written_since(commit: str, file: str) -> frozenset[int]:
    """Return the lines of a file that are not as they were at a commit."""
    words = ("git", "diff", "--unified=0", "--no-color", "--no-ext-diff", commit, "--", file)
    told = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    hunks = re.finditer(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", told, re.MULTILINE)
    return frozenset(line for hunk in hunks for line in range(int(hunk[1]), int(hunk[1]) + int(hunk[2] or 1)))


def tests_for(mutant: Mutant, known: Known) -> tuple[str, ...]:
    """Return the tests that reach a mutant: slow ones last, those of its own file first, the quickest before others.

    What is made when a file is imported is reached by no test of its own, so all those that come near it are taken.
    The other tests of its own file come after them: what is remembered is reached by the first that asks alone, and
    what a test does in a process of its own is not seen to be reached.
    """
    lines = known.reached.get(mutant.name.file, {})
    reach = lines.get(mutant.line) or frozenset[str]().union(*(lines.get(n, frozenset()) for n in mutant.lines))
    folder, _, file = mutant.name.file.replace("src/sayso/", "tests/").rpartition("/")
    own = f"{folder}/test_{file.removesuffix('.py').strip('_')}"
    if not reach or not mutant.in_function:
        reach = reach.union(*lines.values(), (test for test in known.seconds if test.startswith((own, f"{folder}/"))))

    def place(test: str) -> tuple[bool, bool, bool, bool, float]:
        seconds = known.seconds[test]
        return seconds > SLOW, test not in reach, not test.startswith(own), not test.startswith(folder), seconds

    chosen: list[str] = []
    total = 0.0
    for test in sorted(reach.union(test for test in known.seconds if test.startswith(own)), key=place):
        total += known.seconds[test]
        if chosen and total > MOST_SECONDS:
            break
        chosen.append(test)
    return tuple(chosen)


def limit(tests: Sequence[str], known: Known) -> float:
    """Return the seconds after which a mutant counts as hanging."""
    return 20.0 + 10 * sum(known.seconds[test] for test in tests)


class Warm:
    """The process that has collected all tests, and forks for each change that can be swapped in."""

    def __init__(self, mutants: Sequence[Mutant], place: Path, workers: int) -> None:
        self._mutants = mutants
        self._place = place
        self._workers = workers
        self._files = sorted({mutant.name.file for mutant in mutants})

    def work(self, session: pytest.Session, judge: Judge) -> None:
        """Measure, then try; write down both."""
        known = self._measured(session, judge)
        write_known(known, self._place / "known")
        by_name = {item.nodeid: item for item in session.items}
        functions = loaded(str(ROOT / file) for file in self._files)
        tasks = [
            ((number, tests_for(mutant, known)), limit(tests_for(mutant, known), known))
            for number, mutant in enumerate(self._mutants)
            if mutant.in_function
        ]

        def tried(task: tuple[int, tuple[str, ...]]) -> bytes:
            number, tests = task
            return self._tried(self._mutants[number], [by_name[test] for test in tests], functions, judge)

        gc.freeze()
        with (self._place / "verdicts").open("w", encoding="ascii") as out:
            for (number, _), said in verdicts(tasks, tried, self._workers):
                out.write(f"{number} {said.decode()}\n")
                out.flush()

    def _measured(self, session: pytest.Session, judge: Judge) -> Known:
        shares = [some for share in range(self._workers) if (some := session.items[share :: self._workers])]
        known = Known()

        def work(share: int) -> bytes:
            return write_known(measure(shares[share], judge, self._files, ROOT), self._place / f"share{share}")

        for share, said in verdicts([(share, 3600.0) for share in range(len(shares))], work, self._workers):
            if said != SURVIVED:
                sys.exit("the tests could not be run on the unchanged code")
            known.add(read_known(self._place / f"share{share}"))
        return known

    @staticmethod
    def _tried(mutant: Mutant, items: list[pytest.Item], functions: Loaded, judge: Judge) -> bytes:
        path = ROOT / mutant.name.file
        if not items or not swap(functions[str(path)], mutant.code(path)):
            return UNFIT
        return KILLED if judge.any_fails(items) else SURVIVED


def warmed(warm: Warm, tests: str) -> bytes:
    """Collect the tests and work; called in a fork."""
    code = pytest.main([*QUIET, *shlex.split(tests)], plugins=[Once(warm.work)])
    return SURVIVED if code == pytest.ExitCode.OK else CRASHED


def preload() -> None:
    """Import what every fork would import again; nothing of sayso and of its tests."""
    for entry in importlib.metadata.entry_points(group="pytest11"):
        importlib.import_module(entry.module)
    for name in ("asyncio", "hypothesis.strategies", "msgspec", "rfc8785", "sqlite3", "tomlkit"):
        importlib.import_module(name)


# A test file that cannot be imported any more fails too.
_ENDS: dict[int, bytes] = {
    pytest.ExitCode.OK: SURVIVED,
    pytest.ExitCode.NO_TESTS_COLLECTED: SURVIVED,
    pytest.ExitCode.TESTS_FAILED: KILLED,
    pytest.ExitCode.INTERRUPTED: KILLED,
}


def fresh(mutant: Mutant, tests: Sequence[str], known: Known, seed: int) -> bytes:
    """Try a mutant in a process that imports the changed file; called in a fork of one that has not loaded sayso."""
    path = ROOT / mutant.name.file
    # A file that cannot be imported any more ends the fork here, and so fails its tests.
    importlib.import_module(plant(mutant.name.file, path, mutant.code(path)))
    files = dict.fromkeys(known.places[test] for test in tests)
    words = [*QUIET, "-x", f"--hypothesis-seed={seed}", *files]
    code = pytest.main(words, plugins=[FirstFailure(tests)])
    return _ENDS.get(code, UNFIT)


def tried(mutants: Sequence[Mutant], tests: str, workers: int, seed: int, run: Run) -> Iterator[tuple[Mutant, bytes]]:
    """Yield each mutant with what became of it."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        place = Path(folder)
        warm = Warm(mutants, place, workers)
        words = f"--hypothesis-seed={seed} {tests}"
        ((_, said),) = verdicts([(0, 36_000.0)], lambda _: warmed(warm, words), 1, str(place / "log"))
        if said != SURVIVED or not (place / "verdicts").exists():
            sys.exit((place / "log").read_text() + "the tests could not be collected, or the run ended early")
        known = read_known(place / "known")
        early = [line.split() for line in (place / "verdicts").read_text(encoding="ascii").splitlines()]
    run.count("tests", len(known.seconds))
    run.coverage["failing before any change"] = known.failed
    swapped = {int(number): letter.encode() for number, letter in early}
    again: list[Mutant] = []
    for number, mutant in enumerate(mutants):
        if swapped.get(number, UNFIT) in {SURVIVED, UNFIT}:
            again.append(mutant)
        else:
            yield mutant, swapped[number]
    yield from _afresh(again, known, workers, seed)


def _afresh(mutants: Sequence[Mutant], known: Known, workers: int, seed: int) -> Iterator[tuple[Mutant, bytes]]:
    chosen = {mutant.name: tests_for(mutant, known) for mutant in mutants}
    yield from ((mutant, UNREACHED) for mutant in mutants if not chosen[mutant.name])
    tasks = [(m, 30.0 + limit(chosen[m.name], known)) for m in mutants if chosen[m.name]]
    yield from verdicts(tasks, lambda mutant: fresh(mutant, chosen[mutant.name], known, seed), workers)


def main() -> int:
    """Try the mutants that are asked for; return 1 when one survives that is not listed."""
    run = start_run("mutants", PLANTED, 0)
    os.chdir(ROOT)
    preload()
    files = files_of(os.environ.get("FILES", ""))
    mutants = [mutant for file in files for mutant in mutants_of(ROOT, file)]
    if since := os.environ.get("SINCE"):
        fresh_lines = {file: written_since(since, file) for file in files}
        mutants = [mutant for mutant in mutants if fresh_lines[mutant.name.file].intersection(mutant.lines)]
    if run.n:
        mutants = random.Random(run.seed).sample(mutants, min(run.n, len(mutants)))
    listed = {entry.name for entry in mutants_list.read(ROOT).listed}
    run.coverage["files"] = len(files)
    run.count("mutants", len(mutants))
    tests, workers = os.environ.get("TESTS") or TESTS, int(os.environ.get("WORKERS") or 2)
    for mutant, said in tried(mutants, tests, workers, run.seed, run):
        lives = said in {SURVIVED, UNREACHED, UNFIT}
        run.count("listed" if lives and mutant.name in listed else NAMES[said])
        if lives and mutant.name not in listed:
            _told(run, f"{NAMES[said]}: {mutant}")
        if not lives and mutant.name in listed:
            _told(run, f"listed, and yet {NAMES[said]}: {mutant}")
    return run.ended()


def _told(run: Run, what: str) -> None:
    """Tell at once what a long run found; the end of it tells only the first."""
    print(what, file=sys.stderr, flush=True)
    run.breach(what)


if __name__ == "__main__":
    sys.exit(main())
