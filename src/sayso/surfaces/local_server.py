"""What servers for this computer alone share: the names they answer under, where they listen, and how they end."""

import signal
import socket
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import anyio
import uvicorn
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from sayso.core.errors import SetupError

LOOPBACK = "127.0.0.1"
END_SECONDS = 2
"""How long an answer that is under way may still take when the server ends."""


def names_of(port: int) -> list[str]:
    """Return how requests from this computer name a server on this port."""
    return [f"{name}:{port}" for name in (LOOPBACK, "localhost", "[::1]")]


def refused(status: int, why: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return an answer that says why a request is refused."""
    return JSONResponse({"error": why}, status, headers)


def refuse_place(headers: Headers, hosts: frozenset[str]) -> JSONResponse | None:
    """Return the refusal of a request under a foreign name, or from a page of another site; None if it is neither."""
    named, origins = headers.getlist("host"), headers.getlist("origin")
    if len(named) != 1 or named[0] not in hosts:
        return refused(421, "this server answers only under its own name on this computer")
    if len(origins) > 1 or (origins and origins[0].removeprefix("http://") not in hosts):
        return refused(403, "pages of other sites may not use this server")
    return None


def listening(port: int) -> socket.socket:
    """Return a socket that listens on this port of this computer; 0 takes a free one. Raises `SetupError`."""
    found = socket.socket(proto=socket.IPPROTO_TCP)  # only so does asyncio send small pieces at once (TCP_NODELAY)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((LOOPBACK, port))
        found.listen()
    except OSError as error:
        found.close()
        raise SetupError(
            f"port {port} cannot be served: {error.strerror}; name another with --port", "mcp.port"
        ) from error
    return found


class LocalServer(uvicorn.Server):
    """A server that leaves signals to whoever started it."""

    def capture_signals(self) -> Any:
        """Return a block that changes nothing."""
        return nullcontext()

    async def serve_until_signal(
        self, on: socket.socket, began: Callable[[], None], ending: Callable[[], None], *, signals: bool = True
    ):
        """Serve until a signal comes or this is cancelled; then call `ending` and let the server end in order.

        Without `signals`, whoever started it answers them, and only a cancellation ends it.
        """
        async with anyio.create_task_group() as together:
            await together.start(self._end, ending, (signal.SIGINT, signal.SIGTERM) if signals else ())
            began()
            with anyio.CancelScope(shield=True):  # `_end` lets it end in order
                await self.serve([on])
            together.cancel_scope.cancel()

    async def _end(
        self,
        ending: Callable[[], None],
        answered: tuple[signal.Signals, ...],
        *,
        task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        try:
            with anyio.open_signal_receiver(*answered) as received:
                task_status.started()
                await anext(received)
        finally:
            ending()
            self.should_exit = True
