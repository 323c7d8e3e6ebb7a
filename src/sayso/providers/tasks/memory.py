"""Tasks and habits kept in memory: the world as a value, and the backend over it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import assert_never

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Clock, Ids, KillPoint, no_kill_point
from sayso.providers.tasks.lookup import matching, near
from sayso.providers.tasks.model import (
    AddHabit,
    AddTask,
    AddTasks,
    CompleteTask,
    DeleteHabit,
    DeleteTasks,
    EditHabit,
    EditTask,
    HabitDone,
    HabitGone,
    HabitIs,
    HabitThere,
    HabitWas,
    LogHabit,
    MakingHabits,
    MakingTasks,
    MoveTask,
    MovingHabits,
    MovingTasks,
    PlacingTasks,
    RemoveHabit,
    RemoveTask,
    RemoveTasks,
    ReopenTask,
    RestoreHabit,
    RestoreTasks,
    Steps,
    TaskActive,
    TaskCompleted,
    TaskGone,
    TaskIs,
    TaskStood,
    TaskWas,
    UneditHabit,
    UneditTask,
    UnlogHabit,
    UnmoveTask,
)
from sayso.providers.tasks.ordering import free_place
from sayso.providers.tasks.store import (
    MOST_FOUND,
    Done,
    Habit,
    Task,
    Tasks,
    before_that,
    changed_error,
    exactly,
    former_place,
    gone_error,
    habit_was,
    state_of,
    was,
)


class World(Struct, frozen=True):
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
        raise gone_error("task")
    return task


def at_a_free_place(world: World, task: Task) -> Task:
    """Return a task that is put on the list, at a place that none of its siblings has."""
    siblings = (each for each in world.tasks.values() if each.parent_id == task.parent_id and each.id != task.id)
    return replace(task, position=free_place(task.position, {each.position for each in siblings}))


def make_task(world: World, step: MakingTasks, expects: Facts, now: str) -> tuple[World, Facts]:
    """Do a step that makes a task, changes its text, or takes either back."""
    match step:
        case AddTask(id, text, parent_id):
            return _add_task(world, Task(id, text, parent_id, world.next_position(parent_id), None, now))
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
            return _delete_tasks(world, ids)
        case RestoreTasks(ids):
            return _restore_tasks(world, ids)
        case CompleteTask(id):
            after = replace(task_in(world, id), completed_at=step.at or now)
            return _with(world, after), (exactly(after), state_of(after))
        case ReopenTask(id):
            after = replace(task_in(world, id), completed_at=None)
            return _with(world, after), (exactly(after), state_of(after))
        case _:
            assert_never(step)


def _add_task(world: World, task: Task) -> tuple[World, Facts]:
    if task.id in world.tasks or task.id in world.kept_tasks:
        raise ProviderError("a task with this id is there already; nothing was done", "world.changed")
    if task.parent_id is not None:
        task_in(world, task.parent_id)
    return _with(world, task), (exactly(task), state_of(task))


def _delete_tasks(world: World, ids: tuple[str, ...]) -> tuple[World, Facts]:
    there = world.subtree(task_in(world, ids[0]).id)
    if {task.id for task in there} != set(ids):
        raise changed_error(f"what stands below “{there[0].text}”")
    kept = {**world.kept_tasks, **{task.id: task for task in there}}
    gone = tuple(TaskGone(each) for each in ids)
    return replace(world, tasks=_without(world.tasks, ids), kept_tasks=kept), gone


def _restore_tasks(world: World, ids: tuple[str, ...]) -> tuple[World, Facts]:
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


def habit_in(world: World, item_id: str) -> Habit:
    """Return a habit that must be on the list."""
    habit = world.habits.get(item_id)
    if habit is None:
        raise gone_error("habit")
    return habit


def history_of(world: World, item_id: str) -> tuple[Done, ...]:
    """Return the times a habit was done, oldest first."""
    return tuple(done for done in world.done if done.habit_id == item_id)


def last_entry(world: World, item_id: str) -> str | None:
    """Return the id of the last time a habit was done."""
    history = history_of(world, item_id)
    return history[-1].id if history else None


def make_habit(world: World, step: MakingHabits, expects: Facts, now: str) -> tuple[World, Facts]:
    """Do a step that makes a habit, changes it, or takes either back."""
    match step:
        case AddHabit(id, text, interval_hours):
            if id in world.habits or id in world.kept_habits:
                raise ProviderError("a habit with this id is there already; nothing was done", "world.changed")
            return _with_habits_world(world, Habit(id, text, interval_hours, None, now))
        case RemoveHabit(id):
            if history_of(world, habit_in(world, id).id):
                raise ProviderError("the habit was done since; nothing was changed", "world.changed")
            return _without_habits_world(world, id), ()
        case EditHabit(id):
            before = habit_in(world, id)
            hours = before.interval_hours if step.interval_hours is None else step.interval_hours
            text = before.text if step.text is None else step.text
            after, facts = _with_habits_world(world, replace(before, text=text, interval_hours=hours))
            return after, (*facts, HabitWas(id, before.text, before.interval_hours))
        case UneditHabit(id):
            was = habit_was(expects, id)
            return _with_habits_world(
                world, replace(habit_in(world, id), text=was.text, interval_hours=was.interval_hours)
            )
        case _:
            assert_never(step)


def move_habit(world: World, step: MovingHabits, expects: Facts, now: str) -> tuple[World, Facts]:
    """Do a step that takes a habit off the list, brings it back, logs it or takes that back."""
    match step:
        case DeleteHabit(id):
            kept = {**world.kept_habits, id: habit_in(world, id)}
            return replace(_without_habits_world(world, id), kept_habits=kept), (HabitGone(id),)
        case RestoreHabit(id):
            return _restore_habit(world, id)
        case LogHabit(id, entry):
            before = habit_in(world, id)
            after, _ = _with_habits_world(world, replace(before, last_done_at=now))
            after = replace(after, done=(*world.done, Done(entry, id, now)))
            return after, (HabitThere(id), HabitDone(id, entry, before.last_done_at))
        case UnlogHabit(id, entry):
            if last_entry(world, id) != entry:
                raise ProviderError("the habit was logged again since; nothing was changed", "world.changed")
            after, facts = _with_habits_world(
                world, replace(habit_in(world, id), last_done_at=before_that(expects, id))
            )
            return replace(after, done=tuple(done for done in world.done if done.id != entry)), facts
        case _:
            assert_never(step)


def _restore_habit(world: World, item_id: str) -> tuple[World, Facts]:
    habit = world.kept_habits.get(item_id)
    if habit is None:
        raise ProviderError("the habit is no longer kept; nothing was done", "world.changed")
    kept = {other: kept for other, kept in world.kept_habits.items() if other != item_id}
    return _with_habits_world(replace(world, kept_habits=kept), habit)


def _with_habits_world(world: World, habit: Habit) -> tuple[World, Facts]:
    facts = (HabitIs(habit.id, habit.text, habit.interval_hours), HabitThere(habit.id))
    return replace(world, habits={**world.habits, habit.id: habit}), facts


def _without_habits_world(world: World, item_id: str) -> World:
    return replace(world, habits={other: habit for other, habit in world.habits.items() if other != item_id})


def place_tasks(world: World, step: PlacingTasks, expects: Facts, now: str) -> tuple[World, Facts]:
    """Add a whole list, move a task, or take either back."""
    match step:
        case AddTasks():
            return _add_at_place(world, step, now)
        case RemoveTasks(ids):
            taken = set(ids)
            if any(task.id not in taken for each in ids for task in world.subtree(task_in(world, each).id)):
                raise ProviderError("the task has subtasks by now; nothing was done", "world.changed")
            kept = {each: task for each, task in world.tasks.items() if each not in taken}
            return replace(world, tasks=kept), ()
        case MoveTask(id, parent_id, position):
            at = world.next_position(parent_id) if position is None else position
            before = task_in(world, id)
            after, facts = _place_task(world, replace(before, parent_id=parent_id, position=at))
            return after, (*facts, TaskStood(id, before.parent_id, before.position))
        case UnmoveTask(id):
            then = former_place(expects, id)
            return _place_task(world, replace(task_in(world, id), parent_id=then.parent_id, position=then.position))
        case _:
            assert_never(step)


def _add_at_place(world: World, step: AddTasks, now: str) -> tuple[World, Facts]:
    facts: Facts = ()
    for item_id, text, parent, done in zip(step.ids, step.texts, step.parents, step.completed, strict=True):
        world, _ = make_task(world, AddTask(item_id, text, parent), (), now)
        task = replace(world.tasks[item_id], completed_at=done)
        world = replace(world, tasks={**world.tasks, item_id: task})
        facts += (exactly(task), state_of(task))
    return world, facts


def _place_task(world: World, task: Task) -> tuple[World, Facts]:
    if task.parent_id is not None:
        above = task_in(world, task.parent_id)
        if above.id in {each.id for each in world.subtree(task.id)}:
            raise ProviderError(f"“{above.text}” stands below “{task.text}” by now; nothing was done", "world.changed")
    task = at_a_free_place(world, task)
    return replace(world, tasks={**world.tasks, task.id: task}), (exactly(task), state_of(task))


def build(ground: BackendContext) -> MemoryBackend[World]:
    """Build it with the world that the settings may plant under `world`."""
    return memory_backend(ground.clock, ground.ids, parse_world(ground.settings.get("world", {})), kill=ground.kill)


def memory_backend(
    clock: Clock, ids: Ids, world: World, *, lasting: bool = False, kill: KillPoint = no_kill_point
) -> MemoryBackend[World]:
    """Return a backend over this world."""

    def does(world: World, step: Steps, expects: Facts) -> tuple[World, Facts]:
        return after(world, step, expects, clock.now().isoformat().replace("+00:00", "Z"))

    laws = MemoryRules(does=does, holds=must_hold, reads=lambda seen: Reads(seen, clock, ids))
    return MemoryBackend(world, laws, note="kept in memory only", lasting=lasting, kill=kill)


class Planted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A world as the settings write it, under `world`."""

    tasks: tuple[Task, ...] = ()
    habits: tuple[Habit, ...] = ()
    done: tuple[Done, ...] = ()


