"""What a session was shown is remembered for it alone, and a run goes by what there was as it began."""

from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.plan import Fact, Plan
from sayso.core.ports import CountGrantUse
from sayso.core.proposal import Origin
from sayso.core.record import State, run_id
from sayso.journal.sqlite import SqliteJournal
from sayso.runtime.executor import Run
from sayso.runtime.grants import GrantService
from sayso.runtime.planner import MOST, BatchGrants, Planner, ShownItems, permission_of, uses_of
from sayso.runtime.proposal_state import CandidateAction, JudgementBasis
from sayso.runtime.questions import Nobody
from sayso.testing.fakes import FakeClock, Says
from tests.runtime.given import Call, Given, a_policy, given, only, proposed, states
from tests.runtime.granted import JOT, JOT_B, TAKE, old, permitted, taken
from tests.runtime.shelf import World

ONE, OTHER = (Fact("a"),), (Fact("b"), Fact("c"))


def test_the_last_thing_shown_of_each_store_counts_for_its_session():
    shown = ShownItems()

    shown.keep("s", ("tabs",), ONE)
    shown.keep("s", ("mail",), ONE)
    shown.keep("s", ("tabs",), OTHER)
    shown.keep("other", ("tabs",), ONE)

    assert shown.to("s", "run_1") == {"tabs": OTHER, "mail": ONE}
    assert shown.to("other", "run_2") == {"tabs": ONE}
    assert shown.to("never", "run_3") == {}


def test_a_run_goes_by_what_was_shown_as_it_began():
    shown = ShownItems()
    shown.keep("s", ("tabs",), ONE)
    begun, nothing = shown.to("s", "run_1"), shown.to("other", "run_2")

    shown.keep("s", ("tabs",), OTHER)
    shown.keep("other", ("tabs",), OTHER)

    assert (begun, shown.to("s", "run_1")) == ({"tabs": ONE}, {"tabs": ONE})
    assert (nothing, shown.to("other", "run_2")) == ({}, {})
    assert shown.to("s", "run_3") == {"tabs": OTHER}


def test_of_too_many_sessions_the_one_not_heard_of_for_longest_goes():
    shown = ShownItems()
    shown.keep("first", ("tabs",), ONE)
    for number in range(MOST - 1):
        shown.keep(str(number), ("tabs",), ONE)

    shown.keep("first", ("tabs",), OTHER)
    shown.keep("new", ("tabs",), ONE)

    assert shown.to("0", "a") == {}
    assert (shown.to("first", "b"), shown.to("1", "c")) == ({"tabs": OTHER}, {"tabs": ONE})


def test_of_too_many_runs_the_oldest_is_taken_for_a_new_one():
    shown = ShownItems()
    shown.to("s", "first")
    for number in range(MOST - 1):
        shown.to("s", str(number))
    shown.keep("s", ("tabs",), ONE)
    kept = shown.to("s", "first")

    shown.to("s", "one more")

    assert (kept, shown.to("s", "first")) == ({}, {"tabs": ONE})


