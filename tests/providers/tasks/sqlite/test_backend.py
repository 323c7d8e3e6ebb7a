"""The lists in a database are a whole store, and each step of it is one transaction."""

import os
import signal
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.plan import Applied, ChangeRef, NotDone, Plan
from sayso.core.ports import Backend, BackendContext, Closes, KillPoint, no_kill_point
from sayso.providers.tasks import TASKS
from sayso.providers.tasks.memory import memory_backend, parse_world
from sayso.providers.tasks.model import AddTask, AddTasks
from sayso.providers.tasks.sqlite.backend import SqliteBackend, build
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.tasks import TasksSuite, add, plant_tasks, reads, texts


class TestSqlite(TasksSuite):
    """The suite on the database."""

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self.place = tmp_path
        self.made = 0

    def make(self) -> SqliteBackend:
        self.made += 1
        return lists(self.place / str(self.made))

    @pytest.mark.req("T-61", "S2-35", "S2-05")
    async def test_a_deleted_tree_comes_back_with_ids_order_and_states(self) -> None:
        await super().test_a_deleted_tree_comes_back_with_ids_order_and_states()

    @pytest.mark.req("T-63")
    async def test_undo_is_refused_after_a_later_change(self) -> None:
        await super().test_undo_is_refused_after_a_later_change()

    @pytest.mark.req("T-64", "S2-04")
    async def test_a_rename_after_the_plan_does_not_stop_it(self) -> None:
        await super().test_a_rename_after_the_plan_does_not_stop_it()

    @pytest.mark.req("S2-25", "S2-41")
    async def test_completed_tasks_are_read_only(self) -> None:
        await super().test_completed_tasks_are_read_only()

    @pytest.mark.req("S2-02", "S2-03", "S2-24")
    async def test_a_subtask_stands_below_its_parent(self) -> None:
        await super().test_a_subtask_stands_below_its_parent()

    @pytest.mark.req("S2-06", "S2-08", "S2-09", "S2-26", "S2-27")
    async def test_a_habit_is_changed_logged_deleted_and_taken_back(self) -> None:
        await super().test_a_habit_is_changed_logged_deleted_and_taken_back()


def lists(own: Path, kill: KillPoint = no_kill_point, clock: FakeClock | None = None) -> SqliteBackend:
    return build(BackendContext({}, "/home/ana", str(own), (), clock or FakeClock(), RandomIds(), kill))


def closed(trial: Trial) -> None:
    if isinstance(trial.backend, Closes):
        trial.backend.close()


def rows(own: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(own / "tasks.db")) as connection:
        return connection.execute(query).fetchall()


