"""The routes of sayso's own page, and the server that answers them on this computer alone."""

import gzip
from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from sayso.assembly import Home
from sayso.assembly.notified import Notified
from sayso.providers.browser.address import announce_page
from sayso.surfaces.local_server import END_SECONDS, LOOPBACK, LocalServer, listening
from sayso.surfaces.web import (
    automation,
    chat,
    entry,
    history,
    lists,
    numbers,
    own_actions,
    settings,
    standing,
    waiting,
    wishes,
)
from sayso.surfaces.web.changes import MOST_BYTES, Changes, rate_of
from sayso.surfaces.web.clicks import Clicks
from sayso.surfaces.web.guard import Guard
from sayso.surfaces.web.opening import open_in_browser
from sayso.surfaces.web.replies import Replies
from sayso.surfaces.web.requests import Page
from sayso.surfaces.web.visitors import Visitors

_AREAS = (
    entry,
    waiting,
    history,
    lists,
    own_actions,
    automation,
    settings,
    standing,
    numbers,
    chat,
    wishes,
)
"""The modules of routes; a new area of the page gets one of its own."""

_KINDS: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}


def routes(page: Page) -> list[BaseRoute]:
    """Return all routes; of the files of the page, each has one of its own."""

    async def socket(socket: WebSocket) -> None:
        await page.changes.serve(socket, rate_of(socket))

    return [
        *[route for area in _AREAS for route in area.routes(page)],
        WebSocketRoute("/ws", socket),
        *[Route(path, _file(body, kind)) for path, (body, kind) in static_files().items()],
    ]


def static_files() -> dict[str, tuple[bytes, str]]:
    """Return the files of the page by their paths, each with its kind; no other file can be asked for.

    The styles of all views follow style.css and are one file with it.
    """
    inside = {file.name: file.read_bytes() for file in files("sayso.surfaces.web").joinpath("static").iterdir()}
    styles = sorted((name for name in inside if name.endswith(".css")), key=lambda name: (name != "style.css", name))
    inside["style.css"] = b"".join(inside[name] for name in styles)
    return {
        "/" if name == "index.html" else f"/static/{name}": (inside[name], _KINDS["." + name.rpartition(".")[2]])
        for name in inside
        if name not in styles[1:]
    }


def _file(body: bytes, kind: str) -> Callable[[Request], Response]:
    packed = gzip.compress(body, mtime=0)

    def answer(request: Request) -> Response:
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(packed, media_type=kind, headers={"Content-Encoding": "gzip", "Vary": "Accept-Encoding"})
        return Response(body, media_type=kind, headers={"Vary": "Accept-Encoding"})

    return answer


def application(page: Page) -> ASGIApp:
    """Return the whole application, behind its guard."""
    app = Starlette(routes=routes(page))
    app.state.clock = page.home.clock
    return Guard(app, page.visitors, page.port, page.home.clock)


async def serve(
    home: Home,
    port: int,
    began: Callable[[str, str], None],
    unopened: Callable[[str], None] | None = None,
    *,
    signals: bool = True,
) -> None:
    """Serve the page until a signal ends it; `began` gets the address and the one-time token.

    With `unopened`, the person's browser opens the page, and `unopened` gets the reason if it does not. What waits goes
    on waiting when the server ends. Without `signals`, only a cancellation ends it. Raises `SetupError` if the port is
    taken.
    """
    own = str(home.settings.places.home)
    with listening(port) as on, announce_page(own, port := on.getsockname()[1], cards=True) as tell:
        visitors = Visitors(home.ids, home.clock, tell)
        changes = Changes(home.journal, visitors)
        page = Page(home, visitors, port, changes, Replies(home, changes))
        config = uvicorn.Config(
            application(page),
            log_config=None,
            access_log=False,
            server_header=False,
            ws="websockets-sansio",
            ws_max_size=MOST_BYTES,
            ws_per_message_deflate=False,
            lifespan="off",
            timeout_graceful_shutdown=END_SECONDS,
        )
        async with anyio.create_task_group() as together:
            together.start_soon(changes.watch)
            together.start_soon(settings.watch, page)
            together.start_soon(history.keep_words, page)
            await together.start(page.replies.run)
            await together.start(Clicks(home, changes).run)
            look = partial(open_in_browser, home, f"http://{LOOPBACK}:{port}/#waiting")
            together.start_soon(Notified(home, look).serve)

            async def open_page(address: str, told: Callable[[str], None]) -> None:
                if why := await open_in_browser(home, address):
                    told(why)

            def begin() -> None:
                url, token = f"http://{LOOPBACK}:{port}/", visitors.invite()
                began(url, token)
                if unopened is not None:
                    together.start_soon(open_page, f"{url}#token={token}", unopened)

            try:
                await LocalServer(config).serve_until_signal(on, begin, page.changes.end, signals=signals)
            finally:
                await page.replies.end()
            together.cancel_scope.cancel()
