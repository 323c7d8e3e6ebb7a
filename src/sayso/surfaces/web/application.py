"""The routes of sayso's own page, and the server that answers them on this computer alone."""

from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from typing import TypeVar

import anyio
import uvicorn
from msgspec import DecodeError, Struct, json
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from sayso.assembly import Home
from sayso.core.errors import ProposalError, SaysoError
from sayso.core.ports import RecordQuery
from sayso.core.record import Record, State, action_key
from sayso.core.version import VERSION
from sayso.providers.browser.address import announce_page
from sayso.runtime.results import report_json, row_json
from sayso.surfaces.local_server import END_SECONDS, LOOPBACK, LocalServer, listening
from sayso.surfaces.web.changes import MOST_BYTES, Changes, rate_of
from sayso.surfaces.web.decisions import Answer, Decider, NotDecided, step
from sayso.surfaces.web.guard import SESSION, Guard, cookie_name, problem
from sayso.surfaces.web.opening import open_in_browser
from sayso.surfaces.web.visitors import Rate, Visitors

T = TypeVar("T")
Handler = Callable[[Request], Awaitable[Response]]
_MOST_BODY = 1024 * 1024
_MOST_ROWS = 500
_KINDS: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}


class Token(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to be let in."""

    token: str


class Undo(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to take an action back, or a whole run."""

    id: str


class _Unfit(Exception):
    """The request is no such request; `answer` says why."""

    def __init__(self, answer: JSONResponse) -> None:
        super().__init__()
        self.answer = answer


class Page:
    """The handlers of all routes."""

    def __init__(self, home: Home, visitors: Visitors, port: int) -> None:
        self._home = home
        self._visitors = visitors
        self._port = port
        self._decider = Decider(home)
        self._guesses = Rate(home.clock, 10, 0.2)
        self.changes = Changes(home.journal, visitors)

    def routes(self) -> list[BaseRoute]:
        """Return all routes; of the files of the page, each has one of its own."""
        return [
            Route(SESSION, _answering(self.admit), methods=["POST"]),
            Route("/api/leave", _answering(self.leave), methods=["POST"]),
            Route("/api/state", _answering(self.state)),
            Route("/api/rows", _answering(self.rows)),
            Route("/api/rows/{id}", _answering(self.row)),
            Route("/api/waiting", _answering(self.waiting)),
            Route("/api/decide", _answering(self.decide), methods=["POST"]),
            Route("/api/undo", _answering(self.undoable)),
            Route("/api/undo", _answering(self.undo), methods=["POST"]),
            WebSocketRoute("/ws", self.socket),
            *[Route(path, _file(body, kind)) for path, (body, kind) in static_files().items()],
        ]

    async def admit(self, request: Request) -> Response:
        """Let a browser in that brings the one-time token, and give it its cookie."""
        visitor = self._visitors.admit((await _read(request, Token)).token)
        if visitor is None:
            if not self._guesses.allows():
                return problem(429, "page.rate", "too many wrong tokens; wait a minute")
            return problem(401, "page.token", "this address was used before, or is too old; run “sayso serve” again")
        answer = Response(status_code=204)
        answer.set_cookie(cookie_name(self._port), visitor, path="/", httponly=True, samesite="strict")
        return answer

    async def leave(self, request: Request) -> Response:
        """Let this browser in no more, and close its sockets."""
        self._visitors.dismiss(request.scope["visitor"])
        self.changes.wake()
        return Response(status_code=204)

    async def state(self, _: Request) -> Response:
        """Return what every view shows."""
        settings = self._home.settings
        waiting = await self._home.pending()
        return JSONResponse(
            {
                "version": VERSION,
                "sequence": self.changes.newest(),
                "paused": settings.policy.paused,
                "mode": settings.policy.mode,
                "model": settings.sections["model"].get("name"),
                "waiting": len({record.run for record in waiting}),
            }
        )

    async def rows(self, request: Request) -> Response:
        """Return a page of the history, newest first."""
        wanted = _query(request)
        records = await self._home.log(wanted)
        more = records[-1].id if len(records) == wanted.limit else None
        return JSONResponse({"rows": [row_json(record) for record in records], "before": more})

    async def row(self, request: Request) -> Response:
        """Return one action of the history."""
        found: list[Record] = await self._home.log_of(request.path_params["id"])
        if len(found) != 1:
            return problem(404, "page.unknown", "there is no such action")
        return JSONResponse({"row": row_json(found[0]), "card": step(found[0])})

    async def waiting(self, request: Request) -> Response:
        """Return a card for each run that waits for the person."""
        sequence = self.changes.newest()
        cards = await self._decider.waiting(request.scope["visitor"])
        return JSONResponse({"sequence": sequence, "waiting": cards})

    async def decide(self, request: Request) -> Response:
        """Do what the person answered to a card."""
        answer = await _read(request, Answer)
        try:
            return JSONResponse(await self._decider.decide(request.scope["visitor"], answer))
        except NotDecided as why:
            return problem(409, why.code, str(why))

    async def undoable(self, request: Request) -> Response:
        """Return what would be taken back."""
        found = await self._home.undoable(request.query_params.get("id"))
        return JSONResponse({"undo": [{"id": record.id, "text": text} for record, text in found]})

    async def undo(self, request: Request) -> Response:
        """Take an action or a run back."""
        asked = await _read(request, Undo)
        return JSONResponse(report_json(await self._home.undo(asked.id, by="click")))

    async def socket(self, socket: WebSocket) -> None:
        """Tell one open page of changes."""
        await self.changes.serve(socket, rate_of(socket))


def _answering(handle: Handler) -> Handler:
    """Return the handler, with an answer in one sentence in place of each error of sayso's."""

    async def answer(request: Request) -> Response:
        try:
            return await handle(request)
        except _Unfit as unfit:
            return unfit.answer
        except ProposalError as wrong:
            return problem(400, wrong.code or "page.request", str(wrong))
        except SaysoError as wrong:
            return problem(409, wrong.code or "page.request", str(wrong))

    return answer


async def _read(request: Request, kind: type[T]) -> T:
    """Return the body of a request. Raises `_Unfit` if it is too long, or not of this kind."""
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > _MOST_BODY:
                raise _Unfit(problem(413, "page.request", f"a request has at most {_MOST_BODY:,} bytes"))
        return json.decode(bytes(body), type=kind)
    except (DecodeError, UnicodeError, ClientDisconnect, RecursionError):
        raise _Unfit(problem(400, "page.request", "this is no such request")) from None


def _query(request: Request) -> RecordQuery:
    given = request.query_params
    limit, states = given.get("limit", "50"), [name for name in given.get("state", "").split(",") if name]
    fits = limit.isascii() and limit.isdigit() and len(limit) <= len(str(_MOST_ROWS)) and int(limit) <= _MOST_ROWS
    if not fits or not {*states} <= {*State}:
        raise ProposalError(f"limit is a number up to {_MOST_ROWS}, and state a list of states", "page.request")
    before = given.get("before")
    return RecordQuery(
        limit=int(limit),
        before=None if before is None else action_key(before),
        operation=given.get("operation") or None,
        states=frozenset(map(State, states)),
        since=given.get("since") or None,
    )


def static_files() -> dict[str, tuple[bytes, str]]:
    """Return the files of the page by their paths, each with its kind; no other file can be asked for."""
    folder = files("sayso.surfaces.web").joinpath("static")
    found: dict[str, tuple[bytes, str]] = {}
    for file in folder.iterdir():
        kind = _KINDS.get("." + file.name.rpartition(".")[2])
        if kind is not None:
            found["/" if file.name == "index.html" else f"/static/{file.name}"] = (file.read_bytes(), kind)
    return found


def _file(body: bytes, kind: str) -> Callable[[Request], Response]:
    return lambda _: Response(body, media_type=kind)


def application(page: Page, visitors: Visitors, home: Home, port: int) -> ASGIApp:
    """Return the whole application, behind its guard."""
    app = Starlette(routes=page.routes())
    app.state.clock = home.clock
    return Guard(app, visitors, port, home.clock)


async def serve(
    home: Home, port: int, began: Callable[[str, str], None], unopened: Callable[[str], None] | None = None
) -> None:
    """Serve the page until a signal ends it; `began` gets the address and the one-time token.

    With `unopened`, the person's browser opens the page, and `unopened` gets the reason if it does not. What waits goes
    on waiting when the server ends. Raises `SetupError` if the port is taken.
    """
    with listening(port) as on:
        port = on.getsockname()[1]
        visitors = Visitors(home.ids, home.clock)
        page = Page(home, visitors, port)
        config = uvicorn.Config(
            application(page, visitors, home, port),
            log_config=None,
            access_log=False,
            server_header=False,
            ws="websockets-sansio",
            ws_max_size=MOST_BYTES,
            ws_per_message_deflate=False,
            lifespan="off",
            timeout_graceful_shutdown=END_SECONDS,
        )
        with announce_page(str(home.settings.places.home), port):
            async with anyio.create_task_group() as together:
                together.start_soon(page.changes.watch)

                async def open_page(address: str, told: Callable[[str], None]) -> None:
                    if why := await open_in_browser(home, address):
                        told(why)

                def begin() -> None:
                    url, token = f"http://{LOOPBACK}:{port}/", visitors.invite()
                    began(url, token)
                    if unopened is not None:
                        together.start_soon(open_page, f"{url}#token={token}", unopened)

                await LocalServer(config).serve_until_signal(on, begin, page.changes.end)
                together.cancel_scope.cancel()
