"""How each action stood when the audit last spoke of it, kept on disk so that a journal of any size can be checked."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast


@dataclass(frozen=True, slots=True)
class Seal:
    """The last word of the audit about one action."""

    key: int
    row: str
    seq: int


class Seals:
    """A private temporary database, gone when closed."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect("", isolation_level=None)
        self._connection.execute("CREATE TABLE seal (key INTEGER PRIMARY KEY, row TEXT NOT NULL, seq INTEGER NOT NULL)")
        self._connection.execute("BEGIN")

    def __getitem__(self, key: int) -> Seal | None:
        """Return the last word about an action."""
        found = self._connection.execute("SELECT key, row, seq FROM seal WHERE key = ?", (key,)).fetchone()
        return None if found is None else Seal(*cast("tuple[int, str, int]", found))

    def put(self, seal: Seal) -> None:
        """Note the last word about an action."""
        self._connection.execute("INSERT OR REPLACE INTO seal VALUES (?, ?, ?)", (seal.key, seal.row, seal.seq))

    def drop(self, key: int) -> None:
        """Forget an action."""
        self._connection.execute("DELETE FROM seal WHERE key = ?", (key,))

    def __iter__(self) -> Iterator[Seal]:
        """Return them in the order of their keys."""
        for row in self._connection.execute("SELECT key, row, seq FROM seal ORDER BY key"):
            yield Seal(*cast("tuple[int, str, int]", row))

    def close(self) -> None:
        """Delete the temporary database."""
        self._connection.close()
