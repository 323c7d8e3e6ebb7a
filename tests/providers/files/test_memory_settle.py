"""What became of a step is told only where the world shows it."""

import pytest

from sayso.core.plan import CannotTell, Facts, NotDone
from sayso.providers.files.memory_settle import settled
from sayso.providers.files.steps import Copy, Exchange, MakeFolders, RemoveFolders, Rename, Steps, Write
from tests.providers.files.staged import HOME, MemoryStage

D = f"{HOME}/Documents"


@pytest.mark.parametrize(
    "step", [Write(f"{D}/a", "alpha", "k"), Copy(f"{D}/b", f"{D}/a", "k"), MakeFolders(f"{D}/a", (), "k")]
)
@pytest.mark.req("CR-01")
async def test_what_looks_right_without_the_token_is_no_proof(step: Steps):
    stage = MemoryStage()
    stage.file(f"{D}/a", b"alpha")

    assert isinstance(settled(stage.world, step, ()), CannotTell)


@pytest.mark.parametrize("step", [Rename(f"{D}/a", f"{D}/b"), Exchange(f"{D}/a", "k"), RemoveFolders(f"{D}/a", "k")])
async def test_what_went_somewhere_else_cannot_be_told(step: Steps):
    stage = MemoryStage()
    stage.folder(f"{D}/a")
    expects: Facts = ((await stage.backend().reads.look(f"{D}/a")).fact,)

    stage.remove(f"{D}/a")

    assert isinstance(settled(stage.world, step, expects), CannotTell)


async def test_what_is_still_there_was_not_moved():
    stage = MemoryStage()
    stage.file(f"{D}/a", b"alpha")
    expects: Facts = ((await stage.backend().reads.look(f"{D}/a")).fact,)

    assert isinstance(settled(stage.world, Rename(f"{D}/a", f"{D}/b"), expects), NotDone)
