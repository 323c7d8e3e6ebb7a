"""What one caller wants written together, made ready before its turn comes."""

from collections.abc import Iterable, Sequence

from sayso.core.grant import Grant
from sayso.core.ports import Advance, Put, Use
from sayso.core.record import Record
from sayso.core.values import dataclass
from sayso.journal.redaction import redacted
from sayso.journal.rows import LIVE, Fixed, fixed, marks_text


@dataclass(frozen=True, slots=True)
class Line:
    """One row to write: new when `before` is None, else one that must still be in turn `before`."""

    record: Record
    marks: str
    before: int | None
    content: Fixed | None
    """Of a new row; that of an older one stands there already, as a rule."""
    redacts: bool = False
    """Something of it is redacted now."""


@dataclass(frozen=True, slots=True)
class Work:
    """What one caller wants written together, and told in one audit row."""

    event: str
    lines: Sequence[Line] = ()
    grant: Grant | None = None
    uses: Sequence[Use] = ()

    @property
    def redacts(self) -> bool:
        """Say whether something that was written before may be written over."""
        return any(line.redacts and line.before is not None for line in self.lines)


def work_of(changes: Iterable[Put | Advance | Use], event: str, redact: Sequence[str]) -> Work:
    """Return what to write for these changes; what an ended action must not keep is redacted."""
    lines: list[Line] = []
    uses: list[Use] = []
    for change in changes:
        if isinstance(change, Use):
            uses.append(change)
        else:
            lines.append(_line(change, redact))
    return Work(event, lines, uses=uses)


def _line(change: Put | Advance, redact: Sequence[str]) -> Line:
    told = change.record
    if redact and told.state not in LIVE:
        told = redacted(told, redact)
    before, content = (None, fixed(told)) if isinstance(change, Put) else (told.marks.turn - 1, None)
    return Line(told, marks_text(told.marks), before, content, told is not change.record)
