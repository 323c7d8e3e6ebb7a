"""The client for hosted and local models: messages out, one stream of events back."""

import json
import re
from collections.abc import AsyncGenerator, Awaitable, Iterator
from contextlib import AsyncExitStack, aclosing
from typing import Literal, TypeVar

import anyio
from httpx2 import HTTPError, Timeout
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model as LibraryModel
from pydantic_ai.models import ModelRequestParameters, StreamedResponse, create_async_httpx2_client
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from sayso.core.conversation import Chunk, ConversationRequest, Message, ReplyEnd, ReplyText, ToolCall, ToolOffer
from sayso.core.errors import ProviderError
from sayso.core.lazy import load
from sayso.models.errors import Fault, fault, too_late
from sayso.models.vendors import ModelKey, ModelService


def messages(asked: ConversationRequest) -> list[ModelMessage]:
    """Return the whole conversation; consecutive turns of one side become one message."""
    found: list[ModelMessage] = []
    names = {call.call_id: call.name for turn in asked.turns for call in turn.calls}
    parts: list[ModelRequestPart] = [SystemPromptPart(_sendable(asked.system))] if asked.system else []
    for turn in asked.turns:
        if turn.role != "assistant":
            parts.append(_request_part(turn, names))
            continue
        if parts:
            found.append(ModelRequest(parts))
            parts = []
        found.append(ModelResponse(list(_response_parts(turn))))
    return [*found, ModelRequest(parts)] if parts else found


def parameters(asked: ConversationRequest) -> ModelRequestParameters:
    """Return what a model may do: answer with text, and call the tools."""
    return ModelRequestParameters(function_tools=[_tool(tool) for tool in asked.tools])


def _sendable(text: str) -> str:
    """Return a text that can be sent: lone surrogates, as in names of files that are not UTF-8, are replaced."""
    return text.encode("utf-8", "replace").decode()


def _request_part(turn: Message, names: dict[str, str]) -> ModelRequestPart:
    if turn.role == "tool":
        return ToolReturnPart(names[turn.answers], _sendable(turn.text), turn.answers)
    return UserPromptPart(_sendable(turn.text))


def _response_parts(turn: Message) -> Iterator[ModelResponsePart]:
    if turn.text:
        yield TextPart(_sendable(turn.text))
    for call in turn.calls:
        yield ToolCallPart(call.name, _sendable(call.arguments), call.call_id)


def _tool(tool: ToolOffer) -> ToolDefinition:
    # Not strict: that would change the schema, and the door of the path checks what comes anyway.
    return ToolDefinition(
        name=tool.name, parameters_json_schema=dict(tool.parameters), description=tool.description, strict=False
    )


_REASONS: dict[str, Literal["stop", "length", "tools", "refused"]] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "refused",
    "tool_call": "tools",
}
_FIRST_HALF = re.compile("[\ud800-\udbff]")


class BrokenReply(Exception):
    """A reply did not end properly."""

    def __init__(self, wrong: Exception | None = None) -> None:
        super().__init__()
        self.wrong = wrong
        """What the client library raised; None where what came is not what a model says, or only stopped coming."""


class ReplyCollector:
    """Collects one reply; its calls count only when the reply has ended properly."""

    def __init__(self, name: str, said: str, most: int) -> None:
        self._name = name
        self._said = said
        self._most = most
        self._bytes = 0
        self._half = ""
        """The first half of a character that came in two."""

    def receive(self, event: ModelResponseStreamEvent) -> Iterator[ReplyText]:
        """Yield the text of an event, if it has any.

        Raises `ProviderError` where the reply has become too long, and `BrokenReply` for what is no text.
        """
        match event:
            case PartStartEvent(part=TextPart(content=text)) | PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                yield from self._text(text)
            case PartStartEvent(part=ThinkingPart(content=text)):
                self._count(text)
            case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=text)):
                self._count(text or "")
            case PartStartEvent(part=ToolCallPart(args=arguments)):
                self._count(_argument_text(arguments))
            case PartDeltaEvent(delta=ToolCallPartDelta(args_delta=arguments)):
                self._count(_argument_text(arguments))
            case _:
                pass

    def end(self, stream: StreamedResponse) -> Iterator[Chunk]:
        """Yield the calls of a reply that has ended, and its end. Raises `BrokenReply` if it stopped without an end."""
        reason = _reason(stream)
        if self._half:
            yield ReplyText(_whole_characters(self._half))
        if reason != "refused":
            calls = [part for part in stream.get().parts if isinstance(part, ToolCallPart)]
            yield from _tool_calls(calls, cut=reason == "length")
        usage = stream.usage
        heard = usage.input_tokens or usage.output_tokens
        yield ReplyEnd(
            self._name, reason, usage.input_tokens if heard else None, usage.output_tokens if heard else None
        )

    def _text(self, text: object) -> Iterator[ReplyText]:
        if not isinstance(text, str):
            raise BrokenReply
        self._count(text)
        text = self._half + text
        self._half = text[-1:] if _FIRST_HALF.fullmatch(text[-1:]) else ""
        if text := _whole_characters(text.removesuffix(self._half) if self._half else text):
            yield ReplyText(text)

    def _count(self, text: str) -> None:
        self._bytes += len(text.encode("utf-8", "surrogatepass"))
        if self._bytes > self._most:
            raise ProviderError(
                f"the reply of {self._said} is longer than {self._most} bytes, the most that is read "
                "(`[limits] reply_bytes`), so it was stopped; ask for less at once",
                "limit.reply",
            )


