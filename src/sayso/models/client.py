"""The client for hosted and local models: it sends a conversation, and returns the reply as a stream of chunks."""

import json
import re
from collections.abc import AsyncGenerator, Awaitable, Iterator
from contextlib import AsyncExitStack, aclosing
from typing import Literal, TypeVar

import anyio
from httpx2 import AsyncClient, HTTPError, Timeout
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
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from sayso.core.conversation import (
    Chunk,
    ConversationRequest,
    Message,
    ReplyDelayed,
    ReplyEnd,
    ReplyText,
    ToolCall,
    ToolOffer,
)
from sayso.core.errors import ProviderError
from sayso.core.lazy import load
from sayso.models.errors import Fault, fault, too_late
from sayso.models.vendors import ModelKey, ModelService


def messages(asked: ConversationRequest) -> list[ModelMessage]:
    """Return the conversation as messages of the client library; all turns between two replies become one request."""
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
    """Return the request's parameters: the model may answer with text, and may call the offered tools."""
    return ModelRequestParameters(function_tools=[_tool(tool) for tool in asked.tools])


def _sendable(text: str) -> str:
    """Return the text as valid UTF-8; a lone surrogate, as in file names that are not UTF-8, becomes “?”."""
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
    # Not strict, because strict mode would change the schema. sayso itself checks the arguments of every call.
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
    """The reply broke off or could not be read; `fault` makes an error for the person from this."""

    def __init__(self, wrong: Exception | None = None) -> None:
        super().__init__()
        self.wrong = wrong
        """The error of the client library; None if the reply was malformed, or stopped without an error."""


class ReplyCollector:
    """Collects one reply from the library's events; tool calls are returned only if the reply ended properly."""

    def __init__(self, name: str, said: str, most: int) -> None:
        self._name = name
        self._said = said
        self._most = most
        self._bytes = 0
        self._half = ""
        """The first half of a surrogate pair that was split between two events; empty if there is none."""

    def receive(self, event: ModelResponseStreamEvent) -> Iterator[ReplyText]:
        """Yield the text of an event, if it has any.

        Raises `ProviderError` if the reply has become too long, and `BrokenReply` if its text is not a string.
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
        """Yield what remains at the end of a reply: its tool calls and a `ReplyEnd`.

        Raises `BrokenReply` if the stream stopped without a finish reason.
        """
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
        return "stop"  # the server gave a reason that the library does not know
    raise BrokenReply


def _tool_calls(calls: list[ToolCallPart], *, cut: bool) -> Iterator[ToolCall]:
    """Yield the calls; if the reply was cut at its length limit, an incomplete last call is left out."""
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
    """Return a text in which surrogate pairs are joined and lone surrogates are replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _whole(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except ValueError:
        return False


T = TypeVar("T")
_FORESEEN = (AgentRunError, HTTPError, ValueError, TypeError, AttributeError, LookupError)
"""Errors that the client library raises for a server's answer; the last four are raised if the answer is malformed."""


def _settings(asked: ConversationRequest) -> ModelSettings:
    """Return the settings of a request, without the library's own retries: `Hosted.stream` decides on these."""
    once = ModelSettings(max_retries=0)
    if asked.max_tokens is not None:
        once["max_tokens"] = asked.max_tokens
    return once


class _Time:
    """The time limit of one reply; only the time spent waiting for the model counts."""

    def __init__(self, service: ModelService) -> None:
        self._service = service
        self.left = service.patience.whole

    async def spent(self, waiting: Awaitable[T]) -> T:
        """Await something within the time that is left.

        Raises `ProviderError` if the time is over, and `BrokenReply` for an error of the client library.
        """
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

    async def pause(self, seconds: float) -> None:
        """Wait before the next try; the pause counts as spent."""
        self.left -= seconds
        await self._service.sleep(seconds)


_NO_KEY = "none"
"""Sent instead of a key if none is needed; without it, the library would take a key from the environment."""
_PROFILE = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
"""Requires a finish reason at the end of a streamed reply; a reply without one is treated as broken off."""


def library_model(service: ModelService, key: ModelKey, client: AsyncClient) -> LibraryModel:
    """Return the client library's model, which sends its requests through this HTTP client."""
    vendor = service.named.vendor
    named = [vendor.name] if vendor.api.provider.endswith(":OpenAICompatibleProvider") else []
    provider = load(vendor.api.provider)(
        *named, api_key=key.secret or _NO_KEY, base_url=service.url, http_client=client
    )
    profile = {"profile": _PROFILE} if vendor.api.extra == "openai" else {}
    return load(vendor.api.model)(service.named.model, provider=provider, **profile)


class Hosted:
    """A model at a network address; each reply uses its own connection, which is closed when the reply ends."""

    def __init__(self, service: ModelService) -> None:
        self.name = service.named.full
        self._service = service

    async def stream(self, asked: ConversationRequest) -> AsyncGenerator[Chunk]:
        """Yield the reply; after a temporary failure the request is sent again, unless a chunk has already arrived."""
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
            if begun or tries >= min(patience.tries, found.tries) or not self._may_wait(found, wait, time):
                raise found.error
            yield ReplyDelayed(found.why, wait, tries + 1, min(patience.tries, found.tries))
            await time.pause(wait)
            pause *= 2

    def _may_wait(self, found: Fault, wait: float, time: _Time) -> bool:
        return found.again and wait < time.left and found.after <= self._service.patience.longest_pause

    async def _once(self, asked: ConversationRequest, key: ModelKey, time: _Time) -> AsyncGenerator[Chunk]:
        """Yield the reply to one request, without retries. Raises `BrokenReply` if the request fails."""
        service = self._service
        reply = ReplyCollector(self.name, service.said, service.reply_bytes)
        connect = service.patience.connect
        # Client libraries would replace four equal limits by their defaults, so `pool` gets one second more than
        # `connect`.
        limits = Timeout(service.patience.silent, connect=connect, pool=connect + 1)
        # Redirects are not followed, because only the configured address may get the key and the person's words.
        async with create_async_httpx2_client(timeout=limits) as client, AsyncExitStack() as stack:
            asking = model_request_stream(
                library_model(service, key, client),
                messages(asked),
                model_settings=_settings(asked),
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
