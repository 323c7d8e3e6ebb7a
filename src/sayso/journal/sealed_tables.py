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
    """One table: `rows` selects the `keys` columns of its primary key and then all columns, in the order of the key."""

    keys: int
    rows: str


TABLES: Mapping[str, SealedTable] = MappingProxyType(
    {"exposure": SealedTable(3, "SELECT principal, session, source, * FROM exposure ORDER BY 1, 2, 3")}
)


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
    of = TABLES[table]
    for row in connection.execute(of.rows):
        yield key_text(row[: of.keys]), row_seal(row[of.keys :])


def all_seals(connection: sqlite3.Connection) -> dict[str, Json]:
    """Return the seals of all rows of these tables, as a member of an audit record."""
    found = {table: cast("Json", dict(current_seals(connection, table))) for table in TABLES}
    return {table: rows for table, rows in found.items() if rows}


def _plain(value: Any) -> Json:
    return value.hex() if isinstance(value, bytes) else value
