"""What each step on habits writes; it is called within a transaction, and raises where the world has moved on."""

import sqlite3
from typing import assert_never

from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.plan import Facts
from sayso.providers.tasks.model import (
    AddHabit,
    DeleteHabit,
    EditHabit,
    HabitDone,
    HabitGone,
    HabitIs,
    HabitThere,
    HabitWas,
    LogHabit,
    MakingHabits,
    MovingHabits,
    RemoveHabit,
    RestoreHabit,
    UneditHabit,
    UnlogHabit,
)
from sayso.providers.tasks.sqlite import rows
from sayso.providers.tasks.store import Habit, before_that, gone_error, habit_was


def make(connection: sqlite3.Connection, step: MakingHabits, expects: Facts, now: str) -> Facts:
    """Make a habit, change it, or take either back."""
    match step:
        case AddHabit(id, text, interval_hours):
            return _add_habit(connection, Habit(id, text, interval_hours, None, now))
        case RemoveHabit(id):
            if rows.last_entry(connection, _there(connection, id).id) is not None:
                raise ProviderError("the habit was done since; nothing was changed", "world.changed")
            _take_off_done(connection, id)
            return ()
        case EditHabit(id):
            before = _there(connection, id)
            hours = before.interval_hours if step.interval_hours is None else step.interval_hours
            text = before.text if step.text is None else step.text
            facts = _write_habit(connection, replace(before, text=text, interval_hours=hours))
            return (*facts, HabitWas(id, before.text, before.interval_hours))
        case UneditHabit(id):
            then = habit_was(expects, id)
            now_ = _there(connection, id)
            return _write_habit(connection, replace(now_, text=then.text, interval_hours=then.interval_hours))
        case _:
            assert_never(step)


def move(connection: sqlite3.Connection, step: MovingHabits, expects: Facts, now: str) -> Facts:
    """Take a habit off the list, bring it back, write down that it was done, or take that back."""
    match step:
        case DeleteHabit(id):
            _there(connection, id)
            connection.execute(
                "INSERT INTO deleted_habits SELECT number, id, text, interval_hours, last_done_at, created_at, ? "
                "FROM habits WHERE id = ?",
                (now, id),
            )
            _take_off_done(connection, id)
            return (HabitGone(id),)
        case RestoreHabit(id):
            return _restore_habit(connection, id)
        case LogHabit(id, entry):
            before = _there(connection, id)
            connection.execute("INSERT INTO habit_times (id, habit_id, at) VALUES (?, ?, ?)", (entry, id, now))
            _write_habit(connection, replace(before, last_done_at=now))
            return (HabitThere(id), HabitDone(id, entry, before.last_done_at))
        case UnlogHabit(id, entry):
            if rows.last_entry(connection, id) != entry:
                raise ProviderError("the habit was logged again since; nothing was changed", "world.changed")
            connection.execute("DELETE FROM habit_times WHERE id = ?", (entry,))
            return _write_habit(connection, replace(_there(connection, id), last_done_at=before_that(expects, id)))
        case _:
            assert_never(step)


def _there(connection: sqlite3.Connection, item_id: str) -> Habit:
    habit = rows.habit_of(connection, item_id)
    if habit is None:
        raise gone_error("habit")
    return habit


def _as_it_is(habit: Habit) -> Facts:
    return (HabitIs(habit.id, habit.text, habit.interval_hours), HabitThere(habit.id))


def _add_habit(connection: sqlite3.Connection, habit: Habit) -> Facts:
    if rows.is_there(connection, "habits", habit.id) or rows.is_there(connection, "deleted_habits", habit.id):
        raise ProviderError("a habit with this id is there already; nothing was done", "world.changed")
    return _put(connection, habit)


def _put(connection: sqlite3.Connection, habit: Habit) -> Facts:
    fields = (habit.id, habit.text, habit.interval_hours, habit.last_done_at, habit.created_at)
    connection.execute(
        "INSERT INTO habits (id, text, interval_hours, last_done_at, created_at) VALUES (?, ?, ?, ?, ?)", fields
    )
    rows.put(connection, rows.HABITS, habit.id, habit.text)
    return _as_it_is(habit)


def _write_habit(connection: sqlite3.Connection, habit: Habit) -> Facts:
    connection.execute(
        "UPDATE habits SET text = ?, interval_hours = ?, last_done_at = ? WHERE id = ?",
        (habit.text, habit.interval_hours, habit.last_done_at, habit.id),
    )
    rows.put(connection, rows.HABITS, habit.id, habit.text)
    return _as_it_is(habit)


def _take_off_done(connection: sqlite3.Connection, item_id: str) -> None:
    connection.execute("DELETE FROM habits WHERE id = ?", (item_id,))
    rows.drop(connection, item_id)


def _restore_habit(connection: sqlite3.Connection, item_id: str) -> Facts:
    found = connection.execute(
        "INSERT INTO habits SELECT number, id, text, interval_hours, last_done_at, created_at FROM deleted_habits "
        "WHERE id = ?",
        (item_id,),
    )
    if not found.rowcount:
        raise ProviderError("the habit is no longer kept; nothing was done", "world.changed")
    connection.execute("DELETE FROM deleted_habits WHERE id = ?", (item_id,))
    habit = _there(connection, item_id)
    rows.put(connection, rows.HABITS, habit.id, habit.text)
    return _as_it_is(habit)
