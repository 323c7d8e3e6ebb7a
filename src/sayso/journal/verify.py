"""Verify the journal: the hash chain, the seals, and that every record agrees with the audit rows."""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json, digest
from sayso.core.errors import SaysoError
from sayso.core.record import action_id, action_key
from sayso.journal.database import SEALED_SINCE, connect_to_look, explain_errors, make_lasting, migrations, schema
from sayso.journal.hash_chain import ActionSeal, AuditEntry, ChainWalk, Checkpoint, SealStore, VerificationResult, first
from sayso.journal.rows import (
    LIVE,
    MAY_GO_BACK,
    ROWS,
    WORTH,
    RowContent,
    Shorthand,
    Texts,
    can_go_back,
    content_of,
    decode_json,
    iso,
    marks_seal,
    permission_seal,
    record_of,
    shorthand_of,
)
from sayso.journal.sealed_tables import TABLES, current_seals


def tables_problem(connection: sqlite3.Connection, seals: SealStore) -> str | None:
    """Return the problem if a row of a table beside the actions differs from its last seal; otherwise None.

    A journal of a version that did not seal these tables has no seals, and nothing to compare with.
    """
    if _version(connection) < SEALED_SINCE and next(seals.others(), None) is None:
        return None
    for table in TABLES:
        for key, seal in current_seals(connection, table):
            if seals.take_other(table, key) != seal:
                return f"the row {key} of the table “{table}” is not as the audit says"
    for table, key, _, seq in seals.others():
        return f"the row {key} of the table “{table}” is missing; audit row {seq} mentioned it last"
    return None


def anchors_seal(connection: sqlite3.Connection, below: int) -> str:
    """Return the hash of all anchors before audit row `below`; the audit row of a removal contains this hash."""
    rows = connection.execute("SELECT seq, hash, removed, time FROM anchor WHERE seq < ? ORDER BY seq", (below,))
    return digest([[_plain(value) for value in row] for row in rows])


def first_anchor_problem(connection: sqlite3.Connection) -> str | None:
    """Return the problem if the first anchor is not of this journal and of when it was made; otherwise None."""
    (created,) = connection.execute("SELECT (SELECT value FROM meta WHERE name = 'created')").fetchone()
    found = connection.execute("SELECT hash, removed, time FROM anchor WHERE seq = 0").fetchone()
    same = found == (first(origin_of(connection)), 0, created)
    return None if same else "the note of when the journal was begun was changed"


def fixed_problem(connection: sqlite3.Connection) -> str | None:
    """Return the problem if something that never changes was changed; otherwise None.

    That are the table `short` of common texts, the names in `meta`, and the tables, indexes, views and triggers.
    """
    names = {name for (name,) in connection.execute("SELECT name FROM meta")}
    if names - _NAMES_IN_META:
        return "there are names in the table “meta” that sayso did not write"
    with closing(sqlite3.connect(":memory:")) as model:
        for script in (schema(), *migrations()[: _version(connection) - 1]):
            model.executescript(script)
        if _short(connection) != _short(model):
            return "the texts that the journal writes as single characters were changed"
        made, wanted = _made(connection), _made(model)
    odd = sorted(name for name in made.keys() | wanted.keys() if made.get(name) != wanted.get(name))
    return f"the tables of the journal are not those that sayso makes: {', '.join(odd)}" if odd else None


def _version(connection: sqlite3.Connection) -> int:
    (version,) = cast("tuple[int]", connection.execute("PRAGMA user_version").fetchone())
    return version


_NAMES_IN_META = frozenset({"origin", "created", "noted"})
_COMMENT = re.compile(r"--[^\n]*")


