"""Write the work of one or several callers in one transaction: rows, marks, and one audit row for each."""

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from sayso.core.canonical import Json, canonical
from sayso.core.errors import SetupError, Stale
from sayso.core.ids import action_id
from sayso.core.ports import Clock, KillPoint
from sayso.core.record import Grant, State
from sayso.journal.chain import Members, Sealed, link, record, record_of_one
from sayso.journal.moments import iso, micros
from sayso.journal.opening import as_setup
from sayso.journal.rows import Fixed, can_go_back, encoded, marks_seal
from sayso.journal.shorthand import Shorthand, Texts
from sayso.journal.work import Line, Work

_PUT = "INSERT INTO action VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADVANCE = "UPDATE action SET state = ?, turn = ?, back = ?, marks = ? WHERE key = ? AND turn = ?"
_REDACT = """UPDATE action SET state = ?, turn = ?, back = ?, marks = ?, a = ?, b = ?, c = ?, d = ?, body = ?
    WHERE key = ? AND turn = ?"""
FIXED = """SELECT key, run, idx, operation, time, shared.text, session, undo_of, expires, digest, body, a, b, c, d
    FROM action JOIN shared ON shared.id = origin"""
_AUDIT = "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_HEARD = "INSERT OR IGNORE INTO heard VALUES (?, ?)"
_REMEMBERED = 1024
"""Rows of which we know, having written them, what never changes of them; so nothing is read back."""


@dataclass(slots=True)
class _Known:
    turn: int
    texts: Texts
    seal: bytes


