"""The lists as values, the steps and facts on them, their order, and the backend in memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.plan import CannotTell, Fact
from sayso.core.ports import Backend, BackendContext
from sayso.providers.tasks import TASKS
from sayso.providers.tasks.lists import Habit, HabitEntry, Task, free_position, in_list_order
from sayso.providers.tasks.memory import MemoryLists, TasksWorld, build, memory_backend, parse_world
from sayso.providers.tasks.model import (
    AddTasks,
    HabitDone,
    HabitGone,
    HabitIs,
    HabitThere,
    HabitWas,
    MoveTask,
    RemoveTasks,
    Steps,
    TaskActive,
    TaskCompleted,
    TaskGone,
    TaskIs,
    TasksFact,
    TaskStood,
    TaskWas,
    UneditHabit,
    UneditTask,
    UnmoveTask,
    must_hold,
)
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial
from sayso.testing.tasks import TasksSuite
from tests.fails import fails


class TestMemory(TasksSuite):
    """The suite on the memory store."""

    def make(self) -> Backend:
        return memory_backend(FakeClock(), NumberedIds(), parse_world({}), lasting=True)


def context(**settings: object) -> BackendContext:
    return BackendContext(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


async def test_the_settings_may_plant_tasks_and_habits():
    world = {
        "tasks": [{"id": "a", "text": "Wine"}, {"id": "b", "text": "Red", "parent_id": "a"}],
        "habits": [{"id": "h", "text": "Walk", "interval_hours": 24}],
        "done": [{"id": "d", "habit_id": "h", "at": "2026-03-13T12:00:00Z"}],
    }

    made = build(context(kind="memory", world=world))

    assert await made.reads.all_tasks() == (Task("a", "Wine"), Task("b", "Red", "a"))
    assert await made.reads.all_habits() == (Habit("h", "Walk", 24.0),)
    assert await made.reads.habit_history("h") == (HabitEntry("d", "h", "2026-03-13T12:00:00Z"),)


@pytest.mark.parametrize("world", [{"tasks": [{"id": "a"}]}, {"wine": []}, "x"], ids=str)
def test_a_world_that_is_none_is_a_matter_of_settings(world: object):
    with pytest.raises(SetupError, match="tasks"):
        build(context(world=world))


async def test_a_new_process_cannot_tell_what_an_earlier_one_kept_in_memory():
    trial = Trial(TASKS, build(context()))
    plan = await trial.plan("task.add", text="Wine")

    settled = await build(context()).settle(plan.changes[0].do, plan.changes[0].expects)

    assert isinstance(settled, CannotTell)


@pytest.mark.parametrize(
    ("wanted", "taken", "place"),
    [
        (2, [], 2),
        (2, [1, 3], 2),
        (2, [1, 2, 3], 1.5),
        (2, [-4, 1, 1.5, 2, 3], 1.75),
        (2, [2, 3], 1),
        (2, [2], 1),
        (1, [0.9999999999999999, 1, 2], 1.5),
        (1, [0.9999999999999999, 1], 2),
        (1, [0.9999999999999999, 1, 1.0000000000000002], 1),
        (1e300, [1e300], 1e300),
    ],
)
def test_a_place_that_is_taken_is_left_to_who_has_it(wanted: float, taken: list[float], place: float):
    assert free_position(wanted, taken) == place


@given(st.integers(-9, 9), st.lists(st.integers(-36, 36).map(lambda quarters: quarters / 4)))
def test_what_stands_before_and_after_stays_so(wanted: int, taken: list[float]):
    place = free_position(wanted, taken)

    assert place not in taken
    assert all((other < place) == (other < wanted) for other in taken if other != wanted)


def test_each_task_stands_before_its_subtasks_and_siblings_by_position():
    tasks = [Task("d", "D", "a", 2), Task("b", "B", None, 2), Task("c", "C", "a", 1), Task("a", "A", None, 1)]

    assert [task.text for task in in_list_order(tasks)] == ["A", "C", "D", "B"]
    assert [task.text for task in in_list_order(tasks, "a")] == ["C", "D"]


NOW = "2026-03-14T12:00:00Z"


def in_world(*tasks: Task) -> MemoryLists:
    return MemoryLists(TasksWorld({task.id: task for task in tasks}))


def nested() -> MemoryLists:
    return in_world(Task("a", "A"), Task("b", "B", "a"), Task("c", "C", None, 2))


def test_a_moved_task_leaves_where_it_is_and_where_it_stood():
    lists = nested()

    facts = MoveTask("b", None, 1.5, "m").execute(lists, (), NOW)

    assert [task.id for task in in_list_order(lists.all_tasks())] == ["a", "b", "c"]
    assert facts == (TaskIs("b", "B", None, 1.5, None), TaskActive("b"), TaskStood("b", "a", 1))


def test_a_task_does_not_come_to_stand_below_itself():
    with pytest.raises(ProviderError, match="“B” stands below “A” by now"):
        MoveTask("a", "b", None, "m").execute(nested(), (), NOW)


def test_a_list_is_taken_away_only_whole():
    lists = nested()
    add = AddTasks(("d", "e"), ("D", "E"), (None, "d"), (None, NOW), "m")
    add.execute(lists, (), NOW)

    with pytest.raises(ProviderError, match="subtasks"):
        RemoveTasks(("d",), "m").execute(lists, (), NOW)
    add.undo().execute(lists, (), NOW)

    assert lists.world == nested().world


@pytest.mark.parametrize(
    "step", [UneditTask("a", "m"), UnmoveTask("a", "m"), UneditHabit("h", "m")], ids=lambda step: step.step
)
def test_what_was_before_is_not_made_up(step: Steps):
    others = (TaskWas("x", "A"), TaskStood("x", "b", 1.5), HabitWas("x", "H", 24.0))

    with pytest.raises(ProviderError, match="is not known; nothing was done"):
        step.execute(nested(), others, NOW)


EXPECTING = TasksWorld(
    {"a": Task("a", "Wine"), "b": Task("b", "Red", "a", 1.5, "then")},
    {"h": Habit("h", "Walk", 24, "then")},
    (HabitEntry("d", "h", "before"), HabitEntry("e", "h", "then")),
    {"c": Task("c", "Old", None, 2)},
    {"g": Habit("g", "Sit", 4)},
)

TRUE: list[TasksFact] = [
    TaskActive("a"),
    TaskCompleted("b", "then"),
    TaskIs("b", "Red", "a", 1.5, "then"),
    TaskGone("c"),
    HabitThere("h"),
    HabitIs("h", "Walk", 24),
    HabitDone("h", "e"),
    HabitGone("g"),
]
FALSE: list[TasksFact] = [
    *(TaskActive("b"), TaskActive("c"), TaskActive("x")),
    *(TaskCompleted("b", "now"), TaskCompleted("a", "then")),
    *(TaskIs("b", "red", "a", 1.5, "then"), TaskIs("b", "Red", None, 1.5, "then"), TaskIs("b", "Red", "a", 1, "then")),
    *(TaskIs("b", "Red", "a", 1.5, None), TaskGone("a"), TaskGone("x"), HabitThere("g"), HabitIs("h", "Walk", 23)),
    *(HabitIs("h", "Run", 24), HabitDone("h", "d"), HabitDone("h", None), HabitGone("h"), HabitGone("x")),
]


@pytest.mark.parametrize("fact", TRUE, ids=repr)
def test_what_is_so_holds(fact: TasksFact):
    assert fact.holds(MemoryLists(EXPECTING))


@pytest.mark.req("T-63", "T-64")
@pytest.mark.parametrize("fact", FALSE, ids=repr)
def test_what_is_not_so_does_not_hold(fact: TasksFact):
    assert not fact.holds(MemoryLists(EXPECTING))


def test_what_has_changed_is_named():
    with pytest.raises(ProviderError, match="“Wine” has changed since; nothing was done"):
        must_hold(MemoryLists(EXPECTING), TaskCompleted("a", "then"))
    with pytest.raises(ProviderError, match="“Old” has changed since"):
        must_hold(MemoryLists(EXPECTING), TaskActive("c"))
    with pytest.raises(ProviderError, match="what was deleted is no longer kept"):
        must_hold(MemoryLists(EXPECTING), HabitGone("x"))


def test_a_fact_of_another_store_is_no_fact_here():
    with pytest.raises(ProviderError, match="know no fact"):
        must_hold(MemoryLists(EXPECTING), Fact("a"))


WORLD = {
    "tasks": [
        {"id": "a", "text": "Apples", "position": 1},
        {"id": "b", "text": "Bread", "position": 2},
        {"id": "o", "text": "Old", "position": 3, "completed_at": "2026-03-01T10:00:00Z"},
        {"id": "u", "text": "Beneath", "parent_id": "o", "position": 1},
    ]
}


def trial() -> Trial:
    return Trial(TASKS, memory_backend(FakeClock(), NumberedIds(), parse_world(WORLD)))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"target": "Apples", "where": "top", "other": "Bread"}, "arguments.unknown"),
        ({"target": "Apples", "where": "below"}, "arguments.missing"),
        ({"target": "Apples", "where": "below", "other": "Old"}, "target.not_found"),
        ({"target": "Old", "where": "below", "other": "Apples"}, "target.not_found"),
        ({"target": "Apples", "where": "before", "other": "Beneath"}, "target.not_found"),
        ({"target": "Apples", "where": "after", "other": "Apples"}, "target.itself"),
    ],
)
async def test_a_place_that_is_none_is_refused(arguments: dict[str, object], code: str):
    with fails(ProposalError, code):
        await trial().plan("task.move", **arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"target": "Apples", "where": "before", "other": "Bread"},
        {"target": "Bread", "where": "after", "other": "Apples"},
    ],
)
async def test_what_stands_there_already_is_left_there(arguments: dict[str, object]):
    plan = await trial().plan("task.move", **arguments)

    assert plan.changes == ()


@pytest.mark.parametrize(
    "arguments",
    [
        {"texts": ["A", "B"], "levels": [0]},
        {"texts": ["A"], "levels": [1]},
        {"texts": ["A", "B", "C"], "levels": [0, 1, 3]},
        {"texts": ["A", "  "], "levels": [0, 0]},
        {"texts": ["A"], "levels": [0], "completed": ["yesterday"]},
        {"texts": ["A"], "levels": [0], "completed": ["0001-01-01T00:00:00+14:00"]},
        {"texts": ["A"], "levels": [0], "completed": ["9999-12-31T23:59:59-14:00"]},
        {"texts": ["A"], "levels": [0], "completed": ["2026-03-01T10:00:00"]},
    ],
)
async def test_a_list_that_is_none_is_refused(arguments: dict[str, object]):
    with fails(ProposalError, "arguments.type"):
        await trial().plan("task.add_all", **arguments)


async def test_a_list_is_shown_as_it_would_stand():
    plan = await trial().plan("task.add_all", texts=["Trip", "Pack"], levels=[0, 1])

    assert plan.summary == "Add the tasks “Trip” and “Pack”"
    assert plan.preview == "Trip\n  Pack"
