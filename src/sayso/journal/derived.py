"""Hold what stands beside the actions and the audit to what these say of it: it can be worked out anew."""

import sqlite3
from contextlib import closing
from itertools import zip_longest
from typing import cast

from sayso.core.canonical import Json, digest
from sayso.journal.migrations import schema
from sayso.journal.seals import Seals


def heard_problem(connection: sqlite3.Connection, seals: Seals) -> str | None:
    """Compare what is marked as heard with what was done, both in order; it decides whether sending is asked about."""
    rows = connection.execute("SELECT session, operation FROM heard ORDER BY session, operation")
    for found, expected in zip_longest(rows, seals.heard()):
        if found != expected:
            return "what is marked as heard in the sessions is not what was done in them"
    return None


def anchors_seal(connection: sqlite3.Connection, below: int) -> str:
    """Return the hash of the anchors before the one at audit row `below`; the removal that set that one keeps it."""
    rows = connection.execute("SELECT seq, hash, removed, time FROM anchor WHERE seq < ? ORDER BY seq", (below,))
    return digest([[_plain(value) for value in row] for row in rows])


def first_anchor_problem(connection: sqlite3.Connection) -> str | None:
    """Compare the first anchor with when the journal was made."""
    (created,) = connection.execute("SELECT (SELECT value FROM meta WHERE name = 'created')").fetchone()
    found = connection.execute("SELECT removed, time FROM anchor WHERE seq = 0").fetchone()
    return None if found == (0, created) else "the note of when the journal was begun was changed"


def short_problem(connection: sqlite3.Connection) -> str | None:
    """Compare the texts that are written as characters with those that every journal begins with."""
    with closing(sqlite3.connect(":memory:")) as model:
        model.executescript(schema())
        same = _short(connection) == _short(model)
    return None if same else "the texts that the journal writes as single characters were changed"


def _short(connection: sqlite3.Connection) -> list[tuple[int, str]]:
    return cast("list[tuple[int, str]]", connection.execute("SELECT code, text FROM short ORDER BY code").fetchall())


def _plain(value: object) -> Json:
    return value.hex() if isinstance(value, bytes) else str(value)
