"""Make a whole, checked copy of the lists while they are in use."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sayso.core.errors import SetupError
from sayso.providers.tasks.sqlite.opening import told


def copy(connection: sqlite3.Connection, path: str, target: str) -> None:
    """Copy the lists to the new private file `target`; one that does not hold is removed.

    Raises `SetupError` when the file is there or cannot be made, `ProviderError` when the lists cannot be read.
    """
    try:
        handle = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise SetupError(f"“{target}” is there already, and is not overwritten", "backup.exists") from None
    except OSError as wrong:
        raise SetupError(f"no copy can be made at “{target}”: {wrong.strerror}", "backup.folder") from None
    try:
        with told(path), closing(sqlite3.connect(target)) as made:
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
        raise SetupError(f"the lists “{path}” are damaged ({found}), so no copy was kept", "lists.damaged")
