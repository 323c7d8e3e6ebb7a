"""The formats in which servers of language models stream a reply, written event by event."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from types import MappingProxyType

from sayso.core.conversation import Called, Ended, Said
from sayso.core.encoding import Json

_FINISH_REASONS: Mapping[str, str] = MappingProxyType(
    {"stop": "stop", "length": "length", "tools": "tool_calls", "refused": "content_filter"}
)
_STOP_REASONS: Mapping[str, str] = MappingProxyType(
    {"stop": "end_turn", "length": "max_tokens", "tools": "tool_use", "refused": "refusal"}
)
_GOOGLE_REASONS: Mapping[str, str] = MappingProxyType(
    {"stop": "STOP", "length": "MAX_TOKENS", "tools": "STOP", "refused": "SAFETY"}
)


class Wire(ABC):
    """One reply of a server, written as server-sent events."""

    def __init__(self, model: str, tokens_in: int, size: int) -> None:
        self.model = model
        self.tokens_in = tokens_in
        self.size = size
        """How many characters of a text or of arguments one event carries."""

    @abstractmethod
    def begun(self) -> Iterator[bytes]:
        """Yield what comes before everything."""

    @abstractmethod
    def piece(self, piece: Said | Called) -> Iterator[bytes]:
        """Yield a text, or a call of a tool, piece by piece."""

    @abstractmethod
    def ended(self, end: Ended) -> Iterator[bytes]:
        """Yield the end."""

    @staticmethod
    @abstractmethod
    def error(status: int, message: str) -> Json:
        """Return the body of an answer that is an error."""

    def cut(self, text: str) -> Iterator[str]:
        """Yield a text in pieces."""
        return (text[at : at + self.size] for at in range(0, len(text), self.size))


class ChatCompletions(Wire):
    """The format of OpenAI's chat completions, which local servers speak too."""

    def __init__(self, model: str, tokens_in: int, size: int) -> None:
        super().__init__(model, tokens_in, size)
        self._calls = 0

    def begun(self) -> Iterator[bytes]:
        yield self._event({"role": "assistant", "content": ""})

    def piece(self, piece: Said | Called) -> Iterator[bytes]:
        if isinstance(piece, Said):
            yield from (self._event({"content": text}) for text in self.cut(piece.text))
            return
        at, self._calls = self._calls, self._calls + 1
        begun: Json = {"name": piece.name, "arguments": ""}
        yield self._event({"tool_calls": [{"index": at, "id": piece.call_id, "type": "function", "function": begun}]})
        for text in self.cut(piece.arguments):
            yield self._event({"tool_calls": [{"index": at, "function": {"arguments": text}}]})

    def ended(self, end: Ended) -> Iterator[bytes]:
        yield self._event({}, _FINISH_REASONS[end.reason])
        out = end.tokens_out or 0
        usage = {"prompt_tokens": self.tokens_in, "completion_tokens": out, "total_tokens": self.tokens_in + out}
        yield _data({**self._frame(), "choices": [], "usage": usage})
        yield b"data: [DONE]\n\n"

    @staticmethod
    def error(status: int, message: str) -> Json:
        codes = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
        return {"error": {"message": message, "type": "error", "param": None, "code": codes.get(status)}}

    def _frame(self) -> dict[str, Json]:
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1773489600, "model": self.model}

    def _event(self, delta: dict[str, Json], reason: str | None = None) -> bytes:
        return _data({**self._frame(), "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


class Messages(Wire):
    """The format of Anthropic's messages."""

    def __init__(self, model: str, tokens_in: int, size: int) -> None:
        super().__init__(model, tokens_in, size)
        self._blocks = 0
        self._writing = False

    def begun(self) -> Iterator[bytes]:
        usage: Json = {"input_tokens": self.tokens_in, "output_tokens": 1}
        message: Json = {"id": "msg_1", "type": "message", "role": "assistant", "model": self.model, "content": []}
        nothing: Json = {"stop_reason": None, "stop_sequence": None, "usage": usage}
        yield self._event("message_start", message={**message, **nothing})
        yield self._event("ping")

    def piece(self, piece: Said | Called) -> Iterator[bytes]:
        if isinstance(piece, Said):
            yield from self._text(piece.text)
            return
        yield from self._closed()
        yield self._start({"type": "tool_use", "id": piece.call_id, "name": piece.name, "input": {}})
        for text in self.cut(piece.arguments):
            yield self._delta({"type": "input_json_delta", "partial_json": text})
        yield from self._closed()

    def ended(self, end: Ended) -> Iterator[bytes]:
        yield from self._closed()
        delta: Json = {"stop_reason": _STOP_REASONS[end.reason], "stop_sequence": None}
        yield self._event("message_delta", delta=delta, usage={"output_tokens": end.tokens_out or 0})
        yield self._event("message_stop")

    @staticmethod
    def error(status: int, message: str) -> Json:
        kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
        usual = "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "api_error"
        return {"type": "error", "error": {"type": kinds.get(status, usual), "message": message}}

    def _text(self, text: str) -> Iterator[bytes]:
        if not self._writing:
            yield self._start({"type": "text", "text": ""})
        for piece in self.cut(text):
            yield self._delta({"type": "text_delta", "text": piece})

    def _start(self, block: Json) -> bytes:
        self._writing = True
        return self._event("content_block_start", index=self._blocks, content_block=block)

    def _delta(self, delta: Json) -> bytes:
        return self._event("content_block_delta", index=self._blocks, delta=delta)

    def _closed(self) -> Iterator[bytes]:
        if self._writing:
            yield self._event("content_block_stop", index=self._blocks)
            self._blocks += 1
            self._writing = False

    def _event(self, kind: str, /, **content: Json) -> bytes:
        return f"event: {kind}\n".encode() + _data({"type": kind, **content})


class GenerateContent(Wire):
    """The format of Google's Gemini, in which a call comes whole."""

    def begun(self) -> Iterator[bytes]:
        return iter(())

    def piece(self, piece: Said | Called) -> Iterator[bytes]:
        if isinstance(piece, Said):
            yield from (self._event({"text": text}) for text in self.cut(piece.text))
            return
        arguments = json.loads(piece.arguments)
        yield self._event({"functionCall": {"id": piece.call_id, "name": piece.name, "args": arguments}})

    def ended(self, end: Ended) -> Iterator[bytes]:
        usage = {"promptTokenCount": self.tokens_in, "candidatesTokenCount": end.tokens_out or 0}
        content: Json = {"role": "model", "parts": []}
        candidate: Json = {"content": content, "finishReason": _GOOGLE_REASONS[end.reason], "index": 0}
        yield _data({"candidates": [candidate], "usageMetadata": usage, "modelVersion": self.model})

    @staticmethod
    def error(status: int, message: str) -> Json:
        return {"error": {"code": status, "message": message, "status": "UNKNOWN"}}

    def _event(self, part: Json) -> bytes:
        content: Json = {"role": "model", "parts": [part]}
        return _data({"candidates": [{"content": content, "index": 0}], "modelVersion": self.model})


def _data(content: Json) -> bytes:
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n".encode()
