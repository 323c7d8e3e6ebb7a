"""Changes are done one by one, begun in the journal before each; where one fails, the end says how far it came."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import anyio
import pytest
from anyio.lowlevel import checkpoint
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused, SetupError, Stale, Uncertain
from sayso.core.plan import Applied, CannotTell, CannotUndo, Change, Facts, Plan, ResultRef, Settlement, plan_json
from sayso.core.ports import KillPoint, no_kill_point
from sayso.core.proposal import Origin
from sayso.core.record import Progress, Record, State, StepOutcome, StepRecord
from sayso.runtime.apply import JournalWriter, StepRunner, mark_taken_back, part_done, ways_back
from sayso.runtime.engine import Engine
from sayso.runtime.questions import Nobody
from sayso.runtime.results import Report
from sayso.runtime.services import AppliedFacts
from sayso.testing.fakes import KillAt, Killed
from tests.runtime.given import Given, events, given, only, proposed, states
from tests.runtime.shelf import NOON, PAIR, PUT, TAKE, Backend, Call, Empty, Holds, Put, Steps, Take, World, old

CANNOT_SAY = "it is not known whether this happened"
NO = ProviderError("no", "world.no")
STUCK = ProviderError("it is stuck", "world.stuck")
BOOM = RuntimeError("a secret")
DONE, NOT_DONE, UNDONE, UNKNOWN = (
    StepOutcome.DONE, StepOutcome.NOT_DONE, StepOutcome.UNDONE, StepOutcome.UNKNOWN,
)  # fmt: skip


def changes(record: Record) -> list[StepOutcome]:
    return [mark.outcome for mark in record.marks.changes]


async def test_what_is_held_back_shares_the_next_commit(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        first, second = [only(await it.run(TAKE)).record for _ in range(2)]
        writer, before = JournalWriter(it.tools.journal), len(events(tmp_path))
        writer.later(first.marked(state=State.DECLINED))
        held = len(events(tmp_path))
        await writer.now(second.marked(state=State.DECLINED), event="declined")
        await writer.end()

    assert (held, len(events(tmp_path))) == (before, before + 1)


async def test_a_row_that_moved_on_is_not_written_over(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        waiting = only(await it.run(TAKE)).record
        await JournalWriter(it.tools.journal).now(waiting.marked(state=State.DECLINED), event="declined")
        with pytest.raises(Stale):
            await JournalWriter(it.tools.journal).now(waiting.marked(state=State.RUNNING), event="approved")
        record = await it.tools.journal.get(waiting.id)

    assert record is not None
    assert record.state is State.DECLINED


@pytest.mark.parametrize("actions", [1, 5])
async def test_an_allowed_run_of_n_actions_takes_n_and_one_commits(tmp_path: Path, actions: int) -> None:
    async with given(tmp_path) as it:
        await it.run(*(("shelf.put", {"name": str(number)}) for number in range(actions)))

    assert events(tmp_path) == [*["begun"] * actions, "done"]


async def test_the_turn_is_the_writers_to_count(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        waiting = only(await it.run(TAKE)).record
        writer = JournalWriter(it.tools.journal)
        for label in ("a", "b"):
            await writer.now(replace(waiting).marked(message=label), event="test")
        record = await it.tools.journal.get(waiting.id)

    assert record is not None
    assert (record.marks.message, record.marks.turn) == ("b", 2)


class Slow(Backend):
    """A shelf that waits before each step, as a real world does; a run that was cancelled would end there."""

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


@pytest.mark.parametrize(
    ("call", "backend", "said"),
    [
        (PUT, Slow, "Put it there (slowly)"),
        (PAIR, Telling, "Put both there (on a shelf, “b” stands in the second row)"),
    ],
)
async def test_an_end_says_how_its_backend_did_it_and_what_came_in_another_way_than_asked(
    tmp_path: Path, call: Call, backend: type[Backend], said: str
) -> None:
    async with given(tmp_path) as it:
        marks = only(await taken(it, no_kill_point, call, backend=backend)).record.marks

    assert (marks.message, marks.error, marks.code) == (said, None, None)


async def test_an_end_says_when_it_was_and_how_long_it_took_and_frees_the_action(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.clock.advance(seconds=100)
        report = await taken(it, lambda label: it.clock.advance(seconds=1.5 * (label == "shelf.after")), PUT)
        (kept,) = await it.again(report)

    for marks in (only(report).record.marks, kept.marks):
        assert (marks.duration_ms, marks.ended_at) == (1500, "2026-03-14T12:01:41.500Z")
        assert (marks.owner, marks.begun) == (None, None)


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
    assert record.marks.error == "stopped because sayso was paused; the part that had been done was taken back"


async def test_what_is_begun_with_the_claim_is_done_although_the_brake_comes_right_after(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await taken(it, lambda label: it.tightened(paused=True) if label == "path.claimed" else None, PUT)

    assert states(report) == ["done"]


async def test_what_is_being_taken_back_is_written_down_first(tmp_path: Path) -> None:
    kill = KillAt("none")
    async with given(tmp_path) as it:
        it.world.faults["before:b"] = NO
        record = only(await taken(it, kill, PAIR)).record

    assert kill.seen.index("path.taking_back") < len(kill.seen) - 1 - kill.seen[::-1].index("shelf.before")
    assert (record.marks.code, record.marks.undoing) == ("world.no", None)
    assert events(tmp_path) == ["begun", "begun", "taking back", "done"]


@pytest.mark.parametrize(
    ("fault", "state", "code"),
    [
        (Refused("not there", "path.x"), State.REFUSED, "path.x"),
        (NO, State.FAILED, "world.no"),
        (SetupError("the trash is full", "trash.full"), State.FAILED, "bug"),
        (BOOM, State.FAILED, "bug"),
    ],
    ids=["refused", "the world", "the settings", "a bug"],
)
async def test_a_plain_no_is_believed_and_of_anything_else_the_world_is_asked(
    tmp_path: Path, fault: Exception, state: State, code: str
) -> None:
    async with given(tmp_path) as it:
        it.world.faults = {"before:a": fault, "after:b": fault}
        record, other = [only(await it.run(("shelf.put", {"name": name}))).record for name in "ab"]

    told = f"a fault in sayso ended this ({type(fault).__name__})" if code == "bug" else str(fault)
    assert (record.state, record.marks.code, record.marks.error) == (state, code, told)
    assert other.state is (State.DONE if code == "bug" else state)


async def acted(it: Given, plan: Plan, lefts: AppliedFacts | None = None, **changed: object) -> Record:
    """Let a plan that no operation made be carried out."""
    tools = replace(it.tools, **changed)
    writer = JournalWriter(tools.journal)
    marks = Progress(State.RUNNING, begun=0, message="before", error="before", code="before")
    record = replace(a_record(), id="do_0000000000001", marks=marks, plan=plan_json(plan))
    await writer.new(record, event="begun")
    runner = StepRunner(tools, writer)
    runner.lefts.update(lefts or {})
    return await runner.carry_out(record, plan, begun=True)


def a_record(*outcomes: StepOutcome) -> Record:
    """Return an action whose changes came to this."""
    marks = Progress(State.RUNNING, changes=tuple(StepRecord(how) for how in outcomes), undoing=0)
    return Record(1, "do_1", "run_1", 0, NOON, "lines", "test", "", "shelf.put", {}, marks)


async def test_a_change_may_stand_on_what_an_earlier_one_of_the_same_plan_left(tmp_path: Path) -> None:
    there_and_away = (
        Change(Put("a", "x"), Take("a"), (Empty("a"),)),
        Change(Take("a"), Put("a", "x"), (ResultRef("a", "holds", 0),)),
    )
    other: AppliedFacts = {(0, 0): (), (5, 0): (Holds("a", "another's", 9),)}
    async with given(tmp_path) as it:
        record = await acted(it, Plan("Put it there and take it away", there_and_away), other)

    assert (record.state, record.marks.error, record.marks.code) == (State.DONE, None, None)
    assert it.world.done == ["shelf.put a", "shelf.take a"]
    assert record.marks.message == "Put it there and take it away"


THREE = Plan("Put three there", tuple(Change(Put(name, "x"), Take(name), (Empty(name),)) for name in "abc"))
BURNT = replace(
    THREE, changes=(THREE.changes[0], replace(THREE.changes[1], undo=CannotUndo("it is burnt")), THREE.changes[2])
)


class Mute(Backend):
    """A shelf that cannot tell, and does not say why."""

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        return CannotTell("")


class Gone(Backend):
    """A shelf that is no longer there when it is asked what became of a step."""

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        raise SetupError("the shelf is gone")


class Wrong(NamedTuple):
    """What goes wrong while a plan is done, and what else once it is being taken back."""

    faults: dict[str, Exception]
    later: Mapping[str, Exception] = MappingProxyType({})
    blind: str = ""
    why: str = "nobody looked"
    plan: Plan = THREE
    backend: type[Backend] = Backend


class End(NamedTuple):
    """What an action comes to."""

    state: State
    error: str | None
    changes: list[StepOutcome]
    texts: str


LOST = Uncertain("no answer")
TWO_OF_THREE = "2 of 3 changes were made, then: no"


@pytest.mark.parametrize(
    ("wrong", "end"),
    [
        pytest.param(Wrong({"before:c": NO}),
            End(State.FAILED, "no; the part that had been done was taken back", [UNDONE, UNDONE, NOT_DONE], ""),
            id="all that was done is taken back, last first"),
        pytest.param(Wrong({"before:b": NO}, {"before:a": STUCK}),
            End(State.FAILED, "1 of 3 changes were made, then: no", [DONE, NOT_DONE], "a"),
            id="taking back stops where it fails, and what is left is said"),
        pytest.param(Wrong({"before:c": NO}, {"before:b": STUCK}),
            End(State.FAILED, TWO_OF_THREE, [DONE, DONE, NOT_DONE], "ab"),
            id="what stands below something stuck is not taken from under it"),
        pytest.param(Wrong({"before:c": NO}, plan=BURNT),
            End(State.FAILED, TWO_OF_THREE, [DONE, DONE, NOT_DONE], "ab"),
            id="what has no way back keeps what was done before it"),
        pytest.param(Wrong({"before:b": NO}, {"before:a": BOOM}, "a"),
            End(State.UNKNOWN, f"{CANNOT_SAY}; no", [UNKNOWN, NOT_DONE], "a"),
            id="nobody can tell what taking back did"),
        pytest.param(Wrong({"after:a": BOOM}, blind="a"),
            End(State.UNKNOWN, f"{CANNOT_SAY}: nobody looked", [UNKNOWN], "a"), id="nobody can tell"),
        pytest.param(Wrong({"before:a": LOST}, blind="a"),
            End(State.UNKNOWN, f"{CANNOT_SAY}: no answer; nobody looked", [UNKNOWN], ""), id="no answer came either"),
        pytest.param(Wrong({"before:a": LOST}, blind="a", why=""),
            End(State.UNKNOWN, f"{CANNOT_SAY}: no answer", [UNKNOWN], ""), id="no answer is all that is known"),
        pytest.param(Wrong({"before:a": BOOM}, backend=Mute),
            End(State.UNKNOWN, f"{CANNOT_SAY}: nothing that can be looked at shows it", [UNKNOWN], ""),
            id="no reason is known"),
        pytest.param(Wrong({"before:a": LOST}, backend=Gone),
            End(State.UNKNOWN, f"{CANNOT_SAY}: the shelf is gone", [UNKNOWN], ""), id="the world cannot be asked"),
        pytest.param(Wrong({"after:a": LOST}), End(State.DONE, None, [DONE] * 3, "abc"),
            id="what the world shows to be done is done although no answer came"),
    ],
)  # fmt: skip
async def test_where_a_change_goes_wrong_the_end_says_how_far_it_came(tmp_path: Path, wrong: Wrong, end: End) -> None:
    async with given(tmp_path, world=World(blind=set(wrong.blind), why=wrong.why, faults=wrong.faults.copy())) as it:

        def turns(label: str) -> None:
            if label == "path.taking_back":
                it.world.faults.update(wrong.later)

        record = await acted(it, wrong.plan, kill=turns, backends={"shelf": wrong.backend(it.world)})

    assert End(record.state, record.marks.error, changes(record), "".join(it.world.texts)) == end
    if end.state is State.UNKNOWN:
        assert (record.marks.code, record.marks.message) == ("unknown", None)
    if end.changes == [UNDONE, UNDONE, NOT_DONE]:
        assert it.world.done[2:] == ["shelf.take b", "shelf.take a"]


async def test_what_cannot_be_told_keeps_its_begun_mark_and_a_fault_is_logged_whole(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:a"] = BOOM
        record = await acted(it, THREE, backends={"shelf": Mute(it.world)})

    assert record.marks.begun == 0
    (logged,) = caplog.records
    assert logged.exc_info
    assert logged.exc_info[1] is BOOM


@pytest.mark.parametrize(
    ("kill", "begun", "undoing"), [(KillAt("path.begun", nth=2), 2, None), (KillAt("path.taking_back"), None, 1)]
)
async def test_a_death_leaves_word_of_which_change_was_begun_or_taken_back(
    tmp_path: Path, kill: KillAt, begun: int | None, undoing: int | None
) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:c"] = NO
        with pytest.raises(Killed):
            await acted(it, THREE, kill=kill)
        (row,) = await it.tools.journal.in_state(State.RUNNING)

    assert (row.marks.begun, row.marks.undoing) == (begun, undoing)
    assert changes(row)[:2] == [DONE, DONE]


async def test_a_store_that_nothing_serves_any_more_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        record = await acted(it, THREE, backends={}, unavailable={"shelf": "the shelf was sold"})

    assert (record.state, record.marks.code, changes(record)) == (State.FAILED, "unavailable", [NOT_DONE])
    assert record.marks.error == "not available on this system: the shelf was sold"


async def test_what_goes_on_after_a_no_ends_with_that_no_and_its_word(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults |= {"before:a": NO, "before:c": ProviderError("never", "world.never")}
        half, none = [only(await it.run(("shelf.spread", {"one": "a", "other": other}))).record for other in "bc"]

    assert (half.marks.code, half.marks.message) == ("world.no", None)
    assert (none.state, none.marks.error, none.marks.code) == (State.FAILED, "never", "world.never")


@pytest.mark.parametrize(
    ("result", "how"), [(Applied(()), UNDONE), (CannotTell("who knows"), UNKNOWN), (NO, DONE)], ids=["left", "?", "no"]
)
def test_what_became_of_taking_back_is_marked_on_that_change_alone(
    result: Applied | CannotTell | ProviderError, how: StepOutcome
) -> None:
    record = mark_taken_back(a_record(DONE, DONE, NOT_DONE), 1, result)

    assert (changes(record), record.marks.undoing) == ([DONE, how, NOT_DONE], None)


@pytest.mark.parametrize(
    ("outcomes", "problem", "state", "said"),
    [
        ((NOT_DONE,), Refused("not there", "x"), State.REFUSED, "not there"),
        ((DONE, NOT_DONE), Refused("not there", "x"), State.FAILED, "1 of 3 changes were made, then: not there"),
        ((), ProviderError("no", "x"), State.FAILED, "no"),
        ((UNDONE,), ProviderError("no", "x"), State.FAILED, "no; the part that had been done was taken back"),
        ((DONE, UNDONE), ProviderError("no", "x"), State.FAILED, "1 of 3 changes were made, then: no"),
        ((DONE, UNKNOWN), ProviderError("no", "x"), State.UNKNOWN, f"{CANNOT_SAY}; no"),
    ],
)
def test_what_was_not_done_whole_says_n_of_m_and_never_more_than_is_so(
    outcomes: tuple[StepOutcome, ...], problem: ProviderError | Refused, state: State, said: str
) -> None:
    record = part_done(a_record(*outcomes).marked(message="Did it"), 3, problem)

    assert (record.state, record.marks.error, record.marks.message) == (state, said, None)
    assert record.marks.code == ("unknown" if state is State.UNKNOWN else "x")


def test_a_way_back_has_what_is_done_whose_trace_is_known_and_that_can_be_undone() -> None:
    back, burnt = Change(Put("a", "x"), Take("a"), ()), Change(Take("a"), CannotUndo("it is burnt"), ())
    marks = [StepRecord(DONE, {}), StepRecord(DONE), *(StepRecord(how, {}) for how in (NOT_DONE, UNDONE, DONE, DONE))]

    assert ways_back([back, back, back, back, burnt, back, back], marks) == [5, 0]
