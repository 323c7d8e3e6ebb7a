"""What nobody can tell is ended by the word of the person, and by nothing else."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProposalError
from sayso.core.ports import RecordQuery
from sayso.core.record import State
from sayso.runtime.apply import JournalWriter
from sayso.runtime.recovery import settle_by_person, this_process
from sayso.testing.fakes import KillAt, Killed
from tests.runtime.died import died, settled, told
from tests.runtime.given import Call, a_dead_owner, events, given
from tests.runtime.granted import JOT
from tests.runtime.shelf import World

PUT: Call = ("shelf.put", {"name": "a", "text": "x"})
PAIR: Call = ("shelf.pair", {"one": "a", "other": "b"})


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

    assert told([ended]) == told([kept]) == [said]
    assert [mark.outcome.value for mark in kept.marks.changes] == marks
    assert (kept.marks.begun, kept.marks.error if done else kept.marks.message) == (None, None)
    assert events(tmp_path)[-1] == "settled by the person"


async def test_what_has_no_words_of_its_own_for_its_end_is_told_by_what_it_was_to_do(tmp_path: Path) -> None:
    world = World(blind={"a"})
    (record,) = await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 1, JOT))
    async with given(tmp_path, world=world) as later:
        ended = await settle_by_person(later.tools, record.id, done=True)

    assert ended.marks.message == "Jot “a” (as you said)"


async def test_the_word_of_the_person_is_for_the_one_change_that_is_unknown(tmp_path: Path) -> None:
    world = World(blind={"a"})
    (record,) = await settled(tmp_path, world, await died(tmp_path, world, "shelf.after", 1, PAIR))
    async with given(tmp_path, world=world) as later:
        ended = await settle_by_person(later.tools, record.id, done=True)

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
        (running,) = await later.tools.journal.query(RecordQuery())
        try:
            ended = await settle_by_person(later.tools, running.id, done=True)
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
        await JournalWriter(it.tools.journal).now(record.marked(**moved), event="test")
    async with given(tmp_path) as later:
        with pytest.raises(ProposalError, match="is not unknown"):
            await settle_by_person(later.tools, record.id, done=True)
