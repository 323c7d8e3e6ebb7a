"""Read the journal without opening the home, when nothing in the home has to be settled or cleaned up first."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from sayso.assembly.parts import list_offers
from sayso.config import Settings
from sayso.config.paths import OTHERS
from sayso.core.errors import SetupError
from sayso.core.record import State
from sayso.journal.database import NEWEST, connect_to_look, explain_errors
from sayso.journal.reader import JournalReader
from sayso.journal.rows import shorthand_of
from sayso.runtime.maintenance import is_tidy


@contextmanager
def journal_view(settings: Settings, now: datetime) -> Generator[JournalReader | None]:
    """Yield a reader of a home's journal without opening the home; None if opening it would change something.

    Opening changes something if there is no journal yet, or one of an older version; if an action was begun and may
    have to be settled; if the daily clean-up is due; or if another package offers providers, which are imported with
    the home. The value is also None if the journal cannot be read; opening the home then raises the error that says
    why.
    """
    database = settings.places.database
    connection = None if list_offers() or not is_tidy(settings.places.upkeep, now) else _connect(database)
    if connection is None:
        yield None
        return
    with closing(connection):
        reader = _reader(connection)
        if reader is None:
            yield None
            return
        with explain_errors(str(database)):
            yield reader


@contextmanager
def journal_as_it_is(settings: Settings) -> Generator[JournalReader]:
    """Yield a reader of a home's journal, of which nothing is settled or cleaned up first. Raises `SetupError`."""
    database = str(settings.places.database)
    with explain_errors(database), closing(connect_to_look(database)) as connection:
        yield JournalReader(connection, shorthand_of(connection))


def _connect(database: Path) -> sqlite3.Connection | None:
    try:
        return None if database.stat().st_mode & OTHERS else connect_to_look(str(database))
    except (OSError, SetupError, sqlite3.Error):
        return None


def _reader(connection: sqlite3.Connection) -> JournalReader | None:
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        reader = JournalReader(connection, shorthand_of(connection))
        return reader if (version, mode) == (NEWEST, "wal") and not reader.count((State.RUNNING,)) else None
    except sqlite3.Error:
        return None
