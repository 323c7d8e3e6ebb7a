"""What is known of a row's content before it is written again: from having written it, or from reading it once."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import cast

from sayso.core.errors import SetupError, Stale
from sayso.core.ids import action_id
from sayso.core.record import Record
from sayso.journal.rows import Fixed, fixed
from sayso.journal.shorthand import Shorthand, Texts
from sayso.journal.work import Line

ROWS = """SELECT key, run, idx, operation, time, shared.text, session, undo_of, expires, digest, body, a, b, c, d,
    state, turn, marks, back FROM action JOIN shared ON shared.id = origin"""
_REMEMBERED = 1024
"""Rows that this process wrote last; nothing of these is read back."""
_LONG = 16384
"""The content of longer rows is not held in memory."""
_content = attrgetter(*(field.name for field in fields(Record) if field.name != "marks"))


@dataclass(frozen=True, slots=True)
class Known:
    """A row's content in one turn. `record` is None when it is too long to be held."""

    turn: int
    texts: Texts
    seal: bytes
    record: Record | None = None


@dataclass(frozen=True, slots=True)
class Same:
    """The row holds this content already."""

    known: Known


@dataclass(frozen=True, slots=True)
class Other:
    """The row holds something else: it was planned, judged or redacted since."""

    content: Fixed


@dataclass
class Contents:
    """Compares what is to be written with what stands in the rows."""

    connection: sqlite3.Connection
    shorthand: Shorthand
    _rows: dict[int, Known] = field(default_factory=dict[int, Known], init=False)

    def compared(self, line: Line, fresh: Mapping[int, Known]) -> Same | Other:
        """Say whether the row of an advance has its content already; `fresh` is what this transaction wrote.

        Raises `Stale` when the row has moved on, and `SetupError` when somebody changed it without a turn.
        """
        told = line.record
        known = fresh.get(told.key) or self._rows.get(told.key)
        if known is None or known.turn != line.before:
            known, remembered = self._read(line), False
        elif known.record is not None and _content(known.record) == _content(told):
            return Same(known)
        else:
            remembered = True
        content = fixed(told)
        if content.seal == known.seal:
            return Same(known)
        if remembered and self._read(line).seal != known.seal:
            raise SetupError(
                f"{told.id} was changed in the journal by something other than sayso, so nothing was done; "
                "`sayso log verify` says more",
                "journal.damaged",
            )
        return Other(content)

    def remember(self, fresh: Mapping[int, Known]) -> None:
        """Take note of what was committed."""
        for key, known in fresh.items():
            self._rows.pop(key, None)
            self._rows[key] = known
        while len(self._rows) > _REMEMBERED:
            del self._rows[next(iter(self._rows))]

    def _read(self, line: Line) -> Known:
        key = line.record.key
        found = self.connection.execute(ROWS + " WHERE key = ?", (key,)).fetchone()
        if found is None:
            raise Stale(f"{action_id(key)} is not in the journal")
        if found[16] != line.before:
            raise Stale
        content, texts = content_of(found, self.shorthand)
        return Known(found[16], texts, content.seal)


def known(record: Record, content: Fixed, texts: Texts) -> Known:
    """Return what is known of a row that was just written."""
    return Known(record.marks.turn, texts, content.seal, record if len(content.body) <= _LONG else None)


def content_of(row: Sequence[object], shorthand: Shorthand) -> tuple[Fixed, Texts]:
    """Return the content of a row selected with `ROWS`, written out, and the row's own texts."""
    texts = cast("Texts", tuple(row[11:15]))
    columns = cast("tuple[int, int, int, str, int, str, str, int, int, bytes, str]", tuple(row[:11]))
    try:
        return Fixed(*columns[:10], shorthand.long(columns[10], texts)), texts
    except (TypeError, IndexError) as damaged:
        raise SetupError(f"the journal's row of key {columns[0]} is damaged", "journal.damaged") from damaged
