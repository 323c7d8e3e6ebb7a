"""A process dies anywhere: nothing is doubled, nothing is lied about, and nothing is started again."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProposalError, ProviderError
from sayso.core.plan import facts_json
from sayso.core.ports import RecordQuery
from sayso.core.record import Owner, Record, State, StepOutcome, StepRecord
from sayso.runtime.apply import JournalWriter
from sayso.runtime.recovery import settle_by_person, this_process
from sayso.testing.fakes import KillAt, Killed, Says
from tests.runtime.given import a_dead_owner, a_policy, events, given, states
from tests.runtime.shelf import BURN, JOT, NOON, PAIR, PUT, PUT_B, READ, TAKE, Call, Empty, Holds, World, old

PUT_C: Call = ("shelf.put", {"name": "c"})
BATCH = (PUT, PUT_B, PUT_C)
CANNOT_SAY = "it is not known whether this happened"
INTERRUPTED = "1 of 2 changes were made, then: interrupted"


async def died(folder: Path, world: World, label: str, nth: int, *calls: Call) -> str:
    """Run until the kill point comes, as a process that then is gone; return what run it was."""
    policy, kill = a_policy(mode="never"), KillAt(label, nth=nth)
    async with given(folder, world=world, owner=a_dead_owner, policy=policy, kill=kill) as it:
        with pytest.raises(Killed):
            await it.run(*calls, approver=Says(True))
        newest = await it.tools.journal.query(RecordQuery())
        return newest[0].run if newest else ""


async def left_at_the_claim(
    folder: Path, marks: dict[str, Any], call: Call = PUT, *, world: World | None = None, owner: Owner | None = None
) -> Record:
    """Die right after the claim with these marks in the journal; return the record."""
    kill = KillAt("path.claimed")
    async with given(folder, world=world, owner=lambda: owner or a_dead_owner(), kill=kill) as it:
        with pytest.raises(Killed):
            await it.run(call, approver=Says(True))
        (record,) = await it.tools.journal.in_state(State.RUNNING)
        await JournalWriter(it.tools.journal).now(record.marked(**marks), event="test")
        return record


async def settled(folder: Path, world: World, run: str) -> list[Record]:
    """Settle as every command does, and return what the journal holds of the run then."""
    async with given(folder, world=world) as later:
        await later.recovered()
        return await later.tools.journal.of_run(run)


def ends(*records: Record) -> list[tuple[str, str | None, str | None]]:
    """Return state, sentence and code of each."""
    return [(record.state.value, record.marks.error or record.marks.message, record.marks.code) for record in records]


def changes(record: Record) -> list[str]:
    return [mark.outcome.value for mark in record.marks.changes]


@pytest.mark.parametrize(
    ("label", "nth", "expected", "texts"),
    [
        ("path.claimed", 1, ["failed", "skipped", "skipped"], []),
        ("shelf.before", 1, ["failed", "skipped", "skipped"], []),
        ("shelf.after", 1, ["done", "skipped", "skipped"], ["a"]),
        ("path.acted", 1, ["done", "skipped", "skipped"], ["a"]),
        ("path.begun", 1, ["done", "failed", "skipped"], ["a"]),
        ("shelf.after", 2, ["done", "done", "skipped"], ["a", "b"]),
        ("path.acted", 3, ["done", "done", "done"], ["a", "b", "c"]),
    ],
)
async def test_wherever_it_dies_the_journal_says_what_is_so(
    tmp_path: Path, label: str, nth: int, expected: list[str], texts: list[str]
) -> None:
    world = World()
    run = await died(tmp_path, world, label, nth, *BATCH)
    did = list(world.done)

    assert states(await settled(tmp_path, world, run)) == expected
    assert list(world.texts) == texts
    assert world.done == did


async def test_before_the_claim_nothing_is_in_the_journal_and_nothing_was_done(tmp_path: Path) -> None:
    world = World()

    assert (await died(tmp_path, world, "path.before_claim", 1, *BATCH), world.texts) == ("", {})


async def test_what_waited_when_the_process_died_still_waits(tmp_path: Path) -> None:
    world = old()
    async with given(tmp_path, world=world, owner=a_dead_owner) as it:
        report = await it.run(TAKE)

    async with given(tmp_path, world=world) as later:
        await later.recovered()
        assert states(await later.approvals.approve(report.run, Says(True))) == ["done"]


@pytest.mark.req("CR-01", "CR-02")
async def test_what_was_interrupted_says_how_far_it_came(tmp_path: Path) -> None:
    world = World()
    records = await settled(tmp_path, world, await died(tmp_path, world, "shelf.before", 1, PUT, PUT_B))

    assert ends(*records) == [
        ("failed", "interrupted before it was done; nothing was changed", "interrupted"),
        ("skipped", "skipped because the run was interrupted before its turn", "interrupted"),
    ]
    assert [(one.marks.owner, one.marks.ended_at, one.marks.begun) for one in records] == [(None, NOON, None)] * 2
    assert events(tmp_path)[-2:] == ["settled", "settled"]


@pytest.mark.parametrize(
    ("death", "calls", "said", "marks"),
    [
        (("path.claimed", 1), (READ, PUT), ("failed", "interrupted before it began; nothing was changed"), []),
        (("shelf.after", 1), (PUT, PUT_B), ("done", "Put it there"), ["done"]),
        (("shelf.after", 1), (JOT,), ("done", "Jot “a”"), ["done"]),
        (("shelf.before", 2), (PAIR,), ("failed", f"{INTERRUPTED} before it was done"), ["done", "not_done"]),
        (("shelf.after", 1), (PAIR,), ("failed", f"{INTERRUPTED} before it was done"), ["done"]),
        (("shelf.after", 2), (("shelf.refill", {"name": "old"}),), ("done", "Refilled it"), ["done", "done"]),
    ],
)
async def test_what_became_of_it_is_said_as_the_world_shows_it(
    tmp_path: Path, death: tuple[str, int], calls: tuple[Call, ...], said: tuple[str, str], marks: list[str]
) -> None:
    world = old()
    (first, *_) = await settled(tmp_path, world, await died(tmp_path, world, *death, *calls))

    assert ends(first) == [(*said, "interrupted" if said[0] == "failed" else None)]
    assert changes(first) == marks


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

    assert ends(record) == [said]
    assert changes(record) == ["not_done", "done"]


DONE_A = StepRecord(StepOutcome.DONE, facts_json((Holds("a", "1", 7),)))
NOT_DONE = StepRecord(StepOutcome.NOT_DONE)


@pytest.mark.parametrize(
    ("there", "undoing", "came_to", "said"),
    [
        (False, 0, ["undone", "not_done"], "interrupted; the part that had been done was taken back"),
        (True, 0, ["done", "not_done"], INTERRUPTED),
        (True, None, ["done"], INTERRUPTED),
    ],
)
async def test_what_was_done_in_part_or_was_being_taken_back_says_whether_it_was(
    tmp_path: Path, there: bool, undoing: int | None, came_to: list[str], said: str
) -> None:
    world = World(texts={"a": ("1", 7)} if there else {})
    marks = {"changes": (DONE_A, NOT_DONE)[: len(came_to)], "begun": None, "undoing": undoing}
    record = await left_at_the_claim(tmp_path, marks, PAIR)
    (record,) = await settled(tmp_path, world, record.run)

    assert ends(record) == [("failed", said, "interrupted")]
    assert (changes(record), record.marks.undoing) == (came_to, None)


async def test_what_was_being_taken_back_without_a_way_back_is_unknown(tmp_path: Path) -> None:
    world = old()
    taken = StepRecord(StepOutcome.DONE, facts_json((Empty("old"),)))
    marks = {"changes": (taken, NOT_DONE), "begun": None, "undoing": 0}
    record = await left_at_the_claim(tmp_path, marks, BURN, world=world)
    (record,) = await settled(tmp_path, world, record.run)

    assert (record.state, record.marks.undoing) == (State.UNKNOWN, None)
    assert changes(record) == ["unknown", "not_done"]
    assert "it holds nothing to undo it with" in (record.marks.error or "")


@pytest.mark.parametrize(
    ("why", "told"), [("nobody looked", "nobody looked"), ("", "nothing that can be looked at shows it")]
)
async def test_what_nobody_can_tell_keeps_its_place_and_says_why(tmp_path: Path, why: str, told: str) -> None:
    world = World(blind={"b"}, why=why)
    record, rest = await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 2, PAIR, PUT_C))

    assert rest.state is State.SKIPPED
    assert ends(record) == [("unknown", f"{CANNOT_SAY}: {told}", "unknown")]
    assert changes(record) == ["done", "unknown"]
    assert (record.marks.begun, record.marks.message, record.marks.owner) == (1, None, None)


async def test_what_runs_and_names_nobody_is_left_to_the_person(tmp_path: Path) -> None:
    await left_at_the_claim(tmp_path, {"owner": None})
    async with given(tmp_path) as later:
        count = await later.recovered()
        (row,) = await later.tools.journal.query(RecordQuery())

    assert (count, row.state) == (0, State.RUNNING)


@pytest.mark.req("CR-02")
async def test_the_world_is_asked_about_a_step_with_what_earlier_ones_really_left(tmp_path: Path) -> None:
    world = World(texts={"old": ("o", 3)})
    await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 2, TAKE, ("shelf.put", {"name": "old"})))
    across = world.asked
    world.asked, world.texts = [], {"old": ("o", 3)}
    refill = ("shelf.refill", {"name": "old", "text": "n"})
    await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 2, refill))

    assert across == world.asked == [(Empty("old"),)]


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
        await later.run(PUT_C)

        assert states(await later.tools.journal.of_run(run)) == ["done", "skipped"]


async def test_who_holds_no_lock_settles_only_what_needs_none(tmp_path: Path) -> None:
    world = old()
    run = await died(tmp_path, world, "path.claimed", 1, PUT, READ)
    async with given(tmp_path, world=world, kill=KillAt("path.claimed")) as later:
        with pytest.raises(Killed):
            await later.run(READ, PUT_B)

        assert states(await later.tools.journal.of_run(run)) == ["running", "failed"]


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
        found = {record.state.value for record in await later.tools.journal.query(RecordQuery())}

    assert (count, found, events(tmp_path).count("settled") - before) == (2, {"done"}, 2)


async def test_an_interrupted_undo_is_settled_with_what_it_took_back(tmp_path: Path) -> None:
    world = World()
    async with given(tmp_path, world=world, owner=a_dead_owner, kill=KillAt("shelf.after", nth=3)) as it:
        done = await it.run(PAIR)
        with pytest.raises(Killed):
            await it.undone()

    async with given(tmp_path, world=world) as later:
        await later.recovered()
        (original,) = await later.again(done)
        rest = await later.undone(original.id)
        (final,) = await later.again(done)

    assert (changes(original), states(rest)) == (["done", "undone"], ["done"])
    assert (final.state, world.texts) == (State.UNDONE, {})


async def test_a_recovery_that_dies_itself_is_taken_up_by_the_next(tmp_path: Path) -> None:
    world = World()
    run = await died(tmp_path, world, "path.acted", 1, *BATCH)
    for label in ("recovery.before", "recovery.after"):
        async with given(tmp_path, world=world, kill=KillAt(label)) as dying:
            with pytest.raises(Killed):
                await dying.recovered()

    assert states(await settled(tmp_path, world, run)) == ["done", "skipped", "skipped"]


async def test_what_a_living_process_does_is_left_alone(tmp_path: Path) -> None:
    world = World()
    async with given(tmp_path, world=world, policy=a_policy(mode="never"), kill=KillAt("path.claimed")) as it:
        with pytest.raises(Killed):
            await it.run(*BATCH)

        async with given(tmp_path, world=world) as other:
            count = await other.recovered()
            records = await other.tools.journal.query(RecordQuery())

    assert (count, set(states(records))) == (0, {"running"})


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
        ended = await settle_by_person(later.tools, record.id, done=done)
        (kept,) = await later.tools.journal.of_run(record.run)

    assert ends(ended) == ends(kept) == [said]
    assert changes(kept) == marks
    assert (kept.marks.begun, kept.marks.error if done else kept.marks.message) == (None, None)
    assert events(tmp_path)[-1] == "settled by the person"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (JOT, ("done", "Jot “a” (as you said)", "settled")),
        (PAIR, ("failed", "1 of 2 changes were made, then: settled by you", "settled")),
    ],
)
async def test_the_word_of_the_person_is_for_the_one_change_that_is_unknown(
    tmp_path: Path, call: Call, said: tuple[str, str, str]
) -> None:
    world = World(blind={"a"})
    (record,) = await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 1, call))
    async with given(tmp_path, world=world) as later:
        assert ends(await settle_by_person(later.tools, record.id, done=True)) == [said]


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
        (undo, *_) = await later.tools.journal.query(RecordQuery())
        await settle_by_person(later.tools, undo.id, done=done)
        (original,) = await later.again(first)

    assert undo.state is State.UNKNOWN
    assert original.state is (State.UNDONE if done else State.DONE)


async def test_there_is_a_word_for_what_is_not_there_and_for_what_is_known(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        (outcome,) = (await it.run(PUT)).outcomes
        with pytest.raises(ProposalError, match=r"^there is no action “act_none”$") as none:
            await settle_by_person(it.tools, "act_none", done=True)
        with pytest.raises(ProposalError, match=r"is not unknown: it is done$") as known:
            await settle_by_person(it.tools, outcome.record.id, done=False)

    assert (none.value.code, known.value.code) == ("action.unknown", "action.not_unknown")


ELSEWHERE = replace(this_process(), host="elsewhere", boot="another")


async def test_what_another_machine_began_is_left_alone_until_the_person_says(tmp_path: Path) -> None:
    world = World()
    async with given(tmp_path, world=world, owner=lambda: ELSEWHERE, kill=KillAt("shelf.after")) as it:
        with pytest.raises(Killed):
            await it.run(PUT)

    async with given(tmp_path, world=world) as later:
        count = await later.recovered()
        (running,) = await later.tools.journal.query(RecordQuery())
        said = await settle_by_person(later.tools, running.id, done=True)

    assert (count, running.state.value, said.state.value) == (0, "running", "done")
    assert (said.marks.owner, said.marks.code) == (None, "settled")


@pytest.mark.parametrize(
    ("owner", "moved"),
    [
        (ELSEWHERE, {"state": State.DONE}),
        (ELSEWHERE, {"begun": None}),
        (ELSEWHERE, {"owner": None}),
        (this_process(), {}),
    ],
)
async def test_what_has_ended_or_never_begun_elsewhere_or_runs_here_is_not_unknown(
    tmp_path: Path, owner: Owner, moved: dict[str, Any]
) -> None:
    record = await left_at_the_claim(tmp_path, moved, owner=owner)
    async with given(tmp_path) as later:
        with pytest.raises(ProposalError, match="is not unknown") as refused:
            await settle_by_person(later.tools, record.id, done=True)

    assert refused.value.code == "action.not_unknown"
