"""What is settled after a death says what was found, how far it came, and who it belongs to no longer."""

from pathlib import Path

import pytest

from sayso.core.codec import facts_json
from sayso.core.errors import ProviderError
from sayso.core.ports import RecordQuery
from sayso.core.record import Record, State, StepOutcome, StepRecord
from sayso.runtime.apply import JournalWriter
from sayso.testing.fakes import KillAt, Killed, Says
from tests.runtime.died import died, settled, told
from tests.runtime.given import Call, a_dead_owner, events, given, states
from tests.runtime.granted import JOT
from tests.runtime.shelf import Empty, Holds, World

PUT: Call = ("shelf.put", {"name": "a", "text": "x"})
PUT_B: Call = ("shelf.put", {"name": "b"})
PAIR: Call = ("shelf.pair", {"one": "a", "other": "b"})
READ: Call = ("shelf.read", {"name": "old"})
NOON = "2026-03-14T12:00:00.000Z"


@pytest.mark.req("CR-01", "CR-02")
async def test_what_was_interrupted_says_how_far_it_came(tmp_path: Path) -> None:
    world = World()
    run = await died(tmp_path, world, "shelf.before", 1, PUT, PUT_B)
    records = await settled(tmp_path, world, run)

    assert told(records) == [
        ("failed", "interrupted before it was done; nothing was changed", "interrupted"),
        ("skipped", "skipped because the run was interrupted before its turn", "interrupted"),
    ]
    assert [(record.marks.owner, record.marks.ended_at, record.marks.begun) for record in records] == [
        (None, NOON, None)
    ] * 2
    assert events(tmp_path)[-2:] == ["settled", "settled"]


async def test_what_was_decided_and_not_begun_says_that_nothing_was_changed(tmp_path: Path) -> None:
    world = World(texts={"old": ("o", 0)})
    run = await died(tmp_path, world, "path.claimed", 1, READ, PUT)

    said = ("failed", "interrupted before it began; nothing was changed", "interrupted")
    assert told(await settled(tmp_path, world, run)) == [said, said]


async def test_what_turns_out_to_be_done_says_so_as_if_nothing_had_been(tmp_path: Path) -> None:
    world = World()
    run = await died(tmp_path, world, "shelf.after", 1, PUT, PUT_B)

    assert told(await settled(tmp_path, world, run))[0] == ("done", "Put it there", None)


@pytest.mark.parametrize(
    ("label", "nth", "said", "marks"),
    [
        ("shelf.before", 2, "1 of 2 changes were made, then: interrupted before it was done", ["done", "not_done"]),
        ("shelf.after", 1, "1 of 2 changes were made, then: interrupted before it was done", ["done"]),
    ],
)
async def test_a_plan_that_was_interrupted_half_way_says_n_of_m(
    tmp_path: Path, label: str, nth: int, said: str, marks: list[str]
) -> None:
    world = World()
    (record,) = await settled(tmp_path, world, await died(tmp_path, world, label, nth, PAIR))

    assert told([record]) == [("failed", said, "interrupted")]
    assert [mark.outcome.value for mark in record.marks.changes] == marks


async def test_what_was_done_in_part_with_nothing_begun_keeps_its_way_back(tmp_path: Path) -> None:
    world = World(texts={"a": ("1", 7)})
    async with given(tmp_path, world=World(), owner=a_dead_owner, kill=KillAt("path.claimed")) as it:
        with pytest.raises(Killed):
            await it.run(PAIR)
        (record,) = await it.tools.journal.in_state(State.RUNNING)
        done = StepRecord(StepOutcome.DONE, facts_json((Holds("a", "1", 7),)))
        await JournalWriter(it.tools.journal).now(record.marked(changes=(done,), begun=None), event="test")

    (record,) = await settled(tmp_path, world, record.run)
    assert told([record]) == [("failed", "1 of 2 changes were made, then: interrupted", "interrupted")]


@pytest.mark.parametrize(
    ("there", "marks", "said"),
    [
        (False, ["undone", "not_done"], "interrupted; what had been done of it was taken back"),
        (True, ["done", "not_done"], "1 of 2 changes were made, then: interrupted"),
    ],
)
async def test_what_was_being_taken_back_says_whether_it_was(
    tmp_path: Path, there: bool, marks: list[str], said: str
) -> None:
    world = World(texts={"a": ("1", 7)} if there else {})
    async with given(tmp_path, world=World(), owner=a_dead_owner, kill=KillAt("path.claimed")) as it:
        with pytest.raises(Killed):
            await it.run(PAIR)
        (record,) = await it.tools.journal.in_state(State.RUNNING)
        changes = (StepRecord(StepOutcome.DONE, facts_json((Holds("a", "1", 7),))), StepRecord(StepOutcome.NOT_DONE))
        await JournalWriter(it.tools.journal).now(record.marked(changes=changes, begun=None, undoing=0), event="test")

    (record,) = await settled(tmp_path, world, record.run)
    assert told([record]) == [("failed", said, "interrupted")]
    assert [mark.outcome.value for mark in record.marks.changes] == marks
    assert record.marks.undoing is None


async def test_what_was_being_taken_back_without_a_way_back_is_unknown(tmp_path: Path) -> None:
    world = World(texts={"old": ("o", 0)})
    async with given(tmp_path, world=world, owner=a_dead_owner, kill=KillAt("path.claimed")) as it:
        with pytest.raises(Killed):
            await it.run(("shelf.burn", {"name": "old"}), approver=Says(True))
        (record,) = await it.tools.journal.in_state(State.RUNNING)
        changes = (StepRecord(StepOutcome.DONE, facts_json((Empty("old"),))), StepRecord(StepOutcome.NOT_DONE))
        await JournalWriter(it.tools.journal).now(record.marked(changes=changes, begun=None, undoing=0), event="test")

    (record,) = await settled(tmp_path, world, record.run)
    assert (record.state, record.marks.undoing) == (State.UNKNOWN, None)
    assert [mark.outcome for mark in record.marks.changes] == [StepOutcome.UNKNOWN, StepOutcome.NOT_DONE]
    assert "it has no way back" in (record.marks.error or "")


