"""Tasks and habits kept in memory: an implementation of `Lists` over one frozen value, and the backend."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View, explain_odd_world
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Clock, Ids, KillPoint, no_kill_point
from sayso.providers.tasks.lists import Habit, HabitEntry, Lists, Task, in_list_order
from sayso.providers.tasks.lookup import matching, near
from sayso.providers.tasks.model import Steps, must_hold
from sayso.providers.tasks.store import Tasks


class TasksWorld(Struct, frozen=True):
    """All tasks and habits, and the deleted ones."""

    tasks: Mapping[str, Task] = field(default_factory=dict[str, Task])
    habits: Mapping[str, Habit] = field(default_factory=dict[str, Habit])
    done: tuple[HabitEntry, ...] = ()
    """Every time at which a habit was done, oldest first; the times of deleted habits are included."""
    deleted_tasks: Mapping[str, Task] = field(default_factory=dict[str, Task])
    deleted_habits: Mapping[str, Habit] = field(default_factory=dict[str, Habit])


class MemoryLists(Lists):
    """The lists in a `TasksWorld`; each change replaces `world` with a new value."""

    def __init__(self, world: TasksWorld) -> None:
        self.world = world

    def task(self, item_id: str) -> Task | None:
        return self.world.tasks.get(item_id)

    def deleted_task(self, item_id: str) -> Task | None:
        return self.world.deleted_tasks.get(item_id)

    def all_tasks(self) -> Iterable[Task]:
        return self.world.tasks.values()

    def children(self, parent: str | None) -> Sequence[Task]:
        tasks = (task for task in self.world.tasks.values() if task.parent_id == parent)
        return sorted(tasks, key=lambda task: (task.position, task.created_at, task.id))

    def subtree(self, root: str) -> Sequence[Task]:
        tasks = self.world.tasks
        return (tasks[root], *in_list_order(tasks.values(), root)) if root in tasks else ()

    def last_position(self, parent: str | None) -> float:
        everyone = (*self.world.tasks.values(), *self.world.deleted_tasks.values())
        return max((task.position for task in everyone if task.parent_id == parent), default=0)

    def put_task(self, task: Task) -> None:
        tasks, deleted = {**self.world.tasks, task.id: task}, self.world.deleted_tasks
        if task.id in deleted:
            deleted = _without(deleted, [task.id])
        self.world = replace(self.world, tasks=tasks, deleted_tasks=deleted)

    def drop_tasks(self, ids: Sequence[str]) -> None:
        self.world = replace(self.world, tasks=_without(self.world.tasks, ids))

    def delete_tasks(self, ids: Sequence[str], now: str) -> None:
        deleted = {**self.world.deleted_tasks, **{each: self.world.tasks[each] for each in ids}}
        self.world = replace(self.world, tasks=_without(self.world.tasks, ids), deleted_tasks=deleted)

    def find_tasks(self, text: str, *, completed: bool) -> Sequence[Task]:
        return matching(text, self._tasks(completed=completed), lambda task: task.text)

    def near_tasks(self, text: str, *, completed: bool) -> tuple[str, ...]:
        return near(text, [task.text for task in self._tasks(completed=completed)])

    def _tasks(self, *, completed: bool) -> Sequence[Task]:
        return [task for task in in_list_order(self.all_tasks()) if (task.completed_at is not None) is completed]

    def habit(self, item_id: str) -> Habit | None:
        return self.world.habits.get(item_id)

    def deleted_habit(self, item_id: str) -> Habit | None:
        return self.world.deleted_habits.get(item_id)

    def all_habits(self) -> Sequence[Habit]:
        return sorted(self.world.habits.values(), key=lambda habit: habit.created_at)

    def habit_history(self, item_id: str) -> Sequence[HabitEntry]:
        return [entry for entry in self.world.done if entry.habit_id == item_id]

    def last_entry(self, item_id: str) -> str | None:
        return next((entry.id for entry in reversed(self.world.done) if entry.habit_id == item_id), None)

    def put_habit(self, habit: Habit) -> None:
        self.world = replace(self.world, habits={**self.world.habits, habit.id: habit})

    def drop_habit(self, item_id: str) -> None:
        self.world = replace(self.world, habits=_without(self.world.habits, [item_id]))

    def delete_habit(self, item_id: str, now: str) -> None:
        deleted = {**self.world.deleted_habits, item_id: self.world.habits[item_id]}
        self.world = replace(self.world, habits=_without(self.world.habits, [item_id]), deleted_habits=deleted)

    def restore_habit(self, item_id: str) -> None:
        self.put_habit(self.world.deleted_habits[item_id])
        self.world = replace(self.world, deleted_habits=_without(self.world.deleted_habits, [item_id]))

    def put_entry(self, entry: HabitEntry) -> None:
        self.world = replace(self.world, done=(*self.world.done, entry))

    def drop_entry(self, entry_id: str) -> None:
        self.world = replace(self.world, done=tuple(one for one in self.world.done if one.id != entry_id))

    def find_habits(self, text: str) -> Sequence[Habit]:
        return matching(text, self.all_habits(), lambda habit: habit.text)

    def near_habits(self, text: str) -> tuple[str, ...]:
        return near(text, [habit.text for habit in self.world.habits.values()])


T = TypeVar("T")


def _without(items: Mapping[str, T], ids: Sequence[str]) -> dict[str, T]:
    gone = set(ids)
    return {each: item for each, item in items.items() if each not in gone}


@dataclass(frozen=True)
class MemoryTasks(Tasks):
    """What operations can read of a `TasksWorld`."""

    clock: Clock
    ids: Ids
    seen: View[TasksWorld]

    @property
    def lists(self) -> Lists:
        return MemoryLists(self.seen.look())

    def fact(self, fact: Fact) -> Fact:
        return self.seen.fact(fact)


def do_step(world: TasksWorld, step: Steps, expects: Facts, now: str) -> tuple[TasksWorld, Facts]:
    """Return the lists after a step, and the facts that are true after it."""
    lists = MemoryLists(world)
    facts = step.execute(lists, expects, now)
    return lists.world, facts


def holds(world: TasksWorld, fact: Fact) -> bool:
    """Return True if a fact is true in these lists.

    Raises `ProviderError`, which names the task or habit, if the fact is not true.
    """
    must_hold(MemoryLists(world), fact)
    return True


def build(context: BackendContext) -> MemoryBackend[TasksWorld]:
    """Return a backend with the tasks and habits from the setting `world`."""
    world = parse_world(context.settings.get("world", {}))
    return memory_backend(context.clock, context.ids, world, kill=context.kill)


def memory_backend(
    clock: Clock, ids: Ids, world: TasksWorld, *, lasting: bool = False, kill: KillPoint = no_kill_point
) -> MemoryBackend[TasksWorld]:
    """Return a backend over these lists; `lasting` and `kill` are passed on to `MemoryBackend`."""

    def do_now(world: TasksWorld, step: Steps, expects: Facts) -> tuple[TasksWorld, Facts]:
        return do_step(world, step, expects, clock.now().isoformat().replace("+00:00", "Z"))

    rules = MemoryRules(does=do_now, holds=holds, reads=lambda seen: MemoryTasks(clock, ids, seen))
    return MemoryBackend(world, rules, note="kept in memory only", lasting=lasting, kill=kill)


class PlantedTasks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tasks and habits as they are written in the setting `world`."""

    tasks: tuple[Task, ...] = ()
    habits: tuple[Habit, ...] = ()
    done: tuple[HabitEntry, ...] = ()


def parse_world(world: Json) -> TasksWorld:
    """Return the lists that are written in the settings. Raises `SetupError` if a task or habit is malformed."""
    with explain_odd_world("[tasks] world in the settings", "settings.invalid"):
        planted = msgspec.convert(world, PlantedTasks)
    tasks = {task.id: replace(task, parent_id=task.parent_id or None) for task in planted.tasks}
    return TasksWorld(tasks, {habit.id: habit for habit in planted.habits}, planted.done)
