"""Tasks and habits kept in memory: the whole store, for tests, for trying out, and as the reference."""

from datetime import datetime

import msgspec

from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.plan import Fact, Facts
from sayso.core.ports import Clock, Ground, Ids, KillPoint, no_kill_point
from sayso.core.pretend import Laws, Pretended, Seen
from sayso.core.values import dataclass
from sayso.providers.tasks.facts import (
    HabitDone,
    HabitGone,
    HabitIs,
    HabitThere,
    HabitWas,
    TaskActive,
    TaskCompleted,
    TaskGone,
    TaskIs,
    TaskStood,
    TaskWas,
)
from sayso.providers.tasks.habits_world import history_of, last_entry, make_habit, move_habit
from sayso.providers.tasks.matching import matching, near
from sayso.providers.tasks.placing import place_tasks
from sayso.providers.tasks.states import changed, exactly, state_of
from sayso.providers.tasks.steps import MakingHabits, MakingTasks, MovingTasks, PlacingTasks, Steps
from sayso.providers.tasks.store import MOST_FOUND, Done, Habit, Task, Tasks
from sayso.providers.tasks.world import World, make_task, move_tasks


def build(ground: Ground) -> Pretended[World]:
    """Build it with the world that the settings may plant under `world`."""
    return pretended(ground.clock, ground.ids, planted(ground.settings.get("world", {})), kill=ground.kill)


def pretended(
    clock: Clock, ids: Ids, world: World, *, lasting: bool = False, kill: KillPoint = no_kill_point
) -> Pretended[World]:
    """Return a backend over this world."""

    def does(world: World, step: Steps, expects: Facts) -> tuple[World, Facts]:
        return after(world, step, expects, clock.now().isoformat().replace("+00:00", "Z"))

    laws = Laws(does=does, holds=must_hold, reads=lambda seen: Reads(seen, clock, ids))
    return Pretended(world, laws, note="kept in memory only", lasting=lasting, kill=kill)


class Planted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A world as the settings write it, under `world`."""

    tasks: tuple[Task, ...] = ()
    habits: tuple[Habit, ...] = ()
    done: tuple[Done, ...] = ()


def planted(world: Json) -> World:
    """Read a world from plain data. Raises `SetupError` for what is no task or habit."""
    try:
        given = msgspec.convert(world, Planted)
    except msgspec.ValidationError as wrong:
        raise SetupError(f"[tasks] world in the settings: {wrong}", "settings.invalid") from wrong
    return World({task.id: task for task in given.tasks}, {one.id: one for one in given.habits}, given.done)


@dataclass(frozen=True)
class Reads(Tasks):
    """The reads over a world, as it is or as earlier steps of a batch would leave it."""

    seen: Seen[World]
    clock: Clock
    ids: Ids

    @property
    def _world(self) -> World:
        return self.seen.look()

    async def task(self, item_id: str) -> Task | None:
        return self._world.tasks.get(item_id)

    async def find_active(self, text: str) -> tuple[Task, ...]:
        return matching(text, self._listed(completed=False), lambda task: task.text)[:MOST_FOUND]

    async def find_completed(self, text: str) -> tuple[Task, ...]:
        return matching(text, self._listed(completed=True), lambda task: task.text)[:MOST_FOUND]

    async def near_tasks(self, text: str, *, completed: bool) -> tuple[str, ...]:
        return near(text, [task.text for task in self._listed(completed=completed)])

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

    def _listed(self, *, completed: bool) -> tuple[Task, ...]:
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
        raise changed(_named(world, fact))
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


def _named(world: World, fact: Fact) -> str:
    there = world.tasks.get(fact.about) or world.habits.get(fact.about)
    kept = world.kept_tasks.get(fact.about) or world.kept_habits.get(fact.about)
    item = there or kept
    return f"“{item.text}”" if item else "the item"
