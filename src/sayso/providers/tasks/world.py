"""What each step makes of the lists: plain functions from one world to the next, for doing and for imagining."""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from itertools import groupby
from typing import assert_never

from sayso.core.errors import ProviderError
from sayso.core.plan import Facts
from sayso.core.values import dataclass
from sayso.providers.tasks.facts import TaskGone, TaskWas
from sayso.providers.tasks.places import free_place
from sayso.providers.tasks.states import changed, exactly, gone, state_of, was
from sayso.providers.tasks.steps import (
    AddTask,
    CompleteTask,
    DeleteTasks,
    EditTask,
    MakingTasks,
    MovingTasks,
    RemoveTask,
    ReopenTask,
    RestoreTasks,
    UneditTask,
)
from sayso.providers.tasks.store import Done, Habit, Task


@dataclass(frozen=True)
class World:
    """All tasks and habits, and what was taken off the lists but is kept."""

    tasks: Mapping[str, Task] = field(default_factory=dict[str, Task])
    habits: Mapping[str, Habit] = field(default_factory=dict[str, Habit])
    done: tuple[Done, ...] = ()
    """Every time a habit was done, oldest first, those of kept habits too."""
    kept_tasks: Mapping[str, Task] = field(default_factory=dict[str, Task])
    kept_habits: Mapping[str, Habit] = field(default_factory=dict[str, Habit])

    def in_order(self) -> tuple[Task, ...]:
        """Return all tasks in list order: each before its subtasks, siblings by position."""
        return self._below(_by_parent(self.tasks.values()), None)

    def subtree(self, root: str) -> tuple[Task, ...]:
        """Return the task and everything below it, in list order."""
        return (self.tasks[root], *self._below(_by_parent(self.tasks.values()), root))

    def _below(self, children: Mapping[str | None, list[Task]], parent: str | None) -> tuple[Task, ...]:
        found: list[Task] = []
        waiting = list(reversed(children.get(parent, [])))
        while waiting:
            task = waiting.pop()
            found.append(task)
            waiting += reversed(children.get(task.id, []))
        return tuple(found)

    def next_position(self, parent: str | None) -> float:
        """Return the place after all siblings, also those that are only kept: a restored one finds its own free."""
        everyone = (*self.tasks.values(), *self.kept_tasks.values())
        return int(max((task.position for task in everyone if task.parent_id == parent), default=0) // 1) + 1


def _by_parent(tasks: Iterable[Task]) -> dict[str | None, list[Task]]:
    listed = sorted(tasks, key=lambda task: (task.parent_id or "", task.position, task.created_at, task.id))
    return {parent or None: list(group) for parent, group in groupby(listed, key=lambda task: task.parent_id or "")}


def task_in(world: World, item_id: str) -> Task:
    """Return a task that must be on the list."""
    task = world.tasks.get(item_id)
    if task is None:
        raise gone("task")
    return task


def at_a_free_place(world: World, task: Task) -> Task:
    """Return a task that is put on the list, at a place that none of its siblings has."""
    siblings = (each for each in world.tasks.values() if each.parent_id == task.parent_id and each.id != task.id)
    return replace(task, position=free_place(task.position, {each.position for each in siblings}))


def make_task(world: World, step: MakingTasks, expects: Facts, now: str) -> tuple[World, Facts]:
    """Do a step that makes a task, changes its text, or takes either back."""
    match step:
        case AddTask(id, text, parent_id):
            return _added(world, Task(id, text, parent_id, world.next_position(parent_id), None, now))
        case RemoveTask(id):
            if len(world.subtree(task_in(world, id).id)) > 1:
                raise ProviderError("the task has subtasks by now; nothing was done", "world.changed")
            return replace(world, tasks=_without(world.tasks, (id,))), ()
        case EditTask(id, text):
            before = task_in(world, id)
            after = replace(before, text=text)
            return _with(world, after), (exactly(after), state_of(after), TaskWas(id, before.text))
        case UneditTask(id):
            after = replace(task_in(world, id), text=was(expects, id))
            return _with(world, after), (exactly(after), state_of(after))
        case _:
            assert_never(step)


def move_tasks(world: World, step: MovingTasks, now: str) -> tuple[World, Facts]:
    """Do a step that takes tasks off the list, brings them back, completes or reopens one."""
    match step:
        case DeleteTasks(ids):
            return _deleted(world, ids)
        case RestoreTasks(ids):
            return _restored(world, ids)
        case CompleteTask(id):
            after = replace(task_in(world, id), completed_at=step.at or now)
            return _with(world, after), (exactly(after), state_of(after))
        case ReopenTask(id):
            after = replace(task_in(world, id), completed_at=None)
            return _with(world, after), (exactly(after), state_of(after))
        case _:
            assert_never(step)


def _added(world: World, task: Task) -> tuple[World, Facts]:
    if task.id in world.tasks or task.id in world.kept_tasks:
        raise ProviderError("a task with this id is there already; nothing was done", "world.changed")
    if task.parent_id is not None:
        task_in(world, task.parent_id)
    return _with(world, task), (exactly(task), state_of(task))


def _deleted(world: World, ids: tuple[str, ...]) -> tuple[World, Facts]:
    there = world.subtree(task_in(world, ids[0]).id)
    if {task.id for task in there} != set(ids):
        raise changed(f"what stands below “{there[0].text}”")
    kept = {**world.kept_tasks, **{task.id: task for task in there}}
    gone = tuple(TaskGone(each) for each in ids)
    return replace(world, tasks=_without(world.tasks, ids), kept_tasks=kept), gone


def _restored(world: World, ids: tuple[str, ...]) -> tuple[World, Facts]:
    back = [world.kept_tasks[each] for each in ids if each in world.kept_tasks]
    if len(back) != len(ids):
        raise ProviderError("what was deleted is no longer kept; nothing was done", "world.changed")
    parent = back[0].parent_id
    if parent is not None and parent not in world.tasks:
        raise ProviderError(f"the task above “{back[0].text}” is gone by now; nothing was done", "world.changed")
    back[0] = at_a_free_place(world, back[0])
    tasks = {**world.tasks, **{task.id: task for task in back}}
    facts = tuple(fact for task in back for fact in (exactly(task), state_of(task)))
    return replace(world, tasks=tasks, kept_tasks=_without(world.kept_tasks, ids)), facts


def _with(world: World, task: Task) -> World:
    return replace(world, tasks={**world.tasks, task.id: task})


def _without(tasks: Mapping[str, Task], ids: tuple[str, ...]) -> dict[str, Task]:
    taken = set(ids)
    return {each: task for each, task in tasks.items() if each not in taken}
