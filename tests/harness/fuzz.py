"""Make up what models say and do, and look for what must never happen: a misread text, a secret told, nobody's yes."""

import pkgutil
import sys
from importlib import import_module

from sayso.assembly.parts import DIALECTS, providers
from sayso.assembly.parts import dialect as dialect_called
from sayso.runtime.catalogue import catalogue
from sayso.surfaces.cli import commands
from tests.harness.fuzz_decisions import CORNERS, decided
from tests.harness.fuzz_ground import CLICK, FLOOR, LAYOUTS
from tests.harness.fuzz_planted import PLANTED
from tests.harness.fuzz_readers import Readers
from tests.harness.fuzz_sequences import Sequences
from tests.harness.told import Run, begun

N = 10_000
"""Sequences of actions; there are twice as many texts for the readers of each dialect."""
SHORT = 20
LONG = 1_000
"""From this many on, all that there is must have been tried."""
A_GROUND = 25


def read(run: Run) -> None:
    """Feed the readers of every dialect."""
    operations = catalogue(providers())
    valid: dict[str, int] = {}
    codes: set[str] = set()
    for dialect in map(dialect_called, DIALECTS):
        readers = Readers(run, dialect, operations, run.seed)
        readers.begin()
        for number in range(2 * run.n):
            readers.one()
            if number % max(50, run.n // 50) == 0:
                readers.timed()
            if run.planted and run.broken:
                return
        valid[dialect.name] = len(readers.read)
        codes |= readers.codes
        if run.n >= LONG and readers.can_say and not readers.read:
            run.gap(f"nothing valid was read in the dialect {dialect.name}")
    run.coverage |= {"dialects": sorted(DIALECTS), "operations read": valid, "problems": len(codes - {""})}


def act(run: Run) -> None:
    """Play sequences of actions."""
    operations = catalogue(providers())
    asking = {id_ for id_, one in operations.items() if one.asks in {"floor", "click"}}
    for id_ in sorted((FLOOR | CLICK) - asking):
        run.breach(f"{id_} does not ask in every mode, and the requirements say that it does")
    sequences = Sequences(run, operations)
    each, ground = min(A_GROUND, -(-run.n // len(LAYOUTS))), 0
    while run.counts.get("sequences", 0) < run.n and (not run.broken or not run.planted):
        sequences.ground(ground, min(each, run.n - run.counts.get("sequences", 0)))
        ground += 1
    run.coverage |= {
        "layouts": len(sequences.layouts),
        "operations proposed": len(sequences.proposed),
        "operations done": len(sequences.done - {""}),
    }
    if run.n >= LONG and operations.keys() - sequences.proposed:
        run.gap(f"never proposed: {', '.join(sorted(operations.keys() - sequences.proposed))}")


def main() -> int:
    """Run all three, and say how they went."""
    run = begun("fuzz", PLANTED, N)
    for found in pkgutil.iter_modules(commands.__path__, f"{commands.__name__}."):
        import_module(found.name)  # so that forks need not
    for part in (read, act):
        if not (run.planted and run.broken):
            part(run)
    if not (run.planted and run.broken):
        decided(run, whole=run.n >= LONG)
        run.coverage["corners"] = len(CORNERS)
    return run.ended()


if __name__ == "__main__":
    sys.exit(main())
