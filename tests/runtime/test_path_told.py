"""What the path says of a run: its rows, its words and its codes, whatever becomes of it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.ports import CountGrantUse, InsertRecord, UpdateRecord
from sayso.core.proposal import Origin
from sayso.core.record import State
from sayso.policy.settings import Policy
from sayso.runtime.engine import Engine
from sayso.runtime.questions import Nobody
from sayso.testing.fakes import Edits, Says
from tests.runtime.given import Call, a_policy, events, given, only, proposed, states
from tests.runtime.shelf import World

PUT: Call = ("shelf.put", {"name": "a", "text": "x"})
PUT_B: Call = ("shelf.put", {"name": "b"})
BURN: Call = ("shelf.burn", {"name": "old"})
READ: Call = ("shelf.read", {"name": "old"})
NONE: Call = ("shelf.take", {"name": "none"})
AT_THE_CLAIM = 2
"""The settings are asked for as a run begins and at the claim."""
NOON = "2026-03-14T12:00:00.000Z"


def old() -> World:
    return World(texts={"old": ("o", 0)})


async def test_a_run_is_its_own_session_where_none_is_named(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        own = await it.run(PUT)
        named = await it.run(PUT_B, session="s")

    assert (only(own).record.session, only(named).record.session) == (own.run, "s")


async def test_only_an_answer_to_a_question_makes_a_proposal_an_edit_of_another(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        (claimed,) = proposed(PUT)
        report = await it.path.take([replace(claimed, edit_of="act_1")], Origin("lines"), Nobody())

    assert only(report).record.edit_of is None


async def test_as_many_as_may_be_go_and_one_more_is_refused_whole_and_named_each(tmp_path: Path) -> None:
    limits = replace(a_policy().limits, actions_per_run=2)
    async with given(tmp_path, policy=a_policy(limits=limits)) as it:
        most = await it.run(PUT, PUT_B)
        more = await it.run(PUT, READ, BURN)
        (row,) = await it.again(more)

    assert states(most) == ["done", "done"]
    assert [outcome.record.operation for outcome in more.outcomes] == ["shelf.put", "shelf.read", "shelf.burn"]
    assert row.verdict == Verdict("deny", row.marks.error or "", "limits", code="limit.actions")
    assert (row.said, row.dry_run) == ("", False)
    assert events(tmp_path)[-1] == "refused"


async def test_a_text_that_is_refused_before_it_is_read_is_one_row(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.path.refuse(Origin("lines", "test", "s"), "the reply is too long", "limit.reply")
        (row,) = await it.again(report)

    assert (row.state, row.marks.error, row.marks.code) == (State.REFUSED, "the reply is too long", "limit.reply")
    assert (report.dialect, row.session, states(report)) == ("lines", "s", ["refused"])


async def test_what_is_not_a_batch_is_planned_one_after_another_and_numbered_through(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(PUT, PUT_B, BURN, as_batch=False)
        rows = await it.again(report)

    assert states(report) == ["done", "done", "failed"]
    assert len({row.id for row in rows}) == 3
    number = report.run.removeprefix("run_")
    assert [row.id.endswith(number) for row in rows] == [True, False, False]


async def test_an_edit_is_told_with_the_run_that_it_replaces(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        edits = Edits(tuple(proposed(PUT, ("shelf.take", {"name": "a"}))))
        report = await it.run(BURN, approver=Says(edits, True))
        (edit,) = report.edits

    assert (states(report), states(edit)) == (["declined"], ["done", "done"])
    assert len({outcome.record.run for outcome in edit.outcomes}) == 1
    assert "edited" in events(tmp_path)


@pytest.mark.req("T-18")
async def test_where_an_error_stops_the_rest_the_first_is_named_and_what_is_not_valid_stays_so(tmp_path: Path) -> None:
    async with given(tmp_path, policy=a_policy(stop_on_error=True)) as it:
        report = await it.run(PUT, PUT_B, NONE, ("!FLY", {}), ("shelf.put", {"name": "c"}))

    assert states(report) == ["done", "done", "failed", "invalid", "skipped"]
    marks = report.outcomes[4].record.marks
    assert (marks.error, marks.code) == ("skipped because step 3 failed", "step.failed")


async def test_a_failure_stops_nothing_where_it_need_not(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(NONE, PUT)

    assert states(report) == ["failed", "done"]


@pytest.mark.req("T-103")
async def test_of_a_whole_request_nothing_runs_where_one_cannot_be_and_each_says_its_own(tmp_path: Path) -> None:
    async with given(tmp_path, policy=a_policy(allowed_operations=("shelf.[!r]*",))) as it:
        impossible = await it.run(NONE, PUT, whole_or_none=True)
        broken = await it.run(PUT_B, ("!FLY", {}), whole_or_none=True)
        forbidden = await it.run(PUT_B, READ, whole_or_none=True)

    assert states(impossible) == ["failed", "skipped"]
    assert states(broken) == ["skipped", "invalid"]
    assert states(forbidden) == ["skipped", "refused"]
    assert [report.outcomes[0].record.marks.code for report in (broken, forbidden)] == ["batch.invalid"] * 2
    assert it.world.texts == {}


@pytest.mark.req("T-103")
async def test_a_whole_request_whose_read_finds_nothing_in_its_turn_has_run_by_then(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(PUT, READ, whole_or_none=True)

    assert states(report) == ["done", "failed"]


async def test_reads_alone_are_one_commit_and_a_read_among_deeds_has_its_turn(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        alone = await it.run(READ, NONE)
        trail = events(tmp_path)
        among = await it.run(READ, PUT, READ)

    assert (states(alone), trail) == (["done", "failed"], ["ended"])
    assert (states(among), [bool(outcome.data) for outcome in among.outcomes]) == (["done"] * 3, [True, False, True])


async def test_a_read_that_asks_is_not_answered_before_the_yes(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="always")) as it:
        waiting = await it.run(PUT, READ)

    assert states(waiting) == ["waiting", "waiting"]
    assert [outcome.data for outcome in waiting.outcomes] == [{}, {}]


async def test_one_that_asks_keeps_all_that_comes_with_it_until_the_answer(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="destructive")) as it:
        report = await it.run(PUT, BURN)
        trail = events(tmp_path)

    assert (states(report), it.world.done, trail) == (["waiting", "waiting"], [], ["asked"])


async def test_over_the_limit_of_what_waits_is_refused_by_the_limits_and_said(tmp_path: Path) -> None:
    limits = replace(a_policy().limits, waiting=1)
    async with given(tmp_path, world=old(), policy=a_policy(limits=limits)) as it:
        alone = await it.run(BURN, ("shelf.burn", {"name": "old"}))
        more = await it.run(BURN)

    assert states(alone)[0] == "waiting"
    verdict = only(more).record.verdict
    assert verdict is not None
    assert (verdict.ruling, verdict.rule, verdict.code) == ("deny", "limits", "limit.waiting")
    assert events(tmp_path)[-1] == "refused"


@pytest.mark.req("TO-02")
async def test_what_was_allowed_and_would_ask_a_moment_later_is_refused_and_written_down(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        asked = 0

        def stricter_at_the_claim() -> Policy:
            nonlocal asked
            asked += 1
            return it.policy[0] if asked < AT_THE_CLAIM else a_policy(mode="always")

        path = Engine(replace(it.tools, policy=stricter_at_the_claim))
        report = await path.take(proposed(PUT, PUT_B), Origin("lines"), Nobody())
        kept = await it.again(report)

    assert states(report) == states(kept) == ["refused", "refused"]
    assert {record.marks.code for record in kept} == {"policy.stricter"}
    assert [record.marks.ended_at for record in kept] == [NOON, NOON]
    assert it.world.done == []


async def test_a_dry_run_of_a_read_names_what_it_is_given_in_words_alone(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(READ, PUT, dry_run=True)

    assert states(report) == ["planned", "planned"]
    assert report.outcomes[0].record.marks.message == "Would read a text: “old”"
    assert events(tmp_path) == ["dry run"]


async def test_what_somebody_else_decided_meanwhile_is_told_as_they_left_it(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        commit = it.tools.journal.commit

        async def beaten(*changes: InsertRecord | UpdateRecord | CountGrantUse, event: str) -> None:
            if event == "approved":
                it.tools.journal.commit = commit
                waiting = await it.tools.journal.in_state(State.WAITING)
                await it.approvals.decline(waiting[0].run, "page")
            await commit(*changes, event=event)

        it.tools.journal.commit = beaten
        report = await it.run(BURN, approver=Says(True))

    assert states(report) == ["declined"]
    assert only(report).record.marks.approved_by == "page"
    assert it.world.done == []


async def test_a_no_ends_in_one_commit_with_who_said_it_and_when(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(BURN, ("shelf.put", {"name": "z"}), approver=Says(False))
        rows = await it.again(report)

    assert states(report) == states(rows) == ["declined", "declined"]
    assert [(row.marks.approved_by, row.marks.ended_at, row.marks.owner) for row in rows] == [
        ("terminal", NOON, None)
    ] * 2
    assert events(tmp_path) == ["asked", "declined"]
