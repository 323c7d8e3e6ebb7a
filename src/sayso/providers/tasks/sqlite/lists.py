"""The lists over a connection to their database; a caller that changes them must have opened a transaction."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import cast

from sayso.providers.tasks.lists import Habit, HabitEntry, Lists, Task
from sayso.providers.tasks.sqlite import search
from sayso.providers.tasks.store import MOST_FOUND


class SqliteLists(Lists):
    """The tasks and habits in the tables of one database; the columns are in the same order as the fields."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def _tasks(self, statement: str, *values: object) -> list[Task]:
        return [Task(*row[:6]) for row in self._connection.execute(statement, values)]

    def task(self, item_id: str) -> Task | None:
        return next(iter(self._tasks("SELECT * FROM tasks WHERE id = ?", item_id)), None)

    def deleted_task(self, item_id: str) -> Task | None:
        return next(
            iter(
                self._tasks(
                    "SELECT * FROM deleted_tasks WHERE id = ?",
                    item_id,
                )
            ),
            None,
        )

    def all_tasks(self) -> Iterable[Task]:
        return self._tasks("SELECT * FROM tasks")

    def children(self, parent: str | None) -> Sequence[Task]:
        return self._tasks("SELECT * FROM tasks WHERE parent_id IS ? ORDER BY position, created_at, id", parent)

    def subtree(self, root: str) -> Sequence[Task]:
        return self._tasks(
            "WITH RECURSIVE below (id) AS (SELECT id FROM tasks WHERE id = ? UNION "
            "SELECT tasks.id FROM tasks JOIN below ON tasks.parent_id = below.id) "
            "SELECT * FROM tasks WHERE id IN (SELECT id FROM below)",
            root,
        )

    def last_position(self, parent: str | None) -> float:
        (last,) = cast(
            "tuple[float]",
            self._connection.execute(
                "SELECT max(ifnull((SELECT max(position) FROM tasks WHERE parent_id IS ?1), 0), "
                "ifnull((SELECT max(position) FROM deleted_tasks WHERE parent_id IS ?1), 0))",
                (parent,),
            ).fetchone(),
        )
        return last

    def put_task(self, task: Task) -> None:
        self._connection.execute("DELETE FROM deleted_tasks WHERE id = ?", (task.id,))
        self._connection.execute(
            "INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET text = excluded.text, "
            "parent_id = excluded.parent_id, position = excluded.position, completed_at = excluded.completed_at",
            (task.id, task.text, task.parent_id, task.position, task.completed_at, task.created_at),
        )
        which = search.ACTIVE if task.completed_at is None else search.COMPLETED
        search.put(self._connection, which, task.id, task.text)

    def drop_tasks(self, ids: Sequence[str]) -> None:
        for item_id in ids:
            self._connection.execute("DELETE FROM tasks WHERE id = ?", (item_id,))
            search.drop(self._connection, item_id)

    def delete_tasks(self, ids: Sequence[str], now: str) -> None:
        self._connection.execute(
            "INSERT INTO deleted_tasks SELECT *, ? FROM tasks WHERE id IN (SELECT value FROM json_each(?))",
            (now, json.dumps(ids)),
        )
        self.drop_tasks(ids)

    def find_tasks(self, text: str, *, completed: bool) -> Sequence[Task]:
        which = search.COMPLETED if completed else search.ACTIVE
        ids = search.matching(self._connection, which, text, MOST_FOUND)
        return self._tasks("SELECT * FROM tasks WHERE id IN (SELECT value FROM json_each(?))", json.dumps(ids))

    def near_tasks(self, text: str, *, completed: bool) -> tuple[str, ...]:
        return search.near(self._connection, search.COMPLETED if completed else search.ACTIVE, text)

    def _habits(self, statement: str, *values: object) -> list[Habit]:
        return [Habit(*row[1:6]) for row in self._connection.execute(statement, values)]

    def habit(self, item_id: str) -> Habit | None:
        return next(
            iter(self._habits("SELECT * FROM habits WHERE id = ?", item_id)),
            None,
        )

    def deleted_habit(self, item_id: str) -> Habit | None:
        return next(
            iter(
                self._habits(
                    "SELECT * FROM deleted_habits WHERE id = ?",
                    item_id,
                )
            ),
            None,
        )

    def all_habits(self) -> Sequence[Habit]:
        return self._habits("SELECT * FROM habits ORDER BY created_at, number")

    def habit_history(self, item_id: str) -> Sequence[HabitEntry]:
        statement = "SELECT id, habit_id, at FROM habit_times WHERE habit_id = ? ORDER BY number"
        return [HabitEntry(*row) for row in self._connection.execute(statement, (item_id,))]

    def last_entry(self, item_id: str) -> str | None:
        statement = "SELECT id FROM habit_times WHERE habit_id = ? ORDER BY number DESC LIMIT 1"
        row = self._connection.execute(statement, (item_id,)).fetchone()
        return None if row is None else str(row[0])

    def put_habit(self, habit: Habit) -> None:
        self._connection.execute(
            "INSERT INTO habits (id, text, interval_hours, last_done_at, created_at) "
            "VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET text = excluded.text, "
            "interval_hours = excluded.interval_hours, last_done_at = excluded.last_done_at",
            (habit.id, habit.text, habit.interval_hours, habit.last_done_at, habit.created_at),
        )
        search.put(self._connection, search.HABITS, habit.id, habit.text)

    def drop_habit(self, item_id: str) -> None:
        self._connection.execute("DELETE FROM habits WHERE id = ?", (item_id,))
        search.drop(self._connection, item_id)

    def delete_habit(self, item_id: str, now: str) -> None:
        self._connection.execute(
            "INSERT INTO deleted_habits SELECT *, ? FROM habits WHERE id = ?",
            (now, item_id),
        )
        self.drop_habit(item_id)

    def restore_habit(self, item_id: str) -> None:
        self._connection.execute(
            "INSERT INTO habits SELECT number, id, text, interval_hours, last_done_at, created_at "
            "FROM deleted_habits WHERE id = ?",
            (item_id,),
        )
        self._connection.execute("DELETE FROM deleted_habits WHERE id = ?", (item_id,))
        habit = self.require_habit(item_id)
        search.put(self._connection, search.HABITS, habit.id, habit.text)

    def put_entry(self, entry: HabitEntry) -> None:
        self._connection.execute(
            "INSERT INTO habit_times (id, habit_id, at) VALUES (?, ?, ?)", (entry.id, entry.habit_id, entry.at)
        )

    def drop_entry(self, entry_id: str) -> None:
        self._connection.execute("DELETE FROM habit_times WHERE id = ?", (entry_id,))

    def find_habits(self, text: str) -> Sequence[Habit]:
        ids = search.matching(self._connection, search.HABITS, text, MOST_FOUND)
        return self._habits(
            "SELECT * FROM habits WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps(ids),
        )

    def near_habits(self, text: str) -> tuple[str, ...]:
        return search.near(self._connection, search.HABITS, text)
