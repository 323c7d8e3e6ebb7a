"""What was judged while planning is not judged once more at the claim where nothing of it has changed."""

from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.ids import run_id
from sayso.core.proposal import Origin
from sayso.core.record import State
from sayso.core.verdict import Verdict
from sayso.runtime.planning import Planner
from sayso.runtime.prepared import Basis, Prepared
from sayso.runtime.targets import Failures
from tests.runtime.given import Call, Given, a_policy, given, proposed
from tests.runtime.granted import TAKE, old, permitted, taken
from tests.runtime.shelf import World

PUT: Call = ("shelf.put", {"name": "a", "text": "x"})
KEEP: Call = ("shelf.keep", {"name": "old"})
READ: Call = ("shelf.read", {"name": "old"})


async def prepared(it: Given, call: Call = PUT) -> tuple[Prepared, Basis]:
    """Plan and judge one action as the first of a run."""
    planner = Planner(it.tools)
    batch = await planner.first(run_id(it.tools.ids.key()), Origin("lines"), Failures("/home/ana"), 1, dry_run=False)
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
        batch = await planner.first(
            run_id(it.tools.ids.key()), Origin("lines"), Failures("/home/ana"), 1, dry_run=False
        )
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
