"""The world in memory is looked at within the same bounds as a disk."""

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.providers.files.facts import SameFolder, Unchanged
from tests.providers.files.staged import HOME, MemoryStage

D = f"{HOME}/Documents"


@pytest.fixture
def stage() -> MemoryStage:
    made = MemoryStage()
    made.file(f"{D}/a", b"alpha")
    made.folder(f"{D}/f")
    made.folder(f"{D}/f/.git")
    made.file(f"{D}/f/.git/config", b"")
    made.link(f"{D}/nowhere", "missing/x")
    return made


async def test_a_folder_is_looked_at_whole_and_opened_as_it_stands(stage: MemoryStage):
    files = stage.backend().reads

    looked, opened = await files.look("~/Documents/f"), await files.opened("~/Documents/f")

    assert (looked.entries, looked.denied) == (2, (".git",))
    assert isinstance(looked.fact, Unchanged)
    assert (opened.entries, type(opened.fact)) == (0, SameFolder)


@pytest.mark.req("FS-03")
async def test_a_link_to_nothing_is_seen_and_never_gone_through(stage: MemoryStage):
    files = stage.backend().reads

    assert (await files.look("~/Documents/nowhere")).target == "missing/x"
    for read in (files.opened, files.free, files.gap):
        with pytest.raises(Refused) as caught:
            await read("~/Documents/nowhere")
        assert caught.value.code == "path.dangling"


@pytest.mark.req("FS-11")
async def test_a_folder_that_holds_sayso_is_not_looked_at(stage: MemoryStage):
    stage = MemoryStage(root=HOME)

    for path in ("~/.sayso", "~/.sayso/x"):
        with pytest.raises(Refused) as caught:
            await stage.backend().reads.look(path)
        assert caught.value.code == "path.own_home"
    with pytest.raises(Refused, match="holds, sayso's own folder"):
        await stage.backend().reads.look("~")


@pytest.mark.req("T-30")
async def test_the_home_may_be_shown_and_no_more(stage: MemoryStage):
    stage.file(f"{HOME}/song", b"")
    files = stage.backend().reads

    assert (await files.look("~/song", reach="home")).kind == "file"
    with pytest.raises(Refused):
        await files.look("~/song")


@pytest.mark.parametrize("disk", [1, 2])
async def test_a_trash_has_a_free_name_for_everything(stage: MemoryStage, disk: int):
    stage.world.disks_without_trash = {2}
    stage.world.away["trash:a"] = stage.thing(f"{D}/a")
    item = await stage.backend().reads.look("~/Documents/a")
    stage.thing(f"{D}/a").device = disk

    entry = await stage.backend().reads.trash_entry(await stage.backend().reads.look("~/Documents/a"))

    assert entry == (None if disk == 2 else "a.2")
    assert item.kind == "file"


async def test_text_is_read_of_files_only(stage: MemoryStage):
    files = stage.backend().reads

    assert (await files.read("~/Documents/a", 3)).text == "alp"
    for path in ("~/Documents/f", "~/Documents/no"):
        with pytest.raises(ProviderError):
            await files.read(path, 3)