@dataclass
class Writer:
    """Writes through one connection; remembers what never changes of the rows it wrote last."""

    connection: sqlite3.Connection
    path: str
    shorthand: Shorthand
    clock: Clock
    kill: KillPoint
    _rows: dict[int, _Known] = field(default_factory=dict[int, _Known], init=False)
    _shared: dict[str, int] = field(default_factory=dict[str, int], init=False)
    _seq: int = field(default=0, init=False)
    _head: bytes = field(default=b"", init=False)
    now: int = field(default=0, init=False)
    """The moment of the transaction that is open."""

    def write(self, works: Sequence[Work]) -> Sequence[BaseException | None]:
        """Write all works into the transaction that is open, and commit; one that is stale fails alone."""
        fresh: dict[int, _Known] = {}
        try:
            self.start()
            failures = [self._alone(works[0], fresh)] if len(works) == 1 else [self._guarded(w, fresh) for w in works]
            if all(failures):
                self.give_up()
            else:
                self.finish()
                self._remember(fresh)
        except sqlite3.Error as error:
            self.give_up()
            return [as_setup(error, self.path) for _ in works]
        except BaseException:
            self.give_up()
            raise
        return failures

    def start(self) -> None:
        """Read where the chain stands: another process may have written since."""
        found = self.connection.execute("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
        if found is None:
            found = self.connection.execute("SELECT seq, hash FROM anchor ORDER BY seq DESC LIMIT 1").fetchone()
        self._seq, self._head = cast("tuple[int, bytes]", found)
        self.now = micros(self.clock.now())

    def finish(self) -> None:
        """Commit: after this it is durable, or an error is raised and nothing was written."""
        self.kill("journal.before_commit")
        self.connection.execute("COMMIT")
        self.kill("journal.after_commit")

    def give_up(self) -> None:
        """Take back what is not committed."""
        self._shared.clear()
        if self.connection.in_transaction:
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")

    def _alone(self, work: Work, fresh: dict[int, _Known]) -> Stale | None:
        try:
            self._one(work, fresh)
        except Stale as stale:
            return stale
        return None

    def _guarded(self, work: Work, fresh: dict[int, _Known]) -> Stale | None:
        seq, head, own = self._seq, self._head, dict(fresh)
        self.connection.execute("SAVEPOINT work")
        try:
            self._one(work, own)
        except Stale as stale:
            self.connection.execute("ROLLBACK TO work")
            self.connection.execute("RELEASE work")
            self._seq, self._head = seq, head
            self._shared.clear()
            return stale
        self.connection.execute("RELEASE work")
        fresh |= own
        return None

    def _one(self, work: Work, fresh: dict[int, _Known]) -> None:
        sealed = [self._put(line, fresh) if line.before is None else self._advance(line, fresh) for line in work.lines]
        if len(sealed) == 1 and work.grant is None and not sealed[0].redacted:
            one, key = sealed[0], work.lines[0].record.key
            text = record_of_one(self._seq + 1, iso(self.now), work.event, one)
            self._audit(work.event, text, (key, one.turn, one.state, bytes.fromhex(one.row), None))
            return
        members: dict[str, Json] = {"actions": [one.json() for one in sealed]}
        if work.grant is not None:
            members["grants"] = [self._permit(work.grant)]
        self.tell(work.event, members)

    def tell(self, event: str, members: Members) -> None:
        """Write an audit row whose members are not those of one action."""
        text = record(self._seq + 1, iso(self.now), event, members)
        self._audit(event, text, (None, None, None, None, canonical(members).decode()))

    def _audit(self, event: str, text: bytes, columns: tuple[int | str | bytes | None, ...]) -> None:
        self._seq += 1
        self._head = link(self._head, text)
        self.connection.execute(_AUDIT, (self._seq, self.now, event, *columns, self._head))

    def _put(self, line: Line, fresh: dict[int, _Known]) -> Sealed:
        told, content = line.record, cast("Fixed", line.content)
        texts, short = self.shorthand.texts(told.arguments, told.plan), self.shorthand.short
        try:
            self.connection.execute(
                _PUT,
                (
                    told.key, content.run, content.index, told.state.value, told.marks.turn, int(can_go_back(told)),
                    content.operation, content.time, self._share(content.origin), content.session, content.undo_of,
                    content.expires, content.digest, short(line.marks, texts), *texts, short(content.body, texts),
                ),
            )  # fmt: skip
        except sqlite3.IntegrityError as taken:
            raise Stale(f"{told.id} is in the journal already") from taken
        known = fresh[told.key] = _Known(told.marks.turn, texts, content.seal)
        return self._sealed(line, known)

    def _advance(self, line: Line, fresh: dict[int, _Known]) -> Sealed:
        told, content = line.record, line.content
        new = (told.state.value, told.marks.turn, int(can_go_back(told)))
        where = (told.key, line.before)
        if content is None:
            known = self._known(line, fresh)
            short = self.shorthand.short(line.marks, known.texts)
            self._moved(_ADVANCE, (*new, short, *where))
        else:
            texts = self.shorthand.texts(told.arguments, told.plan)
            known = _Known(told.marks.turn, texts, content.seal)
            short, body = self.shorthand.short(line.marks, texts), self.shorthand.short(content.body, texts)
            self._moved(_REDACT, (*new, short, *texts, body, *where))
        fresh[told.key] = _Known(told.marks.turn, known.texts, known.seal)
        return self._sealed(line, known)

    def _moved(self, statement: str, values: tuple[int | str | None, ...]) -> None:
        if self.connection.execute(statement, values).rowcount != 1:
            raise Stale

    def _sealed(self, line: Line, known: _Known) -> Sealed:
        told = line.record
        if told.state in {State.DONE, State.UNCHANGED} and told.operation:
            self.connection.execute(_HEARD, (told.session, told.operation))
        state, turn = told.state.value, told.marks.turn
        row = (known.seal + marks_seal(state, turn, line.marks)).hex()
        return Sealed(told.id, state, turn, row, redacted=line.content is not None and line.before is not None)

    def _known(self, line: Line, fresh: Mapping[int, _Known]) -> _Known:
        key = line.record.key
        known = fresh.get(key) or self._rows.get(key)
        if known is None or known.turn != line.before:
            # Somebody else wrote this turn, or it is long ago.
            found = self.connection.execute(FIXED + " WHERE key = ?", (key,)).fetchone()
            if found is None:
                raise Stale(f"{action_id(key)} is not in the journal")
            content, texts = content_of(found, self.shorthand)
            known = _Known(cast("int", line.before), texts, content.seal)
        return known

    def _remember(self, fresh: Mapping[int, _Known]) -> None:
        for key, known in fresh.items():
            self._rows.pop(key, None)
            self._rows[key] = known
        while len(self._rows) > _REMEMBERED:
            del self._rows[next(iter(self._rows))]

    def _share(self, text: str) -> int:
        if text not in self._shared:
            self.connection.execute("INSERT OR IGNORE INTO shared (text) VALUES (?)", (text,))
            (found,) = self.connection.execute("SELECT id FROM shared WHERE text = ?", (text,)).fetchone()
            self._shared[text] = cast("int", found)
        return self._shared[text]

    def _permit(self, grant: Grant) -> Json:
        uses, revoked = grant.uses, int(grant.revoked)
        body = encoded({
            "operation": grant.operation, "fixed": grant.fixed, "free": list(grant.free), "expires": grant.expires,
            "created": grant.created, "policy": grant.policy,
        })  # fmt: skip
        found = self.connection.execute(
            "SELECT uses, revoked, body FROM permission WHERE id = ?", (grant.id,)
        ).fetchone()
        if found is not None:
            # What was counted or revoked meanwhile stays so; what it permits never changes.
            known_uses, known_revoked, body = cast("tuple[int, int, str]", found)
            uses, revoked = max(uses, known_uses), max(revoked, known_revoked)
        self.connection.execute(
            "INSERT OR REPLACE INTO permission VALUES (?, ?, ?, ?)", (grant.id, uses, revoked, body)
        )
        return {"id": grant.id, "row": permission_seal(grant.id, uses, revoked, body)}


def permission_seal(name: str, uses: int, revoked: int, body: str) -> str:
    """Return the hash of a standing permission's row."""
    return hashlib.sha256(canonical([name, uses, revoked, body])).hexdigest()


def content_of(row: Sequence[object], shorthand: Shorthand) -> tuple[Fixed, Texts]:
    """Return the first fifteen columns of a row selected with `FIXED`, written out, and the row's own texts."""
    texts = cast("Texts", tuple(row[11:15]))
    columns = cast("tuple[int, int, int, str, int, str, str, int, int, bytes, str]", tuple(row[:11]))
    try:
        return Fixed(*columns[:10], shorthand.long(columns[10], texts)), texts
    except (TypeError, IndexError) as damaged:
        raise SetupError(f"the journal's row of {columns[0]} is damaged", "journal.damaged") from damaged
