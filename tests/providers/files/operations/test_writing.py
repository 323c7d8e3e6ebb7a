"""What is written is what was planned, and the former content comes back with its own inode."""

from typing import Any

import pytest

from sayso.core.plan import Plan
from tests.providers.files.batches import OPERATIONS
from tests.providers.files.staged import MemoryStage


@pytest.mark.parametrize(
    ("name", "arguments", "path", "holds"),
    [
        ("file.write", {"content": "é"}, "new", b"\xc3\xa9"),
        ("file.write", {"content": "other\n"}, "a", b"other\n"),
        ("file.append", {"content": "b"}, "a", b"a\nb"),
        ("file.append", {"content": "b"}, "new", b"b"),
        ("file.append", {"content": ""}, "new", b""),
    ],
)
@pytest.mark.req("S0-36", "S0-37", "T-19", "T-20")
async def test_text_is_written_and_taken_back(name: str, arguments: dict[str, Any], path: str, holds: bytes):
    stage = MemoryStage()
    stage.file(f"{stage.root}/a", b"a\n")
    before = stage.tree()
    plan = await OPERATIONS[name].function(stage.backend().reads, path=f"~/Documents/{path}", **arguments)
    assert isinstance(plan, Plan)
    (change,) = plan.changes

    left = await stage.backend().apply(change.do, change.expects)

    assert stage.thing(f"{stage.root}/{path}").data == holds
    await stage.backend().apply(change.undo, left.facts)
    assert stage.tree() == before


@pytest.mark.req("S0-32")
async def test_folders_are_made_and_taken_away_again():
    stage = MemoryStage()
    plan = await OPERATIONS["file.mkdir"].function(stage.backend().reads, path="~/Documents/a/b/c")
    assert isinstance(plan, Plan)
    (change,) = plan.changes

    left = await stage.backend().apply(change.do, change.expects)

    assert list(stage.tree()) == ["a", "a/b", "a/b/c"]
    await stage.backend().apply(change.undo, left.facts)
    assert stage.tree() == {}
