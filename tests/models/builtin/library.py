"""The built-in rules as a model of the client library, so that what they say can be compared with any other model."""

from collections.abc import AsyncIterator

from msgspec.structs import replace
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from sayso.core.conversation import ConversationRequest
from sayso.models.builtin.model import NAME, BuiltIn, BuiltInReply


def as_library_model(rules: BuiltIn, around: ConversationRequest) -> FunctionModel:
    """Return a model of the client library that answers with the built-in rules.

    A prompt of the library is only text, so the context, the operations and the dialect are taken from `around`. The
    rules answer the person's last message in the prompt.
    """

    def answer(messages: list[ModelMessage]) -> BuiltInReply:
        return rules.reply(replace(around, words=_words(messages) or around.words))

    async def answer_at_once(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        reply = answer(messages)
        calls = [ToolCallPart(call.name, call.arguments, call.call_id) for call in reply.calls]
        return ModelResponse([*([TextPart(reply.text)] if reply.text else []), *calls])

    async def pieces(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        reply = answer(messages)
        if reply.text:
            yield reply.text
        for at, call in enumerate(reply.calls):
            yield {at: DeltaToolCall(name=call.name, json_args=call.arguments, tool_call_id=call.call_id)}

    return FunctionModel(answer_at_once, stream_function=pieces, model_name=NAME)


def _words(messages: list[ModelMessage]) -> str:
    """Return the person's last message; empty if there is none."""
    prompts = [
        part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart) and isinstance(part.content, str)
    ]
    return prompts[-1] if prompts else ""
