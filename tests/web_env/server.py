"""A web server on this computer that answers exactly the bytes that a test gives it, and keeps what it was sent."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

Answer = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


def reply(body: bytes = b"", *headers: str, status: str = "200 OK", kind: str = "text/plain; charset=utf-8") -> bytes:
    """Return a whole reply."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *([f"Content-Type: {kind}"] if kind else [])]
    return "\r\n".join([*lines, *headers, "", ""]).encode("latin-1") + body


def moved(to: str, status: str = "302 Found") -> bytes:
    """Return a redirect."""
    return reply(b"moved", f"Location: {to}", status=status)


@dataclass
class Request:
    """One request as it came."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class WebServer:
    """The port, what is answered by path, and the requests that came."""

    answers: Mapping[str, Answer]
    port: int = 0
    requests: list[Request] = field(default_factory=list[Request])
    connections: int = 0
    tasks: set["asyncio.Task[None] | None"] = field(default_factory=set["asyncio.Task[None] | None"])

    @property
    def lines(self) -> list[str]:
        """Return the first line of each request."""
        return [one.line for one in self.requests]

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        """Return the address of a path."""
        return f"{scheme}://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        self.connections += 1
        self.tasks.add(asyncio.current_task())
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._answer(reader, writer)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        self.tasks.discard(asyncio.current_task())

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("utf-8").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in head[1:] if one)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.requests.append(Request(head[0], headers, body))
        answer = self.answers[head[0].split()[1].partition("?")[0]]
        if isinstance(answer, bytes):
            writer.write(answer)
            await writer.drain()
        else:
            await answer(writer)


@asynccontextmanager
async def web_server(answers: Mapping[str, Answer], tls: ssl.SSLContext | None = None) -> AsyncGenerator[WebServer]:
    """Serve these answers on a free port of 127.0.0.1."""
    made = WebServer(answers)
    listening = await asyncio.start_server(made.serve, "127.0.0.1", 0, ssl=tls)
    made.port = listening.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        listening.close()
        for task in [one for one in made.tasks if one is not None]:
            task.cancel()
            await asyncio.wait([task])
        await listening.wait_closed()
