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
from sayso.providers.files.local.steps import KILL_POINTS
from sayso.providers.files.model import (
    Copy,
    ExchangeFiles,
    Keep,
    MakeFolders,
    RemoveFolders,
    Rename,
    Replace,
    Restore,
    Steps,
    Trash,
    Unkeep,
    Write,
)
from tests.providers.files.local.desk import TOKEN, Desk, content, free, names

ENTRY = "home/.local/share/Trash/files/a." + TOKEN


async def scene(name: str, desk: Desk) -> tuple[Steps, Facts, Steps]:
    """Prepare what the step needs; return the step, what it expects, and the way back."""
    a, b = desk.documents / "a", desk.documents / "b"
    desk.file("a/x", "tree\n")
    entry = str(desk.base / ENTRY)
    match name:
        case "rename":
            return Rename(str(a), str(b)), (*await desk.facts(a), *free(b)), Rename(str(b), str(a))
        case "copy":
            return Copy(str(a), str(b), TOKEN), (*await desk.facts(a), *free(b)), Keep(str(b), TOKEN)
        case "keep":
            return Keep(str(a), TOKEN), await desk.facts(a), Unkeep(str(a), TOKEN)
        case "unkeep":
            left = await desk.do(Keep(str(a), TOKEN), await desk.facts(a))
            return Unkeep(str(a), TOKEN), left.facts, Keep(str(a), TOKEN)
        case "trash":
            return Trash(str(a), entry), await desk.facts(a), Restore(str(a), entry)
        case "restore":
            left = await desk.do(Trash(str(a), entry), await desk.facts(a))
            return Restore(str(a), entry), left.facts, Trash(str(a), entry)
        case _:
            return await scene_of_files(name, desk, b)


async def scene_of_files(name: str, desk: Desk, b: Path) -> tuple[Steps, Facts, Steps]:
    """Prepare the same for the steps that make or exchange something."""
    match name:
        case "make_folders":
            return MakeFolders(str(b), ("c", "d"), TOKEN), free(b), RemoveFolders(str(b), TOKEN)
        case "remove_folders":
            left = await desk.do(MakeFolders(str(b), ("c", "d"), TOKEN), free(b))
            return RemoveFolders(str(b), TOKEN), left.facts, MakeFolders(str(b), ("c", "d"), TOKEN + "2")
        case "write":
            return Write(str(b), "new\n", TOKEN), free(b), Keep(str(b), TOKEN)
        case "replace":
            b.write_text("old\n")
            return Replace(str(b), "new\n", TOKEN), await desk.facts(b), ExchangeFiles(str(b), TOKEN)
        case "exchange":
            b.write_text("old\n")
            left = await desk.do(Replace(str(b), "new\n", TOKEN), await desk.facts(b))
            return ExchangeFiles(str(b), TOKEN), left.facts, ExchangeFiles(str(b), TOKEN)
        case _:
            raise ValueError(name)


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
    base.mkdir()
    out = base / "out"
    assert in_child(lambda: scene(name, Desk(base)), out) == 0
    step, expects, undo = pickle.loads(out.read_bytes())  # noqa: S301 - written by this very program
    before = content(base / "home/Documents")
    died = in_child(lambda: Desk(base, kill=die(label)).backend.apply(step, expects), out)
    after = content(base / "home/Documents")
    assert in_child(lambda: Desk(base).backend.settle(step, expects), out) == 0
    settled = pickle.loads(out.read_bytes())  # noqa: S301 - written by this very program
    settled_tree = content(base / "home/Documents")
    undone = None
    if isinstance(settled, Applied):
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
        "infos": names(base / ENTRY / "../../info") if (base / ENTRY / "../../info").exists() else [],
    }


def main(base: str, *names: str) -> None:
    """Go through every death of these steps."""
    for label in KILL_POINTS:
        name = label.split(".")[1]
        if name in names:
            print(json.dumps(killed(name, label, Path(base) / label)), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
