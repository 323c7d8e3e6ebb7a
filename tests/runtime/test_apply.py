"""Done marks wait for the next begun, and a row that somebody else moved is not written over."""

import sqlite3
from pathlib import Path

import anyio
import pytest
from anyio.lowlevel import checkpoint
from msgspec.structs import replace

from sayso.core.codec import plan_json
from sayso.core.errors import ProviderError, Refused, SetupError, Stale, Uncertain
from sayso.core.plan import Applied, CannotTell, CannotUndo, Change, Facts, Plan, ResultRef, Settlement
from sayso.core.ports import KillPoint, no_kill_point
from sayso.core.proposal import Origin
from sayso.core.record import Progress, Record, State, StepOutcome
from sayso.runtime.apply import JournalWriter, StepRunner
from sayso.runtime.engine import Engine
from sayso.runtime.questions import Nobody
from sayso.runtime.results import Report
from sayso.runtime.services import AppliedFacts
from sayso.testing.fakes import KillAt, Killed
from tests.runtime.given import Call, Given, events, given, only, proposed, states
from tests.runtime.shelf import Backend, Empty, Holds, Put, Steps, Take, World


def audited(folder: Path) -> int:
    return sqlite3.connect(folder / "sayso.db").execute("SELECT count(*) FROM audit").fetchone()[0]


