"""Batches of file wishes for property tests, on the world that the suite plants."""

from collections.abc import Mapping

from hypothesis import strategies as st

from sayso.core.operation import Operation
from sayso.providers.files import FILES
from sayso.testing.files import (
    FileStage,
    Wish,
    execute_batch,
    facts,
    must_agree,
    plan_wishes,
    plant,
    snapshot_of,
    undo_batch,
)
from sayso.testing.harness import OperationsById

OPERATIONS: Mapping[str, Operation] = OperationsById(FILES.operations)
NAMES = ("a", "b", "c", "x", "l", "m", "g", "new")


@st.composite
def wishes(draw: st.DrawFn, root: str) -> list[Wish]:
    """Draw batches of up to ten wishes; most name what is there by then, or a free name in a folder."""
    there = ["a", "empty", "b", "b/x", "b/c", "b/c/y", "b/g", "b/m", "l", "l/x"]
    folders = ["", "b", "b/c", "l", "b/g"]
    batch: list[Wish] = []
    for _ in range(draw(st.integers(1, 10))):
        source = draw(st.sampled_from(there))
        above = draw(st.sampled_from(folders))
        target = f"{above}/{draw(st.sampled_from(NAMES))}".lstrip("/")
        batch.append(_wish(draw, f"{root}/{source}", f"{root}/{target}"))
        there.append(target)
        folders.append(target)
    return batch


def _wish(draw: st.DrawFn, source: str, target: str) -> Wish:
    name = draw(st.sampled_from(["move", "move", "move", "copy", "delete", "mkdir", "write", "rewrite", "append"]))
    text = draw(st.sampled_from(["", "one\n", "zwölf\n"]))
    match name:
        case "move" | "copy":
            return f"file.{name}", {"source": source, "destination": target}
        case "delete":
            return "file.delete", {"path": source}
        case "mkdir":
            return "file.mkdir", {"path": f"{target}{draw(st.sampled_from(['', '/c', '/c/x']))}"}
        case "write":
            return "file.write", {"path": target, "content": text}
        case _:
            return "file.append" if name == "append" else "file.write", {"path": source, "content": text}


def looked_at(root: str, batch: list[Wish]) -> list[str]:
    """Return the root, all it holds, the paths of a batch, and some below them."""
    named = dict.fromkeys(path for _, wish in batch for key, path in wish.items() if key != "content")
    below = [f"{path}/{name}" for path in named for name in ("c", "x")]
    return list(dict.fromkeys([root, *[f"{root}/{name}" for name in NAMES], *named, *below]))


async def hold_against_the_world(stage: FileStage, batch: list[Wish]) -> None:
    """Plan a batch, keep what it was shown, do it, and compare; then take it back and compare again."""
    plant(stage)
    paths = looked_at(stage.root, batch)
    backend = stage.backend()
    before = stage.tree()

    plans = await plan_wishes(backend, OPERATIONS, batch)
    promised, expected = await snapshot_of(plans.seen, paths), await facts(plans.seen, paths)
    lefts = await execute_batch(backend, plans)
    real = stage.backend().reads

    found = await snapshot_of(real, paths)
    wrong = {what: (promised[what], found[what]) for what in found if promised[what] != found[what]}
    assert wrong == {}, f"{[change.do for _, change in plans.changes]}"
    for path, fact in (await facts(real, paths)).items():
        must_agree(expected[path], fact, lefts)
    await undo_batch(backend, plans, lefts)
    assert stage.tree() == before
