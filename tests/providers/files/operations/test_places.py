"""A destination is free, or it is the thing itself under another spelling."""

from dataclasses import replace

import pytest

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import Plan
from sayso.core.ports import Ground
from sayso.providers.files.memory_reads import MemoryFiles
from sayso.providers.files.operations.moving import move
from sayso.providers.files.operations.places import place_for
from sayso.providers.files.steps import Rename
from sayso.providers.files.store import Files, Item, Place
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.providers.files.staged import HOME, MemoryStage


class CaseBlind(MemoryFiles):
    """Reads of a disk on which `a` and `A` are one."""

    async def look(self, path: str, *, reach: str = "roots") -> Item:
        found = await super().look(path.lower().replace("documents", "Documents"))
        return replace(found, path=path.replace("~", HOME))

    async def exists(self, path: str) -> bool:
        return await super().exists(path.lower().replace("documents", "Documents"))

    async def free(self, path: str) -> Place:
        return await super().free(path.lower().replace("documents", "Documents"))


def blind(stage: MemoryStage) -> Files:
    ground = Ground({}, HOME, f"{HOME}/.sayso", (stage.root,), FakeClock(), NumberedIds())
    return CaseBlind(stage.world, ground)


async def test_a_name_that_differs_only_in_case_is_a_move_where_case_does_not_count():
    stage = MemoryStage()
    stage.file(f"{stage.root}/a.txt", b"alpha")

    plan = await move.function(blind(stage), source="~/Documents/a.txt", destination="~/Documents/A.txt")

    assert isinstance(plan, Plan)
    (change,) = plan.changes
    assert change.do == Rename(f"{stage.root}/a.txt", f"{stage.root}/A.txt")
    assert sorted(fact.fact for fact in change.expects) == ["same_folder", "unchanged"]


@pytest.mark.req("T-22")
async def test_another_name_of_the_same_file_is_taken():
    stage = MemoryStage()
    stage.file(f"{stage.root}/a.txt", b"alpha")
    stage.thing(f"{stage.root}/a.txt").names = 2

    with pytest.raises(ProviderError) as caught:
        await move.function(blind(stage), source="~/Documents/a.txt", destination="~/Documents/A.txt")

    assert caught.value.code == "path.taken"


async def test_a_file_where_the_folder_should_be_is_named():
    stage = MemoryStage()
    stage.file(f"{stage.root}/a.txt", b"alpha")

    with pytest.raises(ProviderError) as caught:
        await place_for(stage.backend().reads, "~/Documents/a.txt/b")

    assert caught.value.code == "path.not_a_folder"


class Huge(MemoryFiles):
    """Reads of a disk whose folders hold more than is ever listed."""

    async def look(self, path: str, *, reach: str = "roots") -> Item:
        return replace(await super().look(path), entries=100_001)


@pytest.mark.req("FS-10")
async def test_too_many_names_to_look_at_do_not_become_protected_ones():
    stage = MemoryStage()
    stage.folder(f"{stage.root}/x")
    ground = Ground({}, HOME, f"{HOME}/.sayso", (stage.root,), FakeClock(), NumberedIds())
    files: Files = Huge(stage.world, ground)

    with pytest.raises(Refused) as said:
        await move.function(files, "~/Documents/x", "~/Documents/.config")

    assert said.value.code == "path.denied_name"
    assert isinstance(await move.function(files, "~/Documents/x", "~/Documents/config"), Plan)
