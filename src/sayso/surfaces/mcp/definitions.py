"""How the tools are described to an agent: names, titles, schemas, and hints about what they may do at worst."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import mcp_types as types

from sayso.core.operation import Operation
from sayso.core.record import State
from sayso.dialects.tool_schemas import Schema, schemas
from sayso.dialects.tools import tool_of
from sayso.dialects.vocabulary import open_name
from sayso.surfaces.mcp.calls import OUTCOME

ADDS = frozenset(
    {
        "file.mkdir", "file.append", "notify.show", "speech.say", "mail.compose", "mail.save_attachment",
        "calendar.create_event", "reminder.create", "note.create", "note.append", "task.add", "task.add_subtask",
        "task.add_all", "habit.add", "habit.log", "chat.add_message", "log.write", "app.open", "app.activate",
        "tab.switch", "mail.star", "mail.add_label", "file.open",
    }
)  # fmt: skip
"""Operations that change something, but take nothing away of what was there before."""
_OTHERS_WORLD = frozenset({"tabs", "mail", "web"})
"""Stores in which strangers have a hand."""
_NULLABLE_TEXT = {"type": ["string", "null"]}
RESULT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "The id of the action."},
        "state": {"type": "string", "enum": [state.value for state in State]},
        "success": {"type": "boolean"},
        "message": _NULLABLE_TEXT,
        "error": _NULLABLE_TEXT,
        "code": _NULLABLE_TEXT,
        "data": {"type": "object", "description": "What the operation returned."},
        "undo": {"type": ["string", "null"], "description": "The id with which the person can take this back."},
        "note": {"type": ["string", "null"], "description": "What must be known of the data."},
    },
    "required": ["id", "state", "success", "message", "error", "code", "data", "undo", "note"],
}
"""The schema of every result: the data of an operation depends on what it found."""


def tools_for(operations: Sequence[Operation], tools: str) -> list[types.Tool]:
    """Return the tools for these operations: one for each (`all`), or the two of S1 (`s1`); and the one for outcomes.

    The result may be shared, and must not be changed.
    """
    return [*_cached(tuple(operations), tools)]


@lru_cache(maxsize=4)
def _cached(operations: tuple[Operation, ...], tools: str) -> tuple[types.Tool, ...]:
    made = _two(operations) if tools == "s1" else map(_tool, operations)
    return (*made, OUTCOME_TOOL)


def _tool(operation: Operation) -> types.Tool:
    """Return the tool that is one operation; what a wrapped server answers is forwarded and has no schema here."""
    return types.Tool(
        name=open_name(operation.id),
        title=title(operation.id),
        description=f"{operation.summary}.",
        input_schema=operation.schema,
        output_schema=None if operation.stores == ("mcp",) else RESULT,
        annotations=hints([operation]),
    )


def title(id_: str) -> str:
    """Return the name of an operation as a person reads it in a list, such as “Mail: mark read”."""
    group, _, verb = id_.partition(".")
    return f"{group.capitalize()}: {verb.replace('_', ' ')}"


def hints(operations: Sequence[Operation]) -> types.ToolAnnotations:
    """Return what a tool that may do any of these operations may do at worst."""
    reads = all(one.kind == "read" for one in operations)
    return types.ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=any(one.kind != "read" and one.id not in ADDS for one in operations),
        idempotent_hint=reads,
        open_world_hint=any(_meets_strangers(one) for one in operations),
    )


def _meets_strangers(one: Operation) -> bool:
    return one.outside or one.kind == "external" or not _OTHERS_WORLD.isdisjoint(one.stores)


def _two(operations: tuple[Operation, ...]) -> Iterator[types.Tool]:
    """Yield the two tools of S1, as far as an operation of theirs works here."""
    known = {one.id: one for one in operations}
    for schema in schemas(operations, "mcp"):
        name = str(schema["name"])
        tool = tool_of(name)
        if tool is not None:
            served = [known[keyed.operation] for keyed in tool.actions.names if keyed.operation in known]
            yield types.Tool(
                name=name,
                title=tool.about,
                description=str(schema["description"]),
                input_schema=cast("Schema", schema["inputSchema"]),
                output_schema=RESULT,
                annotations=hints(served),
            )


def input_schema(operations: Mapping[str, Operation], name: str) -> Mapping[str, Any] | None:
    """Return the schema of the arguments of the tool that is one operation; None for any other name."""
    operation = operations.get(name)
    return None if operation is None else operation.schema


OUTCOME_TOOL = types.Tool(
    name=OUTCOME,
    title="What became of an action",
    description="Tell what became of an action that waited for the person.",
    input_schema={
        "type": "object",
        "properties": {"id": {"type": "string", "description": "The id of the action, such as do_…"}},
        "required": ["id"],
        "additionalProperties": False,
    },
    output_schema=RESULT,
    annotations=types.ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
)
