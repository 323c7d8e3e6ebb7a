"""A server on this computer that streams replies as hosted language models do, in their wire formats."""

import json
import select
import socket
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Thread
from threading import Event as Signal
from types import MappingProxyType
from typing import Any, cast

from sayso.core.conversation import ReplyEnd, ReplyText, ToolCall
from sayso.core.encoding import Json
from sayso.testing.fakes import Silent

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
        """Number of characters of a text, or of arguments, in one event."""

    @abstractmethod
    def begun(self) -> Iterator[bytes]:
        """Yield the events that begin a reply."""

    @abstractmethod
    def piece(self, piece: ReplyText | ToolCall) -> Iterator[bytes]:
        """Yield the events of a text, or of a tool call, cut into pieces."""

    @abstractmethod
    def ended(self, end: ReplyEnd) -> Iterator[bytes]:
        """Yield the events that end a reply."""

    @staticmethod
    @abstractmethod
    def error(status: int, message: str) -> Json:
        """Return the body of an error response."""

    def cut(self, text: str) -> Iterator[str]:
        """Yield a text in pieces of `size` characters."""
        return (text[at : at + self.size] for at in range(0, len(text), self.size))


class ChatCompletions(Wire):
    """The format of OpenAI's chat completions, which local servers use too."""

    def __init__(self, model: str, tokens_in: int, size: int) -> None:
        super().__init__(model, tokens_in, size)
        self._calls = 0

    def begun(self) -> Iterator[bytes]:
        yield self._event({"role": "assistant", "content": ""})

    def piece(self, piece: ReplyText | ToolCall) -> Iterator[bytes]:
        if isinstance(piece, ReplyText):
            yield from (self._event({"content": text}) for text in self.cut(piece.text))
            return
        at, self._calls = self._calls, self._calls + 1
        begun: Json = {"name": piece.name, "arguments": ""}
        yield self._event({"tool_calls": [{"index": at, "id": piece.call_id, "type": "function", "function": begun}]})
        for text in self.cut(piece.arguments):
            yield self._event({"tool_calls": [{"index": at, "function": {"arguments": text}}]})

    def ended(self, end: ReplyEnd) -> Iterator[bytes]:
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
    """The format of Anthropic's messages API."""

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

    def piece(self, piece: ReplyText | ToolCall) -> Iterator[bytes]:
        if isinstance(piece, ReplyText):
            yield from self._text(piece.text)
            return
        yield from self._closed()
        yield self._start({"type": "tool_use", "id": piece.call_id, "name": piece.name, "input": {}})
        for text in self.cut(piece.arguments):
            yield self._delta({"type": "input_json_delta", "partial_json": text})
        yield from self._closed()

    def ended(self, end: ReplyEnd) -> Iterator[bytes]:
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
    """The format of Google's Gemini, in which a tool call is one event."""

    def begun(self) -> Iterator[bytes]:
        return iter(())

    def piece(self, piece: ReplyText | ToolCall) -> Iterator[bytes]:
        if isinstance(piece, ReplyText):
            yield from (self._event({"text": text}) for text in self.cut(piece.text))
            return
        arguments = json.loads(piece.arguments)
        yield self._event({"functionCall": {"id": piece.call_id, "name": piece.name, "args": arguments}})

    def ended(self, end: ReplyEnd) -> Iterator[bytes]:
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


_LOOK = 0.02
"""Seconds between two checks whether the client of a silent reply has left."""


@dataclass(frozen=True)
class CutOff:
    """The place in a reply at which the connection breaks."""


@dataclass(frozen=True)
class Stops:
    """The place in a reply after which nothing is sent; the connection is closed properly, but the reply has no end."""


@dataclass(frozen=True)
class Raw:
    """Bytes that are sent unchanged, in place of an event."""

    data: bytes


@dataclass(frozen=True)
class Status:
    """A response that is not a reply: an HTTP error, or a redirect."""

    code: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    says: str = "no"
    """The error message in the body."""


@dataclass(frozen=True)
class Pause:
    """The place in a reply where the server waits until `over` is set."""

    over: Signal = field(default_factory=Signal)


Piece = ReplyText | ToolCall | ReplyEnd | Silent | CutOff | Stops | Raw | Pause
Play = str | Sequence[Piece] | Status
"""A response: a text, pieces in order, or a `Status` (an HTTP error or redirect).

An end is added unless the last piece is a `ReplyEnd`, `CutOff`, `Stops` or `Silent`.
"""


