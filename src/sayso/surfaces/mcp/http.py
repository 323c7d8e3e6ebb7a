"""`sayso mcp --http`: agents over HTTP on this computer alone, each known by the token that the person gave it."""

import logging
from collections.abc import Callable
from typing import cast

import uvicorn
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from sayso.assembly import Home
from sayso.providers.browser.address import announce_page
from sayso.surfaces.local_server import (
    END_SECONDS,
    LOOPBACK,
    LocalServer,
    listening,
    names_of,
    refuse_place,
    refused,
)
from sayso.surfaces.mcp.calls import Calls, ToolSet
from sayso.surfaces.mcp.forms import secret_for
from sayso.surfaces.mcp.server import Context, server_of
from sayso.surfaces.mcp.tokens import Tokens, secret_in

PATH = "/mcp"
_MOST_BYTES = 4 * 1024 * 1024
_MOST_SESSIONS = 200


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
            refusal = refuse_place(headers, self._hosts) or self._refuse_token(headers, scope)
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        if scope["type"] in {"http", "lifespan"}:
            await self._app(scope, receive, send)

    def _refuse_token(self, headers: Headers, scope: Scope) -> ASGIApp | None:
        given = headers.getlist("authorization")
        kind, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        client = self._tokens.client(token) if kind.lower() == "bearer" else None
        if client is None:
            return refused(
                401,
                "this server needs the header “Authorization: Bearer …” with a token, which “sayso mcp --token” prints",
                {"WWW-Authenticate": "Bearer"},
            )
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=client, scopes=[]))
        return None


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


async def serve_http(home: Home, patience: float, tools: ToolSet, port: int, began: Callable[[str], None]) -> None:
    """Serve agents until a signal ends it; `began` is called with the address once requests are taken.

    Raises `SetupError` if the port is taken.
    """
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    agents = Agents(home, patience, tools)
    with listening(port) as on:
        port = on.getsockname()[1]
        app = application(agents, Tokens(secret_in(home.settings.places.home, home.ids)), port, secret_for(home))
        config = uvicorn.Config(
            app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=END_SECONDS
        )
        with announce_page(str(home.settings.places.home), port):
            await LocalServer(config).serve_until_signal(
                on, lambda: began(f"http://{LOOPBACK}:{port}{PATH}"), agents.close
            )
