"""Files in memory: the back end, and the tree below it."""

from contextlib import AbstractContextManager, nullcontext

import pytest
from hypothesis import given, settings

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import CannotTell, Fact, Facts
from sayso.core.ports import BackendContext
from sayso.providers.files.memory import MemoryFilesBackend, build
from sayso.providers.files.model import (
    Copy,
    ExchangeFiles,
    Keep,
    MakeFolders,
    RemoveFolders,
    Rename,
    SameFolder,
    Steps,
    Trash,
    Unchanged,
    Write,
)
from sayso.testing.fakes import FakeClock, Killed, NumberedIds
from sayso.testing.files import FilesSuite, FileStage, Wish
from tests.fails import fails
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

    assert isinstance(await stage.backend().settle(step, ()), CannotTell)


@pytest.mark.parametrize(
    "step", [Rename(f"{D}/a", f"{D}/b"), ExchangeFiles(f"{D}/a", "k"), RemoveFolders(f"{D}/a", "k")]
)
async def test_what_went_somewhere_else_cannot_be_told(step: Steps):
    stage = MemoryStage()
    stage.folder(f"{D}/a")
    expects: Facts = ((await stage.backend().reads.look(f"{D}/a")).fact,)

    stage.remove(f"{D}/a")

    assert isinstance(await stage.backend().settle(step, expects), CannotTell)


ROOT = f"{HOME}/Documents"


class TestMemory(FilesSuite):
    """The suite on the world in memory."""

    def stage(self) -> AbstractContextManager[FileStage]:
        return nullcontext(MemoryStage())


@settings(max_examples=40)
@given(batch=wishes(ROOT))
async def test_what_a_batch_is_shown_is_what_is_there_once_it_was_done(batch: list[Wish]):
    await hold_against_the_world(MemoryStage(), batch)


async def test_a_new_world_holds_the_home_and_the_roots():
    backend = build(BackendContext({}, HOME, f"{HOME}/.sayso", (ROOT, f"{HOME}/Desktop"), FakeClock(), NumberedIds()))

    assert (await backend.reads.list("~/Desktop", 10)).entries == ()
    assert (backend.name, backend.imagines, backend.note) == ("memory", True, "")


@pytest.mark.parametrize("step", [Keep(ROOT, "k"), Trash(ROOT, "e"), Rename(ROOT, f"{ROOT}/x")])
@pytest.mark.req("T-21", "FS-12")
async def test_a_root_stays_where_it_is(step: Steps):
    with fails(Refused, "path.is_root"):
        await MemoryStage().backend().apply(step, ())


async def test_nothing_is_renamed_to_another_disk():
    stage = MemoryStage()
    stage.file(f"{ROOT}/a", b"")
    stage.folder(f"{ROOT}/stick", 2)

    with fails(ProviderError, "disk.other"):
        await stage.backend().apply(Rename(f"{ROOT}/a", f"{ROOT}/stick/a"), ())


@pytest.mark.req("FS-02")
async def test_a_way_that_became_a_link_is_not_taken():
    stage = MemoryStage()
    stage.file(f"{ROOT}/a", b"")
    stage.link(f"{ROOT}/f", "/etc")

    with pytest.raises(ProviderError):
        await stage.backend().apply(Rename(f"{ROOT}/a", f"{ROOT}/f/a"), ())


async def test_a_fact_of_another_domain_is_refused():
    facts: Facts = (Fact("x"),)

    with pytest.raises(Refused, match="nothing here can check whether “x”"):
        await MemoryStage().backend().apply(Keep(f"{ROOT}/a", "k"), facts)


async def test_a_process_may_die_before_a_step():
    def die(label: str) -> None:
        raise Killed

    stage = MemoryStage()
    stage.file(f"{ROOT}/a", b"")
    ground = BackendContext({}, HOME, f"{HOME}/.sayso", (ROOT,), FakeClock(), NumberedIds(), kill=die)
    before = stage.tree()

    with pytest.raises(Killed):
        await MemoryFilesBackend(stage.disk, ground).apply(Keep(f"{ROOT}/a", "k"), ())

    assert stage.tree() == before


