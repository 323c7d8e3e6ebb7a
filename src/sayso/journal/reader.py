"""Find rows of the journal and return them as records; every query uses a key or an index."""

import heapq
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any, cast

from msgspec import Struct

from sayso.core.errors import ProposalError
from sayso.core.grant import Grant
from sayso.core.ports import RecordQuery
from sayso.core.record import LARGEST, Exposure, Record, State, action_id, action_key, key_limits, run_id, run_key
from sayso.journal import rows
from sayso.journal.rows import LIVE, ROWS, Shorthand, content_of, from_stored_time, grant_of, record_of, session_of

_ENDED = "state NOT IN ('waiting', 'running')"
# A time of an unusual format is stored as text. SQLite takes every text as greater than any number, so such a row
# always matches here; `_fits` compares its time.
_SINCE = "time >= ?"
_UNTIL = "(time < ? OR typeof(time) = 'text')"
_UNDER_WAY = """SELECT key, operation FROM action WHERE back < 0 AND state IN (?1, ?2) UNION ALL
    SELECT key, operation FROM action WHERE key > coalesce((SELECT value FROM meta WHERE name = 'noted'), -1)
        AND state IN (?1, ?2) AND back >= 0"""
_WAITS = "state = 'waiting' AND (expires <= ?1 OR typeof(expires) = 'text' OR time > ?2)"
_NOTED = "SELECT key FROM action WHERE back < 0 AND "
_SINCE_NOTED = """SELECT key FROM action WHERE key > coalesce((SELECT value FROM meta WHERE name = 'noted'), -1)
    AND back >= 0 AND """
_COUNTED = """WITH live AS (SELECT state FROM action WHERE back < 0 UNION ALL
    SELECT state FROM action WHERE key > coalesce((SELECT value FROM meta WHERE name = 'noted'), -1) AND back >= 0)
    SELECT count(*) FROM live WHERE state = ?"""
_LAPSED = _NOTED + _WAITS + " UNION ALL " + _SINCE_NOTED + _WAITS
_NOT_FIRST = "run <> key"
_EXPOSED = """SELECT DISTINCT source FROM exposure
    WHERE principal = ?1 AND (time >= ?2 OR (session = ?3 AND session <> '')) ORDER BY source"""
EXPOSURES = "SELECT principal, session, source, time FROM exposure ORDER BY principal, time, source, session"
_KINDS = "SELECT operation, state, back FROM action INDEXED BY ended WHERE state NOT IN ('waiting', 'running')"
_BY_KIND = "ORDER BY operation, state, back LIMIT 1"
_FEW_IDS = 5
_BY_PART = """SELECT key FROM (
    SELECT key, run FROM action WHERE key >= ?1 AND key <= ?2 UNION SELECT key, run FROM action WHERE key % ?3 = ?4
    ) WHERE NOT ?5 OR run = key ORDER BY key DESC LIMIT ?6"""
_FEW = 500
"""Up to this many actions, checking each one is faster than scanning the actions of a session."""
_DAY = 86_400_000_000
"""One day in microseconds: if the clock was set back, the order of keys and of times may differ by this much."""


class _EndedFilter(Struct, frozen=True):
    """One combination of values in the columns of the index `ended`."""

    operation: str
    state: str
    back: int


