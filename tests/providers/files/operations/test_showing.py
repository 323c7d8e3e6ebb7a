"""What an earlier step of a batch wrote is looked at before it is opened."""

import sys
from typing import Any

import pytest

from sayso.core.errors import Refused
from sayso.core.plan import AsLeft, OpenFile, Plan, Ref
from tests.providers.files.batches import OPERATIONS
from tests.providers.files.staged import MemoryStage


async def opened_after_writing(stage: MemoryStage, name: str) -> Plan:
    backend: Any = stage.backend()
    written = await OPERATIONS["file.write"].function(backend.reads, path=f"~/Documents/{name}", content="echo")
    assert isinstance(written, Plan)
    seen = backend.imagine(backend.reads, written.changes[0].do, Ref(0, 0))
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
    assert plan.changes[0].expects == (AsLeft(path, "unchanged", 0, 0),)
