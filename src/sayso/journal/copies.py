"""Make a whole, checked copy of a journal while it is in use."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sayso.core.errors import SetupError
from sayso.journal.opening import connect, make_private_file, sorted_out
from sayso.journal.verify import verify


def backup(path: str, target: str) -> None:
    """Copy the journal at `path` to the new private file `target`. Raises `SetupError`, also when it exists.

    The copy is one moment of the journal, is checked like the journal itself, and is on the disk when
    this returns; a copy that does not hold is removed.
    """
    _make(target)
    try:
        with sorted_out(path), closing(connect(path)) as connection, closing(connect(target)) as made:
            connection.backup(made)
        _check(target)
    except SetupError:
        _forget(target)
        raise
    _sync(target)


def _make(target: str) -> None:
    folder = Path(target).absolute().parent
    try:
        make_private_file(target)
    except FileExistsError:
        raise SetupError(f"“{target}” is there already, and is not overwritten", "backup.exists") from None
    except (FileNotFoundError, NotADirectoryError):
        sentence = f"the folder “{folder}” is not there, so no copy was made; make it, or name a file elsewhere"
        raise SetupError(sentence, "backup.folder") from None
    except OSError as wrong:
        sentence = f"no copy can be made in the folder “{folder}”: {wrong.strerror}; name a file elsewhere"
        raise SetupError(sentence, "backup.folder") from None


def _check(target: str) -> None:
    with sorted_out(target), closing(connect(target)) as made:
        made.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
        (said,) = made.execute("PRAGMA integrity_check(1)").fetchone()
        if said != "ok":
            raise sqlite3.DatabaseError(said)
    found = verify(target)
    if not found.ok:
        raise SetupError(f"the journal does not hold, so no copy was kept: {found.problem}", "journal.damaged")


def _forget(target: str) -> None:
    for name in (target, f"{target}-wal", f"{target}-shm", f"{target}-journal"):
        Path(name).unlink(missing_ok=True)


def _sync(target: str) -> None:
    for name in (target, Path(target).absolute().parent):
        handle = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
