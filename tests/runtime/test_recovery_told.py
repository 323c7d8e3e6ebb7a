"""What is settled after a death says what was found, how far it came, and who it belongs to no longer."""

from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.codec import facts_json
from sayso.core.errors import ProposalError
from sayso.core.ports import Query
from sayso.core.record import How, Marked, Record, State
from sayso.runtime.owner import this_process
from sayso.runtime.pen import Pen
from sayso.runtime.recovery import settled_by_person
from sayso.testing.fakes import KillAt, Killed, Says
from tests.runtime.given import Call, a_dead_owner, a_policy, events, given, states
from tests.runtime.shelf import Empty, Holds, World

PUT: Call = ("shelf.put", {"name": "a", "text": "x"})
PUT_B: Call = ("shelf.put", {"name": "b"})
PAIR: Call = ("shelf.pair", {"one": "a", "other": "b"})
READ: Call = ("shelf.read", {"name": "old"})
NOON = "2026-03-14T12:00:00.000Z"


async def died(folder: Path, world: World, label: str, nth: int, *calls: Call) -> str:
    """Run until the kill point comes, as a process that then is gone; return what run it was."""
    policy, kill = a_policy(mode="never"), KillAt(label, nth=nth)
    async with given(folder, world=world, owner=a_dead_owner, policy=policy, kill=kill) as it:
        with pytest.raises(Killed):
            await it.run(*calls, approver=Says(True))
        newest = await it.tools.journal.query(Query())
        return newest[0].run


async def settled(folder: Path, world: World, run: str) -> list[Record]:
    async with given(folder, world=world) as later:
        await later.recovered()
        return await later.tools.journal.of_run(run)


def told(records: list[Record]) -> list[tuple[str, str | None, str | None]]:
    return [(record.state.value, record.marks.error or record.marks.message, record.marks.code) for record in records]


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
        done = Marked(How.DONE, facts_json((Holds("a", "1", 7),)))
        await Pen(it.tools.journal).now(record.marked(changes=(done,), begun=None), event="test")

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
        changes = (Marked(How.DONE, facts_json((Holds("a", "1", 7),))), Marked(How.NOT_DONE))
        await Pen(it.tools.journal).now(record.marked(changes=changes, begun=None, undoing=0), event="test")

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
        changes = (Marked(How.DONE, facts_json((Empty("old"),))),)
        await Pen(it.tools.journal).now(record.marked(changes=changes, begun=None, undoing=0), event="test")

    (record,) = await settled(tmp_path, world, record.run)
    assert record.state is State.UNKNOWN
    assert "it has no way back" in (record.marks.error or "")


async def test_what_nobody_can_tell_keeps_its_place_and_says_why(tmp_path: Path) -> None:
    world = World(blind={"b"})
    (record,) = await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 2, PAIR))

    assert told([record]) == [
        ("unknown", "it cannot be said whether this happened: nobody looked", "unknown"),
    ]
    assert [mark.outcome for mark in record.marks.changes] == [How.DONE, How.UNKNOWN]
    assert (record.marks.begun, record.marks.message, record.marks.owner) == (1, None, None)


@pytest.mark.parametrize(
    ("done", "said", "marks"),
    [
        (True, ("done", "Put both there (as you said)", "settled"), ["done", "done"]),
        (False, ("failed", "1 of 2 changes were made, then: settled by you", "settled"), ["done", "not_done"]),
    ],
)
async def test_the_word_of_the_person_ends_what_nobody_can_tell(
    tmp_path: Path, done: bool, said: tuple[str, str, str], marks: list[str]
) -> None:
    world = World(blind={"b"})
    (record,) = await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 2, PAIR))
    async with given(tmp_path, world=world) as later:
        ended = await settled_by_person(later.tools, record.id, done=done)
        (kept,) = await later.tools.journal.of_run(record.run)

    assert told([ended]) == told([kept]) == [said]
    assert [mark.outcome.value for mark in kept.marks.changes] == marks
    assert (kept.marks.begun, kept.marks.error if done else kept.marks.message) == (None, None)
    assert events(tmp_path)[-1] == "settled by the person"


async def test_the_word_of_the_person_is_for_the_one_change_that_is_unknown(tmp_path: Path) -> None:
    world = World(blind={"a"})
    (record,) = await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 1, PAIR))
    async with given(tmp_path, world=world) as later:
        ended = await settled_by_person(later.tools, record.id, done=True)

    assert told([ended]) == [("failed", "1 of 2 changes were made, then: settled by you", "settled")]


@pytest.mark.parametrize("done", [True, False])
async def test_the_word_about_an_undo_counts_for_what_it_takes_back(tmp_path: Path, done: bool) -> None:
    world = World()
    async with given(tmp_path, world=world, owner=a_dead_owner, kill=KillAt("shelf.after", nth=2)) as it:
        first = await it.run(PUT)
        world.blind.add("a")
        with pytest.raises(Killed):
            await it.undone()
    async with given(tmp_path, world=world) as later:
        await later.recovered()
        (undo, *_) = await later.tools.journal.query(Query())
        await settled_by_person(later.tools, undo.id, done=done)
        (original,) = await later.again(first)

    assert undo.state is State.UNKNOWN
    assert original.state is (State.UNDONE if done else State.DONE)


async def test_there_is_a_word_for_what_is_not_there_and_for_what_is_known(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        (outcome,) = (await it.run(PUT)).outcomes
        with pytest.raises(ProposalError, match=r"^there is no action “act_none”$") as none:
            await settled_by_person(it.tools, "act_none", done=True)
        with pytest.raises(ProposalError, match=r"is not unknown: it is done$") as known:
            await settled_by_person(it.tools, outcome.record.id, done=False)

    assert (none.value.code, known.value.code) == ("action.unknown", "action.not_unknown")


@pytest.mark.parametrize(("elsewhere", "word"), [(True, "settled"), (False, "action.not_unknown")])
async def test_only_of_what_runs_on_another_machine_is_the_word_of_the_person_taken(
    tmp_path: Path, elsewhere: bool, word: str
) -> None:
    me = this_process()
    owner = replace(me, host="elsewhere", boot="another") if elsewhere else me
    async with given(tmp_path, owner=lambda: owner, kill=KillAt("shelf.after")) as it:
        with pytest.raises(Killed):
            await it.run(PUT)
    async with given(tmp_path) as later:
        (running,) = await later.tools.journal.query(Query())
        try:
            ended = await settled_by_person(later.tools, running.id, done=True)
            assert ended.marks.owner is None
            code = ended.marks.code
        except ProposalError as refused:
            code = refused.code

    assert code == word


@pytest.mark.parametrize("moved", [{"state": State.DONE}, {"begun": None}, {"owner": None}])
async def test_what_has_ended_or_never_begun_elsewhere_is_not_unknown(tmp_path: Path, moved: dict[str, object]) -> None:
    there = replace(this_process(), host="elsewhere", boot="another")
    async with given(tmp_path, owner=lambda: there, kill=KillAt("path.claimed")) as it:
        with pytest.raises(Killed):
            await it.run(PUT)
        (record,) = await it.tools.journal.in_state(State.RUNNING)
        await Pen(it.tools.journal).now(record.marked(**moved), event="test")
    async with given(tmp_path) as later:
        with pytest.raises(ProposalError, match="is not unknown"):
            await settled_by_person(later.tools, record.id, done=True)


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
        ends = {record.state.value for record in await later.tools.journal.query(Query())}

    assert (count, ends, events(tmp_path).count("settled") - before) == (2, {"done"}, 2)
