"""Whatever is changed, deleted or added in any column of any table of the journal is found, or is named as unsealed.

The tables and columns are read from the database, so a new one cannot be forgotten here.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sayso.core.conversation import TriggerState, UserNote
from sayso.core.instances import ChatMessage, Instance
from sayso.core.ports import CountGrantUse, InsertRecord, NoteExposure, UpdateRecord
from sayso.core.record import State
from sayso.journal.verify import verify
from sayso.testing.fakes import FakeClock
from sayso.testing.journal import a_grant, a_record, an_exchange, as_done
from tests.journal.given import a_journal, rows


async def fill(path: Path) -> None:
    """Make a journal with rows in every table, of which some are older than a removal of old rows."""
    clock = FakeClock()
    async with a_journal(path, clock=clock) as journal:
        await journal.commit(InsertRecord(a_record(1)), event="asked")
        await journal.commit(UpdateRecord(as_done(a_record(1))), NoteExposure("mcp", "", ("mail",)), event="done")
        await journal.put_grant(a_grant())
        await journal.triggers.move(TriggerState("wrap-up"))
        clock.advance(days=100)
        for key in range(10, 76):
            await journal.commit(InsertRecord(a_record(key, entry=f"e{key % 3}")), event="asked")
        await journal.commit(
            UpdateRecord(as_done(a_record(10, entry="e1", outside=True))),
            CountGrantUse(a_grant().id, "2026-06-22T12:00:00.000Z"),
            event="done",
        )
        await journal.sessions.keep(
            an_exchange(runs=("run_a",), time="2026-06-22T12:00:00.000Z"), NoteExposure("terminal", "s1", ("tabs",))
        )
        await journal.instances.register(Instance("act_1", "s1", "brief", "Go", {}, "2026-06-22T12:00:00.000Z"))
        await journal.instances.say(ChatMessage("m1", "s1", "2026-06-22T12:00:00.000Z", "system", "Done"))
        await journal.sessions.tell(UserNote("mood", "calm", "2026-06-22T12:00:00.000Z"))
        await journal.prune("2026-04-01", "2000-01-01")
        await journal.commit(InsertRecord(a_record(90, state=State.DONE, dry_run=True)), event="ended")


def columns(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each table with each of its columns."""
    for (table,) in rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'"):
        for column in rows(path, f"PRAGMA table_info({table})"):
            yield table, column[1]


def tampered(path: Path, statement: str, *values: Any) -> str | None:
    """Change a copy of the journal, and return the problem that is found; empty if nothing could be changed."""
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    with closing(sqlite3.connect(copy)) as connection:
        changed = connection.execute(statement, values).rowcount
        connection.commit()
    return verify(str(copy)).problem if changed else ""


def sql(text: str, **names: str) -> str:
    """Return a statement with these names of tables and columns in their places."""
    for place, name in names.items():
        text = text.replace(f"{{{place}}}", name)
    return text


def key_of(path: Path, table: str) -> list[str]:
    """Return the columns of the primary key."""
    return [column[1] for column in rows(path, f"PRAGMA table_info({table})") if column[5]]


def other(value: object) -> object:
    """Return another value of the same type."""
    match value:
        case int():
            return value + 1
        case bytes():
            return bytes([value[0] ^ 1, *value[1:]]) if value else b"\0"
        case str():
            return f"{value}x" if value else "x"
        case _:
            return 7


@pytest.mark.req("AU-01")
async def test_a_change_of_any_value_is_found(tmp_path: Path):
    path = tmp_path / "sayso.db"
    await fill(path)
    unfound: list[str] = []
    tried = 0

    for table, column in columns(path):
        key = key_of(path, table)
        picked = " AND ".join(f"{name} IS ?" for name in key)
        change = sql("UPDATE {T} SET {C} = ? WHERE {K}", T=table, C=column, K=picked)
        found = rows(path, sql("SELECT {C}, {K} FROM {T}", T=table, C=column, K=", ".join(key)))
        for value, *named in {repr(row[0])[:40]: row for row in found[-12:]}.values():
            for new in {repr(one): one for one in (other(value), None, b"x", 2**40) if one != value}.values():
                try:
                    said = tampered(path, change, new, *named)
                except sqlite3.IntegrityError:
                    continue  # the database itself does not take this value
                tried += 1
                unfound += [f"{table}.{column} of {named}: {value!r} became {new!r}"] if not said else []

    assert verify(str(path)).problem is None
    assert unfound == []
    assert tried > 100


@pytest.mark.req("AU-01")
async def test_a_row_that_is_deleted_from_any_table_is_found(tmp_path: Path):
    path = tmp_path / "sayso.db"
    await fill(path)
    unfound: list[str] = []

    for table in {table: None for table, _ in columns(path)}:
        key = key_of(path, table)
        picked = " AND ".join(f"{name} IS ?" for name in key)
        there = rows(path, sql("SELECT {K} FROM {T}", T=table, K=", ".join(key)))
        assert there, f"no row in {table}"
        for named in {*there[:3], *there[-3:]}:
            said = tampered(path, sql("DELETE FROM {T} WHERE {K}", T=table, K=picked), *named)
            unfound += [f"{table} without {named}"] if not said else []

    assert unfound == []


@pytest.mark.req("AU-01")
async def test_a_row_that_is_added_to_any_table_is_found(tmp_path: Path):
    path = tmp_path / "sayso.db"
    await fill(path)
    unfound: list[str] = []

    for table in {table: None for table, _ in columns(path)}:
        info = rows(path, f"PRAGMA table_info({table})")
        for row in rows(path, sql("SELECT * FROM {T}", T=table))[-3:]:
            new = [other(value) if column[5] else value for column, value in zip(info, row, strict=True)]
            if table == "shared":
                new = [99, "{}"]
            places = ", ".join("?" for _ in new)
            said = tampered(path, sql("INSERT OR IGNORE INTO {T} VALUES ({V})", T=table, V=places), *new)
            unfound += [f"{table} with {new}"] if said is None else []

    assert unfound == []


@pytest.mark.req("AU-01")
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE more (a)",
        "CREATE INDEX more ON action (time)",
        "DROP INDEX live",
        "DROP VIEW trail",
        "CREATE VIEW more AS SELECT 1",
        "CREATE TRIGGER more AFTER INSERT ON action BEGIN DELETE FROM exposure; END",
        "DROP TABLE told",
        "ALTER TABLE told ADD COLUMN more",
    ],
)
async def test_tables_that_are_not_those_of_the_journal_are_found(tmp_path: Path, statement: str):
    path = tmp_path / "sayso.db"
    async with a_journal(path):
        pass
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()

    found = verify(str(path))

    assert "the tables of the journal are not those that sayso makes" in str(found.problem)
