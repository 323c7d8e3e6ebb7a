"""The tables beside the actions that are under the chain: an audit row records the seal of each row that changes."""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.journal.rows import encode_json


class SealedTable(Struct, frozen=True):
    """One table: `rows` selects the columns `keys` of its primary key and then all columns, in the order of the key.

    `row` selects all columns of the row with a key; it is empty for tables that only the writer of actions changes.
    """

    keys: tuple[str, ...]
    rows: str
    row: str = ""


TABLES: Mapping[str, SealedTable] = MappingProxyType(
    {
        "exposure": SealedTable(
            ("principal", "session", "source"),
            "SELECT principal, session, source, * FROM exposure ORDER BY 1, 2, 3",
            "SELECT * FROM exposure WHERE principal IS ? AND session IS ? AND source IS ?",
        ),
        "exchange": SealedTable(
            ("number",), "SELECT number, * FROM exchange ORDER BY 1", "SELECT * FROM exchange WHERE number IS ?"
        ),
        "exchange_run": SealedTable(
            ("run",), "SELECT run, * FROM exchange_run ORDER BY 1", "SELECT * FROM exchange_run WHERE run IS ?"
        ),
        "instance": SealedTable(
            ("id",), "SELECT id, * FROM instance ORDER BY 1", "SELECT * FROM instance WHERE id IS ?"
        ),
        "message": SealedTable(
            ("number",), "SELECT number, * FROM message ORDER BY 1", "SELECT * FROM message WHERE number IS ?"
        ),
        "meta": SealedTable(("name",), "SELECT name, * FROM meta WHERE name = 'noted'"),
        "session": SealedTable(("id",), "SELECT id, * FROM session ORDER BY 1", "SELECT * FROM session WHERE id IS ?"),
        "shared": SealedTable(("id",), "SELECT id, * FROM shared ORDER BY 1"),
        "told": SealedTable(("name",), "SELECT name, * FROM told ORDER BY 1", "SELECT * FROM told WHERE name IS ?"),
        "trigger_state": SealedTable(
            ("name",), "SELECT name, * FROM trigger_state ORDER BY 1", "SELECT * FROM trigger_state WHERE name IS ?"
        ),
    }
)
"""Of `meta`, the first audit rows and the first anchor hold the other rows."""

_TOUCHED = "CREATE TEMP TABLE touched (tbl, a, b, c)"
_WATCH = """CREATE TEMP TRIGGER watch_THE_TABLE_DEED AFTER DEED ON THE_TABLE BEGIN
    INSERT INTO touched VALUES ('THE_TABLE', KEYS); END"""
_MOST_KEYS = 3


def watch(connection: sqlite3.Connection) -> None:
    """From now on, note in the open transaction the keys of all rows that are inserted, changed or deleted.

    Triggers do it, so that no statement can be forgotten.
    """
    if connection.execute("SELECT 1 FROM temp.sqlite_master WHERE name = 'touched'").fetchone():
        connection.execute("DELETE FROM temp.touched")
        return
    connection.execute(_TOUCHED)
    for name, table in TABLES.items():
        for deed, versions in _DEEDS if table.row else ():
            for version in versions:
                keys = [f"{version}.{key}" for key in table.keys] + ["''"] * (_MOST_KEYS - len(table.keys))
                named = f"{deed}_{version}" if len(versions) > 1 else deed
                text = _WATCH.replace("watch_THE_TABLE_DEED", f"watch_{name}_{named}").replace("DEED", deed)
                connection.execute(text.replace("THE_TABLE", name).replace("KEYS", ", ".join(keys)))


_DEEDS = (("INSERT", ("NEW",)), ("UPDATE", ("OLD", "NEW")), ("DELETE", ("OLD",)))


def touched_seals(connection: sqlite3.Connection) -> dict[str, dict[str, Json]]:
    """Return the seals of the rows that changed since `watch` was called in this transaction; None for removed rows."""
    found: dict[str, dict[str, Json]] = {}
    for name, *keys in connection.execute(
        "SELECT DISTINCT tbl, a, b, c FROM temp.touched ORDER BY tbl, a, b, c"
    ).fetchall():
        table = TABLES[name]
        key = keys[: len(table.keys)]
        row = connection.execute(table.row, key).fetchone()
        found.setdefault(name, {})[key_text(key)] = None if row is None else row_seal(row)
    return found


def key_text(key: Sequence[Any]) -> str:
    """Return the key of a row as it is written in an audit record."""
    return encode_json([_plain(value) for value in key])


def row_seal(row: Iterable[Any]) -> str:
    """Return the first 16 bytes of a hash of all columns of a row, as hex digits."""
    text = encode_json([[type(value).__name__, _plain(value)] for value in row])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def current_seals(connection: sqlite3.Connection, table: str) -> Iterator[tuple[str, str]]:
    """Yield the key and the seal of each row of a table as it is now; nothing if the journal lacks the table."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone():
        return
    width = len(TABLES[table].keys)
    for row in connection.execute(TABLES[table].rows):
        yield key_text(row[:width]), row_seal(row[width:])


def all_seals(connection: sqlite3.Connection) -> dict[str, Json]:
    """Return the seals of all rows of these tables, as a member of an audit record."""
    found = {table: cast("Json", dict(current_seals(connection, table))) for table in TABLES}
    return {table: rows for table, rows in found.items() if rows}


def _plain(value: Any) -> Json:
    return value.hex() if isinstance(value, bytes) else value
