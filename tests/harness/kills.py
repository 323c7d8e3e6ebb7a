"""Kill sayso in the middle of deeds, undos and recoveries while somebody else is at work beside it; hold what is left.

Real processes do real deeds on real files. Each is killed at a named boundary, or at a moment after the journal shows
that something has begun. What they leave is looked at by a program of its own (`kills_auditor.py`).
"""

import gc
import os
import random
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from itertools import cycle
from pathlib import Path

import anyio

from sayso.core.ports import no_kill_point
from tests.harness.kills_deeds import TEXTS, Cell, Spot, Spots, Way, a_program, a_template, laid, spots
from tests.harness.kills_planted import PLANTED
from tests.harness.kills_tries import Other, Tries, Try
from tests.harness.long_run import start_run
from tests.journeys.dying import RECOVERY, WARM

LONG, WHOLE = 1_000, 500
"""How many kills the long form has; from how many on every boundary of every operation is died at."""
SHORT = 13
"""How many kills the short form has: those of FIRST, and none at a moment that is drawn."""
PER_CELL = 5
"""How often a process dies at each boundary of each operation at least, in the long form."""
INSIDE = 0.9
"""How many of the kills lie between the first *begun* and the last *done* at least."""

OFTEN = (
    ("recovery.before",),
    (),
    ("journal.before_commit", "recovery.before"),
    (),
    (),
    ("recovery.before", "journal.before_commit", "journal.before_commit"),
    (),
)
"""At what a recovery dies, and then the recovery of that recovery."""
AT_THE_END = (
    ("recovery.before", "journal.before_commit", "recovery.after"),
    ("recovery.before", "journal.after_commit"),
)
"""The same, and at last when all is settled."""
BEFORE_IT_LOOKS = ("path.claimed", "path.begun", "undo.begun")
INTO_THE_FREE = ("rename", "copy", "make_folders", "write", "restore")
"""The steps that put something at a free path."""
MEMORY = Path("/dev", "shm")

DO, UNDO = Way.DO, Way.UNDO
FIRST = (
    Try("write a new file", DO, label="files.write.filled"),
    Try("make folders", DO, label="files.make_folders.begun", other=Other.STANDS_THERE),
    Try("move a file", DO, asked=True, label="files.rename.begun", other=Other.TAKES),
    Try("copy a folder", DO, label="files.copy.filled", recovering=("recovery.before", "journal.before_commit")),
    Try("move a file", UNDO, label="files.rename.synced", recovering=("journal.after_commit",)),
    Try("append", DO, label="files.replace.synced", second=True),
    Try("copy a file", DO, asked=True, label="files.copy.noted", other=Other.FIRST),
    Try("delete a file", DO, label="files.trash.noted", recovering=("recovery.before", "recovery.after")),
    Try("write a new file", DO, asked=True, label="files.write.synced"),
    Try("make folders", DO, label="files.make_folders.renamed", other=Other.GOES_IN),
    Try("move a folder", UNDO, label="undo.begun", second=True),
    Try("write over a file", UNDO, label="files.exchange.exchanged", other=Other.STANDS_THERE),
    Try("a batch of deeds that stand alone", DO, label="files.trash.renamed", number=1),
)
"""What every run begins with, and all that the short form has: deaths that catch each of the planted bugs."""


def main() -> int:
    """Make the run that the environment asks for, and return its exit code."""
    with tempfile.TemporaryDirectory(prefix="sayso-kills-", dir=_room()) as folder:
        base = Path(folder)
        template = a_warm_start(base)
        run = start_run("kills", PLANTED, LONG)
        auditor, outsider = a_program("tests.harness.kills_auditor"), a_program("tests.harness.kills_outsider")
        tries = Tries(run, random.Random(run.seed), template, base, auditor, outsider)
        try:
            _go(tries, spots(template, base / "dry") if run.n >= WHOLE or run.minutes else {})
        except (OSError, EOFError, AssertionError, LookupError, ValueError) as fault:
            # A fault of the harness itself is told, and is no broken promise.
            traceback.print_exc()
            run.gap(f"the harness could not go on: {fault!r}")
        finally:
            signal.alarm(0)
            auditor.end()
            outsider.end()
    return run.ended()


def _room() -> Path | None:
    """Return a folder in memory where there is one: what a killed process has written stays, wherever it lies."""
    return MEMORY if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) else None


def a_warm_start(base: Path) -> Path:
    """Do one deed here, so that every fork has all at hand that is made at its first use; return the template."""
    for module in WARM:
        import_module(module)
    template = a_template(base / "template")
    warm = laid(template, base / "warm", TEXTS["a batch"], asked=True, way=DO)
    for work in (warm.doing(no_kill_point), warm.taking_back(no_kill_point)):
        anyio.run(work)
    gc.freeze()  # what is there already is shared with every fork
    return template


