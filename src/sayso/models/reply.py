"""Take what the client library hears for the pieces of a reply: text as it comes, calls when the reply is whole."""

import json
import re
from collections.abc import Iterator
from typing import Literal

from pydantic_ai.messages import (
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import StreamedResponse

from sayso.core.errors import ProviderError
from sayso.core.model import Called, Chunk, Ended, Said

_REASONS: dict[str, Literal["stop", "length", "tools", "refused"]] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "refused",
    "tool_call": "tools",
}
_FIRST_HALF = re.compile("[\ud800-\udbff]")


class Broke(Exception):
    """A reply ended otherwise than it should."""

    def __init__(self, wrong: Exception | None = None) -> None:
        super().__init__()
        self.wrong = wrong
        """What the client library raised; None where what came is not what a model says, or only stopped coming."""


class Reply:
    """One reply, as it is heard: no call in it counts before the reply has ended as it should."""

    def __init__(self, name: str, said: str, most: int) -> None:
        self._name = name
        self._said = said
        self._most = most
        self._bytes = 0
        self._half = ""
        """The first half of a character that came in two."""

    def heard(self, event: ModelResponseStreamEvent) -> Iterator[Said]:
        """Yield the text of an event, if it is one.

        Raises `ProviderError` where the reply has become too long, and `Broke` for what is no text.
        """
        match event:
            case PartStartEvent(part=TextPart(content=text)) | PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                yield from self._text(text)
            case PartStartEvent(part=ThinkingPart(content=text)):
                self._count(text)
            case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=text)):
                self._count(text or "")
            case PartStartEvent(part=ToolCallPart(args=arguments)):
                self._count(_written(arguments))
            case PartDeltaEvent(delta=ToolCallPartDelta(args_delta=arguments)):
                self._count(_written(arguments))
            case _:
                pass

    def end(self, stream: StreamedResponse) -> Iterator[Chunk]:
        """Yield the calls of a reply that has ended, and its end. Raises `Broke` where it only stopped coming."""
        reason = _reason(stream)
        if self._half:
            yield Said(_whole_characters(self._half))
        if reason != "refused":
            calls = [part for part in stream.get().parts if isinstance(part, ToolCallPart)]
            yield from _called(calls, cut=reason == "length")
        usage = stream.usage
        heard = usage.input_tokens or usage.output_tokens
        yield Ended(self._name, reason, usage.input_tokens if heard else None, usage.output_tokens if heard else None)

    def _text(self, text: object) -> Iterator[Said]:
        if not isinstance(text, str):
            raise Broke
        self._count(text)
        text = self._half + text
        self._half = text[-1:] if _FIRST_HALF.fullmatch(text[-1:]) else ""
        if text := _whole_characters(text.removesuffix(self._half) if self._half else text):
            yield Said(text)

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
    raise Broke


def _called(calls: list[ToolCallPart], *, cut: bool) -> Iterator[Called]:
    """Yield the calls; of a reply that was cut, not the last one where its arguments are not whole."""
    for number, call in enumerate(calls, 1):
        arguments = _written(call.args)
        if cut and number == len(calls) and not _whole(arguments):
            return
        yield Called(call.tool_call_id, call.tool_name, arguments or "{}")


def _written(arguments: object) -> str:
    if arguments is None:
        return ""
    return _whole_characters(arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False))


def _whole_characters(text: str) -> str:
    """Return a text in which halves of characters are joined, and those that stand alone are marked as unreadable."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _whole(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except ValueError:
        return False
