"""An undo is a row of its own that says what it takes back, for whom, and why not where it cannot."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.errors import ProposalError, ProviderError, SetupError, Stale
from sayso.core.proposal import Origin
from sayso.core.record import How, Marked, State
from sayso.runtime.locks import FileLocks
from sayso.runtime.outcome import Report
from sayso.runtime.tools import digest_of
from sayso.runtime.undo import Undo
from sayso.testing.fakes import KillAt, Killed, Says
from tests.runtime.given import Given, given, only, states
from tests.runtime.shelf import Backend, World

PUT = ("shelf.put", {"name": "a", "text": "x"})
PAIR = ("shelf.pair", {"one": "a", "other": "b"})
BURN = ("shelf.burn", {"name": "old"})


def old() -> World:
    return World(texts={"old": ("o", 0)})


async def why_not(it: Given, ref: str | None, undo: Undo | None = None) -> tuple[str, str]:
    """Return the word and the sentence with which nothing is taken back."""
    with pytest.raises(ProposalError) as said:
        await (undo or it.undo).find(ref)
    return said.value.code, str(said.value)


async def backs(it: Given, undo: Undo, ref: str | None = None, *, dry_run: bool = False) -> Report:
    """Take back as a program does."""
    return await undo.take_back(await undo.find(ref), Origin("lines", "undo", "s9"), "terminal", dry_run=dry_run)


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
        assert record.digest == digest_of(record)
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


@pytest.mark.req("T-53")
async def test_an_undo_that_is_refused_is_a_row_with_the_reason(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        it.tightened(paused=True)
        paused = only(await backs(it, it.undo)).record
        it.tightened(paused=False)
        nobody = Undo(replace(it.tools, catalogue={}))
        unknown = only(await backs(it, nobody)).record

    assert (paused.state, paused.marks.code) == (State.REFUSED, "policy.paused")
    assert paused.marks.error == "sayso is paused; `sayso resume` lets it go on"
    assert (unknown.state, unknown.marks.code) == (State.REFUSED, "operation.unknown")
    assert unknown.marks.error == "nothing here knows this operation any more"
    assert paused.marks.ended_at == unknown.marks.ended_at == "2026-03-14T12:00:00.000Z"
    assert "a" in it.world.texts


class Other(Backend):
    """A shelf in another room."""

    name = "cellar"


async def test_what_was_done_on_another_backend_is_not_taken_back_on_this_one(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        moved = Undo(replace(it.tools, backends={"shelf": Other(it.world)}))
        with pytest.raises(ProposalError) as said:
            await backs(it, moved)

    assert said.value.code == "undo.other_backend"
    assert str(said.value) == "this was done on “memory”, and “shelf” is served by “cellar” now"
    assert "a" in it.world.texts


async def test_why_nothing_can_be_taken_back_is_said(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        nothing = await why_not(it, None)
        burnt = only(await it.run(BURN, approver=Says(True))).record.id
        refused = only(await it.run(("shelf.take", {"name": "none"}))).record.id
        same = only(await it.run(PUT)).record.id
        undone = only(await backs(it, it.undo, same)).record.id
        it.world.faults["after:c"] = RuntimeError("boom")
        it.world.blind.add("c")
        unknown = only(await it.run(("shelf.put", {"name": "c"}))).record.id
        told = {ref: await why_not(it, ref) for ref in (burnt, refused, same, undone, unknown, "do_none", "run_none")}

    assert nothing == ("undo.nothing", "there is nothing to take back")
    assert told == {
        burnt: ("undo.no_way_back", f"“{burnt}” cannot be taken back: what is burnt is gone"),
        refused: ("undo.no_way_back", f"“{refused}” changed nothing: it is failed"),
        same: ("undo.no_way_back", f"“{same}” was already taken back by {undone}"),
        undone: ("undo.no_way_back", f"“{undone}” is an undo itself; do the action anew instead"),
        unknown: (
            "undo.no_way_back",
            f"it is not known whether “{unknown}” happened; say so with `sayso settle {unknown} done` first",
        ),
        "do_none": ("action.unknown", "there is no action or run “do_none”"),
        "run_none": ("action.unknown", "there is no action or run “run_none”"),
    }


async def test_what_only_the_person_says_was_done_has_no_way_back(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        record = only(await it.run(PUT)).record
        word = replace(record, marks=replace(record.marks, changes=(Marked(How.DONE),)))
        journal = it.tools.journal

        class Told:
            """A journal that holds the person's word for it."""

            def __getattr__(self, name: str) -> object:
                return getattr(journal, name)

            async def get(self, _: str) -> object:
                return word

        said = await why_not(it, record.id, Undo(replace(it.tools, journal=Told())))

    assert said == (
        "undo.no_way_back",
        f"“{record.id}” cannot be taken back: that it was done is your word, so what it left is not known",
    )


async def test_the_trail_of_an_undo_names_its_begin_and_its_end(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        await backs(it, it.undo, dry_run=True)
        report = await backs(it, it.undo)

    rows = sqlite3.connect(tmp_path / "sayso.db").execute("SELECT event FROM audit ORDER BY seq").fetchall()
    assert [event for (event,) in rows][-3:] == ["undo", "undo begun", "undone"]
    assert states(report) == ["done"]


@pytest.mark.req("UN-01")
async def test_what_is_unknown_in_part_is_taken_back_only_after_the_persons_word(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["after:b"] = RuntimeError("boom")
        it.world.blind.add("b")
        record = only(await it.run(PAIR)).record
        code, said = await why_not(it, record.id)

    assert (record.state, code) == (State.UNKNOWN, "undo.no_way_back")
    assert said.startswith(f"it is not known whether “{record.id}” happened")


async def test_taking_back_goes_on_where_the_original_did(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(("shelf.spread", {"one": "a", "other": "b"}))
        plan = only(await backs(it, it.undo)).record.plan

    assert plan is not None
    assert plan["on_failure"] == "go on"


async def test_what_did_not_happen_has_changed_nothing_whatever_it_would_have_done(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        declined = only(await it.run(BURN, approver=Says(False))).record.id
        it.world.faults["before:a"] = ProviderError("no", "world.no")
        failed = only(await it.run(PUT)).record.id
        said = [(await why_not(it, ref))[1] for ref in (declined, failed)]

    assert said == [f"“{declined}” changed nothing: it is declined", f"“{failed}” changed nothing"]


async def test_nothing_is_taken_back_while_somebody_acts_on_the_store(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        impatient = Undo(replace(it.tools, locks=FileLocks(tmp_path / "locks", patience=0.01)))
        async with it.tools.locks.hold(["shelf"]):
            with pytest.raises(SetupError, match="has been acting on “shelf”"):
                await backs(it, impatient)

    assert "a" in it.world.texts


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


async def test_a_no_to_an_undo_names_its_rule(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        unknown = only(await backs(it, Undo(replace(it.tools, catalogue={})))).record
        it.tightened(paused=True)
        paused = only(await backs(it, it.undo)).record

    verdicts = [record.verdict for record in (unknown, paused)]
    assert [(verdict.ruling, verdict.rule, verdict.code) for verdict in verdicts if verdict] == [
        ("deny", "unknown", "operation.unknown"),
        ("deny", "paused", "policy.paused"),
    ]


async def test_the_first_of_an_undo_has_the_number_of_its_run(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        run = (await it.run(PUT, ("shelf.put", {"name": "b"}))).run
        report = await backs(it, it.undo, run)

    number = report.run.removeprefix("run_")
    assert [outcome.record.id.endswith(number) for outcome in report.outcomes] == [True, False]
