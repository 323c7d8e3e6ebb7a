"""The routes by which a browser is let in and leaves, and of what every view shows."""

from functools import partial

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sayso.core.version import VERSION
from sayso.models.vendors import EMBEDDED
from sayso.surfaces.web.answers import State
from sayso.surfaces.web.guard import SESSION, cookie_name, problem
from sayso.surfaces.web.requests import Page, read
from sayso.surfaces.web.visitors import Rate


class Token(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to be let in."""

    token: str


def routes(page: Page) -> list[BaseRoute]:
    """Return the routes of coming in and leaving."""
    guesses = Rate(page.home.clock, 10, 0.2)
    return [
        page.post(SESSION, partial(_admit, guesses)),
        page.post("/api/leave", _leave),
        page.get("/api/state", _state),
    ]


async def _admit(guesses: Rate, page: Page, request: Request) -> Response:
    """Let a browser in that brings the one-time token, and give it its cookie."""
    visitor = page.visitors.admit((await read(request, Token)).token)
    if visitor is None:
        if not guesses.allows():
            return problem(429, "page.rate", "too many wrong tokens; wait a minute")
        return problem(401, "page.token", "this address was used before, or is too old; run “sayso serve” again")
    answer = Response(status_code=204)
    answer.set_cookie(cookie_name(page.port), visitor, path="/", httponly=True, samesite="strict")
    return answer


async def _leave(page: Page, request: Request) -> Response:
    """Let this browser in no more, and close its sockets."""
    page.visitors.dismiss(request.scope["visitor"])
    page.changes.wake()
    return Response(status_code=204)


async def _state(page: Page, _: Request) -> State:
    """Return what every view shows."""
    settings = page.home.settings
    waiting = await page.home.pending()
    model = settings.sections["model"].get("name")
    return State(
        version=VERSION,
        sequence=page.changes.newest(),
        paused=settings.policy.paused,
        unreadable=settings.policy.unreadable,
        mode=settings.policy.mode,
        model="" if model == EMBEDDED else str(model),
        waiting=len({record.run for record in waiting}),
    )
