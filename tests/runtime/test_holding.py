"""What cannot be called back is held first: nothing of it has begun until the hold is over."""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import pytest

from sayso.core.errors import ProposalError
from sayso.core.plan import CannotUndo, Change, Plan, Step
from sayso.core.ports import Locks
from sayso.core.proposal import Origin
from sayso.core.record import State
from sayso.runtime.clock import SystemClock
from sayso.runtime.holding import STOPPED, TAKEN_BACK, Holder, is_held, seconds_of
from sayso.runtime.outcome import Report
from sayso.runtime.tools import stamp
from sayso.runtime.undo import Back, Undo
from sayso.runtime.waiting import Held
from sayso.testing.fakes import KillAt, Killed, Says
from tests.runtime.given import Given, a_dead_owner, a_policy, events, given, only, states
from tests.runtime.shelf import Put, World

PUT_A, PUT_B = ("shelf.put", {"name": "a", "text": "x"}), ("shelf.put", {"name": "b", "text": "y"})
TAKE_OLD = ("shelf.take", {"name": "old"})


@dataclass
class Meanwhile:
    """Does something while a hold lasts, and remembers what was held."""

    deed: Callable[[Held], Awaitable[None]] | None = None
    held: list[Held] = field(default_factory=list[Held])
    over: list[bool] = field(default_factory=list[bool])

    async def wait(self, held: Held, over: Callable[[], Awaitable[bool]]) -> None:
        self.held.append(held)
        if self.deed is not None:
            await self.deed(held)
        self.over.append(await over())


def holding(it: Given, waits: Meanwhile, stopped: list[bool] | None = None) -> Given:
    stopping = bool if stopped is None else lambda: bool(stopped)
    return Given(replace(it.tools, waits=waits, stopping=stopping), it.world, it.clock, it.policy)


async def test_it_goes_once_the_time_is_up_and_not_before(tmp_path: Path) -> None:
    done: list[list[str]] = []
    async with given(tmp_path, world=World(held=10)) as it:

        async def look(held: Held) -> None:
            done.append([*it.world.done])

        waits = Meanwhile(look)
        report = await holding(it, waits).run(PUT_A)

    assert states(report) == ["done"]
    assert (done, it.world.done) == ([[]], ["shelf.put a"])
    assert (waits.held[0].seconds, waits.held[0].ids) == (10, (only(report).record.id,))
    assert waits.over == [False]


async def test_what_is_not_held_is_not_waited_for(tmp_path: Path) -> None:
    waits = Meanwhile()
    async with given(tmp_path, world=World(held=0)) as it:
        await holding(it, waits).run(PUT_A)

    assert waits.held == []


async def test_what_comes_before_is_done_first_and_all_that_is_held_waits_together(tmp_path: Path) -> None:
    done: list[list[str]] = []
    async with given(tmp_path, world=World({"old": ("o", 1)}, held=5), policy=a_policy(mode="never")) as it:

        async def look(held: Held) -> None:
            done.append([*it.world.done])

        waits = Meanwhile(look)
        report = await holding(it, waits).run(TAKE_OLD, PUT_A, PUT_B)

    assert states(report) == ["done", "done", "done"]
    assert done == [["shelf.take old"]]
    assert len(waits.held[0].what) == 2


async def test_what_goes_along_with_what_is_held_is_not_held_itself(tmp_path: Path) -> None:
    stopped: list[bool] = []
    async with given(tmp_path, world=World({"old": ("o", 1)}, held=5), policy=a_policy(mode="never")) as it:

        async def stop(held: Held) -> None:
            stopped.append(True)

        waits = Meanwhile(stop)
        report = await holding(it, waits, stopped).run(PUT_A, TAKE_OLD)

    assert states(report) == ["declined", "skipped"]
    assert [(held.what, held.ids) for held in waits.held] == [
        (("Put “a” on the shelf",), (report.outcomes[0].record.id,))
    ]


async def test_what_is_refused_at_the_claim_is_not_waited_for(tmp_path: Path) -> None:
    waits = Meanwhile()
    async with given(tmp_path, world=World(held=5), policy=a_policy(mode="always")) as it:
        says = Says(True, then=lambda: it.tightened(allowed_operations=("shelf.take",)))
        report = await holding(it, waits).run(PUT_A, PUT_B, approver=says)

    assert (states(report), waits.held) == (["refused", "refused"], [])


