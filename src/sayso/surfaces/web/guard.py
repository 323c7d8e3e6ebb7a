"""Lets requests reach the page's server only from its user, from its own page, and from browsers let in."""

from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sayso.core.ports import Clock
from sayso.surfaces.local_server import Users, names_of, refuse_place
from sayso.surfaces.web.visitors import Rate, Visitors

SESSION = "/api/session"
_OWN_SITES = frozenset({"same-origin", "none"})
_AT_ONCE, _EACH_SECOND = 400.0, 100.0
"""How many requests one browser may send at once, and in each second after that."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types sayso"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Guard:
    """Answers what may not pass itself, so that no handler sees it; what passes has its visitor in the scope."""

    def __init__(self, app: ASGIApp, visitors: Visitors, port: int, clock: Clock) -> None:
        self._app = app
        self._visitors = visitors
        self._port = port
        self._hosts = frozenset(names_of(port))
        self._users = Users(port)
        self._clock = clock
        self._rates: dict[str, Rate] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on one request, or one opening of a socket."""
        if scope["type"] == "http":
            send = _with_headers(send)
        elif scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        refusal = self._refuse(scope)
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await refusal(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: answered with 403

    def _refuse(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        refusal = refuse_place(headers, self._hosts) or self._refuse_site(scope, headers) or self._refuse_user(scope)
        if refusal is not None:
            return refusal
        if not _is_private(scope):
            return _refuse_kind(scope, headers)
        visitor = self._visitors.known(cookie_in(headers, self._port))
        if visitor is None:
            return problem(401, "page.session", "run “sayso serve”, and open the address that it prints")
        scope["visitor"] = visitor
        rate = self._rates.setdefault(visitor, Rate(self._clock, _AT_ONCE, _EACH_SECOND))
        if not rate.allows():
            return problem(429, "page.rate", "too many requests; wait a second")
        return _refuse_kind(scope, headers)

    def _refuse_site(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        origin = headers.get("origin")
        own = origin is None or origin == f"http://{headers['host']}"
        # A socket is no fetch: only its origin tells a page of sayso's own from any other.
        if scope["type"] == "websocket":
            own = own and origin is not None
        if not own or headers.get("sec-fetch-site", "none") not in _OWN_SITES:
            return problem(403, "page.origin", "pages of other sites may not use this server")
        return None

    def _refuse_user(self, scope: Scope) -> JSONResponse | None:
        host, port = scope.get("client") or (None, 0)
        if self._users.is_another(str(host), port):
            return problem(403, "page.user", "another user of this computer may not use this server")
        return None


def _refuse_kind(scope: Scope, headers: Headers) -> JSONResponse | None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if scope["type"] == "http" and scope["method"] not in {"GET", "HEAD"} and kind != "application/json":
        return problem(415, "page.request", "this server takes application/json only")
    return None


def problem(status: int, code: str, why: str) -> JSONResponse:
    """Return an answer that says in one sentence what is wrong."""
    return JSONResponse({"error": why, "code": code}, status)


def cookie_name(port: int) -> str:
    """Return the name of the cookie; browsers share cookies between all ports of a computer."""
    return f"sayso_{port}"


def cookie_in(headers: Headers, port: int) -> str:
    """Return what the cookie of this server holds; empty without one, or with several."""
    given = headers.getlist("cookie")
    try:
        found = SimpleCookie(given[0] if len(given) == 1 else "").get(cookie_name(port))
    except CookieError:
        return ""
    return "" if found is None else found.value


def _is_private(scope: Scope) -> bool:
    path = scope["path"]
    return scope["type"] == "websocket" or (path.startswith("/api") and path != SESSION)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return sending
