"""The journal writer: every change to the journal is one commit with one audit row."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from typing import cast

from msgspec import Struct
from msgspec.structs import fields, replace

from sayso.core.encoding import Json, canonical
from sayso.core.errors import SaysoError, SetupError, Stale
from sayso.core.grant import Grant
from sayso.core.lazy import load
from sayso.core.operation import texts_in
from sayso.core.ports import Clock, CountGrantUse, InsertRecord, JournalChange, KillPoint, NoteExposure, UpdateRecord
from sayso.core.proposal import principal_of
from sayso.core.quotes import QUOTED, unquoted
from sayso.core.record import Record, State, action_id
from sayso.journal import rows
from sayso.journal.database import as_setup
from sayso.journal.hash_chain import Members, SealedState, link, record, record_of_one
from sayso.journal.rows import (
    LIVE,
    ROWS,
    Column,
    RowContent,
    Shorthand,
    Texts,
    can_go_back,
    content_of,
    fixed_columns,
    iso,
    marks_seal,
    marks_text,
    micros,
)

_DONE = frozenset({State.DONE, State.UNCHANGED})
_TOLD = _DONE | {State.FAILED, State.UNKNOWN}


class RecordWrite(Struct, frozen=True):
    """One row to write: a new one if `before` is None, otherwise an update of a row whose turn must be `before`."""

    record: Record
    marks: str
    before: int | None
    content: RowContent | None
    """The content of a new row; None for an update, which usually leaves the content unchanged."""
    redacts: bool = False
    """Whether values in the record have been redacted for this write."""


class CommitRequest(Struct, frozen=True):
    """The changes that one caller commits together, with one audit row."""

    event: str
    lines: Sequence[RecordWrite] = ()
    grant: Grant | None = None
    uses: Sequence[CountGrantUse] = ()
    exposures: Sequence[NoteExposure] = ()
    lasts: bool = True
    """Whether the commit must outlast a loss of power; each outlasts the end of the process."""

    @property
    def redacts(self) -> bool:
        """Return whether the commit may overwrite stored values with redacted ones."""
        return any(line.redacts and line.before is not None for line in self.lines)


def work_of(changes: Iterable[JournalChange], event: str, redact: Sequence[str]) -> CommitRequest:
    """Return the rows to write for these changes; actions that have ended are redacted."""
    lines: list[RecordWrite] = []
    uses: list[CountGrantUse] = []
    exposures: list[NoteExposure] = []
    lasts = False
    for change in changes:
        lasts = lasts or not _only_answered(change)
        if isinstance(change, CountGrantUse):
            uses.append(change)
        elif isinstance(change, NoteExposure):
            exposures.append(change)
        else:
            lines.append(_line(change, redact))
            exposures += exposures_of(change.record)
    return CommitRequest(event, lines, uses=uses, exposures=exposures, lasts=lasts or bool(exposures))


def _only_answered(change: JournalChange) -> bool:
    """Return whether this is the row of an action that read and was answered: it had no effect that must be known."""
    return isinstance(change, InsertRecord) and change.record.state is State.DONE and change.record.plan is None


def exposures_of(record: Record) -> list[NoteExposure]:
    """Return what a record says its principal has read of strangers' text: in a result, or in what it was told."""
    if record.outside and record.state in _DONE:
        source = record.operation or ""
    elif record.near_outside and record.state in _TOLD and _names_more(record):
        source = f"what {record.operation} said"
    else:
        return []
    session = "" if _of_its_run(record) else record.session
    return [NoteExposure(principal_of(record.entry, record.principal), session, (source,))]


def _names_more(record: Record) -> bool:
    """Return whether the report of an action quotes something that is in none of its arguments, such as a title."""
    sentence = record.marks.message or record.marks.error or ""
    said = "\n".join(text for value in record.arguments.values() for text in texts_in(value))
    return any(unquoted(found.group()) not in said for found in QUOTED.finditer(sentence))


def _line(change: InsertRecord | UpdateRecord, redact: Sequence[str]) -> RecordWrite:
    told = change.record
    if redact and told.state not in LIVE:
        told = load("sayso.journal.redaction:redact_record")(told, redact)
    before, content = (None, fixed_columns(told)) if isinstance(change, InsertRecord) else (told.marks.turn - 1, None)
    return RecordWrite(told, marks_text(told.marks), before, content, told is not change.record)


_REMEMBERED = 1024
"""The number of recently written rows that the cache keeps, so that they need not be read back."""
_LONG = 16384
"""The cache does not keep the record of a row whose `body` has more characters than this."""
_content = attrgetter(*(field.name for field in fields(Record) if field.name != "marks"))


