"""The routes of what waits for the person, and of the answers to it."""

from collections.abc import Collection, Sequence
from functools import partial

from starlette.requests import Request
from starlette.routing import BaseRoute

from sayso.assembly import Home
from sayso.core.card_contents import argument_rows, texts_in
from sayso.core.errors import Refused
from sayso.core.grant import GrantOffer
from sayso.core.lookalikes import warnings
from sayso.core.record import State
from sayso.policy.wording import reach_words, varies_words
from sayso.runtime.grants import BacktestResult
from sayso.runtime.results import ReportDocument
from sayso.surfaces.web.answers import Form, Forms, Waiting
from sayso.surfaces.web.card_answers import AlwaysOffers, Argument, Offered, PastAction, Varying
from sayso.surfaces.web.decisions import Answer, Decider, Edit
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
    return AlwaysOffers([await _offered(page.home, offer, going) for offer in offers], None)


async def _offered(home: Home, offer: GrantOffer, waiting: Collection[str]) -> Offered:
    """Return an offered permission; the actions that wait for the yes itself are not counted as past ones."""
    grant, folder = offer.grant, home.settings.policy.home
    trial = await home.grants.tried(grant)
    past = [one for one in trial.tried if one.record.id not in waiting]
    texts = [text for value in grant.fixed.values() for text in texts_in(value)]
    texts += [one.of for one in grant.varies]
    return Offered(
        digest=offer.digest,
        operation=grant.operation,
        fixed=[Argument(row.name, row.value, row.text) for row in argument_rows(grant.fixed)],
        varies=[Varying(one.argument, varies_words(one, folder)) for one in grant.varies],
        reach=reach_words(grant),
        expires=grant.expires,
        most_uses=grant.most_uses,
        looks=list(dict.fromkeys(odd for text in texts for odd in warnings(text))),
        allowed=_past([one for one in past if one.answer == "allowed"]),
        asked=_past([one for one in past if one.answer == "asked"]),
    )


def _past(tried: Sequence[BacktestResult]) -> list[PastAction]:
    return [
        PastAction(
            id=one.record.id,
            text=one.record.summary,
            state=one.record.state.value,
            because=one.why or None,
            you_said_no=one.you_said_no,
        )
        for one in tried
    ]
