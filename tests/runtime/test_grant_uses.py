"""A grant answers as often as was said, and each use is counted in the commit that it allows."""

from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.plan import Plan
from sayso.core.ports import CountGrantUse
from sayso.core.record import State
from sayso.journal.sqlite import SqliteJournal
from sayso.runtime.planner import BatchGrants, permission_of, uses_of
from sayso.testing.fakes import FakeClock, Says
from tests.runtime.given import Given, a_policy, given, only, permitted, states, taken
from tests.runtime.shelf import JOT, JOT_B, TAKE, World, old


async def test_it_answers_as_often_as_was_said_and_then_asks(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        grant = await permitted(it, await taken(it), uses=2)

        seen: list[str] = []
        for _ in range(3):
            it.world.texts = {"old": ("o", 0)}
            seen += states(await it.run(TAKE))

        (kept,) = await it.grants.all(ended=True)
    assert seen == ["done", "done", "waiting"]
    assert (kept.id, kept.uses, it.grants.ended(kept)) == (grant.id, 2, "used up")


async def test_within_one_batch_the_last_use_is_had_once_and_the_rest_is_asked(tmp_path: Path):
    put = ("shelf.put", {"name": "old", "text": "o"})
    async with given(tmp_path, world=old()) as it:
        await permitted(it, await taken(it), uses=1)

        report = await it.run(TAKE, put, TAKE, approver=Says(True))

        (kept,) = await it.grants.all(ended=True)
    assert states(report) == ["done", "done", "done"]
    assert [str(outcome.record.marks.approved_by)[:6] for outcome in report.outcomes] == ["grant:", "None", "termin"]
    assert kept.uses == 1


async def test_a_dry_run_uses_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        await permitted(it, await taken(it), uses=1)

        report = await it.run(TAKE, dry_run=True)

        (kept,) = await it.grants.all()
    assert states(report) == ["planned"]
    assert "you would be asked" not in str(only(report).record.marks.message)
    assert kept.uses == 0


async def test_a_dry_run_says_where_the_last_use_would_be_had_by_an_earlier_step(tmp_path: Path):
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        await permitted(it, await taken(it, JOT), vary=("text",), uses=1)

        report = await it.run(JOT, JOT_B, dry_run=True)

    asked = ["you would be asked" in str(outcome.record.marks.message) for outcome in report.outcomes]
    assert asked == [False, True]


async def test_within_one_batch_of_two_alike_the_last_use_is_had_once(tmp_path: Path):
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        await permitted(it, await taken(it, JOT), vary=("text",), uses=1)

        report = await it.run(JOT, JOT_B, approver=Says(True))

        (kept,) = await it.grants.all(ended=True)
    assert [str(outcome.record.marks.approved_by)[:6] for outcome in report.outcomes] == ["grant:", "termin"]
    assert kept.uses == 1


async def test_of_two_at_once_one_has_the_last_use_and_the_other_is_asked(tmp_path: Path):
    reports: list[str] = []

    async def one(it: Given) -> None:
        reports.extend(states(await it.run(TAKE)))

    async with given(tmp_path, world=old()) as it:
        await permitted(it, await taken(it), uses=1)
        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(one, it)

        (kept,) = await it.grants.all(ended=True)
    assert kept.uses == 1
    assert reports.count("done") == 1
    assert it.world.done.count("shelf.take old") == 2


@pytest.mark.parametrize("how", ["revoked", "used"])
async def test_one_that_ends_between_looking_and_claiming_asks(tmp_path: Path, how: str):
    other = SqliteJournal(str(tmp_path / "sayso.db"), clock=FakeClock())
    ids: list[str] = []

    async def end() -> None:
        await other.open()
        (grant,) = await other.grants()
        if how == "revoked":
            await other.put_grant(replace(grant, revoked=True))
        else:
            await other.commit(CountGrantUse(grant.id, "2026-01-01T00:00:00Z"), event="begun elsewhere")
        await other.close()

    async with given(tmp_path, world=old()) as it:
        grant = await permitted(it, await taken(it), uses=1)
        ids.append(grant.id)
        path_journal = it.tools.journal
        looked = path_journal.grants
        calls = iter(range(100))

        async def grants(*, revoked: bool = False):
            found = await looked(revoked=revoked)
            if next(calls) == 1:  # at the claim: it is still there when it is read, and gone when it is used
                await end()
            return found

        path_journal.grants = grants
        report = await it.run(TAKE, approver=Says(True))

    assert states(report) == ["done"]
    assert only(report).record.marks.approved_by == "terminal"


async def test_what_waited_with_the_rest_and_was_shown_is_done_by_the_persons_yes(tmp_path: Path):
    world = World(texts={"old": ("o", 0), "new": ("n", 1)})
    async with given(tmp_path, world=world) as it:
        grant = await permitted(it, await taken(it))
        waiting = await it.run(TAKE, ("shelf.take", {"name": "new"}))
        await it.grants.revoke(grant.id)

        report = await it.approvals.approve(waiting.run, Says(True))

        (kept,) = await it.grants.all(ended=True)
    assert states(waiting) == ["waiting", "waiting"]
    assert states(report) == ["done", "done"]
    assert [outcome.record.marks.approved_by for outcome in report.outcomes] == ["terminal", "terminal"]
    assert kept.uses == 0


async def test_what_waited_with_the_rest_counts_its_use_when_it_is_done(tmp_path: Path):
    world = World(texts={"old": ("o", 0), "new": ("n", 1)})
    async with given(tmp_path, world=world) as it:
        grant = await permitted(it, await taken(it), uses=1)
        waiting = await it.run(TAKE, ("shelf.take", {"name": "new"}))
        (before,) = await it.grants.all()
        report = await it.approvals.approve(waiting.run, Says(True))
        (after,) = await it.grants.all(ended=True)

    assert (before.uses, after.uses) == (0, 1)
    assert [o.record.marks.approved_by for o in report.outcomes] == [f"grant:{grant.id}", "terminal"]


async def test_where_a_store_cannot_imagine_the_use_is_counted_in_its_turn(tmp_path: Path):
    async with given(tmp_path, world=old(), imagines=False) as it:
        grant = await permitted(it, await taken(it), uses=1)
        it.tightened(mode="destructive")

        report = await it.run(("shelf.put", {"name": "other", "text": ""}), TAKE)
        it.world.texts = {"old": ("o", 0)}
        again = await it.run(("shelf.put", {"name": "third", "text": ""}), TAKE)
        (kept,) = await it.grants.all(ended=True)

    assert states(report) == ["done", "done"]
    assert report.outcomes[1].record.marks.approved_by == f"grant:{grant.id}"
    assert states(again) == ["done", "waiting"]
    assert kept.uses == 1


@pytest.mark.req("SE-01")
async def test_a_stricter_rule_and_the_brake_win_over_a_permission(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        await permitted(it, await taken(it))

        it.tightened(paused=True)
        paused = states(await it.run(TAKE))
        it.tightened(paused=False, allowed_operations=("shelf.put",))
        off = states(await it.run(TAKE))
        it.tightened(allowed_operations=("*",), mode="always")
        always = states(await it.run(TAKE))

    assert (paused, off, always) == (["refused"], ["refused"], ["waiting"])


async def test_what_nobody_was_permitted_uses_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        record = await taken(it)
        permits = BatchGrants(it.tools, [])

        assert uses_of([record], "now") == []
        assert uses_of([record.marked(approved_by="grant:g1")], "now") == [CountGrantUse("g1", "now")]
        assert permits.standing(Plan("")).grants == ()
        permits.took(Verdict("allow", "", "default"))
    assert [permission_of(by) for by in (None, "terminal", "grant:g1")] == [None, None, "g1"]
    assert record.state is State.DONE
