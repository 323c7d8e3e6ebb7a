"""Do steps in processes that die at their kill points, and settle them in others; a program that tests start.

Prints one JSON line for each kill point of the steps: what was said, and the tree before and after.
"""

import json
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio

from sayso.core.plan import Applied, Facts
from sayso.core.ports import Backend
from sayso.providers.files.local.steps import KILL_POINTS
from sayso.providers.files.model import FileStep
from sayso.testing.files import STEP_CASES, case_of, plant
from tests.providers.files.local.desk import TOKEN, Desk, content, names
from tests.providers.files.staged import DiskStage

INFOS = "home/.local/share/Trash/info"
FOLDERS_FIRST = sorted(STEP_CASES, key=lambda name: "folder" not in name)


class DeskStage(DiskStage):
    """The same disk as that of a desk, for the cases of the suite."""

    def backend(self) -> Backend:
        """Return the backend of this disk."""
        return Desk(self.base).backend


async def scene(name: str, base: Path) -> tuple[FileStep, Facts, FileStep | None]:
    """Prepare what the step needs; return the step, what it expects, and the way back if there is one.

    It is that of a case of the suite, or of the way back of one.
    """
    stage = DeskStage(base)
    plant(stage)
    cases = [await case_of(case, stage) for case in FOLDERS_FIRST]
    for case in cases:
        if case.do.step == f"file.{name}":
            return case.do, case.expects, case.undo
    for case in cases:
        if case.undo.step == f"file.{name}":
            left = await stage.backend().apply(case.do, case.expects)
            back = case.undo.way_back(lambda: TOKEN)
            return case.undo, left.facts, back if isinstance(back, FileStep) else None
    raise ValueError(f"no case of the suite does file.{name}")


def in_child(work: Callable[[], Awaitable[object]], out: Path) -> int:
    """Do this in a process of its own and write down what it returns; return how the process ended."""
    child = os.fork()
    if child == 0:
        try:
            out.write_bytes(pickle.dumps(anyio.run(work)))
            os._exit(0)
        except BaseException:  # noqa: BLE001 - whatever it is, the other process must see that it did not end well
            traceback.print_exc()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def die(label: str) -> Callable[[str], None]:
    """Return a kill point that ends the process at this label."""

    def kill(now: str) -> None:
        if now == label:
            os.kill(os.getpid(), signal.SIGKILL)

    return kill


def killed(name: str, label: str, base: Path) -> dict[str, object]:
    """Go through one death; return what was said and how the disk looked."""
    out = base / "out"
    assert in_child(lambda: scene(name, base), out) == 0
    step, expects, undo = pickle.loads(out.read_bytes())  # noqa: S301 - written by this very program
    before = content(base / "home/Documents")
    died = in_child(lambda: Desk(base, kill=die(label)).backend.apply(step, expects), out)
    after = content(base / "home/Documents")
    assert in_child(lambda: Desk(base).backend.settle(step, expects), out) == 0
    settled = pickle.loads(out.read_bytes())  # noqa: S301 - written by this very program
    settled_tree = content(base / "home/Documents")
    undone = None
    if isinstance(settled, Applied) and undo is not None:
        back = in_child(lambda: Desk(base).backend.apply(undo, settled.facts), out)
        undone = back == 0 and (content(base / "home/Documents") == before)
    return {
        "label": label,
        "died": died,
        "said": type(settled).__name__,
        "changed": after != before,
        "settling_changed": settled_tree != after,
        "undone": undone,
        "kept": names(base / "own/trash") if (base / "own/trash").exists() else [],
        "infos": names(base / INFOS) if (base / INFOS).exists() else [],
    }


def main(base: str, *names: str) -> None:
    """Go through every death of these steps."""
    for label in KILL_POINTS:
        name = label.split(".")[1]
        if name in names:
            print(json.dumps(killed(name, label, Path(base) / label)), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
