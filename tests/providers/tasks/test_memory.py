"""Tasks and habits in memory are a whole store."""

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import CannotTell
from sayso.core.ports import Backend, Ground
from sayso.providers.tasks import TASKS
from sayso.providers.tasks.memory import World, build, memory_backend, parse_world, place_tasks
from sayso.providers.tasks.model import AddTasks, MoveTask, RemoveTasks, TaskActive, TaskIs, TaskStood
from sayso.providers.tasks.store import Done, Habit, Task
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial
from sayso.testing.tasks import TasksSuite

NOW = "2026-03-14T12:00:00Z"
WORLD = World({"a": Task("a", "A"), "b": Task("b", "B", "a"), "c": Task("c", "C", None, 2)})


def test_a_moved_task_leaves_where_it_is_and_where_it_stood():
    after, facts = place_tasks(WORLD, MoveTask("b", None, 1.5, "m"), (), NOW)

    assert [task.id for task in after.in_order()] == ["a", "b", "c"]
    assert facts == (TaskIs("b", "B", None, 1.5, None), TaskActive("b"), TaskStood("b", "a", 1))


def test_a_task_does_not_come_to_stand_below_itself():
    with pytest.raises(ProviderError, match="“B” stands below “A” by now"):
        place_tasks(WORLD, MoveTask("a", "b", None, "m"), (), NOW)


def test_a_list_is_taken_away_only_whole():
    added, _ = place_tasks(WORLD, AddTasks(("d", "e"), ("D", "E"), (None, "d"), (None, NOW), "m"), (), NOW)

    after, _ = place_tasks(added, RemoveTasks(("d", "e"), "m"), (), NOW)

    assert after.tasks == WORLD.tasks
    with pytest.raises(ProviderError, match="subtasks"):
        place_tasks(WORLD, RemoveTasks(("a",), "m"), (), NOW)


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


def ground(**settings: object) -> Ground:
    return Ground(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


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