async def test_it_answers_as_often_as_was_said_and_then_asks(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        grant = await permitted(it, await taken(it), uses=2)

        seen: list[str] = []
        for _ in range(3):
            it.world.texts = {"old": ("o", 0)}
            seen += states(await it.run(TAKE))

        (kept,) = await GrantService(it.tools).all(ended=True)
    assert seen == ["done", "done", "waiting"]
    assert (kept.id, kept.uses, GrantService(it.tools).ended(kept)) == (grant.id, 2, "used up")


async def test_within_one_batch_the_last_use_is_had_once_and_the_rest_is_asked(tmp_path: Path):
    put = ("shelf.put", {"name": "old", "text": "o"})
    async with given(tmp_path, world=old()) as it:
        await permitted(it, await taken(it), uses=1)

        report = await it.run(TAKE, put, TAKE, approver=Says(True))

        (kept,) = await GrantService(it.tools).all(ended=True)
    assert states(report) == ["done", "done", "done"]
    assert [str(outcome.record.marks.approved_by)[:6] for outcome in report.outcomes] == ["grant:", "None", "termin"]
    assert kept.uses == 1


async def test_a_dry_run_uses_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        await permitted(it, await taken(it), uses=1)

        report = await it.run(TAKE, dry_run=True)

        (kept,) = await GrantService(it.tools).all()
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

        (kept,) = await GrantService(it.tools).all(ended=True)
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

        (kept,) = await GrantService(it.tools).all(ended=True)
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
        await GrantService(it.tools).revoke(grant.id)

        report = await it.approvals.approve(waiting.run, Says(True))

        (kept,) = await GrantService(it.tools).all(ended=True)
    assert states(waiting) == ["waiting", "waiting"]
    assert states(report) == ["done", "done"]
    assert [outcome.record.marks.approved_by for outcome in report.outcomes] == ["terminal", "terminal"]
    assert kept.uses == 0


async def test_what_waited_with_the_rest_counts_its_use_when_it_is_done(tmp_path: Path):
    world = World(texts={"old": ("o", 0), "new": ("n", 1)})
    async with given(tmp_path, world=world) as it:
        grant = await permitted(it, await taken(it), uses=1)
        waiting = await it.run(TAKE, ("shelf.take", {"name": "new"}))
        (before,) = await GrantService(it.tools).all()
        report = await it.approvals.approve(waiting.run, Says(True))
        (after,) = await GrantService(it.tools).all(ended=True)

    assert (before.uses, after.uses) == (0, 1)
    assert [o.record.marks.approved_by for o in report.outcomes] == [f"grant:{grant.id}", "terminal"]


async def test_where_a_store_cannot_imagine_the_use_is_counted_in_its_turn(tmp_path: Path):
    async with given(tmp_path, world=old(), imagines=False) as it:
        grant = await permitted(it, await taken(it), uses=1)
        it.tightened(mode="destructive")

        report = await it.run(("shelf.put", {"name": "other", "text": ""}), TAKE)
        it.world.texts = {"old": ("o", 0)}
        again = await it.run(("shelf.put", {"name": "third", "text": ""}), TAKE)
        (kept,) = await GrantService(it.tools).all(ended=True)

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


PUT: Call = ("shelf.put", {"name": "a", "text": "x"})
KEEP: Call = ("shelf.keep", {"name": "old"})
READ: Call = ("shelf.read", {"name": "old"})


async def prepared(it: Given, call: Call = PUT) -> tuple[CandidateAction, JudgementBasis]:
    """Plan and judge one action as the first of a run."""
    planner = Planner(it.tools)
    run = Run(it.tools, run_id(it.tools.ids.key()), Origin("lines"), Nobody())
    batch = await planner.batch(run, first=True)
    (proposal,) = proposed(call)
    item = await planner.prepare(proposal, batch)
    assert item.basis is not None
    return item, item.basis


async def test_where_nothing_has_changed_the_verdict_holds(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        item, basis = await prepared(it)

    assert basis.holds(item, it.policy[0], exposed=())


@pytest.mark.req("TO-01", "TO-02")
async def test_whatever_a_verdict_stands_on_and_that_is_another_now_is_judged_again(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        item, basis = await prepared(it)
        again, _ = await prepared(it)
        policy = it.policy[0]

    record = item.record
    assert not basis.holds(item, a_policy(), exposed=())
    assert not basis.holds(item, policy, exposed=("tabs",))
    assert not basis.holds(replace(item, record=replace(record, digest="another")), policy, exposed=())
    verdict = Verdict("allow", "because", "another")
    assert not basis.holds(replace(item, record=replace(record, verdict=verdict)), policy, exposed=())
    assert not basis.holds(replace(item, plan=again.plan), policy, exposed=())
    assert not basis.holds(replace(item, record=replace(record, plan=dict(record.plan or {}))), policy, exposed=())


async def test_what_a_permission_answered_is_always_judged_again(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        await permitted(it, await taken(it))
        item, basis = await prepared(it, TAKE)

    assert basis.verdict.rule == "grants"
    assert not basis.holds(item, it.policy[0], exposed=())


@pytest.mark.req("T-18")
async def test_what_has_a_plan_or_a_turn_is_alive_and_has_missed_nothing(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        item, _ = await prepared(it)
        planner = Planner(it.tools)
        run = Run(it.tools, run_id(it.tools.ids.key()), Origin("lines"), Nobody())
        batch = await planner.batch(run, first=True)
        calls = proposed(
            ("shelf.take", {"name": "none"}), ("shelf.keep", {"name": "old"}), ("shelf.read", {"name": "old"})
        )
        missing, kept, read = [await planner.prepare(proposal, batch) for proposal in calls]
        unread = planner.unread(calls[0], batch)

    waiting = replace(item, record=item.record.marked(state=State.WAITING))
    assert [one.alive for one in (item, missing, kept, read)] == [True, False, False, True]
    assert not waiting.missed
    assert [one.missed for one in (item, missing, kept, read)] == [False, True, False, False]
    assert [one.destroys for one in (item, missing, kept, unread)] == [False, True, False, True]
    assert not unread.asks
