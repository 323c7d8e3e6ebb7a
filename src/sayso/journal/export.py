"""Export and back up the journal."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.record import action_id
from sayso.journal.database import connect, explain_errors, make_lasting, make_private_file
from sayso.journal.hash_chain import Checkpoint, line
from sayso.journal.rows import ROWS, Shorthand, content_of, decode_json, record_of, shorthand_of
from sayso.journal.verify import beginning_problem, entries, origin_of, start_of, verify


def backup(path: str, target: str) -> None:
    """Write a verified copy of the journal at `path` to the new private file `target`. Raises `SetupError`.

    The copy is consistent and, on return, durable. If `target` exists, it is not overwritten, and a copy that does not
    pass the verification is removed.
    """
    _make(target)
    try:
        with explain_errors(path), closing(connect(path)) as connection, closing(connect(target)) as made:
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
    with explain_errors(target), closing(connect(target)) as made:
        made.execute("PRAGMA journal_mode = DELETE")  # a single file, without a log file
        (said,) = made.execute("PRAGMA integrity_check(1)").fetchone()
        if said != "ok":
            raise sqlite3.DatabaseError(said)
    found = verify(target)
    if not found.ok:
        raise SetupError(f"the journal is not intact, so no copy was kept: {found.problem}", "journal.damaged")


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


def export_lines(connection: sqlite3.Connection, path: str) -> Iterator[str]:
    """Return the lines of an export of this journal: the start of the chain, audit rows, actions, and a checkpoint.

    All lines are from the same snapshot, and memory does not grow with the journal. Raises `SetupError`.
    """
    connection.execute("PRAGMA query_only = ON")
    connection.execute("BEGIN")
    missing = beginning_problem(connection)
    if missing is not None:
        raise SetupError(f"the journal cannot be exported: {missing}", "journal.damaged")
    origin, (seq, head) = origin_of(connection), start_of(connection)
    yield line({"journal": origin, "start": {"seq": seq, "hash": head.hex()}})
    for entry in entries(connection):
        yield line(
            {"seq": entry.seq, "time": entry.time, "event": entry.event, **entry.members, "hash": entry.hash.hex()}
        )
        seq, head = entry.seq, entry.hash
    shorthand = shorthand_of(connection)
    for row in connection.execute(ROWS + " ORDER BY key"):
        yield line({"action": _action(row, shorthand)})
    make_lasting(path)
    yield line(Checkpoint(origin, seq, head.hex()).json())


def _action(row: tuple[Any, ...], shorthand: Shorthand) -> dict[str, Json]:
    content, texts = content_of(row, shorthand)
    marks = shorthand.long(row[17], texts)
    record = record_of(content, row[15], row[16], marks)
    told: dict[str, Json] = {
        "id": action_id(content.key),
        "run": record.run,
        "index": record.index,
        "time": record.time,
        "session": record.session,
        "operation": record.operation,
        "state": record.state.value,
        "turn": record.marks.turn,
        "undo_of": record.undo_of,
        "expires": record.expires,
        "digest": record.digest,
    }
    parts = (content.origin, content.body, marks)
    return told | {name: value for part in parts for name, value in cast("dict[str, Json]", decode_json(part)).items()}
