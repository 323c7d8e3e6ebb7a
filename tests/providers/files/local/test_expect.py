"""A step is done only when everything it expects holds, also what it does not touch."""

import pytest

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.plan import AsLeft
from sayso.providers.files.facts import Free, SameFolder
from sayso.providers.files.steps import Rename
from tests.providers.files.local.desk import Desk


async def test_facts_about_other_paths_are_held_too(desk: Desk):
    source, target, other = desk.file("a"), desk.documents / "b", desk.file("c")
    step = Rename(str(source), str(target))
    facts = await desk.facts(other)
    other.write_text("changed")

    for wrong in (
        facts,
        (Free(str(other)),),
        (SameFolder(str(desk.documents), 1, 1),),
        (SameFolder(str(other), 1, 1),),
        (SameFolder(str(desk.documents / "none"), 1, 1),),
    ):
        with pytest.raises(ProviderError) as said:
            await desk.do(step, wrong)
        assert said.value.code == "world.changed"
    assert source.exists()

    await desk.do(step, await desk.facts(other), (Free(str(desk.documents / "none/x")),))

    assert target.exists()


async def test_a_folder_that_was_swapped_is_not_put_into(desk: Desk):
    source = desk.file("a")
    (desk.documents / "d").mkdir()
    room = await desk.room(desk.documents / "d/b")
    (desk.documents / "d").rename(desk.documents / "e")
    (desk.documents / "d").mkdir()

    with pytest.raises(ProviderError, match="another folder"):
        await desk.do(Rename(str(source), str(desk.documents / "d/b")), room)


async def test_a_link_on_the_way_to_a_fact_is_a_refusal(desk: Desk):
    source = desk.file("a")
    (desk.documents / "d").symlink_to(desk.outside)

    with pytest.raises(SaysoError):
        await desk.do(Rename(str(source), str(desk.documents / "b")), (Free(str(desk.documents / "d/x")),))


async def test_a_fact_that_nobody_resolved_is_a_bug(desk: Desk):
    source = desk.file("a")

    with pytest.raises(TypeError):
        await desk.do(Rename(str(source), str(desk.documents / "b")), (AsLeft(str(source), "unchanged", 0),))
