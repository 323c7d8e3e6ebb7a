"""Remove old rows of the journal, and write an anchor, so that the rest of the hash chain can be verified."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import cast

from sayso.core.encoding import Json
from sayso.core.record import State, action_id, action_key
from sayso.journal.hash_chain import ActionSeal, AuditEntry, PruneResult, SealedState, SealStore
from sayso.journal.rows import LIVE, OF_ITS_RUN, permission_seal
from sayso.journal.verify import anchors_seal, entries, start_of
from sayso.journal.writer import RecordWriter

KEPT = frozenset({state.value for state in LIVE} | {State.UNKNOWN.value})
"""States in which an action is kept at any age, because somebody still has to decide."""
_SESSION = "SELECT session, operation FROM action WHERE key = ?"


def prune(writer: RecordWriter, before: int) -> PruneResult:
    """Remove audit rows before a time, and actions that ended before it, in the open transaction.

    An action is kept while it is waiting, running or unknown, or if a later audit row mentions it. The audit row of the
    removal repeats the states of kept actions that only removed rows mentioned. It also has, for each session, the
    operations that the removed rows recorded as done, all grants, and a hash of the earlier anchors.
    """
    connection = writer.connection
    writer.start()
    start, _ = start_of(connection)
    last = _last_before(connection, before)
    if last is None or last <= start:
        return PruneResult(0, 0)
    with closing(SealStore()) as old:
        for entry in entries(connection):
            _note(connection, old, entry, last)
        again, heard = _remove(connection, old), list(old.heard())
    (head,) = cast("tuple[bytes]", connection.execute("SELECT hash FROM audit WHERE seq = ?", (last,)).fetchone())
    removed = again.removed
    connection.execute("INSERT INTO anchor VALUES (?, ?, ?, ?)", (last, head, removed, writer.now))
    connection.execute("DELETE FROM audit WHERE seq <= ?", (last,))
    members: dict[str, Json] = {
        "actions": [sealed.json() for sealed in again.standing],
        "grants": [
            {"id": row[0], "row": permission_seal(*row)}
            for row in connection.execute("SELECT id, uses, revoked, body FROM permission ORDER BY id")
        ],
        "pruned": {"seq": last, "hash": head.hex(), "actions": removed, "before": anchors_seal(connection, last)},
        "heard": heard,
    }
    writer.tell("pruned", members)
    return PruneResult(removed, last - start)


@dataclass(slots=True)
class _ChainRewrite:
    standing: list[SealedState]
    removed: int = 0


def _last_before(connection: sqlite3.Connection, before: int) -> int | None:
    found = connection.execute("SELECT seq - 1 FROM audit WHERE time >= ? ORDER BY seq LIMIT 1", (before,)).fetchone()
    if found is None:
        found = connection.execute("SELECT max(seq) FROM audit").fetchone()
    return cast("int | None", found[0])


def _note(connection: sqlite3.Connection, old: SealStore, entry: AuditEntry, last: int) -> None:
    for sealed in entry.actions:
        key = action_key(sealed.id)
        if entry.seq <= last:
            old.put(ActionSeal(key, sealed.row, entry.seq))
            if sealed.done:
                for session, operation in connection.execute(_SESSION, (key,)):
                    if session != OF_ITS_RUN:
                        old.hear(session, operation)
        else:
            old.drop(key)
    if entry.seq <= last:
        for session, operation in entry.heard:
            old.hear(session, operation)


def _remove(connection: sqlite3.Connection, old: SealStore) -> _ChainRewrite:
    again = _ChainRewrite([])
    for seal in old:
        found = connection.execute("SELECT state, turn FROM action WHERE key = ?", (seal.key,)).fetchone()
        if found is None:
            continue
        state, turn = cast("tuple[str, int]", found)
        if state in KEPT:
            again.standing.append(SealedState(action_id(seal.key), state, turn, seal.row))
        else:
            connection.execute("DELETE FROM action WHERE key = ?", (seal.key,))
            again.removed += 1
    return again
