"""Read the settings and the journal of a home without opening it, where opening is not necessary."""

import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar, cast

from sayso.assembly.parts import list_offers, read_settings
from sayso.config import Settings, places
from sayso.config.paths import OTHERS, open_to_others
from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.core.quotes import quoted
from sayso.core.record import State
from sayso.journal.database import NEWEST, connect_to_look, explain_errors
from sayso.journal.reader import JournalReader
from sayso.journal.rows import shorthand_of
from sayso.runtime.maintenance import is_tidy
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.context import CommandContext


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


T = TypeVar("T")


UNWRITABLE = frozenset({"journal.full", "journal.read_only", "upkeep.unwritable"})


def settings_of(here: CommandContext) -> Settings:
    """Return the settings."""
    return read_settings(here.environ)


def close_folders(here: CommandContext) -> None:
    """Close sayso's folders to other users, and warn the person of folders that stay open (`open_to_others`)."""
    for folder in open_to_others(places(here.environ), named=bool(here.environ.get("SAYSO_HOME"))):
        here.tell(f"sayso: others may look into {quoted(folder)}; “sayso doctor” says how to close it")


def read_journal(here: CommandContext, read: Callable[[JournalReader], T]) -> T:
    """Return what `read` returns for the journal; the home is opened only if `journal_view` yields None.

    Where nothing can be written, on a full disk or in a read-only home, the person is told so, and the journal is read
    as it is. Raises what `open_home` and `read` raise.
    """
    settings = _settings_or_none(here)
    if settings is not None:
        with journal_view(settings, SystemClock().now()) as reader:
            if reader is not None:
                close_folders(here)
                return read(reader)
    try:
        return cast("T", load("sayso.surfaces.cli.home:read_in_home")(here, read))
    except SetupError as wrong:
        if settings is None or wrong.code not in UNWRITABLE:
            raise
        here.tell(f"sayso: {wrong}. What was written before is shown all the same.")
        with journal_as_it_is(settings) as reader:
            return read(reader)


def _settings_or_none(here: CommandContext) -> Settings | None:
    try:
        return settings_of(here)
    except SetupError:
        return None  # opening the home reports what is wrong with the settings
