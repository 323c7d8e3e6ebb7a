"""Write what is asked as the client library has it: messages, and the tools that may be called."""

from collections.abc import Iterator

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from sayso.core.model import Asked, Offered, Turn


def messages(asked: Asked) -> list[ModelMessage]:
    """Return the whole conversation; what one side said in a row is one message."""
    found: list[ModelMessage] = []
    names = {call.call_id: call.name for turn in asked.turns for call in turn.calls}
    parts: list[ModelRequestPart] = [SystemPromptPart(_sendable(asked.system))] if asked.system else []
    for turn in asked.turns:
        if turn.role != "assistant":
            parts.append(_requested(turn, names))
            continue
        if parts:
            found.append(ModelRequest(parts))
            parts = []
        found.append(ModelResponse(list(_answered(turn))))
    return [*found, ModelRequest(parts)] if parts else found


def parameters(asked: Asked) -> ModelRequestParameters:
    """Return what a model may do: answer in text, and call the tools."""
    return ModelRequestParameters(function_tools=[_tool(tool) for tool in asked.tools])


def _sendable(text: str) -> str:
    """Return a text as it can be sent: names of files that are not UTF-8 have characters that cannot."""
    return text.encode("utf-8", "replace").decode()


def _requested(turn: Turn, names: dict[str, str]) -> ModelRequestPart:
    if turn.role == "tool":
        return ToolReturnPart(names[turn.answers], _sendable(turn.text), turn.answers)
    return UserPromptPart(_sendable(turn.text))


def _answered(turn: Turn) -> Iterator[ModelResponsePart]:
    if turn.text:
        yield TextPart(_sendable(turn.text))
    for call in turn.calls:
        yield ToolCallPart(call.name, _sendable(call.arguments), call.call_id)


def _tool(tool: Offered) -> ToolDefinition:
    # Not strict: that would change the schema, and the door of the path checks what comes anyway.
    return ToolDefinition(
        name=tool.name, parameters_json_schema=dict(tool.parameters), description=tool.description, strict=False
    )
