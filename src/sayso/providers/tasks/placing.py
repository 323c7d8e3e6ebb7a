"""What the steps that add a whole list, or move a task, make of the world in memory."""

from dataclasses import replace
from typing import assert_never

from sayso.core.errors import ProviderError
from sayso.core.plan import Facts
from sayso.providers.tasks.facts import TaskStood
from sayso.providers.tasks.states import exactly, state_of, stood
from sayso.providers.tasks.steps import AddTask, AddTasks, MoveTask, PlacingTasks, RemoveTasks, UnmoveTask
from sayso.providers.tasks.store import Task
from sayso.providers.tasks.world import World, at_a_free_place, make_task, task_in


def place_tasks(world: World, step: PlacingTasks, expects: Facts, now: str) -> tuple[World, Facts]:
    """Add a whole list, move a task, or take either back."""
    match step:
        case AddTasks():
            return _added(world, step, now)
        case RemoveTasks(ids):
            taken = set(ids)
            if any(task.id not in taken for each in ids for task in world.subtree(task_in(world, each).id)):
                raise ProviderError("the task has subtasks by now; nothing was done", "world.changed")
            kept = {each: task for each, task in world.tasks.items() if each not in taken}
            return replace(world, tasks=kept), ()
        case MoveTask(id, parent_id, position):
            at = world.next_position(parent_id) if position is None else position
            before = task_in(world, id)
            after, facts = _placed(world, replace(before, parent_id=parent_id, position=at))
            return after, (*facts, TaskStood(id, before.parent_id, before.position))
        case UnmoveTask(id):
            then = stood(expects, id)
            return _placed(world, replace(task_in(world, id), parent_id=then.parent_id, position=then.position))
        case _:
            assert_never(step)


def _added(world: World, step: AddTasks, now: str) -> tuple[World, Facts]:
    facts: Facts = ()
    for item_id, text, parent, done in zip(step.ids, step.texts, step.parents, step.completed, strict=True):
        world, _ = make_task(world, AddTask(item_id, text, parent), (), now)
        task = replace(world.tasks[item_id], completed_at=done)
        world = replace(world, tasks={**world.tasks, item_id: task})
        facts += (exactly(task), state_of(task))
    return world, facts


def _placed(world: World, task: Task) -> tuple[World, Facts]:
    if task.parent_id is not None:
        above = task_in(world, task.parent_id)
        if above.id in {each.id for each in world.subtree(task.id)}:
            raise ProviderError(f"“{above.text}” stands below “{task.text}” by now; nothing was done", "world.changed")
    task = at_a_free_place(world, task)
    return replace(world, tasks={**world.tasks, task.id: task}), (exactly(task), state_of(task))