class CachedContent(Struct, frozen=True):
    """The content of a row at one turn. `record` is None if the row is too long to be kept in memory."""

    turn: int
    texts: Texts
    seal: bytes
    record: Record | None = None


class SameContent(Struct, frozen=True):
    """The row already has the content that is to be written."""

    known: CachedContent


class ChangedContent(Struct, frozen=True):
    """The row has different content: the action has been planned, judged again or redacted since."""

    content: RowContent


@dataclass
class ContentCache:
    """Compares records with the content of their rows; recently written rows are cached."""

    connection: sqlite3.Connection
    shorthand: Shorthand
    _rows: dict[int, CachedContent] = field(default_factory=dict[int, CachedContent], init=False)

    def compare(self, line: RecordWrite, fresh: Mapping[int, CachedContent]) -> SameContent | ChangedContent:
        """Return whether an update changes the content of its row; `fresh` has the rows of the open transaction.

        Raises `Stale` if the row has another turn than expected, and `SetupError` if another program changed the row.
        """
        told = line.record
        known = fresh.get(told.key) or self._rows.get(told.key)
        if known is None or known.turn != line.before:
            known, remembered = self._read(line), False
        elif known.record is not None and _content(known.record) == _content(told):
            return SameContent(known)
        else:
            remembered = True
        content = fixed_columns(told)
        if content.seal == known.seal:
            return SameContent(known)
        if remembered and self._read(line).seal != known.seal:
            raise SetupError(
                f"{told.id} was changed in the journal by something other than sayso, so nothing was done; "
                "`sayso log verify` says more",
                "journal.damaged",
            )
        return ChangedContent(content)

    def remember(self, fresh: Mapping[int, CachedContent]) -> None:
        """Add the rows of a committed transaction to the cache."""
        for key, known in fresh.items():
            self._rows.pop(key, None)
            self._rows[key] = known
        while len(self._rows) > _REMEMBERED:
            del self._rows[next(iter(self._rows))]

    def _read(self, line: RecordWrite) -> CachedContent:
        key = line.record.key
        found = self.connection.execute(ROWS + " WHERE key = ?", (key,)).fetchone()
        if found is None:
            raise Stale(f"{action_id(key)} is not in the journal")
        if found[16] != line.before:
            raise Stale
        content, texts = content_of(found, self.shorthand)
        return CachedContent(found[16], texts, content.seal)


def known_row(record: Record, content: RowContent, texts: Texts) -> CachedContent:
    """Return the cache entry for a row that was just written."""
    return CachedContent(record.marks.turn, texts, content.seal, record if len(content.body) <= _LONG else None)


_PUT = "INSERT INTO action VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADVANCE = "UPDATE action SET state = ?, turn = ?, back = ?, marks = ? WHERE key = ? AND turn = ?"
_REWRITE = """UPDATE action SET state = ?, turn = ?, back = ?, marks = ?, run = ?, idx = ?, operation = ?, time = ?,
    origin = ?, session = ?, undo_of = ?, expires = ?, digest = ?, a = ?, b = ?, c = ?, d = ?, body = ?
    WHERE key = ? AND turn = ?"""
_AUDIT = "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_NOTE = "UPDATE action SET back = -1 WHERE key > ? AND state IN ('waiting', 'running')"

_NOTED = "INSERT OR REPLACE INTO meta SELECT 'noted', key FROM action ORDER BY key DESC LIMIT 1"

_EVERY = 64
"""The index `live` is updated after this many commits, or after a commit with this many new rows."""
_HEAD = "SELECT seq, hash, (SELECT value FROM meta WHERE name = 'noted') FROM"
_EXPOSE = "INSERT OR REPLACE INTO exposure VALUES (?, ?, ?, ?)"


