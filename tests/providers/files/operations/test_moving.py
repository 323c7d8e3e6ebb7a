"""Moves, copies and deletions are done and taken back as they were planned."""

from typing import Any

import pytest

from sayso.core.plan import Answer, Plan
from tests.providers.files.batches import OPERATIONS
from tests.providers.files.staged import HOME, MemoryStage


@pytest.fixture
def stage() -> MemoryStage:
    made = MemoryStage()
    made.file(f"{HOME}/Documents/a", b"alpha")
    made.folder(f"{HOME}/Documents/f")
    made.file(f"{HOME}/Documents/f/x", b"inner")
    made.folder(f"{HOME}/Documents/stick", 3)
    return made


async def plan(stage: MemoryStage, name: str, **arguments: Any) -> Plan:
    found: Plan | Answer = await OPERATIONS[name].function(stage.backend().reads, **arguments)
    assert isinstance(found, Plan)
    return found


@pytest.mark.parametrize("source", ["a", "f"])
@pytest.mark.parametrize("target", ["new", "stick/new"], ids=["same disk", "another disk"])
@pytest.mark.parametrize("name", ["file.move", "file.copy"])
@pytest.mark.req("S0-28", "S0-30")
async def test_what_was_moved_or_copied_comes_back(stage: MemoryStage, name: str, source: str, target: str):
    before = stage.tree()
    wish = await plan(stage, name, source=f"~/Documents/{source}", destination=f"~/Documents/{target}")
    backend = stage.backend()

    lefts = [await backend.apply(change.do, change.expects) for change in wish.changes]

    assert (f"{source}" in stage.tree()) == (name == "file.copy")
    assert target in stage.tree()
    for change, left in reversed(list(zip(wish.changes, lefts, strict=True))):
        await backend.apply(change.undo, left.facts)
    assert stage.tree() == before


@pytest.mark.parametrize("trash", [True, False])
@pytest.mark.req("S0-31", "T-21")
async def test_what_was_deleted_comes_back(stage: MemoryStage, trash: bool):
    stage.world.disks_without_trash = set() if trash else {1}
    before = stage.tree()
    (change,) = (await plan(stage, "file.delete", path="~/Documents/f")).changes
    backend = stage.backend()

    left = await backend.apply(change.do, change.expects)

    assert "f" not in stage.tree()
    await backend.apply(change.undo, left.facts)
    assert stage.tree() == before


async def test_a_move_to_another_disk_expects_the_same_file_twice(stage: MemoryStage):
    copied, taken = (await plan(stage, "file.move", source="~/Documents/a", destination="~/Documents/stick/a")).changes

    assert copied.expects[0] == taken.expects[0]
