"""An undo is a row of its own that says what it takes back, for whom, and why not where it cannot."""

import sqlite3
from pathlib import Path

import pytest

from sayso.core.errors import Stale
from sayso.core.proposal import Origin
from sayso.core.record import State
from sayso.runtime.services import digest_of
from sayso.testing.fakes import KillAt, Killed, Says
from tests.runtime.given import given, only, states
from tests.runtime.granted import old
from tests.runtime.undone import backs

PUT = ("shelf.put", {"name": "a", "text": "x"})
PAIR = ("shelf.pair", {"one": "a", "other": "b"})


async def test_the_row_of_an_undo_says_what_it_takes_back_and_who_wanted_it(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        original = only(await it.run(PUT)).record
        it.clock.advance(seconds=3)
        report = await backs(it, it.undo)
        kept = await it.tools.journal.get(only(report).record.id)
        first = await it.tools.journal.get(original.id)

    assert report.dialect == "lines"
    assert not report.dry_run
    for record in (only(report).record, kept):
        assert record
        assert (record.operation, dict(record.arguments), record.undo_of) == ("undo", {"id": original.id}, original.id)
        assert (record.run, record.index, record.dialect, record.entry) == (report.run, 0, "lines", "undo")
        assert (record.session, record.state, record.dry_run) == ("s9", State.DONE, False)
        assert (record.marks.message, record.marks.approved_by) == ("Took back: Put “a” on the shelf", "terminal")
        assert record.marks.decided_at == record.time == "2026-03-14T12:00:03.000Z"
        assert (dict(record.backends), record.policy) == ({"shelf": "memory"}, it.policy[0].hash)
        assert record.digest == digest_of(record, it.tools.catalogue)
        assert record.verdict
        assert (record.verdict.ruling, record.verdict.rule) == ("allow", "undo")
    assert first
    assert (first.state, first.marks.undone_by) == (State.UNDONE, only(report).record.id)


async def test_a_way_back_is_shown_before_it_is_taken(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        original = only(await it.run(PAIR)).record
        (back,) = await it.undo.find(None)

    assert back.original.id == original.id
    assert back.plan.summary == "Take back: Put “a” and “b” on the shelf"
    assert back.plan.data == {"takes_back": original.id, "changes": [1, 0]}
    assert [getattr(change.do, "name", None) for change in back.plan.changes] == ["b", "a"]
    assert [change.undo for change in back.plan.changes] == [back.plan.changes[0].undo] * 2
    assert back.plan.on_failure == "undo"


async def test_a_dry_run_of_an_undo_is_planned_and_changes_nothing(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        report = await backs(it, it.undo, dry_run=True)
        (row, *_) = await it.again(report)

    record = only(report).record
    assert report.dry_run
    assert (record.state, record.marks.message, record.dry_run) == (
        State.PLANNED,
        "Take back: Put “a” on the shelf",
        True,
    )
    assert (row.state, row.marks.ended_at) == (State.PLANNED, "2026-03-14T12:00:00.000Z")
    assert "a" in it.world.texts


async def test_a_run_goes_back_last_first_and_without_a_session_it_is_its_own(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        first = await it.run(PUT, ("shelf.put", {"name": "b"}))
        report = await it.undo.take_back(await it.undo.find(first.run), Origin("", "undo"), "command")

    records = [outcome.record for outcome in report.outcomes]
    assert [record.index for record in records] == [0, 1]
    assert {record.run for record in records} == {record.session for record in records} == {report.run}
    assert it.world.done[2:] == ["shelf.take b", "shelf.take a"]


async def test_what_was_read_before_keeps_nobody_from_taking_back(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        await it.run(("shelf.read", {"name": "old"}), session="s9")
        await it.run(("shelf.send", {"name": "old", "to": "ana"}), approver=Says(True), session="s9")
        report = await backs(it, it.undo)

    assert states(report) == ["done"]


async def test_the_trail_of_an_undo_names_its_begin_and_its_end(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        await backs(it, it.undo, dry_run=True)
        report = await backs(it, it.undo)

    rows = sqlite3.connect(tmp_path / "sayso.db").execute("SELECT event FROM audit ORDER BY seq").fetchall()
    assert [event for (event,) in rows][-3:] == ["undo", "undo begun", "undone"]
    assert states(report) == ["done"]


async def test_taking_back_goes_on_where_the_original_did(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(("shelf.spread", {"one": "a", "other": "b"}))
        plan = only(await backs(it, it.undo)).record.plan

    assert plan is not None
    assert plan["on_failure"] == "go on"


@pytest.mark.req("UN-01")
async def test_of_two_that_take_the_same_back_the_second_has_lost(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        found = await it.undo.find(None)
        first = await it.undo.take_back(found, Origin("lines"), "terminal")
        with pytest.raises(Stale):
            await it.undo.take_back(found, Origin("lines"), "page")

    assert states(first) == ["done"]
    assert it.world.done == ["shelf.put a", "shelf.take a"]


async def test_an_undo_that_dies_before_its_deed_has_begun_in_the_journal_and_done_nothing(tmp_path: Path) -> None:
    async with given(tmp_path, kill=KillAt("undo.begun")) as it:
        await it.run(PUT)
        with pytest.raises(Killed):
            await it.undone()
        (row,) = await it.tools.journal.in_state(State.RUNNING)

    assert (row.operation, row.marks.begun, row.marks.owner) == ("undo", 0, it.tools.owner)
    assert "a" in it.world.texts


async def test_the_first_of_an_undo_has_the_number_of_its_run(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        run = (await it.run(PUT, ("shelf.put", {"name": "b"}))).run
        report = await backs(it, it.undo, run)

    number = report.run.removeprefix("run_")
    assert [outcome.record.id.endswith(number) for outcome in report.outcomes] == [True, False]