def _made(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the statement of each table, index, view and trigger, without comments, which may be worded anew."""
    found = connection.execute("SELECT type || ' ' || name, sql FROM sqlite_master WHERE sql NOT NULL")
    return {name: " ".join(_COMMENT.sub("", sql).split()) for name, sql in found}


def _short(connection: sqlite3.Connection) -> list[tuple[int, str]]:
    return cast("list[tuple[int, str]]", connection.execute("SELECT code, text FROM short ORDER BY code").fetchall())


def _plain(value: object) -> Json:
    return value.hex() if isinstance(value, bytes) else str(value)


_AUDIT = "SELECT seq, time, event, action, turn, state, row, more, hash FROM audit ORDER BY seq"
_HALF = 32
"""The number of hex digits in a row's seal for its content; the same number follows for its marks."""

UNSEALED = ("tasks.db", "words.db", "logs", "trash")
"""What sayso keeps beside the journal that no chain covers.

These are the lists, the index of the words of the journal, the runs of own actions, and what undo needs.
"""
_FALSE_START = "the start of the log is not the one that was noted when old rows were removed"


def verify(path: str, checkpoint: Checkpoint | None = None) -> VerificationResult:
    """Check the journal at `path`. Raises `SetupError` if it cannot be read at all.

    The check may take long and may run in any thread. It has its own connection, reads one snapshot of the journal,
    does not block writers, and needs little memory.
    """
    with explain_errors(path), closing(connect_to_look(path)) as connection, closing(SealStore()) as seals:
        connection.execute("BEGIN")
        missing = beginning_problem(connection)
        if missing is not None:
            return VerificationResult(0, 0, Checkpoint("", 0, ""), missing)
        result = _Verification(connection, seals, checkpoint).result()
        make_lasting(path)  # the result names the end of the chain
        return result


def beginning_problem(connection: sqlite3.Connection) -> str | None:
    """Return what is missing at the start of the chain; None if everything is there."""
    if connection.execute("SELECT 1 FROM meta WHERE name = 'origin'").fetchone() is None:
        return "the journal's own name, on which its first audit row builds, is missing"
    if connection.execute("SELECT 1 FROM anchor").fetchone() is None:
        return "the row that says where the log begins is missing"
    if connection.execute("SELECT 1 FROM anchor WHERE typeof(hash) <> 'blob'").fetchone() is not None:
        return "the row that says where the log begins is damaged"
    return None


def origin_of(connection: sqlite3.Connection) -> str:
    """Return the journal's own name."""
    (origin,) = connection.execute("SELECT value FROM meta WHERE name = 'origin'").fetchone()
    return str(origin)


def start_of(connection: sqlite3.Connection) -> tuple[int, bytes]:
    """Return the number and hash of the last row before the chain starts."""
    found = connection.execute("SELECT seq, hash FROM anchor ORDER BY seq DESC LIMIT 1").fetchone()
    return cast("tuple[int, bytes]", found)


def entries(connection: sqlite3.Connection) -> Iterator[AuditEntry]:
    """Return the audit rows in order; a row whose members cannot be parsed is returned too and fails its hash check."""
    for seq, time, event, action, turn, state, row, more, seal in connection.execute(_AUDIT):
        if more is None:
            one = {"id": _id(action), "row": _hex(row), "state": state, "turn": turn}
            members: Mapping[str, Json] = {"actions": [one]}
        elif (action, turn, state, row) == (None, None, None, None):
            members = _members(more)
        else:
            members = {"damaged": str(more)}
        yield AuditEntry(seq, iso(time) if isinstance(time, int) else str(time), str(event), members, seal)


class _SealedRow(Struct, frozen=True):
    """A removal of old rows, as recorded in its anchor or in its audit row."""

    seq: int
    hash: Json
    removed: int
    time: str
    before: str
    """The hash of the earlier anchors."""


class _Verification:
    def __init__(self, connection: sqlite3.Connection, seals: SealStore, checkpoint: Checkpoint | None) -> None:
        self._connection = connection
        self._seals = seals
        self._origin = origin_of(connection)
        self._anchor = start_of(connection)
        self._walk = ChainWalk(*self._anchor, checkpoint)
        self._grants: dict[str, str] = {}
        self._noted: _SealedRow | None = None
        self._actions = 0

    def result(self) -> VerificationResult:
        checks = (self._chain, self._start, self._rows, self._tables, self._permissions, self._fixed)
        found = next((verdict for check in checks if (verdict := check()) is not None), None)
        rows = self._walk.seq - self._anchor[0]
        now = Checkpoint(self._origin, self._walk.seq, self._walk.head.hex())
        return replace(found or VerificationResult(0, 0, now), rows=rows, actions=self._actions, checkpoint=now)

    def _chain(self) -> VerificationResult | None:
        walk = self._walk
        if not walk.begin(self._origin):
            return self._bad(str(walk.problem), row=walk.bad_row)
        for entry in entries(self._connection):
            try:
                if not walk.step(entry):
                    return self._bad(str(walk.problem), row=walk.bad_row)
                changed = self._note(entry)
            except (SaysoError, ValueError, TypeError, KeyError):
                return self._bad(f"audit row {walk.seq + 1} cannot be read", row=walk.seq + 1)
            if changed:
                return changed
        return None if walk.end() else self._bad(str(walk.problem), row=walk.bad_row)

    def _note(self, entry: AuditEntry) -> VerificationResult | None:
        for sealed in entry.actions:
            key = action_key(sealed.id)
            before = self._seals[key]
            if before and not sealed.anew and before.row[:_HALF] != sealed.row[:_HALF]:
                sentence = (
                    f"{sealed.id} had been changed before audit row {entry.seq} was written: it is not what sayso wrote"
                )
                return self._bad(sentence, row=entry.seq, action=sealed.id)
            self._seals.put(ActionSeal(key, sealed.row, entry.seq))
        for grant in cast("list[dict[str, str]]", entry.members.get("grants", [])):
            self._grants[grant["id"]] = grant["row"]
        for table, key, row in entry.others:
            self._seals.put_other(table, key, row, entry.seq)
        if "pruned" in entry.members:
            pruned = cast("dict[str, Any]", entry.members["pruned"])
            self._noted = _SealedRow(pruned["seq"], pruned["hash"], pruned["actions"], entry.time, pruned["before"])
        return None

    def _start(self) -> VerificationResult | None:
        seq, head = self._anchor
        if seq == 0:
            problem = None if head == first(self._origin) else "the start of the log is not this journal's own"
        else:
            found = _anchor(self._connection, seq)
            problem = None if found == self._noted else _FALSE_START
        problem = problem or first_anchor_problem(self._connection)
        return self._bad(problem, row=seq + 1) if problem else None

    def _rows(self) -> VerificationResult | None:
        """Compare actions and seals in parallel, both in the order of keys."""
        shorthand, noted = shorthand_of(self._connection), _count_noted(self._connection)
        expected = iter(self._seals)
        seal = next(expected, None)
        for row in self._connection.execute(ROWS + " ORDER BY key"):
            key = cast("int", row[0])
            if seal is not None and seal.key < key:
                break
            if seal is None or seal.key > key:
                return self._bad(
                    f"{action_id(key)} is in the journal, but no audit row mentions it", action=action_id(key)
                )
            problem = _differs(row, seal, shorthand, noted)
            if problem:
                return self._bad(problem, action=action_id(key))
            self._actions += 1
            seal = next(expected, None)
        if seal is not None:
            missing = action_id(seal.key)
            return self._bad(f"{missing} is missing; audit row {seal.seq} mentioned it last", action=missing)
        return None

    def _tables(self) -> VerificationResult | None:
        problem = tables_problem(self._connection, self._seals)
        return self._bad(problem) if problem else None

    def _fixed(self) -> VerificationResult | None:
        problem = fixed_problem(self._connection)
        return self._bad(problem) if problem else None

    def _permissions(self) -> VerificationResult | None:
        for row in self._connection.execute("SELECT id, uses, revoked, body FROM permission ORDER BY id"):
            if any(isinstance(value, bytes) for value in row) or self._grants.pop(row[0], None) != permission_seal(
                *row
            ):
                return self._bad(f"the standing permission {row[0]} is not as the audit says")
        for missing in sorted(self._grants):
            return self._bad(f"the standing permission {missing} is missing")
        return None

    def _bad(self, problem: str, row: int | None = None, action: str | None = None) -> VerificationResult:
        now = Checkpoint(self._origin, self._walk.seq, self._walk.head.hex())
        return VerificationResult(0, 0, now, problem, row, action)


def _differs(row: tuple[Any, ...], seal: ActionSeal, shorthand: Shorthand, noted: int) -> str | None:
    named = action_id(seal.key)
    try:
        content, texts = content_of(row, shorthand)
        fixed = content.seal.hex()
        marks = shorthand.long(row[17], texts)
        changing = marks_seal(row[15], row[16], marks).hex()
    except (SaysoError, ValueError, TypeError, IndexError):
        return f"{named} cannot be read; audit row {seal.seq} mentioned it last"
    if fixed != seal.row[:_HALF]:
        return f"{named} was changed: what was proposed is not what audit row {seal.seq} records"
    if changing != seal.row[_HALF:]:
        return f"{named} was changed: its state or outcome is not what audit row {seal.seq} records"
    if any(texts) and not _are_used(row, texts, content.body, marks, shorthand):
        return f"{named} was changed: it has abbreviations that sayso did not make"
    if row[15] in LIVE:
        return None if row[18] == (-1 if seal.key <= noted else 0) else f"{named} was changed: its note is not right"
    if row[18] != _back(content, row[15], row[16], marks):
        return f"{named} was changed: whether it can be taken back is not what its outcome says"
    return None


def _are_used(row: tuple[Any, ...], texts: Texts, body: str, marks: str, shorthand: Shorthand) -> bool:
    """Return whether the row needs each of its texts, or contains it where another text abbreviates it already."""
    short = f"{row[10]}{row[17]}"
    unused = [text for code, text in enumerate(texts, 1) if text is not None and chr(code) not in short]
    if not unused:
        return True
    known = all(len(text) > WORTH and shorthand.long(text, texts) in f"{body}{marks}" for text in unused)
    return known and (shorthand.short(body, texts), shorthand.short(marks, texts)) == (row[10], row[17])


def _count_noted(connection: sqlite3.Connection) -> int:
    found = connection.execute("SELECT value FROM meta WHERE name = 'noted'").fetchone()
    return found[0] if found is not None and isinstance(found[0], int) else -1


def _back(content: RowContent, state: str, turn: int, marks: str) -> int:
    # An action that can never be undone need not be decoded.
    return int(state in MAY_GO_BACK and can_go_back(record_of(content, state, turn, marks)))


def _anchor(connection: sqlite3.Connection, seq: int) -> "_SealedRow":
    digest, removed, time = connection.execute(
        "SELECT hash, removed, time FROM anchor WHERE seq = ?", (seq,)
    ).fetchone()
    at = iso(time) if isinstance(time, int) else str(time)
    return _SealedRow(seq, _hex(digest), removed, at, anchors_seal(connection, seq))


def _id(action: object) -> Json:
    return action_id(action) if isinstance(action, int) and action >= 0 else action


def _hex(row: object) -> Json:
    return row.hex() if isinstance(row, bytes) else row


def _members(text: object) -> Mapping[str, Json]:
    try:
        told = decode_json(str(text))
    except ValueError:
        told = None
    return cast("Mapping[str, Json]", told) if isinstance(told, dict) else {"damaged": str(text)}