def parse_world(world: Json) -> World:
    """Read a world from plain data. Raises `SetupError` for what is no task or habit."""
    try:
        given = msgspec.convert(world, Planted)
    except msgspec.ValidationError as wrong:
        raise SetupError(f"[tasks] world in the settings: {wrong}", "settings.invalid") from wrong
    return World({task.id: task for task in given.tasks}, {one.id: one for one in given.habits}, given.done)


@dataclass(frozen=True)
class Reads(Tasks):
    """The reads over a world, as it is or as earlier steps of a batch would leave it."""

    seen: View[World]
    clock: Clock
    ids: Ids

    @property
    def _world(self) -> World:
        return self.seen.look()

    async def task(self, item_id: str) -> Task | None:
        return self._world.tasks.get(item_id)

    async def find_active(self, text: str) -> tuple[Task, ...]:
        return matching(text, self._list_tasks(completed=False), lambda task: task.text)[:MOST_FOUND]

    async def find_completed(self, text: str) -> tuple[Task, ...]:
        return matching(text, self._list_tasks(completed=True), lambda task: task.text)[:MOST_FOUND]

    async def near_tasks(self, text: str, *, completed: bool) -> tuple[str, ...]:
        return near(text, [task.text for task in self._list_tasks(completed=completed)])

    async def all_tasks(self) -> tuple[Task, ...]:
        return self._world.in_order()

    async def subtree(self, item_id: str) -> tuple[Task, ...]:
        return self._world.subtree(item_id) if item_id in self._world.tasks else ()

    async def children(self, item_id: str | None) -> tuple[Task, ...]:
        return tuple(task for task in self._world.in_order() if task.parent_id == item_id)

    def task_fact(self, task: Task) -> Fact:
        return self.seen.fact(state_of(task))

    async def habit(self, item_id: str) -> Habit | None:
        return self._world.habits.get(item_id)

    async def find_habits(self, text: str) -> tuple[Habit, ...]:
        return matching(text, await self.all_habits(), lambda habit: habit.text)[:MOST_FOUND]

    async def near_habits(self, text: str) -> tuple[str, ...]:
        return near(text, [habit.text for habit in self._world.habits.values()])

    async def all_habits(self) -> tuple[Habit, ...]:
        return tuple(sorted(self._world.habits.values(), key=lambda habit: habit.created_at))

    async def habit_history(self, item_id: str) -> tuple[Done, ...]:
        return history_of(self._world, item_id)

    def habit_fact(self, habit: Habit) -> Fact:
        return self.seen.fact(HabitThere(habit.id))

    def new_id(self) -> str:
        return self.ids.token()

    def now(self) -> datetime:
        return self.clock.now()

    def _list_tasks(self, *, completed: bool) -> tuple[Task, ...]:
        return tuple(task for task in self._world.in_order() if (task.completed_at is not None) is completed)


