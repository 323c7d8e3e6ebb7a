"""A permission is held against the history: what it would have allowed, what stays asked and why, and your own no."""

from pathlib import Path

from sayso.core.grant import Wish
from sayso.runtime.granting import Granting
from sayso.runtime.trying import Trial
from sayso.testing.fakes import Says
from tests.runtime.given import Given, a_policy, given
from tests.runtime.granted import TAKE, old, permitted, taken


async def _offered(it: Given, ref: str) -> Trial:
    granting = Granting(it.tools)
    offer = await granting.offer(Wish(ref))
    return await granting.tried(offer.grant)


async def test_what_it_would_have_allowed_and_what_stays_asked_is_told_with_the_reason(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        record = await taken(it)
        it.world.texts["new"] = ("n", 5)
        other = await taken(it, ("shelf.take", {"name": "new"}))
        await it.run(TAKE, dry_run=True)

        trial = await _offered(it, record.id)

    assert [one.record.id for one in trial.allowed] == [record.id]
    assert [(one.record.id, one.why) for one in trial.asked] == [(other.id, "“name” is not as it was")]
    assert trial.against_you == ()


async def test_what_you_said_no_to_is_named(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        declined = (await it.run(TAKE, approver=Says(False))).outcomes[0].record
        record = await taken(it)

        trial = await _offered(it, record.id)

    assert [one.record.id for one in trial.against_you] == [declined.id]


async def test_one_that_is_given_is_tried_too_whether_it_holds_or_not(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        grant = await permitted(it, await taken(it), uses=1)
        await taken(it)
        await Granting(it.tools).revoke(grant.id)

        trial = await Granting(it.tools).tried(await Granting(it.tools).get(grant.id))

    assert len(trial.allowed) == 2
    assert trial.looked_at == 2


async def test_what_a_floor_or_outside_text_asked_stays_asked(tmp_path: Path):
    send = ("shelf.send", {"name": "old", "to": "eve"})
    async with given(tmp_path, world=old(), policy=a_policy(mode="always")) as it:
        record = await taken(it, send)
        await it.run(("shelf.read", {"name": "old"}), session="s", approver=Says(True))
        await it.run(send, session="s", approver=Says(False))

        trial = await _offered(it, record.id)

    assert [one.answer for one in trial.tried] == ["asked", "allowed"]
    assert "words of others" in trial.asked[0].why
    assert trial.against_you == ()


async def test_trying_changes_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        grant = await permitted(it, await taken(it), uses=1)
        before = (await it.tools.journal.grants(), it.world.done[:])

        await Granting(it.tools).tried(grant)

        assert (await it.tools.journal.grants(), it.world.done) == before
