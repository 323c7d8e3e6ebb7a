"""The routes of the history: pages of it, one action, and taking back."""

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from sayso.core.errors import ProposalError
from sayso.core.ports import RecordQuery
from sayso.core.record import Record, State, action_key
from sayso.runtime.results import report_json, row_json
from sayso.surfaces.web.cards import shown_card, step
from sayso.surfaces.web.guard import problem
from sayso.surfaces.web.requests import Page, read

_MOST_ROWS = 500


class Undo(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to take an action back, or a whole run."""

    id: str


def routes(page: Page) -> list[BaseRoute]:
    """Return the routes of the history."""
    return [
        page.get("/api/rows", _rows),
        page.get("/api/rows/{id}", _row),
        page.get("/api/undo", _undoable),
        page.post("/api/undo", _undo),
    ]


async def _rows(page: Page, request: Request) -> Response:
    """Return a page of the history, newest first."""
    wanted = _query(request)
    records = await page.home.log(wanted)
    more = records[-1].id if len(records) == wanted.limit else None
    return JSONResponse({"rows": [row_json(record) for record in records], "before": more})


async def _row(page: Page, request: Request) -> Response:
    """Return one action of the history."""
    found: list[Record] = await page.home.log_of(request.path_params["id"])
    if len(found) != 1:
        return problem(404, "page.unknown", "there is no such action")
    shown = await step(page.home, shown_card(page.home, found[0]), found[0])
    return JSONResponse({"row": row_json(found[0]), "card": shown})


async def _undoable(page: Page, request: Request) -> Response:
    """Return what would be taken back."""
    found = await page.home.undoable(request.query_params.get("id"))
    return JSONResponse({"undo": [{"id": record.id, "text": text} for record, text in found]})


async def _undo(page: Page, request: Request) -> Response:
    """Take an action or a run back."""
    asked = await read(request, Undo)
    return JSONResponse(report_json(await page.home.undo(asked.id, by="click")))


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