class JournalReader(Struct, frozen=True, eq=False):
    """Reads the journal through one connection."""

    connection: sqlite3.Connection
    shorthand: Shorthand

    def get(self, key: int) -> Record | None:
        """Return the record with this key, or None."""
        found = self.row(key)
        return None if found is None else self.record(found)

    def row(self, key: int) -> Sequence[Any] | None:
        """Return the row with this key as it is stored, or None."""
        return self.connection.execute(ROWS + " WHERE key = ?", (key,)).fetchone()

    def keys_between(self, low: int, high: int, most: int) -> list[int]:
        """Return the newest keys from the first to the second number."""
        found = "SELECT key FROM action WHERE key BETWEEN ? AND ? ORDER BY key DESC LIMIT ?"
        return [key for (key,) in self.connection.execute(found, (low, high, most))]

    def live_keys(self) -> list[int]:
        """Return the keys of all actions that wait or run."""
        return [key for key, _ in self._under_way(LIVE)]

    def find(self, action: str) -> Record | None:
        """Return the record of the action with this id; None if there is none or the text is not an id."""
        try:
            return self.get(action_key(action))
        except ProposalError:
            return None

    def record(self, row: Sequence[Any]) -> Record:
        """Return the record of a row selected with `ROWS`."""
        content, texts = content_of(row, self.shorthand)
        state, turn, marks = cast("tuple[str, int, str]", tuple(row[15:18]))
        return record_of(content, state, turn, self.shorthand.long(marks, texts))

    def of_run(self, run: str) -> list[Record]:
        """Return the records of a run, in order."""
        return [self.record(row) for row in sorted(self._of_run(run), key=lambda row: (row[2], row[0]))]

    def _of_run(self, run: str) -> list[Sequence[Any]]:
        key, text = _run(run)
        first = self.connection.execute(f"{ROWS} WHERE key = ? AND run = key", (key,)).fetchall()
        return first + self.connection.execute(f"{ROWS} WHERE {_NOT_FIRST} AND run IN (?, ?)", (key, text)).fetchall()

    def in_state(self, states: Iterable[State]) -> list[Record]:
        """Return all records in these states, oldest first."""
        wanted = frozenset(states)
        keys = list(self._live(wanted, RecordQuery())) if wanted & LIVE else []
        for kind in self._kinds() if wanted - LIVE else ():
            if kind.state in wanted:
                keys += self._keys(kind, LARGEST, -1, -1)
        return self._records(sorted(keys))

    def count(self, states: Iterable[State]) -> int:
        """Return how many records are in these states, without decoding any."""
        wanted = frozenset(states)
        kinds = self._kinds() if wanted - LIVE else ()
        return sum(self.connection.execute(_COUNTED, (state,)).fetchone()[0] for state in sorted(wanted & LIVE)) + sum(
            len(self._keys(kind, LARGEST, -1, -1)) for kind in kinds if kind.state in wanted
        )

    def lapsed(self, now: int, since: int) -> list[Record]:
        """Return waiting records that expired by `now`, or whose recorded time is after `since`, oldest first.

        A time after `since`, which is a little later than now, means that the clock was set back. Records whose times
        are stored as text are included too, so the caller must check.
        """
        return self._records(sorted(key for (key,) in self.connection.execute(_LAPSED, (now, since))))

    def last_undoable(self, before: int = LARGEST) -> Record | None:
        """Return the newest record with a smaller key than `before` that can be undone."""
        newest = [key for kind in self._kinds() if kind.back for key in self._keys(kind, before, -1, 1)]
        return self.get(max(newest)) if newest else None

    def newest_key(self) -> int:
        """Return the largest key of a record; 0 if there is none."""
        return self.connection.execute("SELECT coalesce(max(key), 0) FROM action").fetchone()[0]

    def with_part_of_id(self, part: str, *, runs: bool) -> list[str]:
        """Return at most a few ids of actions, or of runs, whose digits begin or end with these."""
        found = self.connection.execute(_BY_PART, (*key_limits(part), runs, _FEW_IDS))
        return [run_id(key) if runs else action_id(key) for (key,) in found]

    def exposed(self, principal: str, session: str, since: int) -> tuple[str, ...]:
        """Return what a principal has read of strangers' text since this time, and at any time in this session."""
        return tuple([source for (source,) in self.connection.execute(_EXPOSED, (principal, since, session))])

    def exposures(self) -> list[Exposure]:
        """Return all that principals have read of strangers' text, sorted by principal and time."""
        return [
            Exposure(principal, session, source, str(from_stored_time(time)))
            for principal, session, source, time in self.connection.execute(EXPOSURES)
        ]

    def grants(self, *, revoked: bool) -> list[Grant]:
        """Return the permissions that are not revoked, oldest first; if `revoked` is true, return the others too."""
        found = self.connection.execute(
            "SELECT id, uses, revoked, body FROM permission WHERE ? OR NOT revoked", (revoked,)
        )
        return sorted((grant_of(*row) for row in found), key=lambda grant: (grant.created, grant.id))

    def query(self, query: RecordQuery) -> list[Record]:
        """Return a page of records, newest first."""
        return [self.record(row) for row in islice(self.stored_rows(query), max(query.limit, 0))]

    def stored_rows(self, query: RecordQuery) -> Iterator[Sequence[Any]]:
        """Return the rows of a query as they are stored, newest first, and as many as there are."""
        if query.run is not None:
            return self._of_one_run(query.run, query)
        if query.session and not self._are_few(query):
            in_it = self._scan("session > '' AND session = ?", (query.session,), query)
            return heapq.merge(in_it, self._of_one_run(query.session, query), key=_by_key, reverse=True)
        if query.operation is not None or query.states:
            return self._query_by_index(query)
        return self._scan("TRUE", (), query)

    def _are_few(self, query: RecordQuery) -> bool:
        """Return whether the query names an operation or states, and fewer than `_FEW` ended actions match.

        Checking each of these actions is then faster than scanning the session.
        """
        left = _FEW if query.operation is not None or query.states else 0
        for kind in self._kinds() if left else ():
            if _matches_operation(kind.operation, query) and _in(kind.state, query):
                left -= len(self._keys(kind, LARGEST, -1, max(left, 1)))
        return left > 0

    def _of_one_run(self, run: str, query: RecordQuery) -> Iterator[Sequence[Any]]:
        top, bottom = self.bounds(query)
        for row in sorted(self._of_run(run), key=_by_key, reverse=True):
            if bottom <= row[0] < top and fits(row, query):
                yield row

    def _scan(self, where: str, values: tuple[int | str, ...], query: RecordQuery) -> Iterator[Sequence[Any]]:
        top, bottom = self.bounds(query)
        likely, chosen = self._likely(query)
        sql = f"{ROWS} WHERE {where} AND {likely} AND key < ? AND key >= ? ORDER BY key DESC"
        for row in self.connection.execute(sql, (*values, *chosen, top, bottom)):
            if fits(row, query):
                yield row

    def _likely(self, query: RecordQuery) -> tuple[str, Sequence[int | str]]:
        """Return an SQL condition that all matching rows and few others meet, so that Python has few rows to filter."""
        parts: list[str] = [_SINCE]
        values: list[int | str] = [_since(query)]
        if query.until is not None:
            parts.append(_UNTIL)
            values.append(rows.parse_moment(query.until))
        if query.states:
            parts.append(f"state IN ({_marks(query.states)})")
            values += [state.value for state in query.states]
        if query.operation is not None:
            operations = {kind.operation for kind in self._kinds() if _matches_operation(kind.operation, query)}
            operations |= {found for _, found in self._under_way(LIVE) if _matches_operation(found, query)}
            parts.append(f"operation IN ({_marks(operations)})")
            values += sorted(operations)
        return " AND ".join(parts), values

    def _query_by_index(self, query: RecordQuery) -> Iterator[Sequence[Any]]:
        top, bottom = self.bounds(query)
        kinds = [kind for kind in self._kinds() if _matches_operation(kind.operation, query) and _in(kind.state, query)]
        # Other filters may reject many rows of a combination, so its keys are read in portions.
        streams = [self._newest(kind, top, bottom, query) for kind in kinds]
        live = sorted((key for key in self._live(query.states, query) if bottom <= key < top), reverse=True)
        for key in heapq.merge(iter(live), *streams, reverse=True):
            row = self.connection.execute(ROWS + " WHERE key = ?", (key,)).fetchone()
            if row is not None and fits(row, query):
                yield row

    def _newest(self, kind: _EndedFilter, top: int, bottom: int, query: RecordQuery) -> Iterator[int]:
        while keys := self._keys(kind, top, bottom, query.limit, _since(query)):
            yield from keys
            top = keys[-1]

    def _keys(self, kind: _EndedFilter, top: int, bottom: int, limit: int, since: int = 0) -> list[int]:
        found = self.connection.execute(
            f"SELECT key FROM action WHERE {_ENDED} AND operation = ? AND state = ? AND back = ? "  # noqa: S608
            f"AND key < ? AND key >= ? AND {_SINCE} ORDER BY key DESC LIMIT ?",
            (kind.operation, kind.state, kind.back, top, bottom, since, limit),
        )
        return [key for (key,) in found]

    def _kinds(self) -> list[_EndedFilter]:
        """Return all combinations in the index `ended`; each lookup skips to the next one."""
        kinds: list[_EndedFilter] = []
        kind = self._first("TRUE")
        while kind is not None:
            kinds.append(kind)
            kind = self._after(kind)
        return kinds

    def _after(self, kind: _EndedFilter) -> _EndedFilter | None:
        leaps: tuple[tuple[str, tuple[str | int, ...]], ...] = (
            ("operation = ? AND state = ? AND back > ?", (kind.operation, kind.state, kind.back)),
            ("operation = ? AND state > ?", (kind.operation, kind.state)),
            ("operation > ?", (kind.operation,)),
        )
        return next((found for where, values in leaps if (found := self._first(where, *values)) is not None), None)

    def _first(self, where: str, *values: str | int) -> _EndedFilter | None:
        found = self.connection.execute(f"{_KINDS} AND {where} {_BY_KIND}", values).fetchone()
        return None if found is None else _EndedFilter(*found)

    def _live(self, states: frozenset[State], query: RecordQuery) -> Iterator[int]:
        for key, operation in self._under_way(states & LIVE if states else LIVE):
            if _matches_operation(operation, query):
                yield key

    def _under_way(self, states: frozenset[State]) -> Iterable[tuple[int, str]]:
        """Return key and operation of the waiting or running actions in these states."""
        wanted = sorted(states)
        return self.connection.execute(_UNDER_WAY, (wanted[0], wanted[-1])) if wanted else ()

    def _records(self, keys: Iterable[int]) -> list[Record]:
        return [record for key in keys if (record := self.get(key)) is not None]

    def bounds(self, query: RecordQuery) -> tuple[int, int]:
        """Return the key below which, and the key from which on, the actions of a query are."""
        top = LARGEST if query.before is None else query.before
        if query.until is not None:
            top = min(top, self._first_since(rows.parse_moment(query.until) + _DAY))
        return top, 0 if query.since is None else self._first_since(rows.parse_moment(query.since) - _DAY)

    def _first_since(self, moment: int) -> int:
        """Return a key below which all actions are older than `moment`, by binary search."""
        # Two queries, because SQLite would scan all rows for one query with both min and max.
        (low,) = self.connection.execute("SELECT min(key) FROM action").fetchone()
        (high,) = self.connection.execute("SELECT max(key) + 1 FROM action").fetchone()
        if low is None:
            return 0
        while low < high:
            middle = (low + high) // 2
            key, time = self.connection.execute(
                "SELECT key, time FROM action WHERE key >= ? ORDER BY key LIMIT 1", (middle,)
            ).fetchone()
            if _to_stored_time(time) < moment:
                low = key + 1
            else:
                high = middle
        return cast("int", low)


