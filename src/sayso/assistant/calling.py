"""The tools that a model may call, and what it is told of each call (S1-32, S1-33)."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from sayso.core.canonical import Json
from sayso.core.fence import fenced
from sayso.core.model import Called, Offered, Turn
from sayso.core.operation import Operation
from sayso.dialects.feedback import Note
from sayso.dialects.tools.answering import answer
from sayso.dialects.tools.progress import arguments_of, progress
from sayso.dialects.tools.schemas import schemas
from sayso.runtime.outcome import Report
from sayso.runtime.results import result_json

DIALECT = "tools"


def offered(operations: Sequence[Operation]) -> tuple[Offered, ...]:
    """Return the tools that a model may call."""
    return tuple(
        Offered(str(one["name"]), str(one["description"]), cast("Mapping[str, Json]", one["inputSchema"]))
        for one in schemas(operations, "mcp")
    )


def line(call: Called, operations: Sequence[Operation]) -> str:
    """Say in words what a call is doing (S1-59, S1-60)."""
    return progress(call.name, arguments_of(call.arguments), {operation.id: operation for operation in operations})


def written(calls: Sequence[Called]) -> str:
    """Return calls as the tools dialect reads them; their arguments stay the text that the model wrote."""
    made = [
        {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in calls
    ]
    return json.dumps(made, ensure_ascii=False) if made else ""


def answers(
    calls: Sequence[Called], report: Report, given: Sequence[Mapping[str, Json]], notes: Sequence[Note]
) -> list[Turn]:
    """Return the turn that answers each call; what was found stands in it as data (X-08)."""
    by_index = {note.index: note for note in notes}
    turns: list[Turn] = []
    for number, call in enumerate(calls):
        at = min(number, len(report.outcomes) - 1)  # a whole that was refused has one outcome for all
        said = answer(result_json(report.outcomes[at]), given[at], by_index.get(at))
        turns.append(Turn("tool", fenced("result", said), answers=call.call_id))
    return turns
