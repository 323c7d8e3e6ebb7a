"""A server on this computer that streams replies as hosted language models do, and keeps what it was asked."""

import json
import select
import socket
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Thread
from typing import Any, cast

from sayso.core.conversation import Called, Ended, Said
from sayso.testing.model_wire_formats import ChatCompletions, GenerateContent, Messages, Wire
from sayso.testing.scripted_model import Silent

_LOOK = 0.02
"""How often a silent server looks whether it was left, in seconds."""


@dataclass(frozen=True)
class CutOff:
    """The place in a reply where the connection breaks."""


@dataclass(frozen=True)
class Stops:
    """The place in a reply where nothing more comes, without an end of it; the connection is closed as it should."""


@dataclass(frozen=True)
class Raw:
    """Bytes that are sent as they are, in place of an event."""

    data: bytes


@dataclass(frozen=True)
class Status:
    """An answer that is no reply: an error of HTTP, or a redirect."""

    code: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    says: str = "no"
    """What the body says is wrong."""


Piece = Said | Called | Ended | Silent | CutOff | Stops | Raw
Play = str | Sequence[Piece] | Status
"""What is answered: a text; pieces in order, ended as usual unless the last says otherwise; or no reply at all."""


@dataclass(frozen=True)
class Heard:
    """A request: its path, its headers by their names in lower case, and the JSON of its body."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class ModelServer:
    """Plays replies in the format that it is asked in; the last one goes on for ever.

    `url` is what a client of OpenAI's format is given, `root` what those of Anthropic's and Google's are.
    """

    def __init__(self, *plays: Play, size: int = 5) -> None:
        self.heard: list[Heard] = []
        """What it was asked, the first first."""
        self.left = 0
        """How many replies the client went away from before their end."""
        self.size = size
        self.open = True
        self._plays = list(plays)
        self._changed = Condition()
        self._server = _Server(self)

    @property
    def root(self) -> str:
        """Return its address, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        """Return its address for a client of OpenAI's format."""
        return f"{self.root}/v1"

    def serve(self) -> None:
        """Serve until it is closed."""
        self._server.serve_forever(poll_interval=_LOOK)

    def close(self) -> None:
        """End what is being played, and the server."""
        self.open = False
        self._server.shutdown()
        self._server.server_close()

    def next_play(self, heard: Heard) -> Play:
        """Keep a request and return what is answered."""
        with self._changed:
            self.heard.append(heard)
            self._changed.notify_all()
            return self._plays.pop(0) if len(self._plays) > 1 else self._plays[0]

    def was_left(self) -> None:
        """Count a client that went away."""
        with self._changed:
            self.left += 1
            self._changed.notify_all()

    def wait_until_heard(self, times: int = 1, seconds: float = 30) -> bool:
        """Wait until it was asked so often; say whether it was."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.heard) >= times, seconds)

    def wait_until_left(self, times: int = 1, seconds: float = 10) -> bool:
        """Wait until clients went away so often; say whether they did."""
        with self._changed:
            return self._changed.wait_for(lambda: self.left >= times, seconds)


@contextmanager
def playing(*plays: Play, size: int = 5) -> Generator[ModelServer]:
    """Serve replies on a free port of this computer for the length of a `with`.

    ```python
    with playing("MOVE_FILE a b", Status(429, {"Retry-After": "1"}), [Said("half"), CutOff()]) as server:
        ...  # [model] name = "openai-compatible:any", url = server.url
    ```
    """
    server = ModelServer(*plays, size=size)
    thread = Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


def _spoken_at(path: str) -> type[Wire] | None:
    """Return the format that is spoken at a path."""
    path = path.partition("?")[0]
    formats = {"/chat/completions": ChatCompletions, "/messages": Messages, ":streamGenerateContent": GenerateContent}
    return next((wire for end, wire in formats.items() if path.endswith(end)), None)


class _Server(ThreadingHTTPServer):
    """Hands requests to what plays the replies."""

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
                self._said_no(wire or ChatCompletions, play if isinstance(play, Status) else Status(404))
            else:
                self._played(_wired(wire, body, server.size), play, server)
        except OSError:
            server.was_left()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing on the terminal."""

    def _said_no(self, wire: type[Wire], status: Status) -> None:
        content = json.dumps(wire.error(status.code, status.says)).encode()
        self.send_response(status.code)
        usual = {"Content-Type": "application/json", "Content-Length": str(len(content)), "Connection": "close"}
        for name, value in {**usual, **status.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _played(self, wire: Wire, play: str | Sequence[Piece], server: ModelServer) -> None:
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
                case bytes():
                    self._sent(event)
        self._sent(b"")

    def _silent(self, server: ModelServer) -> None:
        """Say nothing until the client goes away, or the server is closed."""
        while server.open:
            ready, _, _ = select.select([self.connection], [], [], _LOOK)
            if ready and not self.connection.recv(1):
                raise ConnectionResetError
        self.connection.shutdown(socket.SHUT_RDWR)

    def _sent(self, data: bytes) -> None:
        """Send one chunk; nothing is the last one."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


def _wired(wire: type[Wire], body: Mapping[str, Any], size: int) -> Wire:
    """Return a reply in this format; it counts what it was sent as one token for every four characters."""
    return wire(str(body.get("model")), len(json.dumps(body)) // 4, size)


def _pieces(play: str | Sequence[Piece]) -> list[Piece]:
    pieces: list[Piece] = [Said(play)] if isinstance(play, str) else list(play)
    if pieces and isinstance(pieces[-1], Ended | CutOff | Stops | Silent):
        return pieces
    words = sum(len(piece.text.split()) for piece in pieces if isinstance(piece, Said))
    return [*pieces, Ended("", "tools" if any(isinstance(piece, Called) for piece in pieces) else "stop", None, words)]


def _events(wire: Wire, pieces: Sequence[Piece]) -> Iterator[bytes | Silent | CutOff | Stops]:
    yield from wire.begun()
    for piece in pieces:
        match piece:
            case Said() | Called():
                yield from wire.piece(piece)
            case Ended():
                yield from wire.ended(piece)
            case Raw(data):
                yield data
            case Silent() | CutOff() | Stops():
                yield piece
