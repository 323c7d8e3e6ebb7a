"""`sayso mcp --http`: agents over HTTP on this computer alone, each known by the token that the person gave it."""

import logging
import signal
import socket
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, cast

import anyio
import uvicorn
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from sayso.assembly import Home
from sayso.core.errors import SetupError
from sayso.providers.browser.address import announce_page
from sayso.surfaces.mcp.calls import Calls, ToolSet
from sayso.surfaces.mcp.forms import secret_for
from sayso.surfaces.mcp.server import Context, server_of
from sayso.surfaces.mcp.tokens import Tokens, secret_in

PATH = "/mcp"
LOOPBACK = "127.0.0.1"
_MOST_BYTES = 4 * 1024 * 1024
_MOST_SESSIONS = 200
_END_SECONDS = 2
"""How long an answer that is under way may still take when the server ends."""


class Agents:
    """The calls of all agents that speak to one server, by the names that the person gave them."""

    def __init__(self, home: Home, patience: float, tools: ToolSet) -> None:
        self._home = home
        self._patience = patience
        self._tools: ToolSet = tools
        self._known: dict[str, Calls] = {}

    def calls_of(self, context: Context) -> Calls:
        """Return the calls of the agent whose token came with a request."""
        client = cast("AuthenticatedUser", cast("Request", context.request).user).access_token.client_id
        if client not in self._known:
            self._known[client] = Calls(self._home, self._patience, client, self._tools)
        return self._known[client]

    def close(self) -> None:
        """Let what waits for the person go on waiting when the connections end."""
        for calls in self._known.values():
            calls.closing = True


class Guard:
    """Lets a request through only if it comes from this computer, from no page of another site, and with a token."""

    def __init__(self, app: ASGIApp, tokens: Tokens, port: int) -> None:
        self._app = app
        self._tokens = tokens
        self._hosts = frozenset(names_of(port))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on one request."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            refused = self._refuse_place(headers) or self._refuse_token(headers, scope)
            if refused is not None:
                await refused(scope, receive, send)
                return
        if scope["type"] in {"http", "lifespan"}:
            await self._app(scope, receive, send)

    def _refuse_place(self, headers: Headers) -> JSONResponse | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return _refused(421, "this server answers only under its own name on this computer")
        if len(origins) > 1 or (origins and origins[0].removeprefix("http://") not in self._hosts):
            return _refused(403, "pages of other sites may not use this server")
        return None

    def _refuse_token(self, headers: Headers, scope: Scope) -> JSONResponse | None:
        given = headers.getlist("authorization")
        kind, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        client = self._tokens.client(token) if kind.lower() == "bearer" else None
        if client is None:
            return _refused(
                401,
                "this server needs the header “Authorization: Bearer …” with a token, which “sayso mcp --token” prints",
                {"WWW-Authenticate": "Bearer"},
            )
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=client, scopes=[]))
        return None


def _refused(status: int, why: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": why}, status, headers)


def names_of(port: int) -> list[str]:
    """Return how requests from this computer name a server on this port."""
    return [f"{name}:{port}" for name in (LOOPBACK, "localhost", "[::1]")]


def application(agents: Agents, tokens: Tokens, port: int, secret: bytes | None = None) -> ASGIApp:
    """Return the web application that serves these agents; with `secret`, their programs may show forms."""
    names = names_of(port)
    security = TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])
    app = server_of(agents.calls_of, secret).streamable_http_app(
        streamable_http_path=PATH,
        transport_security=security,
        max_request_body_size=_MOST_BYTES,
        max_sessions=_MOST_SESSIONS,
    )
    return Guard(app, tokens, port)


class _Server(uvicorn.Server):
    """A server that leaves signals to whoever started it."""

    def capture_signals(self) -> Any:
        """Return a block that changes nothing."""
        return nullcontext()


async def serve_http(home: Home, patience: float, tools: ToolSet, port: int, began: Callable[[str], None]) -> None:
    """Serve agents until a signal ends it; `began` is called with the address once requests are taken.

    Raises `SetupError` if the port is taken.
    """
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    agents = Agents(home, patience, tools)
    with _listening(port) as listening:
        port = listening.getsockname()[1]
        app = application(agents, Tokens(secret_in(home.settings.places.home, home.ids)), port, secret_for(home))
        config = uvicorn.Config(
            app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=_END_SECONDS
        )
        server = _Server(config)
        with announce_page(str(home.settings.places.home), port):
            async with anyio.create_task_group() as together:
                await together.start(_end, server, agents)
                began(f"http://{LOOPBACK}:{port}{PATH}")
                with anyio.CancelScope(shield=True):  # `_end` lets it end in order
                    await server.serve([listening])
                together.cancel_scope.cancel()


def _listening(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise SetupError(
            f"port {port} cannot be served: {error.strerror}; name another with --port", "mcp.port"
        ) from error
    return listening


async def _end(
    server: uvicorn.Server, agents: Agents, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED
) -> None:
    """Let the server end in order at a signal, or when this is cancelled."""
    try:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            await anext(signals)
    finally:
        agents.close()
        server.should_exit = True
