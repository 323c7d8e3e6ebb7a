"""What servers for this computer alone share: the names they answer under, where they listen, and how they end."""

import os
import signal
import socket
import struct
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


class Users:
    """Tells whether a connection to a port of this computer comes from another user; only Linux says whose it is."""

    def __init__(self, port: int) -> None:
        """Whether the system says it is tried on the port itself, on which this process listens."""
        self._port = port
        nobody = (socket.inet_ntoa(bytes(4)), 0)
        self._says = _user_between((LOOPBACK, port), nobody) == os.geteuid()

    def is_another(self, host: str, port: int) -> bool:
        """Return whether a connection from here is another user's, or nobody's by now."""
        return self._says and _user_between((host, port), (LOOPBACK, self._port)) != os.geteuid()


_DIAGNOSES, _BY_FAMILY, _ANY, _ANSWERED_AT_LEAST = 4, 20, 2**32 - 1, 84
_ASKED, _ANSWERED = struct.Struct("=IHHIIBBBxI"), struct.Struct("=H74xI")
_ADDRESS = struct.Struct("!HH4s12x4s12x4x")
"""What the kernel is asked, and what is read of its answer: `inet_diag_req_v2` and `inet_diag_msg` of its headers."""


def _user_between(local: tuple[str, int], remote: tuple[str, int]) -> int | None:
    """Return the user of the TCP socket between two addresses of this computer; None if that is not known."""
    (here, at), (there, to) = local, remote
    try:
        address = _ADDRESS.pack(at, to, socket.inet_aton(here), socket.inet_aton(there)) + b"\xff" * 8
        size, tcp = _ASKED.size + len(address), (socket.AF_INET, socket.IPPROTO_TCP)
        asked = _ASKED.pack(size, _BY_FAMILY, 1, 0, 0, *tcp, 0, _ANY)
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _DIAGNOSES) as kernel:
            kernel.settimeout(1)
            kernel.sendto(asked + address, (0, 0))
            answer = kernel.recv(4096)
    except (OSError, AttributeError):  # a system without it has no name for it either
        return None
    kind, user = _ANSWERED.unpack_from(answer, 4) if len(answer) >= _ANSWERED_AT_LEAST else (0, 0)
    return user if kind == _BY_FAMILY else None


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
