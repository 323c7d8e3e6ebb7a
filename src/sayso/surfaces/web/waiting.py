"""The routes of what waits for the person, and of the answers to it."""

from functools import partial

from starlette.requests import Request
from starlette.routing import BaseRoute

from sayso.core.errors import Refused
from sayso.core.record import State
from sayso.runtime.results import ReportDocument
from sayso.surfaces.web.answers import Form, Forms, Waiting
from sayso.surfaces.web.card_answers import AlwaysOffers
from sayso.surfaces.web.decisions import Answer, Decider, Edit
from sayso.surfaces.web.grants import offered
from sayso.surfaces.web.guard import problem
from sayso.surfaces.web.requests import Page, Unfit, read


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


async def _waiting(decider: Decider, page: Page, request: Request) -> Waiting:
    """Return a card for each run that waits for the person."""
    sequence = page.changes.newest()
    cards = await decider.waiting(request.scope["visitor"])
    return Waiting(sequence, cards)


async def _decide(decider: Decider, page: Page, request: Request) -> ReportDocument:
    """Do what the person answered to a card."""
    return await decider.decide(request.scope["visitor"], await read(request, Answer))


async def _edit(decider: Decider, page: Page, request: Request) -> ReportDocument:
    """Replace what a card showed by the person's edit of it, about which they are asked anew."""
    return await decider.edit(request.scope["visitor"], await read(request, Edit))


async def _form(page: Page, request: Request) -> Forms:
    """Return what forms for the arguments of what waits in a run, or of one waiting action, are made from."""
    records = await page.home.log_of(request.query_params.get("id", ""))
    forms = [
        Form(record.id, dict(record.arguments), operation.schema)
        for record in records
        if record.state is State.WAITING and (operation := page.home.operations.get(record.operation or "")) is not None
    ]
    if not forms:
        raise Unfit(problem(404, "page.unknown", "there is nothing to edit"))
    return Forms(forms)


async def _always(page: Page, request: Request) -> AlwaysOffers:
    """Return the standing permissions that could come with a yes to these actions, and what each allows so far."""
    going = [id_ for id_ in request.query_params.get("ids", "").split(",") if id_]
    try:
        offers = await page.home.grants.foresee(going)
    except Refused as never:
        return AlwaysOffers([], str(never))
    return AlwaysOffers([await offered(page.home, offer, going) for offer in offers], None)