@dataclass
class RecordWriter:
    """Writes commits through one connection."""

    connection: sqlite3.Connection
    path: str
    shorthand: Shorthand
    clock: Clock
    kill: KillPoint
    _contents: ContentCache = field(init=False)
    _shared: dict[str, int] = field(default_factory=dict[str, int], init=False)
    _seq: int = field(default=0, init=False)
    _head: bytes = field(default=b"", init=False)
    _noted: int = field(default=-1, init=False)
    """All waiting and running actions up to this key are in the index `live`."""
    _puts: int = field(default=0, init=False)
    _rows: dict[str, dict[str, Json]] = field(default_factory=dict[str, dict[str, Json]], init=False)
    """The seals of rows in other tables that the audit row being made must contain."""
    now: int = field(default=0, init=False)
    """The time of the open transaction in microseconds since 1970."""

    def __post_init__(self) -> None:
        """Start with an empty cache of rows."""
        self._contents = ContentCache(self.connection, self.shorthand)

    def write(self, works: Sequence[CommitRequest]) -> Sequence[BaseException | None]:
        """Write all requests into the open transaction and commit; return the error of each, or None.

        A request that fails with `Stale` or `SetupError` is left out, and the others are written.
        """
        fresh: dict[int, CachedContent] = {}
        try:
            self.start()
            begun = self._seq
            failures = (
                [self._alone(works[0], fresh)] if len(works) == 1 else [self._write_guarded(w, fresh) for w in works]
            )
            if all(failures):
                self.give_up()
            else:
                self._note_what_lasts(begun)
                self.finish()
                self._contents.remember(fresh)
        except sqlite3.Error as error:
            self.give_up()
            return [as_setup(error, self.path) for _ in works]
        except BaseException:
            self.give_up()
            raise
        return failures

    def start(self) -> None:
        """Read the end of the hash chain, because another process may have added to it."""
        self._seq, self._head, noted = _end_of_chain(self.connection)
        self._noted = -1 if noted is None else noted
        self._puts = 0
        self.now = micros(self.clock.now())

    def _note_what_lasts(self, begun: int) -> None:
        if begun // _EVERY != self._seq // _EVERY or self._puts >= _EVERY:
            self.connection.execute(_NOTE, (self._noted,))
            self.connection.execute(_NOTED)
            for row in self.connection.execute("SELECT name, value FROM meta WHERE name = 'noted'").fetchall():
                self.tell("noted", {"actions": [], "rows": {"meta": _sealed(row, 1)}})

    def _back(self, told: Record) -> int:
        return -1 if told.state in LIVE and told.key <= self._noted else int(can_go_back(told))

    def finish(self) -> None:
        """Commit; afterwards the changes are durable. If this raises an error, nothing was written."""
        self.kill("journal.before_commit")
        self.connection.execute("COMMIT")
        self.kill("journal.after_commit")

    def give_up(self) -> None:
        """Roll back the open transaction."""
        self._shared.clear()
        if self.connection.in_transaction:
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")

    def _alone(self, work: CommitRequest, fresh: dict[int, CachedContent]) -> SaysoError | None:
        try:
            self._one(work, fresh)
        except (Stale, SetupError) as failure:
            return failure
        return None

    def _write_guarded(self, work: CommitRequest, fresh: dict[int, CachedContent]) -> SaysoError | None:
        seq, head, own = self._seq, self._head, dict(fresh)
        self.connection.execute("SAVEPOINT work")
        try:
            self._one(work, own)
        except (Stale, SetupError) as failure:
            self.connection.execute("ROLLBACK TO work")
            self.connection.execute("RELEASE work")
            self._seq, self._head = seq, head
            self._shared.clear()
            return failure
        self.connection.execute("RELEASE work")
        fresh |= own
        return None

    def _one(self, work: CommitRequest, fresh: dict[int, CachedContent]) -> None:
        self._rows = {}
        sealed = [self._put(line, fresh) if line.before is None else self._advance(line, fresh) for line in work.lines]
        grants = [rows.take(self.connection, use) for use in work.uses]
        grants += [rows.put(self.connection, work.grant)] if work.grant is not None else []
        self._expose(work.exposures)
        if len(sealed) == 1 and not (grants or self._rows or sealed[0].anew):
            one, key = sealed[0], work.lines[0].record.key
            text = record_of_one(self._seq + 1, iso(self.now), work.event, one)
            self._audit(work.event, text, (key, one.turn, one.state, bytes.fromhex(one.row), None))
            return
        members: dict[str, Json] = {"actions": [one.json() for one in sealed]}
        if grants:
            members["grants"] = grants
        if self._rows:
            members["rows"] = cast("Json", self._rows)
        self.tell(work.event, members)

    def seal(self, event: str, exposures: Sequence[NoteExposure] = ()) -> None:
        """Write what principals were shown, and an audit row about all rows that changed since `watch` was called."""
        self.start()
        self._expose(exposures)
        if rows := load("sayso.journal.sealed_tables:touched_seals")(self.connection):
            self.tell(event, {"actions": [], "rows": cast("Json", rows)})

    def _expose(self, exposures: Sequence[NoteExposure]) -> None:
        for one in exposures:
            for source in one.sources:
                row = (one.principal, one.session, source, self.now)
                self.connection.execute(_EXPOSE, row)
                self._seal_other("exposure", row, 3)

    def _seal_other(self, table: str, row: Sequence[int | str], keys: int) -> None:
        self._rows.setdefault(table, {}).update(_sealed(row, keys))

    def tell(self, event: str, members: Members) -> None:
        """Write an audit row with these members; rows about a single action usually have a shorter form."""
        text = record(self._seq + 1, iso(self.now), event, members)
        self._audit(event, text, (None, None, None, None, canonical(members).decode()))

    def _audit(self, event: str, text: bytes, columns: tuple[int | str | bytes | None, ...]) -> None:
        self._seq += 1
        self._head = link(self._head, text)
        self.connection.execute(_AUDIT, (self._seq, self.now, event, *columns, self._head))

    def _put(self, line: RecordWrite, fresh: dict[int, CachedContent]) -> SealedState:
        told, content = line.record, cast("RowContent", line.content)
        self._puts += 1
        texts, short = self.shorthand.texts(told.arguments, told.plan), self.shorthand.short
        try:
            self.connection.execute(
                _PUT,
                (
                    told.key, content.run, content.index, told.state.value, told.marks.turn, self._back(told),
                    content.operation, content.time, self._share(content.origin), content.session, content.undo_of,
                    content.expires, content.digest, short(line.marks, texts), *texts, short(content.body, texts),
                ),
            )  # fmt: skip
        except sqlite3.IntegrityError as taken:
            raise Stale(f"{told.id} is in the journal already") from taken
        return self._seal_row(line, known_row(told, content, texts), fresh)

    def _advance(self, line: RecordWrite, fresh: dict[int, CachedContent]) -> SealedState:
        found = self._contents.compare(line, fresh)
        if isinstance(found, SameContent):
            self._move(_ADVANCE, line, found.known.texts, ())
            return self._seal_row(line, replace(found.known, turn=line.record.marks.turn), fresh)
        content, texts = found.content, self.shorthand.texts(line.record.arguments, line.record.plan)
        columns = (
            content.run, content.index, content.operation, content.time, self._share(content.origin),
            content.session, content.undo_of, content.expires, content.digest, *texts,
            self.shorthand.short(content.body, texts),
        )  # fmt: skip
        self._move(_REWRITE, line, texts, columns)
        return self._seal_row(line, known_row(line.record, content, texts), fresh, anew=True)

    def _move(self, statement: str, line: RecordWrite, texts: Texts, columns: tuple[Column, ...]) -> None:
        told = line.record
        marks = self.shorthand.short(line.marks, texts)
        new = (told.state.value, told.marks.turn, self._back(told), marks)
        if self.connection.execute(statement, (*new, *columns, told.key, line.before)).rowcount != 1:
            raise Stale

    def _seal_row(
        self, line: RecordWrite, row: CachedContent, fresh: dict[int, CachedContent], *, anew: bool = False
    ) -> SealedState:
        told = line.record
        fresh[told.key] = row
        state, turn = told.state.value, told.marks.turn
        return SealedState(told.id, state, turn, (row.seal + marks_seal(state, turn, line.marks)).hex(), anew)

    def _share(self, text: str) -> int:
        if text not in self._shared:
            new = self.connection.execute("INSERT OR IGNORE INTO shared (text) VALUES (?)", (text,)).rowcount
            (found,) = cast(
                "tuple[int]", self.connection.execute("SELECT id FROM shared WHERE text = ?", (text,)).fetchone()
            )
            if new:
                self._seal_other("shared", (found, text), 1)
            self._shared[text] = found
        return self._shared[text]