def _go(tries: Tries, known: Spots) -> None:
    run = tries.run
    for one in FIRST if run.fixed(SHORT) else _plan(tries.rng, known):
        if (run.over(tries.kills) and not run.fixed(SHORT)) or (run.planted and run.broken):
            break
        tries.go(one)
    share = tries.inside / max(tries.all_kills, 1)
    run.count("kills", tries.all_kills)
    run.coverage |= {
        "between begun and done": round(share, 3),
        "operation x boundary": len(list(_cells(known))),
        "at boundaries": _by_operation(tries.cells),
        "fewest at one": min((tries.cells.get(cell, 0) for cell in _cells(known)), default=0),
    }
    if share < INSIDE and run.n >= WHOLE:
        run.gap(f"{share:.0%} of the kills lay between the first begun and the last done, fewer than {INSIDE:.0%}")
    least = PER_CELL * min(run.n, LONG) // LONG
    for cell in _cells(known):
        if tries.cells.get(cell, 0) < least:
            run.gap(f"{' '.join(cell)} was died at {tries.cells.get(cell, 0)} times, fewer than {least}")


def _by_operation(cells: dict[Cell, int]) -> dict[str, int]:
    counted = Counter[str]()
    for cell, count in cells.items():
        counted[f"{cell.operation} {cell.way}"] += count
    return dict(sorted(counted.items()))


def _cells(known: Spots) -> Iterator[Cell]:
    """Yield every boundary of every operation; each can also die while it is recovered."""
    yield from known
    for operation in dict.fromkeys(cell.operation for cell in known):
        yield from (Cell(operation, Way.RECOVERY, label) for label in dict.fromkeys(RECOVERY))


def _plan(rng: random.Random, known: Spots) -> Iterator[Try]:
    """Yield what is tried, in order; it never ends."""
    yield from FIRST
    at_boundaries = list(_recovering(_each_boundary(rng, known)))
    rng.shuffle(at_boundaries)
    yield from at_boundaries
    recovering = cycle(OFTEN)
    while True:
        way = rng.choice((DO, DO, UNDO))
        other = rng.choice((Other.NOTHING, Other.NOTHING, Other.STANDS_THERE, Other.TAKES))
        yield Try(rng.choice(list(TEXTS)), way, rng.random() < 0.5, other=other, recovering=next(recovering))


def _recovering(tries: Iterable[Try]) -> Iterator[Try]:
    """Yield them with what their recovery dies at; at what comes after the end only as often as need be."""
    often, ended = cycle(OFTEN), Counter[str]()
    for one in tries:
        if one.inside and one.operation and ended[one.operation] < len(AT_THE_END) * (PER_CELL + 2):
            yield replace(one, recovering=AT_THE_END[ended[one.operation] % len(AT_THE_END)])
            ended[one.operation] += 1
        else:
            yield replace(one, recovering=next(often))


def _each_boundary(rng: random.Random, known: Spots) -> Iterator[Try]:
    others = cycle((Other.NOTHING, Other.NOTHING, Other.STANDS_THERE, Other.TAKES, Other.GOES_IN))
    for cell, found in known.items():
        # A commit before the first begun, or the last one's end, is died at once for each five inside.
        inside = [spot for spot in found if spot.inside] or found
        picked = [*rng.choices(inside, k=PER_CELL - 1), rng.choice(found)]
        yield from (_at(cell, spot, next(others)) for spot in picked)
    before = [(cell, spot) for cell, found in known.items() for spot in found if _can_be_first(cell, spot)]
    yield from (_at(*rng.choice(before), Other.FIRST) for _ in range(50 if before else 0))
    single = [(cell, spot) for cell, found in known.items() for spot in found if spot.inside and "." in cell.label]
    for _ in range(50 if single else 0):
        cell, spot = rng.choice(single)
        yield replace(_at(cell, spot, Other.NOTHING), second=True, at=0, operation="")


def _can_be_first(cell: Cell, spot: Spot) -> bool:
    """Say whether somebody else can get in the way there, and sayso can still keep its hands off.

    That is before it looks, or up to where it puts something at a free path. What is put in the place of a thing
    between the look and the taking is brought back, unless the process dies at that very moment.
    """
    return cell.label in BEFORE_IT_LOOKS or (spot.before and cell.label.split(".")[1] in INTO_THE_FREE)


def _at(cell: Cell, spot: Spot, other: Other) -> Try:
    if other is Other.GOES_IN and cell.operation not in {"file.mkdir", "file.copy"}:
        other = Other.NOTHING
    return Try(
        spot.deed, spot.way, spot.asked, cell.label, spot.at, spot.number, cell.operation, other, inside=spot.inside
    )


if __name__ == "__main__":
    sys.exit(main())
