"""Open the database of the journal, with private access and durable commits, and migrate older versions."""

import errno
import os
import sqlite3
import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import cast

from sayso.core.errors import SetupError
from sayso.core.lazy import load

NAMES = ("sessions.sql", "triggers.sql", "exposure.sql", "instances.sql")
"""`NAMES[i]` migrates version i + 1 to i + 2. New names are only appended, because journals ran the earlier ones."""
NEWEST = 1 + len(NAMES)
SEALED_SINCE = 4
"""The version since which tables beside the actions are under the chain (`sealed_tables.py`)."""


def migrations() -> tuple[str, ...]:
    """Return the SQL of all migrations, in order."""
    return tuple(map(_text, NAMES))


def schema() -> str:
    """Return the SQL that creates a new journal."""
    return _text("schema.sql")


def _text(name: str) -> str:
    # `importlib.resources` imports archive modules, which takes longer than opening the journal.
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


APPLICATION = 0x53415953
"""`SAYS` in the file header, which marks the database as a journal of sayso."""
PATIENCE = 30.0
"""Seconds to wait for another process that is writing."""
_GLANCE = 0.05
"""Seconds that SQLite itself waits for a lock; short, because SQLite blocks the whole event loop meanwhile."""

_SETTINGS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = OFF",
    "PRAGMA cache_size = -1024",
    "PRAGMA wal_autocheckpoint = 2000",
    "PRAGMA journal_size_limit = 16777216",
)
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_UNWRITABLE = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}
)
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
_NOT_ALLOWED = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_ROOM = 64 * 2**10
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_ERROR})


def open_journal(
    path: str, now: int, *, secure: bool = False, patience: float = PATIENCE, migrations: Sequence[str] = ()
) -> sqlite3.Connection:
    """Return a connection to the journal at `path`, created (0600, its folder 0700) if it does not exist.

    `migrations[i]` is the SQL that migrates version i + 1 to i + 2; before any of them runs, the journal is copied to a
    file beside it. `secure` overwrites removed content with zeros. Raises `SetupError`.
    """
    with explain_errors(path):
        _make_private(path)
        connection = connect(path)
        try:
            _wait_for(connection, _SETTINGS[0], patience)
            for setting in _SETTINGS[1:]:
                connection.execute(setting)
            connection.execute(f"PRAGMA secure_delete = {'ON' if secure else 'FAST'}")
            _bring_up_to_date(connection, path, now, patience, migrations)
        except BaseException:
            connection.close()
            raise
    return connection


def connect(path: str) -> sqlite3.Connection:
    """Return a connection that begins and commits transactions only by explicit statements."""
    return sqlite3.connect(path, timeout=_GLANCE, isolation_level=None, cached_statements=64)


