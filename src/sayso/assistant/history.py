"""What a model is told of what sayso did last, when it answers a question (S4-36)."""

from sayso.core.canonical import Json
from sayso.core.context import Piece
from sayso.core.ports import Journal, Query
from sayso.core.record import Record

MOST = 10


async def history(journal: Journal) -> Piece:
    """Return the last actions, newest first, each with what became of it."""
    rows: list[Json] = [_row(record) for record in await journal.query(Query(limit=MOST))]
    return Piece("history", "What sayso was last asked to do, newest first.", rows, for_queries=True)


def _row(record: Record) -> dict[str, Json]:
    said = record.marks.message or record.marks.error
    summary = record.plan.get("summary") if record.plan else None
    return {
        "time": record.time,
        "operation": record.operation,
        "state": record.marks.state.value,
        "said": summary or said,
    }
