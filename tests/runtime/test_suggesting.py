"""What the person said the same yes to again and again is proposed, narrowly, and never given by itself."""

from pathlib import Path

from sayso.core.grant import Varies
from sayso.runtime.granting import Granting
from sayso.testing.fakes import Says
from tests.runtime.given import Call, Given, a_policy, given, states
from tests.runtime.granted import TAKE, old, permitted, taken


async def _thrice(it: Given, *calls: Call) -> None:
    for call in calls:
        await taken(it, call)


async def test_three_times_the_same_yes_is_proposed_and_nothing_is_given(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        await _thrice(it, TAKE, TAKE)
        twice = await Granting(it.tools).suggested()
        await taken(it)
        (found,) = await Granting(it.tools).suggested()

        assert await Granting(it.tools).all(ended=True) == []
        assert states(await it.run(TAKE)) == ["waiting"]
    assert twice == []
    assert (found.grant.fixed, found.grant.varies, found.wish.vary) == ({"name": "old"}, (), ())
    assert len(found.said_yes) == 3
    assert found.wish.ref == found.said_yes[0]


async def test_only_what_differed_varies(tmp_path: Path):
    puts: list[Call] = [("shelf.put", {"name": "a", "text": text}) for text in ("1", "2", "3")]
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        await _thrice(it, *puts)

        (found,) = await Granting(it.tools).suggested()

    assert (found.grant.fixed, found.grant.varies) == ({"name": "a"}, (Varies("text", "any"),))
    assert found.wish.vary == ("text",)


async def test_different_things_are_not_the_same_yes(tmp_path: Path):
    puts: list[Call] = [("shelf.put", {"name": name, "text": ""}) for name in "abc"]
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        await _thrice(it, *puts)

        assert await Granting(it.tools).suggested() == []
        assert len(await Granting(it.tools).suggested(1)) == 3


async def test_what_you_once_said_no_to_is_not_proposed(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        await _thrice(it, TAKE, TAKE, TAKE)
        await it.run(TAKE, approver=Says(False))

        assert await Granting(it.tools).suggested() == []


async def test_what_a_permission_answers_already_is_not_proposed_until_that_has_ended(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        await _thrice(it, TAKE, TAKE)
        grant = await permitted(it, await taken(it))
        during = await Granting(it.tools).suggested()
        await Granting(it.tools).revoke(grant.id)

        assert during == []
        assert len(await Granting(it.tools).suggested()) == 1


async def test_what_always_asks_and_what_a_flag_approved_is_never_proposed(tmp_path: Path):
    burn: Call = ("shelf.burn", {"name": "old"})
    async with given(tmp_path, world=old()) as it:
        await _thrice(it, burn, burn, burn)
        for _ in range(3):
            await taken(it, by="flag")

        assert await Granting(it.tools).suggested() == []