async def test_what_nobody_can_tell_keeps_its_place_and_says_why(tmp_path: Path) -> None:
    world = World(blind={"b"})
    (record,) = await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 2, PAIR))

    assert told([record]) == [
        ("unknown", "it cannot be said whether this happened: nobody looked", "unknown"),
    ]
    assert [mark.outcome for mark in record.marks.changes] == [StepOutcome.DONE, StepOutcome.UNKNOWN]
    assert (record.marks.begun, record.marks.message, record.marks.owner) == (1, None, None)


async def test_what_runs_and_names_nobody_is_left_to_the_person(tmp_path: Path) -> None:
    async with given(tmp_path, owner=a_dead_owner, kill=KillAt("path.claimed")) as it:
        with pytest.raises(Killed):
            await it.run(PUT)
        (record,) = await it.tools.journal.in_state(State.RUNNING)
        await JournalWriter(it.tools.journal).now(record.marked(owner=None), event="test")
    async with given(tmp_path) as later:
        count = await later.recovered()
        (row,) = await later.tools.journal.query(RecordQuery())

    assert (count, row.state) == (0, State.RUNNING)


async def test_where_the_world_gives_no_reason_it_is_said_that_it_does_not_show_it(tmp_path: Path) -> None:
    world = World(blind={"a"}, why="")
    (record,) = await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 1, PUT))

    assert record.marks.error == "it cannot be said whether this happened: the world does not show it"


async def test_what_turns_out_to_be_done_and_has_no_words_of_its_own_is_told_by_what_it_was_to_do(
    tmp_path: Path,
) -> None:
    world = World()
    run = await died(tmp_path, world, "shelf.after", 1, JOT)

    assert told(await settled(tmp_path, world, run)) == [("done", "Jot “a”", None)]


@pytest.mark.req("CR-02")
@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("ab", ("failed", "1 of 2 changes were made, then: no", "world.no")),
        ("abc", ("failed", "1 of 3 changes were made, then: interrupted before it was done", "interrupted")),
    ],
)
async def test_what_went_on_after_a_failure_and_died_is_not_told_as_done(
    tmp_path: Path, names: str, said: tuple[str, str, str]
) -> None:
    world = World(faults={"before:a": ProviderError("no", "world.no")})
    run = await died(tmp_path, world, "shelf.after", 1, ("shelf.scatter", {"names": list(names)}))
    (record,) = await settled(tmp_path, world, run)

    assert told([record]) == [said]
    assert [mark.outcome.value for mark in record.marks.changes] == ["not_done", "done"]


@pytest.mark.req("CR-02")
async def test_the_world_is_asked_about_a_step_with_what_earlier_ones_really_left(tmp_path: Path) -> None:
    world = World(texts={"old": ("o", 3)})
    take, put = ("shelf.take", {"name": "old"}), ("shelf.put", {"name": "old"})
    await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 2, take, put))
    across = world.asked
    world.asked, world.texts = [], {"old": ("o", 3)}
    refill = ("shelf.refill", {"name": "old", "text": "n"})
    (record,) = await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 2, refill))

    assert across == world.asked == [(Empty("old"),)]
    assert told([record]) == [("done", "Refilled it", None)]


async def test_while_somebody_acts_on_the_store_nothing_is_settled(tmp_path: Path) -> None:
    world = World()
    await died(tmp_path, world, "shelf.after", 1, PUT, PUT_B)
    async with given(tmp_path, world=world) as later:
        async with later.tools.locks.hold(["shelf"]):
            busy = await later.recovered()
        free = await later.recovered()

    assert (busy, free) == (0, 2)


@pytest.mark.req("CR-02")
async def test_who_takes_the_lock_settles_first_what_was_left_on_its_stores(tmp_path: Path) -> None:
    world = World()
    run = await died(tmp_path, world, "shelf.after", 1, PUT, PUT_B)
    async with given(tmp_path, world=world) as later:
        await later.run(("shelf.put", {"name": "c"}))
        records = await later.tools.journal.of_run(run)

    assert states(records) == ["done", "skipped"]


async def test_who_holds_no_lock_settles_only_what_needs_none(tmp_path: Path) -> None:
    world = World(texts={"old": ("o", 0)})
    run = await died(tmp_path, world, "path.claimed", 1, PUT, READ)
    async with given(tmp_path, world=world, kill=KillAt("path.claimed")) as later:
        with pytest.raises(Killed):
            await later.run(READ, PUT_B)
        records = await later.tools.journal.of_run(run)

    assert states(records) == ["running", "failed"]


async def test_of_two_runs_each_is_settled_once(tmp_path: Path) -> None:
    world = World()
    first = await died(tmp_path, world, "shelf.after", 1, PUT)
    before = events(tmp_path).count("settled")
    async with given(tmp_path, world=world, owner=a_dead_owner, kill=KillAt("path.acted")) as it:
        held = it.tools.journal.in_state

        async def nobody(*states: State) -> list[Record]:
            return [record for record in await held(*states) if record.run != first]

        it.tools.journal.in_state = nobody
        with pytest.raises(Killed):
            await it.run(PUT_B)
    async with given(tmp_path, world=world) as later:
        count = await later.recovered()
        ends = {record.state.value for record in await later.tools.journal.query(RecordQuery())}

    assert (count, ends, events(tmp_path).count("settled") - before) == (2, {"done"}, 2)
