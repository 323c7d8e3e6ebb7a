"""What each habit step makes of the world: plain functions, for doing and for imagining."""

from dataclasses import replace
from typing import assert_never

from sayso.core.errors import ProviderError
from sayso.core.plan import Facts
from sayso.providers.tasks.facts import HabitDone, HabitGone, HabitIs, HabitThere, HabitWas
from sayso.providers.tasks.states import before_that, gone, habit_was
from sayso.providers.tasks.steps import (
    AddHabit,
    DeleteHabit,
    EditHabit,
    LogHabit,
    MakingHabits,
    MovingHabits,
    RemoveHabit,
    RestoreHabit,
    UneditHabit,
    UnlogHabit,
)
from sayso.providers.tasks.store import Done, Habit
from sayso.providers.tasks.world import World


def habit_in(world: World, item_id: str) -> Habit:
    """Return a habit that must be on the list."""
    habit = world.habits.get(item_id)
    if habit is None:
        raise gone("habit")
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
            return _with(world, Habit(id, text, interval_hours, None, now))
        case RemoveHabit(id):
            if history_of(world, habit_in(world, id).id):
                raise ProviderError("the habit was done since; nothing was changed", "world.changed")
            return _without(world, id), ()
        case EditHabit(id):
            before = habit_in(world, id)
            hours = before.interval_hours if step.interval_hours is None else step.interval_hours
            text = before.text if step.text is None else step.text
            after, facts = _with(world, replace(before, text=text, interval_hours=hours))
            return after, (*facts, HabitWas(id, before.text, before.interval_hours))
        case UneditHabit(id):
            was = habit_was(expects, id)
            return _with(world, replace(habit_in(world, id), text=was.text, interval_hours=was.interval_hours))
        case _:
            assert_never(step)


def move_habit(world: World, step: MovingHabits, expects: Facts, now: str) -> tuple[World, Facts]:
    """Do a step that takes a habit off the list, brings it back, logs it or takes that back."""
    match step:
        case DeleteHabit(id):
            kept = {**world.kept_habits, id: habit_in(world, id)}
            return replace(_without(world, id), kept_habits=kept), (HabitGone(id),)
        case RestoreHabit(id):
            return _restored(world, id)
        case LogHabit(id, entry):
            before = habit_in(world, id)
            after, _ = _with(world, replace(before, last_done_at=now))
            after = replace(after, done=(*world.done, Done(entry, id, now)))
            return after, (HabitThere(id), HabitDone(id, entry, before.last_done_at))
        case UnlogHabit(id, entry):
            if last_entry(world, id) != entry:
                raise ProviderError("the habit was logged again since; nothing was changed", "world.changed")
            after, facts = _with(world, replace(habit_in(world, id), last_done_at=before_that(expects, id)))
            return replace(after, done=tuple(done for done in world.done if done.id != entry)), facts
        case _:
            assert_never(step)


def _restored(world: World, item_id: str) -> tuple[World, Facts]:
    habit = world.kept_habits.get(item_id)
    if habit is None:
        raise ProviderError("the habit is no longer kept; nothing was done", "world.changed")
    kept = {other: kept for other, kept in world.kept_habits.items() if other != item_id}
    return _with(replace(world, kept_habits=kept), habit)


def _with(world: World, habit: Habit) -> tuple[World, Facts]:
    facts = (HabitIs(habit.id, habit.text, habit.interval_hours), HabitThere(habit.id))
    return replace(world, habits={**world.habits, habit.id: habit}), facts


def _without(world: World, item_id: str) -> World:
    return replace(world, habits={other: habit for other, habit in world.habits.items() if other != item_id})