async def test_where_nobody_shows_it_the_hold_is_waited_out_in_silence(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(held=0.01)) as it:
        tools = replace(it.tools, clock=SystemClock())
        report = await Given(tools, it.world, it.clock, it.policy).run(PUT_A)

    assert states(report) == ["done"]


async def test_whoever_stops_the_run_meanwhile_has_kept_it_here(tmp_path: Path) -> None:
    stopped: list[bool] = []
    async with given(tmp_path, world=World(held=5)) as it:

        async def stop(held: Held) -> None:
            stopped.append(True)

        waits = Meanwhile(stop)
        report = await holding(it, waits, stopped).run(PUT_A, PUT_B)
        again = await it.again(report)

    assert states(report) == states(again) == ["declined", "declined"]
    assert {(row.marks.error, row.marks.code) for row in again} == {(STOPPED, "held.stopped")}
    assert it.world.done == []
    assert waits.over == [True]


async def test_undo_takes_it_back_while_it_is_held(tmp_path: Path) -> None:
    backs: list[Report] = []
    async with given(tmp_path, world=World(held=5)) as it:

        async def take_back(held: Held) -> None:
            backs.append(await it.undone(held.ids[0]))

        waits = Meanwhile(take_back)
        report = await holding(it, waits).run(PUT_A)
        (row,) = await it.again(report)

    assert states(report) == ["undone"]
    marks, now = row.marks, stamp(it.clock.now())
    assert (row.state, marks.message, marks.undone_by) == (State.UNDONE, TAKEN_BACK, only(backs[0]).record.id)
    assert (marks.owner, marks.ended_at) == (None, now)
    back = only(backs[0]).record
    assert (back.state, back.marks.message) == (State.DONE, "Took back before it began: Put “a” on the shelf")
    assert (back.marks.approved_by, back.marks.decided_at, back.marks.ended_at) == ("command", now, now)
    assert events(tmp_path)[-1] == "undone"
    assert it.world.done == []
    assert waits.over == [True]


async def test_undo_of_nothing_in_particular_means_what_is_held_and_not_what_was_done_before(tmp_path: Path) -> None:
    backs: list[Report] = []
    async with given(tmp_path, world=World({"old": ("o", 1)}, held=5), policy=a_policy(mode="never")) as it:

        async def take_back(held: Held) -> None:
            backs.append(await it.undone())

        report = await holding(it, Meanwhile(take_back)).run(TAKE_OLD, PUT_A)

    assert states(report) == ["done", "undone"]
    assert only(backs[0]).record.undo_of == report.outcomes[1].record.id
    assert it.world.done == ["shelf.take old"]


async def test_what_has_gone_is_taken_back_in_the_usual_way(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(held=5)) as it:
        await holding(it, Meanwhile()).run(PUT_A)
        back = only(await it.undone()).record

    assert (back.state, back.marks.message) == (State.DONE, "Took back: Put “a” on the shelf")
    assert it.world.done == ["shelf.put a", "shelf.take a"]


async def test_what_is_about_to_begin_and_is_not_held_has_no_way_back_yet(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(held=5)) as it:

        async def find(held: Held) -> None:
            it.world.held = 0
            with pytest.raises(ProposalError, match="changed nothing: it is running"):
                await it.undo.find(held.ids[0])

        waits = Meanwhile(find)
        await holding(it, waits).run(PUT_A)

    assert len(waits.over) == 1


@dataclass
class Watched:
    """Locks that remember what was held."""

    locks: Locks
    held: list[str] = field(default_factory=list[str])

    def hold(self, stores: Iterable[str]) -> AbstractAsyncContextManager[None]:
        wanted = [*stores]
        self.held += wanted
        return self.locks.hold(wanted)

    def attempt(self, stores: Iterable[str]) -> AbstractAsyncContextManager[bool]:
        return self.locks.attempt(stores)


async def test_nothing_can_begin_while_it_is_being_taken_back(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(held=5)) as it:
        locks = Watched(it.tools.locks)

        async def take_back(held: Held) -> None:
            found = await it.undo.find(held.ids[0])
            await Undo(replace(it.tools, locks=locks)).take_back(found, Origin("", "undo"), "command")

        await holding(it, Meanwhile(take_back)).run(PUT_A)

    assert locks.held == ["shelf"]


