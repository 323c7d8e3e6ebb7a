"""What the path asks about, and what it keeps from being asked: nobody is asked in vain, and nothing goes unasked."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sayso.core.grant import Grant
from sayso.core.ports import CountGrantUse, InsertRecord, UpdateRecord
from sayso.core.proposal import Origin
from sayso.core.record import Record, State
from sayso.runtime.engine import Engine
from sayso.runtime.locks import FileLocks
from sayso.runtime.questions import Nobody
from sayso.testing.fakes import Edits, Says
from tests.runtime.given import Call, Given, a_policy, events, given, only, proposed, states
from tests.runtime.granted import TAKE, old, permitted, taken
from tests.runtime.shelf import World

PUT: Call = ("shelf.put", {"name": "a", "text": "x"})
PUT_B: Call = ("shelf.put", {"name": "b"})
SEND: Call = ("shelf.send", {"name": "old", "to": "ana"})
READ: Call = ("shelf.read", {"name": "old"})
NONE: Call = ("shelf.take", {"name": "none"})


async def test_who_chooses_nothing_has_a_real_run_of_one_batch_in_which_each_stands_for_itself(tmp_path: Path) -> None:
    says = Says(True)
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        report = await it.path.take(proposed(PUT, ("!FLY", {}), PUT_B), Origin("lines"), says)

    assert (states(report), report.dry_run) == (["done", "invalid", "done"], False)
    assert [len(question.cards) for question in says.questions] == [2]


async def test_what_goes_on_with_a_run_goes_under_its_name(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        run = it.path.begin(Origin("lines"), Nobody(), "run_before")
        new = it.path.begin(Origin("lines"), Nobody())

    assert (run.id, run.origin.session) == ("run_before", "run_before")
    assert new.id.startswith("run_0")


@pytest.mark.req("T-18")
async def test_where_an_error_stops_the_rest_nobody_is_asked_about_the_rest(tmp_path: Path) -> None:
    says = Says(True)
    async with given(tmp_path, policy=a_policy(mode="always", stop_on_error=True)) as it:
        report = await it.run(PUT, NONE, PUT_B, approver=says)

    assert states(report) == ["done", "failed", "skipped"]
    assert [[card.index for card in question.cards] for question in says.questions] == [[0]]


@pytest.mark.req("T-37")
async def test_a_read_that_came_of_an_edit_is_answered_only_after_a_yes(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE, approver=Says(Edits(tuple(proposed(READ))), False))
        (edit,) = report.edits

    assert states(edit) == ["declined"]
    assert (edit.outcomes[0].data, edit.outcomes[0].text) == ({}, "")


async def test_what_came_of_an_edit_is_asked_about_as_one(tmp_path: Path) -> None:
    says = Says(Edits(tuple(proposed(PUT, PUT_B))), True)
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE, approver=says)

    assert states(report.edits[0]) == ["done", "done"]
    assert [len(question.cards) for question in says.questions] == [1, 2]


async def test_to_be_asked_nobody_waits_for_who_acts_on_the_store(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        impatient = Engine(replace(it.tools, locks=FileLocks(tmp_path / "locks", patience=0.01)))
        async with it.tools.locks.hold(["shelf"]):
            report = await impatient.take(proposed(PUT, TAKE), Origin("lines"), Nobody())

    assert states(report) == ["waiting", "waiting"]


@pytest.mark.req("TO-02")
async def test_what_is_refused_at_the_claim_does_not_wait_with_what_is_asked_there(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        await permitted(it, await taken(it))
        looked, calls = it.tools.journal.grants, iter(range(9))

        async def ends(*, revoked: bool = False) -> list[Grant]:
            if next(calls) == 0:
                return await looked(revoked=revoked)
            it.tightened(allowed_operations=("shelf.take",))
            return []

        it.tools.journal.grants = ends
        report = await it.run(PUT, TAKE)
        rows = await it.again(report)

    assert states(report) == states(rows) == ["refused", "waiting"]
    assert rows[0].marks.ended_at == "2026-03-14T12:00:00.000Z"
    assert rows[1].marks.ended_at is None


async def test_more_than_may_wait_are_asked_about_where_nothing_else_waits(tmp_path: Path) -> None:
    limits = replace(a_policy().limits, waiting=1)
    async with given(tmp_path, policy=a_policy(mode="always", limits=limits)) as it:
        first = await it.run(PUT, PUT_B)
        second = await it.run(("shelf.put", {"name": "c"}))

    assert (states(first), states(second)) == (["waiting", "waiting"], ["refused"])


async def test_as_many_wait_as_may(tmp_path: Path) -> None:
    limits = replace(a_policy().limits, waiting=2)
    async with given(tmp_path, policy=a_policy(mode="always", limits=limits)) as it:
        reports = [await it.run(call) for call in (PUT, PUT_B, ("shelf.put", {"name": "c"}))]

    assert [states(report) for report in reports] == [["waiting"], ["waiting"], ["refused"]]


async def test_what_nobody_answers_is_left_as_it_waits(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        run = (await it.run(PUT, TAKE)).run
        before, trail = await it.tools.journal.of_run(run), events(tmp_path)
        again = await it.approvals.approve(run, Nobody())

        assert states(again) == ["waiting", "waiting"]
        assert (await it.tools.journal.of_run(run), events(tmp_path)) == (before, trail)


@pytest.mark.req("T-18")
@pytest.mark.parametrize(("rest", "ends"), [((), []), ((TAKE,), ["skipped"]), ((PUT,), ["done"])])
async def test_of_what_waited_the_part_that_cannot_be_read_any_more_is_refused(
    tmp_path: Path, rest: tuple[Call, ...], ends: list[str]
) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="always")) as it:
        run = (await it.run(SEND, *rest)).run
        damage_first(it)
        before = len(events(tmp_path))
        report = await it.approvals.approve(run, Says(True))
        written = await it.tools.journal.of_run(run)

    assert states(report) == ["refused", *ends]
    assert (written[0].state, written[0].marks.ended_at) == (State.REFUSED, "2026-03-14T12:00:00.000Z")
    assert events(tmp_path)[before] == "refused"
    assert it.world.texts.keys() == {"old", *(["a"] if "done" in ends else [])}


def damage_first(it: Given) -> None:
    """Let the plan of the first action of each run be one that nothing here can read."""
    of_run = it.tools.journal.of_run

    async def damaged(run: str) -> list[Record]:
        first, *others = await of_run(run)
        if first.state is not State.WAITING:
            return [first, *others]
        return [replace(first, plan={"summary": "x", "changes": [{"do": {"step": "nobody.knows"}}]}), *others]

    it.tools.journal.of_run = damaged


async def test_what_an_action_stands_on_may_have_been_done_by_an_earlier_yes(tmp_path: Path) -> None:
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        first, second = (one.record.id for one in (await it.run(PUT, ("shelf.take", {"name": "a"}))).outcomes)
        await it.approvals.approve(first, Says(True))
        report = await it.approvals.approve(second, Says(True))

    assert states(report) == ["done"]


async def test_what_may_have_been_meant_is_told_and_not_journaled(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(("shelf.guess", {"name": "a"}), PUT)
        (row, _) = await it.again(report)

    assert states(report) == ["failed", "done"]
    assert [[one.name for one in outcome.candidates] for outcome in report.outcomes] == [["left", "right"], []]
    assert "left" not in str(row)


async def test_what_went_from_the_journal_meanwhile_is_told_as_it_was(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        commit, get = it.tools.journal.commit, it.tools.journal.get

        async def beaten(*changes: InsertRecord | UpdateRecord | CountGrantUse, event: str) -> None:
            if event == "approved":
                it.tools.journal.commit = commit
                (waiting,) = await it.tools.journal.in_state(State.WAITING)
                await it.approvals.decline(waiting.run, "page")
            await commit(*changes, event=event)

        async def gone(*words: Any, **named: Any) -> None:
            assert await get(*words, **named)

        it.tools.journal.commit, it.tools.journal.get = beaten, gone
        report = await it.run(TAKE, approver=Says(True))

    assert only(report).record.state is State.WAITING


async def test_a_dry_run_of_a_read_is_about_the_first_of_its_words(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(("shelf.some", {"most": 3, "name": "old"}), ("shelf.some", {"most": 3}), dry_run=True)

    messages = [outcome.record.marks.message for outcome in report.outcomes]
    assert messages == ["Would read some of a text: “old”", "Would read some of a text"]