def after(world: World, step: Steps, expects: Facts, now: str) -> tuple[World, Facts]:
    """Return the world after a step, and what the step left."""
    if isinstance(step, MakingTasks):
        return make_task(world, step, expects, now)
    if isinstance(step, MovingTasks):
        return move_tasks(world, step, now)
    if isinstance(step, PlacingTasks):
        return place_tasks(world, step, expects, now)
    if isinstance(step, MakingHabits):
        return make_habit(world, step, expects, now)
    return move_habit(world, step, expects, now)


def must_hold(world: World, fact: Fact) -> bool:
    """Say that a fact is so. Raises `ProviderError` that names the item when it is not."""
    if not holds(world, fact):
        raise changed_error(_name_fact(world, fact))
    return True


def holds(world: World, fact: Fact) -> bool:
    """Say whether a fact about tasks or habits is so in this world."""
    match fact:
        case TaskActive() | TaskCompleted():
            return fact.about in world.tasks and state_of(world.tasks[fact.about]) == fact
        case TaskIs():
            return fact.about in world.tasks and exactly(world.tasks[fact.about]) == fact
        case TaskGone():
            return fact.about not in world.tasks and fact.about in world.kept_tasks
        case TaskWas() | TaskStood() | HabitWas():
            return True  # what was, for the way back
        case _:
            return _habit_holds(world, fact)


def _habit_holds(world: World, fact: Fact) -> bool:
    habit = world.habits.get(fact.about)
    match fact:
        case HabitThere():
            return habit is not None
        case HabitIs():
            return habit is not None and (habit.text, habit.interval_hours) == (fact.text, fact.interval_hours)
        case HabitDone():
            return last_entry(world, fact.about) == fact.entry
        case HabitGone():
            return habit is None and fact.about in world.kept_habits
        case _:
            return False


def _name_fact(world: World, fact: Fact) -> str:
    there = world.tasks.get(fact.about) or world.habits.get(fact.about)
    kept = world.kept_tasks.get(fact.about) or world.kept_habits.get(fact.about)
    item = there or kept
    return f"“{item.text}”" if item else "the item"
