"""Fuzz the readers and the path: no text is misread, no secret leaks, and nothing is decided without the person."""

import os
import pkgutil
import subprocess
import sys
from importlib import import_module

from sayso.assembly.parts import providers
from sayso.runtime.registry import catalogue
from sayso.surfaces.cli import commands
from tests.harness.fuzz_decisions import CORNERS, decided
from tests.harness.fuzz_ground import CLICK, FLOOR, LAYOUTS
from tests.harness.fuzz_many import LEAST, MOST, Many
from tests.harness.fuzz_names import READERS
from tests.harness.fuzz_planted import PLANTED
from tests.harness.fuzz_readers import Readers
from tests.harness.fuzz_sequences import Sequences
from tests.harness.fuzz_texts import Said
from tests.harness.told import Run, begun

N = 10_000
"""Sequences of actions; for each of them every reader gets `INPUTS` inputs, in a short run `FEW_INPUTS`."""
INPUTS, FEW_INPUTS = 100, 30
SHORT = 20
LONG = 1_000
"""From this many on, all that there is must have been tried."""
WHOLE = 200
"""Of so many inputs one is held to everything, cut in every way; of a short run one of `WHOLE_OF_FEW`."""
WHOLE_OF_FEW = 50
COVERED = 5_000
"""With so many inputs of its own the branches that a reader goes through are counted."""
ENOUGH = 90.0
A_GROUND = 25


def read(run: Run) -> None:
    """Feed every reader."""
    operations = catalogue(providers())
    told: dict[str, dict[str, object]] = {}
    for name, dialect in READERS.items():
        readers = Readers(run, dialect, operations, run.seed, timing=not run.fixed(SHORT))
        many = Many(run, dialect, operations, run.seed)
        readers.begin()
        many.begin()
        _fed(run, readers, many)
        if run.planted and run.broken:
            return
        told[name] = {"inputs": many.inputs, "with a valid proposal": round(many.share, 3), "problems": len(many.codes)}
        told[name]["operations"] = len(readers.read | many.read)
        if run.n >= LONG:
            told[name]["branches"] = share = _covered(name, run.seed)
            if share < ENOUGH:
                run.gap(f"only {share} % of the branches of the reader {name} were gone through")
            if not LEAST <= many.share <= MOST:
                run.gap(f"{many.share:.0%} of the inputs of the reader {name} hold a valid proposal")
    run.coverage["readers"] = told


def _fed(run: Run, readers: Readers, many: Many) -> None:
    inputs, whole = (INPUTS, WHOLE) if run.n >= LONG else (FEW_INPUTS, WHOLE_OF_FEW)
    for number in range(inputs * run.n):
        text = many.one()
        if number % whole == 0:
            readers.held(Said(text, None))
            readers.one()
        if number % max(5_000, inputs * run.n // 50) == 0:
            readers.timed()
        if run.planted and run.broken:
            return


def _covered(name: str, seed: int) -> float:
    command = [sys.executable, "-m", "tests.harness.fuzz_covered", name, str(COVERED), str(seed)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(ran.stdout)


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


def decide(run: Run) -> None:
    """Let programs without a terminal try to decide."""
    decided(run, whole=run.n >= LONG)
    run.coverage["corners"] = len(CORNERS)


PARTS = {"readers": read, "sequences": act, "decisions": decide}


def main() -> int:
    """Run the parts that `PART` names, or all three, and say how they went."""
    run = begun("fuzz", PLANTED, N)
    asked = os.environ.get("PART") or "readers sequences decisions"
    parts = [PARTS[name] for name in asked.split() if name in PARTS]
    if len(parts) < len(asked.split()):
        sys.exit(f"PART={asked}: there are {', '.join(PARTS)}")
    for found in pkgutil.iter_modules(commands.__path__, f"{commands.__name__}."):
        import_module(found.name)  # so that forks need not
    for part in parts:
        if not (run.planted and run.broken):
            part(run)
    return run.ended()


if __name__ == "__main__":
    sys.exit(main())