async def test_what_is_held_back_shares_the_next_commit(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        first = await it.run(("shelf.take", {"name": "old"}))
        second = await it.run(("shelf.take", {"name": "old"}))
        pen, before = JournalWriter(it.tools.journal), audited(tmp_path)
        pen.later(first.outcomes[0].record.marked(state=State.DECLINED))
        held = audited(tmp_path)
        await pen.now(second.outcomes[0].record.marked(state=State.DECLINED), event="declined")
        await pen.end()

    assert (held, audited(tmp_path)) == (before, before + 1)


async def test_what_is_held_back_to_the_end_is_written_down_as_done(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(("shelf.put", {"name": "a"}))

    assert events(tmp_path) == ["begun", "done"]


async def test_a_row_that_moved_on_is_not_written_over(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        (outcome,) = (await it.run(("shelf.take", {"name": "old"}))).outcomes
        await JournalWriter(it.tools.journal).now(outcome.record.marked(state=State.DECLINED), event="declined")
        with pytest.raises(Stale):
            await JournalWriter(it.tools.journal).now(outcome.record.marked(state=State.RUNNING), event="approved")
        record = await it.tools.journal.get(outcome.record.id)

    assert record is not None
    assert record.state is State.DECLINED


@pytest.mark.parametrize(("actions", "commits"), [(1, 2), (5, 6)])
async def test_an_allowed_run_of_n_actions_takes_n_and_one_commits(tmp_path: Path, actions: int, commits: int) -> None:
    async with given(tmp_path) as it:
        await it.run(*(("shelf.put", {"name": str(number)}) for number in range(actions)))

    assert audited(tmp_path) == commits


async def test_the_turn_is_the_pens_to_count(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        (outcome,) = (await it.run(("shelf.take", {"name": "old"}))).outcomes
        pen = JournalWriter(it.tools.journal)
        for label in ("a", "b"):
            await pen.now(replace(outcome.record).marked(message=label), event="test")
        record = await it.tools.journal.get(outcome.record.id)

    assert record is not None
    assert (record.marks.message, record.marks.turn) == ("b", 2)


PAIR: Call = ("shelf.pair", {"one": "a", "other": "b"})


class Slow(Backend):
    """A shelf that waits before each deed, as a real world does; a run that was cancelled would end there."""

    note = "slowly"

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        await checkpoint()
        return await super().apply(step, expects)


class Telling(Backend):
    """A shelf that says of one thing that it stands elsewhere."""

    note = "on a shelf"

    def tells(self, step: Steps, left: Applied) -> str:
        return f"“{step.name}” stands in the second row" if step.name == "b" and left.facts else ""


async def taken(it: Given, kill: KillPoint, *calls: Call, backend: type[Backend] = Backend) -> Report:
    """Take calls down the path with something happening at its kill points."""
    tools = replace(it.tools, kill=kill, backends={"shelf": backend(it.world, kill)})
    return await Engine(tools).take(proposed(*calls), Origin("lines"), Nobody())


async def test_a_plan_that_is_being_done_is_done_whole_although_the_run_is_cancelled(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        with anyio.CancelScope() as scope:
            await taken(it, lambda label: scope.cancel() if label == "shelf.after" else None, PAIR, backend=Slow)

    assert it.world.done == ["shelf.put a", "shelf.put b"]


async def test_what_came_of_a_change_in_another_way_than_asked_is_told_with_the_end(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await taken(it, no_kill_point, PAIR, backend=Telling)

    assert (only(report).record.marks.message or "").endswith("(on a shelf, “b” stands in the second row)")


async def test_an_end_says_when_it_was_and_how_long_it_took_and_frees_the_action(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.clock.advance(seconds=100)
        report = await taken(
            it,
            lambda label: it.clock.advance(seconds=1.5) if label == "shelf.after" else None,
            ("shelf.put", {"name": "a"}),
        )
        (kept,) = await it.again(report)

    for record in (only(report).record, kept):
        assert record.marks.duration_ms == 1500
        assert record.marks.ended_at == "2026-03-14T12:01:41.500Z"
        assert record.marks.owner is None
        assert record.marks.begun is None


async def test_each_change_is_begun_in_the_journal_before_it_is_done(tmp_path: Path) -> None:
    kill = KillAt("none")
    async with given(tmp_path) as it:
        await taken(it, kill, PAIR)

    assert [label for label in kill.seen if label.startswith(("path.", "shelf."))] == [
        "path.before_claim", "path.claimed",
        "shelf.before", "shelf.after", "path.acted",
        "path.begun", "shelf.before", "shelf.after", "path.acted",
    ]  # fmt: skip


@pytest.mark.req("T-53")
async def test_the_brake_between_two_changes_of_one_action_takes_the_first_back(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await taken(it, lambda label: it.tightened(paused=True) if label == "path.acted" else None, PAIR)

    record = only(report).record
    assert it.world.texts == {}
    assert (record.state, record.marks.code) == (State.FAILED, "stopped")
    assert record.marks.error == "stopped because sayso was paused; what had been done of it was taken back"


async def test_what_is_begun_with_the_claim_is_done_although_the_brake_comes_right_after(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await taken(
            it,
            lambda label: it.tightened(paused=True) if label == "path.claimed" else None,
            ("shelf.put", {"name": "a"}),
        )

    assert states(report) == ["done"]


async def test_what_is_being_taken_back_is_written_down_first(tmp_path: Path) -> None:
    kill = KillAt("none")
    async with given(tmp_path) as it:
        it.world.faults["before:b"] = ProviderError("no", "world.no")
        report = await taken(it, kill, PAIR)

    assert "path.taking_back" in kill.seen
    assert kill.seen.index("path.taking_back") < len(kill.seen) - 1 - kill.seen[::-1].index("shelf.before")
    assert only(report).record.marks.code == "world.no"
    assert only(report).record.marks.undoing is None


async def test_taking_back_stops_where_it_fails_and_what_is_left_is_said(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:b"] = ProviderError("no", "world.no")

        def turns(label: str) -> None:
            if label == "path.taking_back":
                it.world.faults["before:a"] = ProviderError("it is stuck", "world.stuck")

        report = await taken(it, turns, PAIR)

    record = only(report).record
    assert list(it.world.texts) == ["a"]
    assert record.marks.error == "1 of 2 changes were made, then: no"
    assert [mark.outcome for mark in record.marks.changes] == [StepOutcome.DONE, StepOutcome.NOT_DONE]


async def test_when_nobody_can_tell_what_taking_back_did_the_outcome_is_unknown(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:b"] = ProviderError("no", "world.no")

        def turns(label: str) -> None:
            if label == "path.taking_back":
                it.world.faults["before:a"] = RuntimeError("boom")
                it.world.blind.add("a")

        report = await taken(it, turns, PAIR)

    record = only(report).record
    assert (record.state, record.marks.code) == (State.UNKNOWN, "unknown")
    assert record.marks.error == "it cannot be said whether this happened; no"
    assert [mark.outcome for mark in record.marks.changes] == [StepOutcome.UNKNOWN, StepOutcome.NOT_DONE]


async def test_what_cannot_be_told_names_the_reason_and_keeps_its_begun_mark(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["after:a"] = RuntimeError("boom")
        it.world.blind.add("a")
        record = only(await it.run(PAIR)).record

    assert (record.state, record.marks.code, record.marks.begun) == (State.UNKNOWN, "unknown", 0)
    assert record.marks.error == "it cannot be said whether this happened: nobody looked"
    assert [mark.outcome for mark in record.marks.changes] == [StepOutcome.UNKNOWN]


async def test_a_fault_is_told_without_its_words_and_by_its_kind(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:a"] = RuntimeError("a secret")
        record = only(await it.run(("shelf.put", {"name": "a"}))).record

    assert (record.marks.error, record.marks.code) == ("a fault in sayso ended this (RuntimeError)", "bug")


@pytest.mark.parametrize(
    ("fault", "state", "code"),
    [
        (Refused("not there", "path.x"), State.REFUSED, "path.x"),
        (ProviderError("no", "world.no"), State.FAILED, "world.no"),
        (SetupError("the trash is full", "trash.full"), State.FAILED, "bug"),
    ],
    ids=["refused", "the world", "the settings"],
)
async def test_a_plain_no_is_believed_and_of_anything_else_the_world_is_asked(
    tmp_path: Path, fault: Exception, state: State, code: str
) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:a"] = fault
        record = only(await it.run(("shelf.put", {"name": "a"}))).record
        it.world.faults = {"after:b": fault}
        other = only(await it.run(("shelf.put", {"name": "b"}))).record

    assert (record.state, record.marks.code) == (state, code)
    assert other.state is (State.DONE if code == "bug" else state)


async def test_a_deed_says_how_its_backend_did_it(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await taken(it, lambda _: None, ("shelf.put", {"name": "a"}), backend=Slow)

    assert only(report).record.marks.message == "Put it there (slowly)"
    assert (only(report).record.marks.error, only(report).record.marks.code) == (None, None)


def a_record() -> Record:
    """Return an action that has just been claimed."""
    marks = Progress(State.RUNNING, begun=0, message="before", error="before", code="before")
    return Record(
        1, "do_0000000000001", "run_1", 0, "2026-03-14T12:00:00.000Z", "lines", "test", "", "shelf.put", {}, marks
    )


async def acted(it: Given, plan: Plan, lefts: AppliedFacts | None = None, **changed: object) -> Record:
    """Let an actor carry out a plan that no operation made."""
    tools = replace(it.tools, **changed)
    pen = JournalWriter(tools.journal)
    record = replace(a_record(), plan=plan_json(plan))
    await pen.new(record, event="begun")
    actor = StepRunner(tools, pen)
    actor.lefts.update(lefts or {})
    return await actor.carry_out(record, plan, begun=True)


THROUGH = Plan(
    "Put it there and take it away",
    (
        Change(Put("a", "x"), Take("a"), (Empty("a"),)),
        Change(Take("a"), Put("a", "x"), (ResultRef("a", "holds", 0),)),
    ),
)


async def test_a_change_may_stand_on_what_an_earlier_one_of_the_same_plan_left(tmp_path: Path) -> None:
    other: AppliedFacts = {(0, 0): (), (5, 0): (Holds("a", "another's", 9),)}
    async with given(tmp_path) as it:
        record = await acted(it, THROUGH, other)

    assert (record.state, record.marks.error, record.marks.code) == (State.DONE, None, None)
    assert it.world.done == ["shelf.put a", "shelf.take a"]
    assert record.marks.message == "Put it there and take it away"


THREE = Plan("Put three there", tuple(Change(Put(name, "x"), Take(name), (Empty(name),)) for name in "abc"))


async def test_all_that_was_done_is_taken_back_last_first(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:c"] = ProviderError("no", "world.no")
        record = await acted(it, THREE)

    assert it.world.done == ["shelf.put a", "shelf.put b", "shelf.take b", "shelf.take a"]
    assert [mark.outcome for mark in record.marks.changes] == [
        StepOutcome.UNDONE,
        StepOutcome.UNDONE,
        StepOutcome.NOT_DONE,
    ]


async def test_what_stands_below_something_stuck_is_not_taken_from_under_it(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:c"] = ProviderError("no", "world.no")

        def turns(label: str) -> None:
            if label == "path.taking_back":
                it.world.faults["before:b"] = ProviderError("it is stuck", "world.stuck")

        record = await acted(it, THREE, kill=turns)

    assert list(it.world.texts) == ["a", "b"]
    assert record.marks.error == "2 of 3 changes were made, then: no"


async def test_what_has_no_way_back_keeps_what_was_done_before_it(tmp_path: Path) -> None:
    first, second, third = THREE.changes
    plan = replace(THREE, changes=(first, replace(second, undo=CannotUndo("it is burnt")), third))
    async with given(tmp_path) as it:
        it.world.faults["before:c"] = ProviderError("no", "world.no")
        record = await acted(it, plan)

    assert list(it.world.texts) == ["a", "b"]
    assert record.marks.error == "2 of 3 changes were made, then: no"


class Mute(Backend):
    """A shelf that cannot tell, and does not say why."""

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        return CannotTell("")


async def test_a_fault_is_logged_whole_and_told_without_a_reason_where_none_is_known(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:a"] = RuntimeError("a secret")
        record = await acted(it, THREE, backends={"shelf": Mute(it.world)})

    assert record.marks.error == "it cannot be said whether this happened: the world does not show it"
    assert record.marks.message is None
    (logged,) = caplog.records
    assert logged.exc_info
    assert isinstance(logged.exc_info[1], RuntimeError)


class Gone(Backend):
    """A shelf that is no longer there when it is asked what became of a step."""

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        raise SetupError("the shelf is gone")


async def test_a_world_that_cannot_be_asked_leaves_it_unknown_with_the_reason(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:a"] = Uncertain("no answer")
        record = await acted(it, THREE, backends={"shelf": Gone(it.world)})

    assert (record.state, record.marks.begun) == (State.UNKNOWN, 0)
    assert record.marks.error == "it cannot be said whether this happened: the shelf is gone"


@pytest.mark.parametrize(("why", "told"), [("nobody looked", "no answer; nobody looked"), ("", "no answer")])
async def test_what_went_wrong_is_told_beside_why_the_world_cannot_tell(why: str, told: str, tmp_path: Path) -> None:
    async with given(tmp_path, world=World(blind={"a"}, why=why)) as it:
        it.world.faults["before:a"] = Uncertain("no answer")
        record = await acted(it, THREE)

    assert (record.state, record.marks.error) == (State.UNKNOWN, f"it cannot be said whether this happened: {told}")


async def test_what_the_world_shows_to_be_done_is_done_although_no_answer_came(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["after:a"] = Uncertain("no answer")
        record = await acted(it, THREE)

    assert record.state is State.DONE


async def test_a_death_right_after_begun_leaves_word_of_which(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        with pytest.raises(Killed):
            await acted(it, THREE, kill=KillAt("path.begun", nth=2))
        (row,) = await it.tools.journal.in_state(State.RUNNING)

    assert row.marks.begun == 2
    assert [mark.outcome for mark in row.marks.changes] == [StepOutcome.DONE, StepOutcome.DONE]


async def test_a_death_while_something_is_taken_back_leaves_word_of_which(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:c"] = ProviderError("no", "world.no")
        with pytest.raises(Killed):
            await acted(it, THREE, kill=KillAt("path.taking_back"))
        (row,) = await it.tools.journal.in_state(State.RUNNING)

    assert (row.marks.undoing, row.marks.begun) == (1, None)


async def test_a_store_that_nothing_serves_any_more_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        record = await acted(it, THROUGH, backends={}, unavailable={"shelf": "the shelf was sold"})

    assert (record.state, record.marks.code) == (State.FAILED, "unavailable")
    assert record.marks.error == "not available on this system: the shelf was sold"
    assert [mark.outcome for mark in record.marks.changes] == [StepOutcome.NOT_DONE]


async def test_what_goes_on_after_a_no_ends_with_that_no_and_its_word(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:a"] = ProviderError("no", "world.no")
        half = only(await it.run(("shelf.spread", {"one": "a", "other": "b"}))).record
        it.world.faults["before:c"] = ProviderError("never", "world.never")
        none = only(await it.run(("shelf.spread", {"one": "a", "other": "c"}))).record

    assert (half.marks.code, half.marks.message) == ("world.no", None)
    assert (none.state, none.marks.error, none.marks.code) == (State.FAILED, "never", "world.never")


async def test_the_trail_says_what_each_commit_was_for(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:b"] = ProviderError("no", "world.no")
        await it.run(PAIR)

    rows = sqlite3.connect(tmp_path / "sayso.db").execute("SELECT event FROM audit ORDER BY seq").fetchall()
    assert [event for (event,) in rows] == ["begun", "begun", "taking back", "done"]
