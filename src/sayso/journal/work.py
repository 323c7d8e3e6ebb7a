"""What one caller wants written together, made ready before its turn comes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sayso.core.ports import Advance, Put
from sayso.core.record import Grant, Record
from sayso.journal.redaction import redacted
from sayso.journal.rows import LIVE, Fixed, fixed, marks_text


@dataclass(frozen=True, slots=True)
class Line:
    """One row to write: new when `before` is None, else one that must still be in turn `before`."""

    record: Record
    marks: str
    before: int | None
    content: Fixed | None
    """What never changes; None when that stands in the row already."""


@dataclass(frozen=True, slots=True)
class Work:
    """What one caller wants written together, and told in one audit row."""

    event: str
    lines: Sequence[Line] = ()
    grant: Grant | None = None

    @property
    def redacts(self) -> bool:
        """Say whether something written before is written over."""
        return any(line.content is not None and line.before is not None for line in self.lines)


def work_of(changes: Iterable[Put | Advance], event: str, redact: Sequence[str]) -> Work:
    """Return what to write for these changes; what an ended action must not keep is redacted."""
    return Work(event, [_line(change, redact) for change in changes])


def _line(change: Put | Advance, redact: Sequence[str]) -> Line:
    told = change.record
    if redact and told.state not in LIVE:
        told = redacted(told, redact)
    new = isinstance(change, Put)
    before = None if new else told.marks.turn - 1
    if not new and told is change.record:
        return Line(told, marks_text(told.marks), before, None)
    return Line(told, marks_text(told.marks), before, fixed(told))
