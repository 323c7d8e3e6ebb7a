"""The routes of what waits for the person, and of the answers to it."""

from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from sayso.core.errors import Refused
from sayso.core.record import State
from sayso.surfaces.web.decisions import Answer, Decider, Edit
from sayso.surfaces.web.grants import offered
from sayso.surfaces.web.guard import problem
from sayso.surfaces.web.requests import Page, read


def routes(page: Page) -> list[BaseRoute]:
    """Return the routes of what waits."""
    decider = Decider(page.home)
    return [
        page.get("/api/waiting", partial(_waiting, decider)),
        page.post("/api/decide", partial(_decide, decider)),
        page.post("/api/edit", partial(_edit, decider)),
        page.get("/api/form", _form),
        page.get("/api/always", _always),
    ]


async def _waiting(decider: Decider, page: Page, request: Request) -> Response:
    """Return a card for each run that waits for the person."""
    sequence = page.changes.newest()
    cards = await decider.waiting(request.scope["visitor"])
    return JSONResponse({"sequence": sequence, "waiting": cards})


async def _decide(decider: Decider, page: Page, request: Request) -> Response:
    """Do what the person answered to a card."""
    return JSONResponse(await decider.decide(request.scope["visitor"], await read(request, Answer)))


async def _edit(decider: Decider, page: Page, request: Request) -> Response:
    """Replace what a card showed by the person's edit of it, about which they are asked anew."""
    return JSONResponse(await decider.edit(request.scope["visitor"], await read(request, Edit)))


async def _form(page: Page, request: Request) -> Response:
    """Return what forms for the arguments of what waits in a run, or of one waiting action, are made from."""
    records = await page.home.log_of(request.query_params.get("id", ""))
    forms = [
        {"id": record.id, "arguments": dict(record.arguments), "schema": operation.schema}
        for record in records
        if record.state is State.WAITING and (operation := page.home.operations.get(record.operation or "")) is not None
    ]
    return JSONResponse({"forms": forms}) if forms else problem(404, "page.unknown", "there is nothing to edit")


async def _always(page: Page, request: Request) -> Response:
    """Return the standing permissions that could come with a yes to these actions, and what each allows so far."""
    going = [id_ for id_ in request.query_params.get("ids", "").split(",") if id_]
    try:
        offers = await page.home.grants.foresee(going)
    except Refused as never:
        return JSONResponse({"offers": [], "why": str(never)})
    return JSONResponse({"offers": [await offered(page.home, offer, going) for offer in offers], "why": None})
