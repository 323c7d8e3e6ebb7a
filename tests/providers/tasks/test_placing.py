"""Moving and adding lists leave the world in memory as they say."""

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.tasks.facts import TaskActive, TaskIs, TaskStood
from sayso.providers.tasks.placing import place_tasks
from sayso.providers.tasks.steps import AddTasks, MoveTask, RemoveTasks
from sayso.providers.tasks.store import Task
from sayso.providers.tasks.world import World

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
