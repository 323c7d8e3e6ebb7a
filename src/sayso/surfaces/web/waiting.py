"""The routes of what waits for the person, and of the answers to it."""

from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from sayso.surfaces.web.decisions import Answer, Decider, NotDecided
from sayso.surfaces.web.guard import problem
from sayso.surfaces.web.requests import Page, read


def routes(page: Page) -> list[BaseRoute]:
    """Return the routes of what waits."""
    decider = Decider(page.home)
    return [
        page.get("/api/waiting", partial(_waiting, decider)),
        page.post("/api/decide", partial(_decide, decider)),
    ]


async def _waiting(decider: Decider, page: Page, request: Request) -> Response:
    """Return a card for each run that waits for the person."""
    sequence = page.changes.newest()
    cards = await decider.waiting(request.scope["visitor"])
    return JSONResponse({"sequence": sequence, "waiting": cards})


async def _decide(decider: Decider, page: Page, request: Request) -> Response:
    """Do what the person answered to a card."""
    answer = await read(request, Answer)
    try:
        return JSONResponse(await decider.decide(request.scope["visitor"], answer))
    except NotDecided as why:
        return problem(409, why.code, str(why))