def _reason(stream: StreamedResponse) -> Literal["stop", "length", "tools", "refused"]:
    if stream.finish_reason in _REASONS:
        return _REASONS[stream.finish_reason]
    if stream.finish_reason is None and (stream.provider_details or {}).get("finish_reason"):
        return "stop"  # a server with a reason of its own, which nobody else has
    raise BrokenReply


def _tool_calls(calls: list[ToolCallPart], *, cut: bool) -> Iterator[ToolCall]:
    """Yield the calls, without an incomplete last one if the reply was cut."""
    for number, call in enumerate(calls, 1):
        arguments = _argument_text(call.args)
        if cut and number == len(calls) and not _whole(arguments):
            return
        yield ToolCall(call.tool_call_id, call.tool_name, arguments or "{}")


def _argument_text(arguments: object) -> str:
    if arguments is None:
        return ""
    return _whole_characters(arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False))


def _whole_characters(text: str) -> str:
    """Return a text with surrogate pairs joined, and lone halves replaced by a mark."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _whole(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except ValueError:
        return False


T = TypeVar("T")
_FORESEEN = (AgentRunError, HTTPError, ValueError, TypeError, AttributeError, LookupError)
"""The errors that the client library raises for answers of a server; the last four are for unexpected ones."""
_ONCE = ModelSettings(max_retries=0)
"""The library asks once; whether to ask again is decided here."""


class _Time:
    """The time limit of one reply; only time spent waiting for the model counts."""

    def __init__(self, service: ModelService) -> None:
        self._service = service
        self.left = service.patience.whole

    async def spent(self, waiting: Awaitable[T]) -> T:
        """Wait for something within the time that is left. Raises `ProviderError` when it is over, or `BrokenReply`."""
        began = anyio.current_time()
        try:
            with anyio.fail_after(max(self.left, 0)):
                return await waiting
        except TimeoutError:
            raise too_late(self._service) from None
        except _FORESEEN as wrong:
            raise BrokenReply(wrong) from None
        finally:
            self.left -= anyio.current_time() - began


class Hosted:
    """A model behind an address. Each reply has a connection of its own, which closes with it."""

    def __init__(self, service: ModelService) -> None:
        self.name = service.named.full
        self._service = service

    async def stream(self, asked: ConversationRequest) -> AsyncGenerator[Chunk]:
        """Yield the reply; before it begins, failures that may pass are retried."""
        key = await self._service.key()
        patience = self._service.patience
        time = _Time(self._service)
        pause = patience.pause
        for tries in range(1, patience.tries + 1):
            begun = False
            try:
                async with aclosing(self._once(asked, key, time)) as chunks:
                    async for chunk in chunks:
                        begun = True
                        yield chunk
            except BrokenReply as broke:
                found = fault(broke.wrong, self._service, key, begun=begun)
            else:
                return
            wait = max(pause, found.after)
            if begun or tries == patience.tries or not self._may_wait(found, wait, time):
                raise found.error
            await time.spent(anyio.sleep(wait))
            pause *= 2

    def _may_wait(self, found: Fault, wait: float, time: _Time) -> bool:
        return found.again and wait < time.left and found.after <= self._service.patience.longest_pause

    async def _once(self, asked: ConversationRequest, key: ModelKey, time: _Time) -> AsyncGenerator[Chunk]:
        """Yield the reply of one try. Raises `BrokenReply`."""
        service = self._service
        reply = ReplyCollector(self.name, service.said, service.reply_bytes)
        connect = service.patience.connect
        # Four equal limits would be taken for limits that nobody set.
        limits = Timeout(service.patience.silent, connect=connect, pool=connect + 1)
        # No redirect is followed: neither the key nor the person's words are meant for where it leads.
        async with create_async_httpx2_client(timeout=limits) as client, AsyncExitStack() as stack:
            model: LibraryModel = load(service.named.vendor.made_by)(service, key, client)
            asking = model_request_stream(
                model,
                messages(asked),
                model_settings=_ONCE,
                model_request_parameters=parameters(asked),
                instrument=False,
            )
            heard = await time.spent(stack.enter_async_context(asking))
            events = aiter(heard)
            while (event := await time.spent(anext(events, None))) is not None:
                for said in reply.receive(event):
                    yield said
            for chunk in reply.end(heard):
                yield chunk