def _sealed(row: Sequence[int | str], keys: int) -> dict[str, Json]:
    """Return the key of a row, which is its first columns, and its seal."""
    key_text, row_seal = load("sayso.journal.sealed_tables:key_text"), load("sayso.journal.sealed_tables:row_seal")
    return {key_text(row[:keys]): row_seal(row)}


def _of_its_run(told: Record) -> bool:
    return bool(told.session) and told.session == told.run


def _end_of_chain(connection: sqlite3.Connection) -> tuple[int, bytes, int | None]:
    """Return the number and hash of the last audit row, and the value of `noted`."""
    found = connection.execute(f"{_HEAD} audit ORDER BY seq DESC LIMIT 1").fetchone()
    if found is None:
        found = connection.execute(f"{_HEAD} anchor ORDER BY seq DESC LIMIT 1").fetchone()
    return cast("tuple[int, bytes, int | None]", found)


def seal_tables(connection: sqlite3.Connection, now: int) -> None:
    """Write an audit row with the seals of all rows that an older journal had in tables beside the actions."""
    sealed = load("sayso.journal.sealed_tables:all_seals")(connection)
    if not sealed:
        return
    seq, head, _ = _end_of_chain(connection)
    members: Members = {"actions": [], "rows": sealed}
    event = "brought up to date"
    head = link(head, record(seq + 1, iso(now), event, members))
    connection.execute(_AUDIT, (seq + 1, now, event, None, None, None, None, canonical(members).decode(), head))
