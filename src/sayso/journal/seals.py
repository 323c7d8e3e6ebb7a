"""How each action stood when the audit last spoke of it, kept on disk so that a journal of any size can be checked."""

import sqlite3
from collections.abc import Iterator
from typing import cast

from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Seal:
    """The last word of the audit about one action."""

    key: int
    row: str
    seq: int
    done: bool = False
    """It was done, or found done, at some time: what it read was heard."""


class Seals:
    """A private temporary database, gone when closed."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect("", isolation_level=None)
        self._connection.execute("CREATE TABLE seal (key INTEGER PRIMARY KEY, row TEXT, seq INTEGER, done INTEGER)")
        self._connection.execute("CREATE TABLE heard (session, operation, PRIMARY KEY (session, operation))")
        self._connection.execute("BEGIN")

    def __getitem__(self, key: int) -> Seal | None:
        """Return the last word about an action."""
        found = self._connection.execute("SELECT key, row, seq, done FROM seal WHERE key = ?", (key,)).fetchone()
        return None if found is None else _seal(found)

    def put(self, seal: Seal) -> None:
        """Note the last word about an action."""
        self._connection.execute(
            "INSERT OR REPLACE INTO seal VALUES (?, ?, ?, ?)", (seal.key, seal.row, seal.seq, seal.done)
        )

    def drop(self, key: int) -> None:
        """Forget an action."""
        self._connection.execute("DELETE FROM seal WHERE key = ?", (key,))

    def __iter__(self) -> Iterator[Seal]:
        """Return them in the order of their keys."""
        for row in self._connection.execute("SELECT key, row, seq, done FROM seal ORDER BY key"):
            yield _seal(row)

    def hear(self, session: str | None, operation: str) -> None:
        """Note that an operation was done in a session."""
        if operation:
            self._connection.execute("INSERT OR IGNORE INTO heard VALUES (?, ?)", (session or "", operation))

    def heard(self) -> Iterator[tuple[str, str]]:
        """Return each session with each operation that was done in it, in order."""
        yield from self._connection.execute("SELECT session, operation FROM heard ORDER BY session, operation")

    def close(self) -> None:
        """Delete the temporary database."""
        self._connection.close()


def _seal(row: object) -> Seal:
    key, text, seq, done = cast("tuple[int, str, int, int]", row)
    return Seal(key, text, seq, bool(done))
