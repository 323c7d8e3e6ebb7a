"""Let go of what is kept only for ways back, once it is old."""

import sqlite3

_OLD = (
    "DELETE FROM deleted_tasks WHERE completed_at IS NULL AND deleted_at < ?",
    "DELETE FROM habit_times WHERE habit_id IN (SELECT id FROM deleted_habits WHERE deleted_at < ?)",
    "DELETE FROM deleted_habits WHERE deleted_at < ?",
    "UPDATE steps SET step = NULL, left = NULL WHERE at < ? AND step IS NOT NULL",
)
"""Completed tasks are history and stay; of old steps only the token does."""


def prune(connection: sqlite3.Connection, before: str) -> int:
    """Let go of what was deleted before this time; return how much that was. While another process writes, of nothing.

    Raises `sqlite3.Error`.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return 0  # another day
    try:
        gone = sum(connection.execute(statement, (before,)).rowcount for statement in _OLD)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return gone
