"""Open, copy and prune the database of the person's lists."""

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import cast

from sayso.core.errors import ProviderError, SetupError
from sayso.core.quotes import quoted

APPLICATION = 0x53415954
"""`SAYT`, in the header of the file; it marks the file as a database of sayso's tasks."""
VERSION = 1
GLANCE = 0.05
"""Seconds that SQLite itself waits for another process; the wait blocks the event loop, so it is short."""
_SETTINGS = (
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = FAST",
    "PRAGMA cache_size = -4096",
    "PRAGMA wal_autocheckpoint = 2000",
    "PRAGMA journal_size_limit = 16777216",
)
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def open_lists(path: str) -> sqlite3.Connection:
    """Return a connection to the lists at `path`; a missing file is created with mode 0600.

    Transactions must be begun and ended explicitly. Raises `SetupError` if the database is not sayso's or is from a
    newer version, and `ProviderError` if it cannot be opened.
    """
    with explain_errors(path):
        _make_private(path)
        connection = sqlite3.connect(path, timeout=GLANCE, isolation_level=None, cached_statements=64)
        try:
            _set_up(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def empty_copy() -> sqlite3.Connection:
    """Return an empty database in memory, into which the lists can be copied."""
    return sqlite3.connect(":memory:", isolation_level=None, cached_statements=64)


@contextmanager
def explain_errors(path: str) -> Generator[None]:
    """Turn errors of SQLite and the file system into `ProviderError`, which names the file and says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain_error(error, path) from error
    except OSError as error:
        sentence = f"the lists {quoted(path)} cannot be opened: {error.strerror}; nothing was changed"
        raise ProviderError(sentence, "lists.unopenable") from error


def explain_error(error: sqlite3.Error, path: str) -> ProviderError:
    """Return an error of SQLite as a `ProviderError` with a message for the person."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _BUSY:
        why = f"another program has kept the lists {quoted(path)} locked for too long; try again when it has finished"
        return ProviderError(f"{why}; nothing was changed", "lists.locked")
    if code == sqlite3.SQLITE_FULL:
        why = f"the disk with the lists {quoted(path)} is full; make room and try again"
        return ProviderError(f"{why}; nothing was changed", "lists.full")
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}:
        why = f"the lists {quoted(path)} are read-only; make the file writable for yourself"
        return ProviderError(f"{why}; nothing was changed", "lists.read_only")
    if code in _DAMAGED:
        name = Path(path).name
        why = (
            f"the lists {quoted(path)} are damaged ({error}); move the file away "
            f"(with {quoted(f'{name}-wal')} and {quoted(f'{name}-shm')} where "
            "they are there) and put a copy of it in its place"
        )
        return ProviderError(f"{why}; nothing was changed", "lists.damaged")
    return ProviderError(f"the lists {quoted(path)} cannot be used ({error}); nothing was changed", "lists.unusable")


def is_busy(error: sqlite3.Error) -> bool:
    """Say whether the error means that another process is writing."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _BUSY


def _make_private(path: str) -> None:
    folder = Path(path).parent
    if not folder.is_dir():
        folder.mkdir(0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        os.fchmod(handle, 0o600)  # the mode given to `os.open` is reduced by the umask
        os.close(handle)
    if Path(path).stat().st_mode & 0o077:
        Path(path).chmod(0o600)  # SQLite gives -wal and -shm the mode of the file itself


def _set_up(connection: sqlite3.Connection, path: str) -> None:
    if _version(connection, path) == VERSION:
        for setting in _SETTINGS:
            connection.execute(setting)
        return
    connection.execute("PRAGMA busy_timeout = 5000")  # two processes may create the database at the same time
    connection.execute("PRAGMA journal_mode = WAL")
    for setting in _SETTINGS:
        connection.execute(setting)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _version(connection, path):
            lay_out(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute(f"PRAGMA busy_timeout = {int(GLANCE * 1000)}")


def _version(connection: sqlite3.Connection, path: str) -> int:
    (version,) = cast("tuple[int]", connection.execute("PRAGMA user_version").fetchone())
    (application,) = cast("tuple[int]", connection.execute("PRAGMA application_id").fetchone())
    if application == APPLICATION and version > VERSION:
        sentence = (
            f"the lists {quoted(path)} were written by a newer sayso (version {version}, this one knows {VERSION})"
        )
        raise SetupError(f"{sentence}; update sayso to use them", "lists.newer")
    if application == APPLICATION:
        return version
    if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        raise SetupError(f"{quoted(path)} is a database, but not of sayso's lists; move it away", "lists.not_ours")
    return 0


def lay_out(connection: sqlite3.Connection) -> None:
    """Create the tables in an empty database."""
    statement = ""
    schema = files("sayso.providers.tasks.sqlite").joinpath("schema.sql").read_text(encoding="utf-8")
    for line in schema.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)  # `executescript` would commit first
            statement = ""
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def copy(connection: sqlite3.Connection, path: str, target: str) -> None:
    """Copy the lists to the new private file `target`; a damaged copy is removed.

    Raises `SetupError` if the file exists or cannot be created, or if the lists are damaged, and `ProviderError` if the
    lists cannot be read.
    """
    try:
        handle = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise SetupError(f"{quoted(target)} is there already, and is not overwritten", "backup.exists") from None
    except OSError as error:
        raise SetupError(f"no copy can be made at {quoted(target)}: {error.strerror}", "backup.folder") from None
    try:
        with explain_errors(path), closing(sqlite3.connect(target)) as made:
            connection.backup(made)
            _must_hold(made, path)
        os.fsync(handle)
    except BaseException:
        Path(target).unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)


def _must_hold(made: sqlite3.Connection, path: str) -> None:
    (found,) = made.execute("PRAGMA integrity_check").fetchone()
    if found != "ok":
        raise SetupError(f"the lists {quoted(path)} are damaged ({found}), so no copy was kept", "lists.damaged")


_OLD = (
    "DELETE FROM deleted_tasks WHERE completed_at IS NULL AND deleted_at < ?",
    "DELETE FROM habit_times WHERE habit_id IN (SELECT id FROM deleted_habits WHERE deleted_at < ?)",
    "DELETE FROM deleted_habits WHERE deleted_at < ?",
    "UPDATE steps SET step = NULL, left = NULL WHERE at < ? AND step IS NOT NULL",
)
"""Statements that handle old rows: deleted tasks and habits are removed, except completed tasks, which stay as history;
of an old step, only the token stays.
"""


def prune(connection: sqlite3.Connection, before: str) -> int:
    """Remove what was deleted before this time, and return the number of rows changed.

    While another process writes, nothing is removed and 0 is returned. Raises `sqlite3.Error` for other failures.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return 0  # the next call removes these rows
    try:
        gone = sum(connection.execute(statement, (before,)).rowcount for statement in _OLD)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return gone