def _by_key(row: Sequence[Any]) -> int:
    return row[0]


def fits(row: Sequence[Any], query: RecordQuery) -> bool:
    """Return whether a stored row is one that the query asks for; its bounds by key and its run are not looked at."""
    operation, time, state = row[3], row[4], row[15]
    return (
        _matches_operation(operation, query)
        and _in(state, query)
        and (query.session is None or session_of(row[6], row[1]) == query.session)
        and (query.since is None or _to_stored_time(time) >= rows.parse_moment(query.since))
        and (query.until is None or _to_stored_time(time) < rows.parse_moment(query.until))
    )


def _since(query: RecordQuery) -> int:
    return 0 if query.since is None else rows.parse_moment(query.since)


def _marks(values: Collection[str]) -> str:
    return ", ".join("?" * len(values))


def _matches_operation(operation: str, query: RecordQuery) -> bool:
    return query.operation is None or (bool(operation) and fnmatchcase(operation, query.operation))


def _in(state: str, query: RecordQuery) -> bool:
    return not query.states or state in query.states


def _to_stored_time(time: int | str) -> int:
    return time if isinstance(time, int) else rows.read(time) or 0


def _run(run: str) -> tuple[int | str, int | str]:
    # A run with an unusual name is stored as text, so both forms are searched.
    try:
        return run_key(run), run
    except ProposalError:
        return run, run