def in_a_process_that_dies_at(label: str, own: Path, work: Callable[[Trial], Plan]) -> None:
    """Do a plan in a process of its own that is killed at this point."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return

    def kill(here: str) -> None:
        if here == label:
            os.kill(os.getpid(), signal.SIGKILL)

    trial = Trial(TASKS, lists(own, kill))
    anyio.run(trial.do, work(trial))
    os._exit(0)


@pytest.mark.req("X-17", "T-61")
@pytest.mark.parametrize(
    ("label", "is_done"), [("task.delete.before", False), ("task.delete.written", False), ("task.delete.after", True)]
)
def test_a_crash_within_a_cascade_leaves_all_of_it_or_nothing(label: str, is_done: bool, tmp_path: Path):
    trial = anyio.run(plant_tasks, Trial(TASKS, lists(tmp_path)))
    plan = anyio.run(lambda: trial.plan("task.delete", target="Party"))
    closed(trial)

    in_a_process_that_dies_at(label, tmp_path, lambda trial: plan)

    step = plan.changes[0].do
    settled = anyio.run(Trial(TASKS, lists(tmp_path)).backend.settle, step, plan.changes[0].expects)
    assert isinstance(settled, Applied if is_done else NotDone)
    assert rows(tmp_path, "SELECT count(*) FROM tasks") == [(2 if is_done else 6,)]
    assert rows(tmp_path, "SELECT count(*) FROM deleted_tasks") == [(4 if is_done else 0,)]
    assert rows(tmp_path, "SELECT count(*) FROM texts") == [(2 if is_done else 6,)]


async def test_nothing_is_done_twice(tmp_path: Path):
    trial = Trial(TASKS, lists(tmp_path))
    await trial.do(await trial.plan("habit.add", text="Walk", interval_hours=24))
    plan = await trial.plan("habit.log", target="Walk")
    await trial.do(plan)

    no = await refusal_of(trial.do(plan))

    assert "done before; nothing was done twice" in str(no)
    assert rows(tmp_path, "SELECT count(*) FROM habit_times") == [(1,)]


async def test_another_step_under_the_same_mark_does_not_count(tmp_path: Path):
    backend = lists(tmp_path)
    trial = Trial(TASKS, backend)
    plan = await trial.plan("task.add", text="Wine")
    await trial.do(plan)
    other = AddTask(str(plan.data["id"]), "Beer")

    assert isinstance(await backend.settle(other, ()), NotDone)


async def test_a_step_that_fails_leaves_nothing(tmp_path: Path):
    trial = await plant_tasks(Trial(TASKS, lists(tmp_path)))
    broken = AddTasks(("1", "2"), ("One", "Two"), (None, "nowhere"), (None, None), "mark")

    with pytest.raises(ProviderError, match="no longer on the list"):
        await trial.backend.apply(broken, ())

    assert "One" not in await texts(trial)
    assert rows(tmp_path, "SELECT count(*) FROM texts WHERE plain = 'one'") == [(0,)]


async def test_what_is_imagined_may_be_imagined_from_twice(tmp_path: Path):
    trial = Trial(TASKS, lists(tmp_path))
    backend = trial.backend
    await add(trial, "First")
    left, right = await trial.plan("task.add", text="Left"), await trial.plan("task.add", text="Right")

    one = backend.imagine(backend.reads, left.changes[0].do, ChangeRef(0, 0))
    two = backend.imagine(one, right.changes[0].do, ChangeRef(1, 0))
    other = backend.imagine(one, AddTask("x", "Other"), ChangeRef(1, 0))

    for seen, wanted in (
        (one, "First Left"),
        (two, "First Left Right"),
        (other, "First Left Other"),
        (one, "First Left"),
    ):
        assert " ".join([task.text for task in await seen.all_tasks()]) == wanted
    assert await texts(trial) == ["First"]


async def test_while_another_process_writes_it_is_waited_for(tmp_path: Path):
    trial = Trial(TASKS, lists(tmp_path))
    await add(trial, "Bread")
    plan = await trial.plan("task.add", text="Wine")
    other = sqlite3.connect(tmp_path / "tasks.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async with anyio.create_task_group() as both:
        both.start_soon(trial.do, plan)
        await anyio.wait_all_tasks_blocked()
        other.execute("COMMIT")
        other.close()

    assert await texts(trial) == ["Bread", "Wine"]


async def test_two_homes_are_apart_and_one_opened_again_is_the_same(tmp_path: Path):
    trial = Trial(TASKS, lists(tmp_path / "one"))
    await add(trial, "Wine")
    closed(trial)

    again, other = Trial(TASKS, lists(tmp_path / "one")), Trial(TASKS, lists(tmp_path / "two"))

    assert [task.text for task in await reads(again).all_tasks()] == ["Wine"]
    assert await reads(other).all_tasks() == ()


async def test_many_matches_are_told_by_the_first_ones(tmp_path: Path):
    trial = Trial(TASKS, lists(tmp_path))
    await trial.do(await trial.plan("task.add_all", texts=[f"Wine {n}" for n in range(40)], levels=[0] * 40))

    no = await refusal_of(trial.plan("task.delete", target="wine"))

    assert str(no).startswith("More than 20 tasks match “wine”: “Wine 0”, “Wine 1”")


@pytest.mark.req("T-59", "T-71")
async def test_what_is_found_stands_in_list_order(tmp_path: Path):
    trial = Trial(TASKS, lists(tmp_path))
    texts = ["Later wine", "Below wine", "Wine first", "Deep wine"]
    await trial.do(await trial.plan("task.add_all", texts=texts, levels=[0, 1, 0, 1]))
    await trial.do(await trial.plan("task.move", target="Wine first", where="before", other="Later wine"))

    found = await reads(trial).find_active("wine")

    assert [task.text for task in found] == ["Wine first", "Deep wine", "Later wine", "Below wine"]
    assert [task.position for task in found] == [-0.0 + 0, 1, 1, 1]


NAMES = st.sampled_from(["Wine", "Bread", "wine", "Red wine", "вино", "買う"])
HOURS = st.sampled_from([0.5, 4, 24])


class Deed(NamedTuple):
    """One operation, planned; a few deeds are planned before an earlier one was done, or taken back later."""

    operation: str
    arguments: dict[str, object]
    late: bool = False


class Back(NamedTuple):
    """The wish to take back what was done as number `which`."""

    which: int


def deed(operation: str, **arguments: st.SearchStrategy[object]) -> st.SearchStrategy[Deed]:
    return st.builds(Deed, st.just(operation), st.fixed_dictionaries(arguments), st.booleans())


DEEDS = st.lists(
    st.one_of(
        deed("task.add", text=NAMES),
        deed("task.add_subtask", parent=NAMES, text=NAMES),
        deed("task.edit", target=NAMES, new_text=NAMES),
        deed("task.delete", target=NAMES),
        deed("task.complete", target=NAMES),
        deed("task.reopen", target=NAMES),
        deed("task.move", target=NAMES, where=st.sampled_from(["below", "before", "after"]), other=NAMES),
        deed("task.move", target=NAMES, where=st.just("top")),
        deed("task.add_all", texts=st.lists(NAMES, min_size=2, max_size=2), levels=st.sampled_from([[0, 1], [0, 0]])),
        deed("habit.add", text=NAMES, interval_hours=HOURS),
        deed("habit.edit", target=NAMES, new_text=NAMES, interval_hours=HOURS),
        deed("habit.delete", target=NAMES),
        deed("habit.log", target=NAMES),
        st.builds(Back, st.integers(0, 20)),
    ),
    max_size=20,
)


class Hands:
    """Does deeds on one backend, and keeps what became of each."""

    def __init__(self, backend: Backend, clock: FakeClock) -> None:
        self.trial = Trial(TASKS, backend)
        self.clock = clock
        self.done: list[tuple[Plan, tuple[Applied, ...]]] = []
        self.waiting: list[Plan] = []
        self.said: list[str] = []

    async def take(self, deed: Deed | Back) -> None:
        """Do it, or keep it for the next turn; a refusal is kept by its words."""
        self.clock.advance(minutes=1)
        try:
            if isinstance(deed, Back):
                await self._back(deed.which)
                return
            plan = await self.trial.plan(deed.operation, **deed.arguments)
            self.waiting.append(plan)
            if not deed.late:
                await self._all()
        except SaysoError as no:
            self.waiting.clear()
            self.said.append(str(no))

    async def _all(self) -> None:
        for plan in self.waiting:
            self.done.append((plan, await self.trial.do(plan, len(self.done))))
        self.waiting.clear()

    async def _back(self, which: int) -> None:
        if which < len(self.done):
            await self.trial.take_back(*self.done[which])

    async def state(self) -> list[object]:
        """Return all that can be seen."""
        seen = reads(self.trial)
        habits = await seen.all_habits()
        histories = [await seen.habit_history(habit.id) for habit in habits]
        return [await seen.all_tasks(), habits, histories, [left for _, left in self.done], self.said]


@pytest.mark.req("S2-35", "T-61", "T-63", "T-64", "X-17")
@settings(max_examples=60, deadline=None)
@given(DEEDS)
def test_the_database_and_the_memory_agree(deeds: Sequence[Deed | Back]):
    async def both() -> None:
        clocks, ids = (FakeClock(), FakeClock()), (NumberedIds(), NumberedIds())
        with TemporaryDirectory() as folder:
            backend = build(BackendContext({}, "/home/ana", str(Path(folder)), (), clocks[0], ids[0]))
            ours = Hands(backend, clocks[0])
            theirs = Hands(memory_backend(clocks[1], ids[1], parse_world({}), lasting=True), clocks[1])
            for each in deeds:
                await ours.take(each)
                await theirs.take(each)
                assert await ours.state() == await theirs.state()
            backend.close()

    anyio.run(both)


@pytest.mark.req("S2-06", "S2-07", "S2-09", "S2-35", "T-71")
async def test_a_deleted_habit_comes_back_to_its_place_with_its_history(tmp_path: Path):
    clock = FakeClock()
    trial = Trial(TASKS, lists(tmp_path, clock=clock))
    for text, hours in (("Walk", 24), ("Sit", 4), ("Read", 168)):
        await trial.do(await trial.plan("habit.add", text=text, interval_hours=hours))
    for _ in range(3):
        clock.advance(hours=5)
        await trial.do(await trial.plan("habit.log", target="sit"))
    before = await reads(trial).all_habits()
    history = await reads(trial).habit_history(before[1].id)
    plan = await trial.plan("habit.delete", target="sit")

    lefts = await trial.do(plan)

    assert plan.summary == "Delete the habit “Sit” with the 3 times it was done"
    assert [habit.text for habit in await reads(trial).all_habits()] == ["Walk", "Read"]
    await trial.take_back(plan, lefts)
    assert await reads(trial).all_habits() == before
    assert await reads(trial).habit_history(before[1].id) == history
    assert [done.at for done in history] == [
        "2026-03-14T17:00:00Z",
        "2026-03-14T22:00:00Z",
        "2026-03-15T03:00:00Z",
    ]
    assert before[1].last_done_at == history[-1].at


@pytest.mark.req("T-63")
async def test_a_habit_that_was_done_since_is_not_taken_away(tmp_path: Path):
    trial = Trial(TASKS, lists(tmp_path))
    plan = await trial.plan("habit.add", text="Walk", interval_hours=24)
    lefts = await trial.do(plan)
    await trial.do(await trial.plan("habit.log", target="Walk"), 1)

    no = await refusal_of(trial.take_back(plan, lefts))

    assert "was done since" in str(no)
