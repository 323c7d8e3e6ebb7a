"""The file store in memory is a file backend like any other."""

from contextlib import AbstractContextManager, nullcontext

import pytest
from hypothesis import given, settings

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import CannotTell, Fact, Facts, NotDone
from sayso.core.ports import Ground
from sayso.providers.files.memory import MemoryBackend, build, settle_step
from sayso.providers.files.model import Copy, Exchange, Keep, MakeFolders, RemoveFolders, Rename, Steps, Trash, Write
from sayso.testing.fakes import FakeClock, Killed, NumberedIds
from sayso.testing.files import FilesSuite, FileStage, Wish
from tests.providers.files.batches import hold_against_the_world, wishes
from tests.providers.files.staged import HOME, MemoryStage

D = f"{HOME}/Documents"


@pytest.mark.parametrize(
    "step", [Write(f"{D}/a", "alpha", "k"), Copy(f"{D}/b", f"{D}/a", "k"), MakeFolders(f"{D}/a", (), "k")]
)
@pytest.mark.req("CR-01")
async def test_what_looks_right_without_the_token_is_no_proof(step: Steps):
    stage = MemoryStage()
    stage.file(f"{D}/a", b"alpha")

    assert isinstance(settle_step(stage.world, step, ()), CannotTell)


@pytest.mark.parametrize("step", [Rename(f"{D}/a", f"{D}/b"), Exchange(f"{D}/a", "k"), RemoveFolders(f"{D}/a", "k")])
async def test_what_went_somewhere_else_cannot_be_told(step: Steps):
    stage = MemoryStage()
    stage.folder(f"{D}/a")
    expects: Facts = ((await stage.backend().reads.look(f"{D}/a")).fact,)

    stage.remove(f"{D}/a")

    assert isinstance(settle_step(stage.world, step, expects), CannotTell)


async def test_what_is_still_there_was_not_moved():
    stage = MemoryStage()
    stage.file(f"{D}/a", b"alpha")
    expects: Facts = ((await stage.backend().reads.look(f"{D}/a")).fact,)

    assert isinstance(settle_step(stage.world, Rename(f"{D}/a", f"{D}/b"), expects), NotDone)


ROOT = f"{HOME}/Documents"


@pytest.mark.req("FS-01", "FS-02", "UN-01", "S0-77", "X-04")
class TestMemory(FilesSuite):
    """The suite on the world in memory."""

    def stage(self) -> AbstractContextManager[FileStage]:
        return nullcontext(MemoryStage())


@settings(max_examples=60)
@given(batch=wishes(ROOT))
async def test_what_a_batch_is_shown_is_what_is_there_once_it_was_done(batch: list[Wish]):
    await hold_against_the_world(MemoryStage(), batch)


async def test_a_new_world_holds_the_home_and_the_roots():
    backend = build(Ground({}, HOME, f"{HOME}/.sayso", (ROOT, f"{HOME}/Desktop"), FakeClock(), NumberedIds()))

    assert (await backend.reads.list("~/Desktop", 10)).entries == ()
    assert (backend.name, backend.imagines, backend.note) == ("memory", True, "")


@pytest.mark.parametrize("step", [Keep(ROOT, "k"), Trash(ROOT, "e"), Rename(ROOT, f"{ROOT}/x")])
@pytest.mark.req("T-21", "FS-12")
async def test_a_root_stays_where_it_is(step: Steps):
    with pytest.raises(Refused) as caught:
        await MemoryStage().backend().apply(step, ())

    assert caught.value.code == "path.is_root"


async def test_nothing_is_renamed_to_another_disk():
    stage = MemoryStage()
    stage.file(f"{ROOT}/a", b"")
    stage.folder(f"{ROOT}/stick", 2)

    with pytest.raises(ProviderError) as caught:
        await stage.backend().apply(Rename(f"{ROOT}/a", f"{ROOT}/stick/a"), ())

    assert caught.value.code == "disk.other"


@pytest.mark.req("FS-02")
async def test_a_way_that_became_a_link_is_not_taken():
    stage = MemoryStage()
    stage.file(f"{ROOT}/a", b"")
    stage.link(f"{ROOT}/f", "/etc")

    with pytest.raises(ProviderError):
        await stage.backend().apply(Rename(f"{ROOT}/a", f"{ROOT}/f/a"), ())


async def test_a_fact_of_another_domain_is_a_fault():
    facts: Facts = (Fact("x"),)

    with pytest.raises(TypeError):
        await MemoryStage().backend().apply(Keep(f"{ROOT}/a", "k"), facts)


async def test_a_process_may_die_before_a_step():
    def die(label: str) -> None:
        raise Killed

    stage = MemoryStage()
    stage.file(f"{ROOT}/a", b"")
    ground = Ground({}, HOME, f"{HOME}/.sayso", (ROOT,), FakeClock(), NumberedIds(), kill=die)
    before = stage.tree()

    with pytest.raises(Killed):
        await MemoryBackend(stage.world, ground).apply(Keep(f"{ROOT}/a", "k"), ())

    assert stage.tree() == before


async def test_a_copied_folder_whose_file_was_edited_since_is_not_taken_away():
    stage = MemoryStage()
    stage.folder(f"{ROOT}/a")
    stage.file(f"{ROOT}/a/todo", b"[ ]")
    backend = stage.backend()
    left = await backend.apply(Copy(f"{ROOT}/a", f"{ROOT}/b", "k1"), ())
    stage.thing(f"{ROOT}/b/todo").data = b"[x]"
    stage.thing(f"{ROOT}/b/todo").mtime_ns += 1

    with pytest.raises(ProviderError) as said:
        await backend.apply(Keep(f"{ROOT}/b", "k2"), left.facts)

    assert said.value.code == "world.changed"
    assert stage.thing(f"{ROOT}/b/todo").data == b"[x]"
