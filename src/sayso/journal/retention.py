"""Remove old rows of the journal, and write an anchor, so that the rest of the hash chain can be verified."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import cast

from sayso.core.encoding import Json
from sayso.core.lazy import load
from sayso.core.record import State, action_id, action_key
from sayso.journal.hash_chain import ActionSeal, AuditEntry, PruneResult, SealedState, SealStore
from sayso.journal.rows import LIVE
from sayso.journal.sealed_tables import touched_seals, watch
from sayso.journal.verify import anchors_seal, entries, start_of
from sayso.journal.writer import RecordWriter

KEPT = frozenset({state.value for state in LIVE} | {State.UNKNOWN.value})
"""States in which an action is kept at any age, because somebody still has to decide."""
_FORGET_EXPOSURES = "DELETE FROM exposure WHERE time < ? AND session NOT IN (SELECT id FROM session)"
_GRANTS = "permission"


def prune(writer: RecordWriter, before: int, unexposed: int) -> PruneResult:
    """Remove audit rows before a time, and actions that ended before it, in the open transaction.

    Exchanges before that time are removed too, and sessions that have none left. What principals have read is removed
    where it was before the time `unexposed`, except in stored sessions.

    An action is kept while it is waiting, running or unknown, or if a later audit row mentions it. The audit row of the
    removal repeats the states of kept actions that only removed rows mentioned, and the seals of grants and of rows in
    other tables that only they mentioned. It also has a hash of the earlier anchors.
    """
    connection = writer.connection
    writer.start()
    watch(connection)
    load("sayso.journal.sessions:forget_before")(connection, before)
    connection.execute(_FORGET_EXPOSURES, (unexposed,))
    gone = touched_seals(connection)
    start, _ = start_of(connection)
    last = _last_before(connection, before)
    if last is None or last <= start:
        if gone:
            writer.tell("forgotten", {"actions": [], "rows": cast("Json", gone)})
        return PruneResult(0, 0)
    with closing(SealStore()) as old:
        for entry in entries(connection):
            _note(old, entry, last)
        again, others = _remove(connection, old), _others(old, gone)
    (head,) = cast("tuple[bytes]", connection.execute("SELECT hash FROM audit WHERE seq = ?", (last,)).fetchone())
    removed = again.removed
    connection.execute("INSERT INTO anchor VALUES (?, ?, ?, ?)", (last, head, removed, writer.now))
    connection.execute("DELETE FROM audit WHERE seq <= ?", (last,))
    members: dict[str, Json] = {
        "actions": [sealed.json() for sealed in again.standing],
        "grants": [{"id": key, "row": row} for key, row in others.pop(_GRANTS, {}).items()],
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
    grants = cast("list[dict[str, str]]", entry.members.get("grants", []))
    for table, key, row in (*entry.others, *((_GRANTS, grant["id"], grant["row"]) for grant in grants)):
        if entry.seq <= last:
            old.put_other(table, key, row, entry.seq)
        else:
            old.drop_other(table, key)


def _others(old: SealStore, gone: dict[str, dict[str, Json]]) -> dict[str, dict[str, Json]]:
    """Return the seals that only removed audit rows have, and which rows are gone that later ones mention."""
    found = {table: {**keys} for table, keys in gone.items()}
    for table, key, row, _ in old.others():
        if key in gone.get(table, {}):
            del found[table][key]
        else:
            found.setdefault(table, {})[key] = row
    return {table: keys for table, keys in found.items() if keys}


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
