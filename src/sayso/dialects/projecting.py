"""Give each result back in the shape of the dialect that the model wrote in (X-03, T-44)."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from sayso.core.canonical import Json
from sayso.core.operation import Operation
from sayso.dialects.actions.envelope import OPERATION as TEMPLATE
from sayso.dialects.renaming import name_in
from sayso.dialects.saying import line_of, spoken

Row = Mapping[str, Json]
"""One result as `sayso run --json` prints it, with `said`: what the model wrote, where nothing came of it."""
Operations = Mapping[str, Operation]

_APPLIED = frozenset({"done", "undone"})
_NEITHER = frozenset({"unchanged", "waiting", "running", "unknown", "planned"})
"""Of these nobody can say that they failed, nor that they were applied; what changes nothing is dropped (T-70)."""
_NO_SUCH = re.compile("there is no (?:command|type) “([^”]+)”")
_LINE_END = re.compile(r"\r\n|\r|\n")
_FOLLOWING = ("suggestedActions", "refreshInbox")


def projected(dialect: str, rows: Sequence[Row], operations: Operations) -> list[dict[str, Json]]:
    """Return what the model is given back of each result, in order; a chat reply has blocks and actions in it."""
    return [_shape(dialect, row)(row, operations) for row in rows]


def _shape(dialect: str, row: Row) -> Callable[[Row, Operations], dict[str, Json]]:
    if row["operation"] == TEMPLATE and dialect not in {"lines", "tools", "commands"}:
        return _action
    return _SHAPES.get(dialect, _block)


def _line(row: Row, operations: Operations) -> dict[str, Json]:
    operation = operations.get(str(row["operation"]))
    command = _first_line(_said(row)) if operation is None else line_of(operation, _arguments(row))
    return {"command": command or row["operation"], **_result(row)}


def _call(row: Row, operations: Operations) -> dict[str, Json]:
    return {"success": row["success"], "output": _output(row) if row["success"] else None, "error": row["error"]}


def _block(row: Row, operations: Operations) -> dict[str, Json]:
    state = row["state"]
    failed = state not in _APPLIED and state not in _NEITHER
    return {
        "type": _name("blocks", row, operations),
        "applied": state in _APPLIED,
        "failed": failed,
        "message": row["message"],
        "error": row["error"],
        "undo": row["undo"],
    }


def _action(row: Row, operations: Operations) -> dict[str, Json]:
    data = dict(_data(row))
    following = {key: data.pop(key) for key in _FOLLOWING if key in data}
    message = row["message"] if row["success"] else row["error"]
    return {"success": row["success"], "message": message, **({"data": data} if data else {}), **following}


def _command(row: Row, operations: Operations) -> dict[str, Json]:
    result = _result(row)
    error = result.pop("error")
    return {"type": _name("commands", row, operations), **result, "data": dict(_data(row)) or None, "error": error}


_SHAPES: Mapping[str, Callable[[Row, Operations], dict[str, Json]]] = MappingProxyType(
    {"lines": _line, "tools": _call, "blocks": _block, "actions": _action, "commands": _command}
)


def _result(row: Row) -> dict[str, Json]:
    return {key: row[key] for key in ("success", "message", "error")}


def _name(dialect: str, row: Row, operations: Operations) -> Json:
    """Return the dialect's own name; the canonical one where it has none, what was written where there is no such."""
    operation = operations.get(str(row["operation"]))
    if operation is None:
        return row["operation"] or _written(dialect, row) or None
    words = spoken(dialect, operation, _arguments(row))
    return row["operation"] if words is None else words.name


def _written(dialect: str, row: Row) -> str:
    # Of a long text not all is kept, and then the sentence alone still has the name.
    named = _NO_SUCH.match(str(row["error"]))
    return name_in(dialect, _said(row))[0] or (named.group(1) if named else "")


def _said(row: Row) -> str:
    return str(row.get("said") or "")


def _first_line(said: str) -> str:
    return _LINE_END.split(said, maxsplit=1)[0]


def _output(row: Row) -> Json:
    """Return text for the model: what a read found, else the confirmation of a write (S1-32, S1-33)."""
    if row.get("text"):
        return row["text"]
    data = _data(row)
    reads = row["plan"] is None and data
    return json.dumps(dict(data), ensure_ascii=False) if reads else row["message"]


def _data(row: Row) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", row["data"])


def _arguments(row: Row) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", row["arguments"])