async def test_what_is_looked_at_in_its_turn_is_held_and_can_be_taken_back_too(tmp_path: Path) -> None:
    async with given(tmp_path, world=World({"old": ("o", 1)}, held=5), imagines=False) as it:

        async def take_back(held: Held) -> None:
            await it.undone(held.ids[0])

        waits = Meanwhile(take_back)
        report = await holding(it, waits).run(("shelf.put", {"name": "c", "text": "z"}), PUT_A)
        left = Meanwhile()
        went = await holding(it, left).run(("shelf.put", {"name": "c", "text": "z"}), PUT_A)

    assert events(tmp_path).count("held") == 2
    assert [len(held.ids) for held in waits.held] == [1, 1]
    assert states(report) == ["undone", "undone"]
    assert [len(held.ids) for held in left.held] == [1, 1]
    assert states(went) == ["done", "done"]
    assert it.world.done == ["shelf.put c", "shelf.put a"]


async def test_one_of_two_that_are_held_can_be_taken_back(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(held=5)) as it:

        async def take_back(held: Held) -> None:
            await it.undone(held.ids[0])

        waits = Meanwhile(take_back)
        report = await holding(it, waits).run(PUT_A, PUT_B)

    assert states(report) == ["undone", "done"]
    assert waits.over == [False]
    assert it.world.done == ["shelf.put b"]


async def test_once_it_has_gone_it_is_not_held_any_more(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(held=5)) as it:
        found: list[Back] = []

        async def find(held: Held) -> None:
            found.extend(await it.undo.find(held.ids[0]))

        await holding(it, Meanwhile(find)).run(PUT_A)
        gone = [replace(back, original=replace(back.original, id="do_gone")) for back in found]
        for backs in (found, gone):
            with pytest.raises(ProposalError, match="not held back any more") as said:
                await it.undo.take_back(backs, Origin("", "undo"), "command")

            assert said.value.code == "undo.too_late"


@pytest.mark.req("ML-06")
@pytest.mark.parametrize("moment", ["path.holding", "path.held"])
async def test_who_dies_in_the_hold_has_done_nothing_and_never_will(tmp_path: Path, moment: str) -> None:
    world = World(held=5)
    with pytest.raises(Killed):
        async with given(tmp_path, world=world, kill=KillAt(moment), owner=a_dead_owner) as it:
            await holding(it, Meanwhile()).run(PUT_A)
    async with given(tmp_path, world=world) as it:
        settled = await it.recovered()
        (row,) = await it.tools.journal.in_state(State.FAILED)
        again = await it.recovered()

    assert (settled, again) == (1, 0)
    assert row.marks.error == "interrupted before it began; nothing was changed"
    assert world.done == []
    assert world.asked == []


@dataclass(frozen=True, slots=True)
class Elsewhere(Step):
    """A step that nothing serves."""

    step: ClassVar[str] = "elsewhere.do"
    store: ClassVar[str] = "elsewhere"


async def test_what_nothing_serves_here_is_not_held_and_what_comes_with_it_is(tmp_path: Path) -> None:
    steps = (Elsewhere(), Put("a", "x"), Elsewhere())
    changes = tuple(Change(step, CannotUndo("it is a test")) for step in steps)
    async with given(tmp_path, world=World(held=5)) as it:
        found = [seconds_of(it.tools, Plan("Do it", some)) for some in (changes, changes[:1], ())]
        nothing = Holder(it.tools).seconds()

    assert (found, nothing) == ([5, 0, 0], 0)


async def test_what_is_claimed_is_held_until_anything_of_it_begins_or_it_ends(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        (record,) = await it.again(await it.run(PUT_A))
    held = record.marked(state=State.RUNNING, begun=None, undoing=None, changes=())
    others = [
        held.marked(state=State.DECLINED),
        held.marked(begun=0),
        held.marked(undoing=0),
        held.marked(changes=record.marks.changes),
        replace(held, plan=None),
    ]

    assert is_held(held)
    assert [is_held(other) for other in others] == [False] * 5
