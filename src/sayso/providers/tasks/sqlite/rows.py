"""Rows of the lists as the values they stand for, and the ways in which they are looked up."""

import json
import sqlite3
from collections.abc import Sequence
from typing import cast

from sayso.providers.tasks.store import Done, Habit, Task

_ID_IN = {
    "tasks": "SELECT 1 FROM tasks WHERE id = ?",
    "deleted_tasks": "SELECT 1 FROM deleted_tasks WHERE id = ?",
    "habits": "SELECT 1 FROM habits WHERE id = ?",
    "deleted_habits": "SELECT 1 FROM deleted_habits WHERE id = ?",
}


def task_of(connection: sqlite3.Connection, item_id: str) -> Task | None:
    """Return the task with this id, completed or not."""
    row = connection.execute(
        "SELECT id, text, parent_id, position, completed_at, created_at FROM tasks WHERE id = ?", (item_id,)
    ).fetchone()
    return None if row is None else Task(*row)


def tasks_of(connection: sqlite3.Connection, ids: Sequence[str]) -> list[Task]:
    """Return those of these tasks that are on the list, in the order of their ids."""
    rows = connection.execute(
        "SELECT id, text, parent_id, position, completed_at, created_at FROM tasks "
        "WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(ids),),
    )
    return _in_order(ids, rows)


def deleted_of(connection: sqlite3.Connection, ids: Sequence[str]) -> list[Task]:
    """Return those of these tasks that were deleted and are kept, in the order of their ids."""
    rows = connection.execute(
        "SELECT id, text, parent_id, position, completed_at, created_at FROM deleted_tasks "
        "WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(ids),),
    )
    return _in_order(ids, rows)


def all_tasks(connection: sqlite3.Connection) -> list[Task]:
    """Return all tasks, in no order."""
    rows = connection.execute("SELECT id, text, parent_id, position, completed_at, created_at FROM tasks")
    return [Task(*row) for row in rows]


def children(connection: sqlite3.Connection, parent: str | None) -> list[Task]:
    """Return the tasks directly below this one, or at the top, in list order."""
    rows = connection.execute(
        "SELECT id, text, parent_id, position, completed_at, created_at FROM tasks WHERE parent_id IS ? "
        "ORDER BY position, created_at, id",
        (parent,),
    )
    return [Task(*row) for row in rows]


def subtree(connection: sqlite3.Connection, root: str) -> list[Task]:
    """Return a task and everything below it, in no order; nothing when it is not there."""
    rows = connection.execute(
        "WITH RECURSIVE below (id) AS (SELECT id FROM tasks WHERE id = ? UNION "
        "SELECT tasks.id FROM tasks JOIN below ON tasks.parent_id = below.id) "
        "SELECT id, text, parent_id, position, completed_at, created_at FROM tasks "
        "WHERE id IN (SELECT id FROM below)",
        (root,),
    )
    return [Task(*row) for row in rows]


def stands_below(connection: sqlite3.Connection, item_id: str, above: str) -> bool:
    """Say whether `item_id` is `above`, or stands anywhere below it."""
    row = connection.execute(
        "WITH RECURSIVE up (id) AS (VALUES (?) UNION "
        "SELECT tasks.parent_id FROM tasks JOIN up ON tasks.id = up.id) SELECT 1 FROM up WHERE id = ?",
        (item_id, above),
    ).fetchone()
    return row is not None


def next_position(connection: sqlite3.Connection, parent: str | None) -> float:
    """Return the place after all siblings, also those that are only kept: a restored one finds its own free."""
    (last,) = cast(
        "tuple[float]",
        connection.execute(
            "SELECT max(ifnull((SELECT max(position) FROM tasks WHERE parent_id IS ?1), 0), "
            "ifnull((SELECT max(position) FROM deleted_tasks WHERE parent_id IS ?1), 0))",
            (parent,),
        ).fetchone(),
    )
    return int(last // 1) + 1


def habit_of(connection: sqlite3.Connection, item_id: str) -> Habit | None:
    """Return the habit with this id."""
    row = connection.execute(
        "SELECT id, text, interval_hours, last_done_at, created_at FROM habits WHERE id = ?", (item_id,)
    ).fetchone()
    return None if row is None else Habit(*row)


def all_habits(connection: sqlite3.Connection) -> list[Habit]:
    """Return all habits, oldest first."""
    rows = connection.execute(
        "SELECT id, text, interval_hours, last_done_at, created_at FROM habits ORDER BY created_at, number"
    )
    return [Habit(*row) for row in rows]


def times_of(connection: sqlite3.Connection, habit_id: str) -> list[Done]:
    """Return the times a habit was done, oldest first."""
    rows = connection.execute(
        "SELECT id, habit_id, at FROM habit_times WHERE habit_id = ? ORDER BY number", (habit_id,)
    )
    return [Done(*row) for row in rows]


def last_entry(connection: sqlite3.Connection, habit_id: str) -> str | None:
    """Return the id of the last time a habit was done."""
    row = connection.execute(
        "SELECT id FROM habit_times WHERE habit_id = ? ORDER BY number DESC LIMIT 1", (habit_id,)
    ).fetchone()
    return None if row is None else str(row[0])


def is_there(connection: sqlite3.Connection, table: str, item_id: str) -> bool:
    """Say whether a table holds this id."""
    return connection.execute(_ID_IN[table], (item_id,)).fetchone() is not None


def _in_order(ids: Sequence[str], rows: sqlite3.Cursor) -> list[Task]:
    found = {row[0]: Task(*row) for row in rows}
    return [found[each] for each in ids if each in found]