async def test_a_copied_folder_whose_file_was_edited_since_is_not_taken_away():
    stage = MemoryStage()
    stage.folder(f"{ROOT}/a")
    stage.file(f"{ROOT}/a/todo", b"[ ]")
    backend = stage.backend()
    left = await backend.apply(Copy(f"{ROOT}/a", f"{ROOT}/b", "k1"), ())
    stage.change(f"{ROOT}/b/todo", b"[x]", mtime_ns=1)

    with fails(ProviderError, "world.changed"):
        await backend.apply(Keep(f"{ROOT}/b", "k2"), left.facts)

    assert stage.content(f"{ROOT}/b/todo") == b"[x]"


@pytest.fixture
def stage() -> MemoryStage:
    made = MemoryStage()
    made.folder(f"{D}/f")
    made.file(f"{D}/f/x", b"12345")
    made.link(f"{D}/f/l", "x")
    return made


async def test_a_copy_has_new_inodes_and_the_same_content(stage: MemoryStage):
    stage.folder(f"{D}/stick", 7)
    await stage.backend().apply(Copy(f"{D}/f", f"{D}/stick/f", "k"), ())

    folder, copied = (dict(stage.node(path).nodes()) for path in (f"{D}/f", f"{D}/stick/f"))

    assert stage.content(f"{D}/stick/f/x") == b"12345"
    assert {node.identity.device for node in copied.values() if node.identity} == {7}
    assert {node.identity.inode for node in copied.values() if node.identity}.isdisjoint(
        {node.identity.inode for node in folder.values() if node.identity}
    )


@pytest.fixture
def stage_memory_reads() -> MemoryStage:
    made = MemoryStage()
    made.file(f"{D}/a", b"alpha")
    made.folder(f"{D}/f")
    made.folder(f"{D}/f/.git")
    made.file(f"{D}/f/.git/config", b"")
    made.link(f"{D}/nowhere", "missing/x")
    return made


async def test_a_folder_is_looked_at_whole_and_opened_as_it_stands(stage_memory_reads: MemoryStage):
    files = stage_memory_reads.backend().reads

    looked, opened = await files.look("~/Documents/f"), await files.opened("~/Documents/f")

    assert (looked.entries, looked.denied) == (2, (".git",))
    assert isinstance(looked.fact, Unchanged)
    assert (opened.entries, type(opened.fact)) == (0, SameFolder)


@pytest.mark.req("FS-03")
async def test_a_link_to_nothing_is_seen_and_never_gone_through(stage_memory_reads: MemoryStage):
    files = stage_memory_reads.backend().reads

    assert (await files.look("~/Documents/nowhere")).target == "missing/x"
    for read in (files.opened, files.free, files.gap):
        with fails(Refused, "path.dangling"):
            await read("~/Documents/nowhere")


@pytest.mark.req("FS-11")
async def test_a_folder_that_holds_sayso_is_not_looked_at(stage_memory_reads: MemoryStage):
    stage_memory_reads = MemoryStage(root=HOME)

    for path in ("~/.sayso", "~/.sayso/x"):
        with fails(Refused, "path.own_home"):
            await stage_memory_reads.backend().reads.look(path)
    with pytest.raises(Refused, match="holds, sayso's own folder"):
        await stage_memory_reads.backend().reads.look("~")


@pytest.mark.req("T-30")
async def test_the_home_may_be_shown_and_no_more(stage_memory_reads: MemoryStage):
    stage_memory_reads.file(f"{HOME}/song", b"")
    files = stage_memory_reads.backend().reads

    assert (await files.look("~/song", reach="home")).kind == "file"
    with pytest.raises(Refused):
        await files.look("~/song")


@pytest.mark.parametrize("disk", [1, 2])
async def test_a_trash_has_a_free_name_for_everything(stage_memory_reads: MemoryStage, disk: int):
    stage_memory_reads.disk.disks_without_trash = {2}
    await stage_memory_reads.backend().apply(Trash(f"{D}/a", "a"), ())
    stage_memory_reads.file(f"{D}/a", b"another")
    stage_memory_reads.change(f"{D}/a", device=disk)

    entry = await stage_memory_reads.backend().reads.trash_entry(
        await stage_memory_reads.backend().reads.look("~/Documents/a")
    )

    assert entry == (None if disk == 2 else "a.2")
