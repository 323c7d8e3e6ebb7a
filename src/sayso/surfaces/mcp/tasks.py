"""Tasks, an extension of the protocol: what waits for the person is a task to a program that knows tasks.

A task is an action in the journal, so it outlives connections and restarts, and only the agent that proposed the action
can look at it. Nothing that a program says about a task decides for the person; it can only take the action back.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.requests import Request

from sayso.core.quotes import quoted
from sayso.core.record import Record, State
from sayso.runtime.results import Outcome
from sayso.surfaces.mcp.calls import OPEN, Calls

Context = ServerRequestContext[Any, Any]
Taken = Callable[[Calls, Outcome], dict[str, Any]]
"""Returns the result of a call that is over as it stands in an answer."""

EXTENSION = "io.modelcontextprotocol/tasks"
LOOK_AGAIN = 2000
"""How many milliseconds a program should let pass between two looks."""
_WITHDRAWN = "call.withdrawn"


class TaskParams(types.RequestParams):
    """What a request about a task says."""

    task_id: str


def knows_tasks(context: Context) -> bool:
    """Return whether the program that sent a request says that it knows tasks."""
    can = context.session.client_capabilities
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS and EXTENSION in ((can and can.extensions) or {})


def created(outcome: Outcome) -> dict[str, Any]:
    """Return the answer to a call whose action has not ended."""
    return {"resultType": "task", **_state(outcome.record)}


def _state(record: Record) -> dict[str, Any]:
    status = "working" if record.state in OPEN else "cancelled" if record.marks.code == _WITHDRAWN else "completed"
    state: dict[str, Any] = {
        "taskId": record.id,
        "status": status,
        "createdAt": record.time,
        "lastUpdatedAt": record.marks.ended_at or record.marks.decided_at or record.time,
        "ttlMs": None,
        "pollIntervalMs": LOOK_AGAIN,
    }
    if record.state is State.WAITING:
        state["statusMessage"] = f"The person decides on their own terminal or page: sayso approve {record.id}"
    return state


def serve_tasks(server: Server[Any], found: Callable[[Context], Calls], taken: Taken) -> None:
    """Let a server answer requests about tasks, from programs that say that they know them."""

    async def get(context: Context, asked: TaskParams) -> dict[str, Any]:
        calls = found(context)
        outcome = await _mine(calls, context, asked)
        state = _state(outcome.record)
        return {**state, "result": taken(calls, outcome)} if state["status"] == "completed" else state

    async def cancel(context: Context, asked: TaskParams) -> dict[str, Any]:
        calls = found(context)
        outcome = await _mine(calls, context, asked)
        if outcome.record.state in OPEN:
            await calls.withdraw(outcome.record.id)
        return {}

    async def update(context: Context, asked: TaskParams) -> dict[str, Any]:
        """Take note of nothing: sayso asks for no input within a task."""
        await _mine(found(context), context, asked)
        return {}

    methods: Mapping[str, Callable[[Context, TaskParams], Awaitable[dict[str, Any]]]] = {
        "tasks/get": get,
        "tasks/cancel": cancel,
        "tasks/update": update,
    }
    for name, method in methods.items():
        server.add_request_handler(name, TaskParams, method)
    server.extensions[EXTENSION] = {}


async def _mine(calls: Calls, context: Context, asked: TaskParams) -> Outcome:
    """Return the action of a task. Raises `MCPError` if the agent has none like it, or its program knows no tasks."""
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found", context.method)
    if not knows_tasks(context):
        needs: dict[str, Any] = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, f"this needs the extension {EXTENSION}", needs)
    request = cast("Request | None", context.request)
    named = request.headers.get("mcp-name") if request is not None else None
    if named is not None and named != asked.task_id:
        raise MCPError(types.HEADER_MISMATCH, "the header Mcp-Name names another task than the request")
    outcome = await calls.home.outcome(asked.task_id)
    if outcome is None or not calls.is_mine(outcome.record):
        raise MCPError(types.INVALID_PARAMS, f"there is no task {quoted(asked.task_id[:80])} of yours")
    return outcome
