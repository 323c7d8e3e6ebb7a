"""What the operations on files plan."""

import sys
from typing import Any

import pytest

from sayso.core.errors import Refused
from sayso.core.plan import Answer, ChangeRef, OpenFile, Plan, ResultRef
from tests.providers.files.batches import OPERATIONS
from tests.providers.files.staged import MemoryStage

READS = ("file.list", "file.find", "file.read")


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("limit", [0, -1, 10**9, True, "5"])
def test_a_limit_beyond_bounds_does_not_pass_the_door(name: str, limit: object):
    _, problems = OPERATIONS[name].check({"path": "~/Documents", "pattern": "x", "limit": limit})

    assert "limit" in [problem.argument for problem in problems]


@pytest.mark.parametrize("name", READS)
@pytest.mark.req("X-08")
def test_what_they_find_is_text_of_strangers(name: str):
    operation = OPERATIONS[name]

    assert (operation.kind, operation.asks, operation.outside) == ("read", "none", True)


@pytest.mark.parametrize("size", [9_999, 10_000, 10_001])
async def test_ten_thousand_characters_are_read_unless_more_are_asked_for(size: int):
    stage = MemoryStage()
    stage.file(f"{stage.root}/long", "é".encode() * size)

    answer = await OPERATIONS["file.read"].function(stage.backend().reads, path="~/Documents/long")

    assert isinstance(answer, Answer)
    assert len(answer.text) == min(size, 10_000)
    assert answer.data["truncated"] == (size > 10_000)
    assert answer.data["total_bytes"] == 2 * size


async def opened_after_writing(stage: MemoryStage, name: str) -> Plan:
    backend: Any = stage.backend()
    written = await OPERATIONS["file.write"].function(backend.reads, path=f"~/Documents/{name}", content="echo")
    assert isinstance(written, Plan)
    seen = backend.imagine(backend.reads, written.changes[0].do, ChangeRef(0, 0))
    plan = await OPERATIONS["file.open"].function(seen, path=f"~/Documents/{name}")
    assert isinstance(plan, Plan)
    return plan


@pytest.mark.req("X-21")
async def test_a_script_that_was_just_written_is_not_opened():
    with pytest.raises(Refused) as caught:
        await opened_after_writing(MemoryStage(), "x.command")

    assert caught.value.code == "open.executable"


@pytest.mark.req("S0-35")
@pytest.mark.parametrize(("platform", "manager"), [("darwin", "Finder"), ("linux", "the file manager")])
async def test_the_file_manager_is_called_as_its_system_calls_it(
    platform: str, manager: str, monkeypatch: pytest.MonkeyPatch
):
    stage = MemoryStage()
    stage.file(f"{stage.root}/a.txt", b"a")
    monkeypatch.setattr(sys, "platform", platform)

    plan = await OPERATIONS["file.reveal"].function(stage.backend().reads, path="~/Documents/a.txt")

    assert isinstance(plan, Plan)
    assert plan.summary == f"Show “~/Documents/a.txt” in {manager}"


@pytest.mark.req("S0-33", "S0-96")
async def test_a_document_that_was_just_written_is_opened_as_that_step_left_it():
    stage = MemoryStage()

    plan = await opened_after_writing(stage, "tomorrow-tasks.md")

    path = f"{stage.root}/tomorrow-tasks.md"
    assert [change.do for change in plan.changes] == [OpenFile(path)]
    assert plan.changes[0].expects == (ResultRef(path, "unchanged", 0, 0),)


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
