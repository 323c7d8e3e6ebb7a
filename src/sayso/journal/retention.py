"""Remove old rows of the journal, and write an anchor, so that the rest of the hash chain can be verified."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import cast

from sayso.core.encoding import Json
from sayso.core.record import State, action_id, action_key
from sayso.journal.hash_chain import ActionSeal, AuditEntry, PruneResult, SealedState, SealStore
from sayso.journal.rows import LIVE, permission_seal
from sayso.journal.sealed_tables import key_text
from sayso.journal.verify import anchors_seal, entries, start_of
from sayso.journal.writer import RecordWriter

KEPT = frozenset({state.value for state in LIVE} | {State.UNKNOWN.value})
"""States in which an action is kept at any age, because somebody still has to decide."""
_EXPIRED = """SELECT principal, session, source FROM exposure
    WHERE time < ? AND session NOT IN (SELECT id FROM session)"""


def prune(writer: RecordWriter, before: int, unexposed: int) -> PruneResult:
    """Remove audit rows before a time, and actions that ended before it, in the open transaction.

    What principals have read is removed where it was before the time `unexposed`, except in stored sessions.

    An action is kept while it is waiting, running or unknown, or if a later audit row mentions it. The audit row of the
    removal repeats the states of kept actions that only removed rows mentioned, and the seals of rows in other tables
    that only they mentioned. It also has all grants, and a hash of the earlier anchors.
    """
    connection = writer.connection
    writer.start()
    start, _ = start_of(connection)
    last = _last_before(connection, before)
    if last is None or last <= start:
        return PruneResult(0, 0)
    with closing(SealStore()) as old:
        for entry in entries(connection):
            _note(old, entry, last)
        again, others = _remove(connection, old), _others(old)
        for key in _remove_exposures(connection, unexposed):
            others.setdefault("exposure", {})[key] = None
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
    }
    if others:
        members["rows"] = cast("Json", others)
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


def _note(old: SealStore, entry: AuditEntry, last: int) -> None:
    for sealed in entry.actions:
        key = action_key(sealed.id)
        if entry.seq <= last:
            old.put(ActionSeal(key, sealed.row, entry.seq))
        else:
            old.drop(key)
    for table, key, row in entry.others:
        if entry.seq <= last:
            old.put_other(table, key, row, entry.seq)
        else:
            old.drop_other(table, key)


def _others(old: SealStore) -> dict[str, dict[str, str | None]]:
    found: dict[str, dict[str, str | None]] = {}
    for table, key, row, _ in old.others():
        found.setdefault(table, {})[key] = row
    return found


def _remove_exposures(connection: sqlite3.Connection, before: int) -> list[str]:
    keys = connection.execute(_EXPIRED, (before,)).fetchall()
    connection.executemany("DELETE FROM exposure WHERE principal = ? AND session = ? AND source = ?", keys)
    return [key_text(key) for key in keys]


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