def make_lasting(path: str) -> None:
    """Make all commits to the journal outlast a loss of power, also those that only say what was read.

    Whoever names the end of the hash chain elsewhere calls this first, because the chain must not end earlier later.
    """
    with suppress(OSError):  # there is no log of commits if all are in the file itself
        handle = os.open(f"{path}-wal", os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def connect_to_look(path: str) -> sqlite3.Connection:
    """Return a read-only connection, also where nothing can be written: on a full disk or in a read-only folder.

    Raises `SetupError` if the file is not a journal of a known version.
    """
    try:
        return _look(connect(path), path)
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF not in _UNWRITABLE:
            raise
        return _look(_connect_unwritten(path, error), path)


def _connect_unwritten(path: str, error: sqlite3.OperationalError) -> sqlite3.Connection:
    """Return a connection that needs no file beside the journal; what is not in the journal yet is read from a copy."""
    log = Path(f"{path}-wal")
    try:
        if not log.exists() or not log.stat().st_size:
            return sqlite3.connect(f"{Path(path).absolute().as_uri()}?immutable=1", uri=True, isolation_level=None)
        with load("tempfile:TemporaryDirectory")() as folder:
            copied = Path(folder, "journal.db")
            copied.write_bytes(Path(path).read_bytes())
            copied.with_name("journal.db-wal").write_bytes(log.read_bytes())
            with closing(connect(str(copied))) as source:
                whole = connect(":memory:")
                source.backup(whole)
            return whole
    except OSError:
        raise error from None


def _look(connection: sqlite3.Connection, path: str) -> sqlite3.Connection:
    try:
        connection.execute("PRAGMA query_only = ON")
        version = _version(connection, path, known=NEWEST)
    except BaseException:
        connection.close()
        raise
    if version:
        return connection
    connection.close()
    raise SetupError(f"“{path}” is empty: nothing was ever written down in it", "journal.none")


@contextmanager
def explain_errors(path: str) -> Generator[None]:
    """Turn errors of SQLite and the file system into a `SetupError` that names the journal and a remedy."""
    try:
        yield
    except sqlite3.Error as error:
        raise as_setup(error, path) from error
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise _full(path) from error
        if error.errno in _NOT_ALLOWED:
            raise _read_only(path) from error
        raise SetupError(f"the journal “{path}” cannot be opened: {error.strerror}", "journal.unopenable") from error


def _full(path: str) -> SetupError:
    return SetupError(
        f"the disk with the journal “{path}” is full, so nothing was done; make room and try again", "journal.full"
    )


def _read_only(path: str) -> SetupError:
    folder = Path(path).parent
    what = f"the journal “{path}”" if os.access(folder, os.W_OK) else f"the folder of the journal “{path}”"
    return SetupError(f"{what} is read-only, so nothing was done; make it writable for yourself", "journal.read_only")


def _has_room(path: str) -> bool:
    """Return whether the disk has room for the few pages that the smallest entry needs."""
    try:
        disk = os.statvfs(Path(path).parent)
    except OSError:
        return True
    return disk.f_bavail * disk.f_frsize >= _ROOM


def as_setup(error: sqlite3.Error, path: str) -> SetupError:
    """Return an error of SQLite as a sentence for the person."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _BUSY:
        return SetupError(
            f"another program has kept the journal “{path}” locked for too long; nothing was done, try again when it "
            "has finished",
            "journal.locked",
        )
    # Where the file beside the journal cannot grow any more, SQLite speaks of an error of the disk.
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and not _has_room(path)):
        return _full(path)
    closed = code == sqlite3.SQLITE_CANTOPEN and Path(path).exists() and not os.access(Path(path).parent, os.W_OK)
    if closed or code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}:
        return _read_only(path)
    if code == sqlite3.SQLITE_CANTOPEN:
        return SetupError(f"the journal “{path}” cannot be opened; is its folder there?", "journal.unopenable")
    if code in _DAMAGED:
        return SetupError(
            f"the journal “{path}” is damaged ({error}), so sayso does nothing: {mending(path)}",
            "journal.damaged",
        )
    return SetupError(f"the journal “{path}” could not be written ({error}), so nothing was done", "journal.unwritable")


def mending(path: str) -> str:
    """Return what the person can do if the journal cannot be read any more."""
    name = Path(path).name
    return (
        f"move the file away (with “{name}-wal” and “{name}-shm” where they are there) and put back a copy made with "
        "`sayso backup`, or put nothing there to begin a new one"
    )


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether the error means that another process is writing at the moment."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _BUSY


def make_private_file(path: str) -> None:
    """Create an empty file that only its owner can read. Raises `OSError`, also if the file exists."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    os.fchmod(handle, 0o600)  # regardless of the umask
    os.close(handle)


def _make_private(path: str) -> None:
    file = Path(path).absolute()
    missing = [folder for folder in file.parents if not folder.is_dir()]
    for folder in reversed(missing):
        with suppress(FileExistsError):
            folder.mkdir(0o700)
            folder.chmod(0o700)
    with suppress(FileExistsError):
        make_private_file(path)
    if file.stat().st_mode & 0o077:
        file.chmod(0o600)  # SQLite gives -wal and -shm the mode of the file itself


def _wait_for(connection: sqlite3.Connection, statement: str, patience: float) -> None:
    # SQLite does not wait by itself while another process changes the same file to WAL mode.
    for _ in range(max(1, int(patience / (2 * _GLANCE)))):
        try:
            connection.execute(statement)
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise
            time.sleep(_GLANCE)
        else:
            return
    connection.execute(statement)


def _bring_up_to_date(
    connection: sqlite3.Connection, path: str, now: int, patience: float, migrations: Sequence[str]
) -> None:
    known = 1 + len(migrations)
    version = _version(connection, path, known)
    if version == known:
        return
    if version:
        copy(connection, f"{path}.before-{known}")
    _wait_for(connection, "BEGIN IMMEDIATE", patience)
    try:
        version = _version(connection, path, known)  # another process may have migrated it meanwhile
        if not version:
            _create(connection, now)
        for migration in migrations[max(version, 1) - 1 :]:
            run(connection, migration)
        if 0 < version < SEALED_SINCE <= known:
            load("sayso.journal.writer:seal_tables")(connection, now)
        connection.execute(f"PRAGMA user_version = {known}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection, path: str, known: int) -> int:
    (version,) = cast("tuple[int]", connection.execute("PRAGMA user_version").fetchone())
    (application,) = cast("tuple[int]", connection.execute("PRAGMA application_id").fetchone())
    foreign = application != APPLICATION
    if foreign and connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        raise SetupError(f"“{path}” is a database, but not a journal of sayso's", "journal.not_ours")
    if version > known and not foreign:
        raise SetupError(
            f"the journal “{path}” was written by a newer sayso (version {version}, this one knows {known}); "
            "update sayso to use it",
            "journal.newer",
        )
    return 0 if foreign else version


def _create(connection: sqlite3.Connection, now: int) -> None:
    run(connection, schema())
    connection.execute(
        "INSERT INTO meta VALUES ('created', ?), ('origin', 'sayso/' || lower(hex(randomblob(8))))", (now,)
    )
    (origin,) = cast("tuple[str]", connection.execute("SELECT value FROM meta WHERE name = 'origin'").fetchone())
    connection.execute("INSERT INTO anchor VALUES (0, ?, 0, ?)", (load("sayso.journal.hash_chain:first")(origin), now))
    connection.execute(f"PRAGMA application_id = {APPLICATION}")


def run(connection: sqlite3.Connection, script: str) -> None:
    """Run the statements of a script in the open transaction (`executescript` would commit it)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def copy(connection: sqlite3.Connection, path: str) -> None:
    """Write a consistent copy of the database to a new private file, even while other processes write."""
    make_private_file(path)
    target = connect(path)
    try:
        connection.backup(target)
    finally:
        target.close()
