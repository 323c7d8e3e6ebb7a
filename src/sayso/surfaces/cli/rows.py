"""Write rows of the journal as a table that fits a narrow screen."""

from collections.abc import Sequence
from datetime import datetime

from sayso.core.record import Record
from sayso.surfaces.cli.layout import columns, one_line
from sayso.surfaces.cli.outcomes import SIGNS


def table(records: Sequence[Record], width: int) -> list[str]:
    """Return two lines a row: when, what became of it and its id; then what it is about."""
    return [line for record in records for line in _row(record, width)]


def _row(record: Record, width: int) -> tuple[str, str]:
    state = f"{SIGNS[record.state]} {record.state.value}"
    first = f"{moment(record.time)}  {state:<12} {record.operation or 'not understood':<18} {record.id}"
    return (one_line(first, width), "    " + one_line(about(record), width - 4))


def about(record: Record) -> str:
    """Return what an action is about, in one sentence."""
    summary = str(record.plan["summary"]) if record.plan else record.marks.message or record.said
    error = record.marks.error
    if error:
        return error if summary in error else f"{error} ({summary})"
    return summary or str(record.operation)


def moment(text: str) -> str:
    """Return a time of the journal as the person's clock shows it, to the second."""
    return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def fits(lines: Sequence[str], width: int) -> bool:
    """Say whether all lines fit."""
    return all(columns(line) <= width for line in lines)
