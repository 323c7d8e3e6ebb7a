"""What the journal's tests start from."""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from sayso.core.ports import Clock
from sayso.journal.sqlite import SqliteJournal
from sayso.testing.fakes import FakeClock


@asynccontextmanager
async def a_journal(path: Path, clock: Clock | None = None, **options: Any) -> AsyncGenerator[SqliteJournal]:
    """Open a journal, by a clock that stands still unless another is given."""
    journal = SqliteJournal(str(path), clock=clock or FakeClock(), **options)
    await journal.open()
    try:
        yield journal
    finally:
        await journal.close()


def rows(path: Path, sql: str, *values: Any) -> list[Any]:
    """Ask with plain sqlite3."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql, values).fetchall()


def tamper(path: Path, *statements: str) -> None:
    """Change something behind sayso's back, with plain sqlite3."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
