"""What the journal's tests start from."""

import re
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from sayso.core.ports import Clock
from sayso.journal.database import schema
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


_SINCE = {
    2: ("DROP TABLE session", "DROP TABLE exchange", "DROP TABLE exchange_run", "DROP TABLE told"),
    3: ("DROP TABLE trigger_state",),
    4: ("DROP TABLE exposure", *re.findall(r"CREATE TABLE heard .*?;", schema(), re.DOTALL)),
    5: ("DROP TABLE instance", "DROP TABLE message"),
}


def make_older(path: Path, version: int) -> None:
    """Take away from a journal what versions after this one added."""
    tamper(path, *(statement for since, sql in _SINCE.items() if since > version for statement in sql))
    tamper(path, f"PRAGMA user_version = {version}")


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
