"""Whether facts about tasks and habits are so in the lists."""

import sqlite3

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact
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
from sayso.providers.tasks.sqlite import rows
from sayso.providers.tasks.states import changed, exactly, state_of

_TEXT_OF = (
    "SELECT text FROM tasks WHERE id = ?1 UNION ALL SELECT text FROM habits WHERE id = ?1 "
    "UNION ALL SELECT text FROM deleted_tasks WHERE id = ?1 UNION ALL SELECT text FROM deleted_habits WHERE id = ?1"
)


def must_hold(connection: sqlite3.Connection, fact: Fact) -> None:
    """Raise `ProviderError` that names the item when a fact is not so."""
    if holds(connection, fact):
        return
    named = _named(connection, fact.about)
    if isinstance(fact, TaskGone | HabitGone) and named is None:
        raise ProviderError("what was deleted is no longer kept; nothing was done", "world.changed")
    raise changed(named or "the item")


def holds(connection: sqlite3.Connection, fact: Fact) -> bool:
    """Say whether a fact is so."""
    match fact:
        case TaskActive() | TaskCompleted():
            task = rows.task_of(connection, fact.about)
            return task is not None and state_of(task) == fact
        case TaskIs():
            task = rows.task_of(connection, fact.about)
            return task is not None and exactly(task) == fact
        case TaskGone():
            there = rows.is_there(connection, "tasks", fact.about)
            return not there and rows.is_there(connection, "deleted_tasks", fact.about)
        case TaskWas() | TaskStood() | HabitWas():
            return True  # what was, for the way back
        case _:
            return _habit_holds(connection, fact)


def _habit_holds(connection: sqlite3.Connection, fact: Fact) -> bool:
    habit = rows.habit_of(connection, fact.about)
    match fact:
        case HabitThere():
            return habit is not None
        case HabitIs():
            return habit is not None and (habit.text, habit.interval_hours) == (fact.text, fact.interval_hours)
        case HabitDone():
            return rows.last_entry(connection, fact.about) == fact.entry
        case HabitGone():
            return habit is None and rows.is_there(connection, "deleted_habits", fact.about)
        case _:
            raise ProviderError(f"the lists know no fact “{fact.fact}”; nothing was done", "world.unknown_fact")


def _named(connection: sqlite3.Connection, item_id: str) -> str | None:
    found = connection.execute(_TEXT_OF, (item_id,)).fetchone()
    return f"“{found[0]}”" if found else None
