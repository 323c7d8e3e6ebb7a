"""Tasks in their order, and in memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.plan import CannotTell
from sayso.core.ports import Backend, BackendContext
from sayso.providers.tasks import TASKS
from sayso.providers.tasks.memory import World, build, memory_backend, parse_world, place_tasks
from sayso.providers.tasks.model import AddTasks, MoveTask, RemoveTasks, TaskActive, TaskIs, TaskStood
from sayso.providers.tasks.ordering import free_place
from sayso.providers.tasks.store import Done, Habit, Task
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial
from sayso.testing.tasks import TasksSuite


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
    assert free_place(wanted, taken) == place


@given(st.integers(-9, 9), st.lists(st.integers(-36, 36).map(lambda quarters: quarters / 4)))
def test_what_stands_before_and_after_stays_so(wanted: int, taken: list[float]):
    place = free_place(wanted, taken)

    assert place not in taken
    assert all((other < place) == (other < wanted) for other in taken if other != wanted)


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
    with pytest.raises(ProposalError) as refused:
        await trial().plan("task.move", **arguments)

    assert refused.value.code == code


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
    with pytest.raises(ProposalError) as refused:
        await trial().plan("task.add_all", **arguments)

    assert refused.value.code == "arguments.type"


async def test_a_list_is_shown_as_it_would_stand():
    plan = await trial().plan("task.add_all", texts=["Trip", "Pack"], levels=[0, 1])

    assert plan.summary == "Add 2 tasks, from “Trip” to “Pack”"
    assert plan.preview == "Trip\n  Pack"


NOW = "2026-03-14T12:00:00Z"
MEMORY_WORLD = World({"a": Task("a", "A"), "b": Task("b", "B", "a"), "c": Task("c", "C", None, 2)})


def test_a_moved_task_leaves_where_it_is_and_where_it_stood():
    after, facts = place_tasks(MEMORY_WORLD, MoveTask("b", None, 1.5, "m"), (), NOW)

    assert [task.id for task in after.in_order()] == ["a", "b", "c"]
    assert facts == (TaskIs("b", "B", None, 1.5, None), TaskActive("b"), TaskStood("b", "a", 1))


def test_a_task_does_not_come_to_stand_below_itself():
    with pytest.raises(ProviderError, match="“B” stands below “A” by now"):
        place_tasks(MEMORY_WORLD, MoveTask("a", "b", None, "m"), (), NOW)


def test_a_list_is_taken_away_only_whole():
    added, _ = place_tasks(MEMORY_WORLD, AddTasks(("d", "e"), ("D", "E"), (None, "d"), (None, NOW), "m"), (), NOW)

    after, _ = place_tasks(added, RemoveTasks(("d", "e"), "m"), (), NOW)

    assert after.tasks == MEMORY_WORLD.tasks
    with pytest.raises(ProviderError, match="subtasks"):
        place_tasks(MEMORY_WORLD, RemoveTasks(("a",), "m"), (), NOW)


class TestMemory(TasksSuite):
    """The suite on the memory store."""

    def make(self) -> Backend:
        return memory_backend(FakeClock(), NumberedIds(), parse_world({}), lasting=True)

    @pytest.mark.req("T-61", "S2-35")
    async def test_a_deleted_tree_comes_back_with_ids_order_and_states(self) -> None:
        await super().test_a_deleted_tree_comes_back_with_ids_order_and_states()

    @pytest.mark.req("T-63")
    async def test_undo_is_refused_after_a_later_change(self) -> None:
        await super().test_undo_is_refused_after_a_later_change()

    @pytest.mark.req("S2-25", "S2-41")
    async def test_completed_tasks_are_read_only(self) -> None:
        await super().test_completed_tasks_are_read_only()


def ground(**settings: object) -> BackendContext:
    return BackendContext(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


async def test_the_settings_may_plant_tasks_and_habits():
    world = {
        "tasks": [{"id": "a", "text": "Wine"}, {"id": "b", "text": "Red", "parent_id": "a"}],
        "habits": [{"id": "h", "text": "Walk", "interval_hours": 24}],
        "done": [{"id": "d", "habit_id": "h", "at": "2026-03-13T12:00:00Z"}],
    }

    made = build(ground(kind="memory", world=world))

    assert await made.reads.all_tasks() == (Task("a", "Wine"), Task("b", "Red", "a"))
    assert await made.reads.all_habits() == (Habit("h", "Walk", 24.0),)
    assert await made.reads.habit_history("h") == (Done("d", "h", "2026-03-13T12:00:00Z"),)


@pytest.mark.parametrize("world", [{"tasks": [{"id": "a"}]}, {"wine": []}, "x"], ids=str)
def test_a_world_that_is_none_is_a_matter_of_settings(world: object):
    with pytest.raises(SetupError, match="tasks"):
        build(ground(world=world))


async def test_a_new_process_cannot_tell_what_an_earlier_one_kept_in_memory():
    trial = Trial(TASKS, build(ground()))
    plan = await trial.plan("task.add", text="Wine")

    settled = await build(ground()).settle(plan.changes[0].do, plan.changes[0].expects)

    assert isinstance(settled, CannotTell)