@dataclass(frozen=True)
class Heard:
    """A request: its path, its headers by lower-case name, and the JSON of its body."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class ModelServer:
    """Answers each request with the next reply, in the format of the request.

    The last reply answers all further requests. `url` is the address for clients of OpenAI's format, `root` for those
    of Anthropic's and Google's.
    """

    def __init__(self, *plays: Play, size: int = 5) -> None:
        self.heard: list[Heard] = []
        """The requests so far, oldest first."""
        self.left = 0
        """How many replies the client left before their end."""
        self.size = size
        self.open = True
        self._plays = list(plays)
        self._changed = Condition()
        self._server = _Server(self)

    @property
    def root(self) -> str:
        """Return the server's address, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        """Return the server's address for a client of OpenAI's format."""
        return f"{self.root}/v1"

    def serve(self) -> None:
        """Serve requests until the server is closed."""
        self._server.serve_forever(poll_interval=_LOOK)

    def close(self) -> None:
        """End the replies that are being played, and the server."""
        self.open = False
        self._server.shutdown()
        self._server.server_close()

    def next_play(self, heard: Heard) -> Play:
        """Record a request, and return its response."""
        with self._changed:
            self.heard.append(heard)
            self._changed.notify_all()
            return self._plays.pop(0) if len(self._plays) > 1 else self._plays[0]

    def was_left(self) -> None:
        """Count a client that left before the end of a reply."""
        with self._changed:
            self.left += 1
            self._changed.notify_all()

    def wait_until_heard(self, times: int = 1, seconds: float = 30) -> bool:
        """Wait until the server has had this many requests; return False if that takes longer than `seconds`."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.heard) >= times, seconds)

    def wait_until_left(self, times: int = 1, seconds: float = 10) -> bool:
        """Wait until this many clients have left; return False if that takes longer than `seconds`."""
        with self._changed:
            return self._changed.wait_for(lambda: self.left >= times, seconds)


@contextmanager
def playing(*plays: Play, size: int = 5) -> Generator[ModelServer]:
    """Serve replies on a free port of this computer until the `with` block ends.

    ```python
    with playing("MOVE_FILE a b", Status(429, {"Retry-After": "1"}), [ReplyText("half"), CutOff()]) as server:
        ...  # [model] name = "openai-compatible:any", url = server.url
    ```
    """
    with served(ModelServer(*plays, size=size)) as server:
        yield server


@contextmanager
def served(server: ModelServer) -> Generator[ModelServer]:
    """Let a server that was made serve until the `with` block ends."""
    thread = Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


def _spoken_at(path: str) -> type[Wire] | None:
    """Return the format that clients use at a path; None for an unknown path."""
    path = path.partition("?")[0]
    formats = {"/chat/completions": ChatCompletions, "/messages": Messages, ":streamGenerateContent": GenerateContent}
    return next((wire for end, wire in formats.items() if path.endswith(end)), None)


class _Server(ThreadingHTTPServer):
    """Passes requests to the `ModelServer` that plays the replies."""

    def __init__(self, plays: ModelServer) -> None:
        self.plays = plays
        super().__init__(("127.0.0.1", 0), _Answering)


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.close_connection = True
        server = cast("_Server", self.server).plays
        length = int(self.headers.get("Content-Length") or 0)
        body = cast("Mapping[str, Any]", json.loads(self.rfile.read(length)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        play = server.next_play(Heard(self.path, headers, body))
        wire = _spoken_at(self.path)
        try:
            if isinstance(play, Status) or wire is None:
                self._send_error(wire or ChatCompletions, play if isinstance(play, Status) else Status(404))
            else:
                self._play_reply(_encode_reply(wire, body, server.size), play, server)
        except OSError:
            server.was_left()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing on the terminal."""

    def _send_error(self, wire: type[Wire], status: Status) -> None:
        content = json.dumps(wire.error(status.code, status.says)).encode()
        self.send_response(status.code)
        usual = {"Content-Type": "application/json", "Content-Length": str(len(content)), "Connection": "close"}
        for name, value in {**usual, **status.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _play_reply(self, wire: Wire, play: str | Sequence[Piece], server: ModelServer) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in _events(wire, _pieces(play)):
            match event:
                case CutOff():
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                case Stops():
                    break
                case Silent():
                    self._silent(server)
                case Pause(over):
                    while server.open and not over.wait(_LOOK):
                        pass
                case bytes():
                    self._send_chunk(event)
        self._send_chunk(b"")

    def _silent(self, server: ModelServer) -> None:
        """Send nothing until the client leaves, or the server is closed."""
        while server.open:
            ready, _, _ = select.select([self.connection], [], [], _LOOK)
            if ready and not self.connection.recv(1):
                raise ConnectionResetError
        self.connection.shutdown(socket.SHUT_RDWR)

    def _send_chunk(self, data: bytes) -> None:
        """Send one chunk; an empty one is the last."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


def _encode_reply(wire: type[Wire], body: Mapping[str, Any], size: int) -> Wire:
    """Return a reply in this format, in which every four characters of the request count as one token."""
    return wire(str(body.get("model")), len(json.dumps(body)) // 4, size)


def _pieces(play: str | Sequence[Piece]) -> list[Piece]:
    pieces: list[Piece] = [ReplyText(play)] if isinstance(play, str) else list(play)
    if pieces and isinstance(pieces[-1], ReplyEnd | CutOff | Stops | Silent):
        return pieces
    words = sum(len(piece.text.split()) for piece in pieces if isinstance(piece, ReplyText))
    return [
        *pieces,
        ReplyEnd("", "tools" if any(isinstance(piece, ToolCall) for piece in pieces) else "stop", None, words),
    ]


def _events(wire: Wire, pieces: Sequence[Piece]) -> Iterator[bytes | Silent | CutOff | Stops | Pause]:
    yield from wire.begun()
    for piece in pieces:
        match piece:
            case ReplyText() | ToolCall():
                yield from wire.piece(piece)
            case ReplyEnd():
                yield from wire.ended(piece)
            case Raw(data):
                yield data
            case Silent() | CutOff() | Stops() | Pause():
                yield piece
