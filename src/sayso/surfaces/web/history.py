"""The routes of the history: pages of it, one action, and taking back."""

from datetime import UTC, datetime

import anyio
from msgspec import UNSET, Struct, UnsetType, json
from msgspec.structs import asdict, replace
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import BaseRoute

from sayso.assembly.why import explain
from sayso.core.errors import ProposalError
from sayso.core.ports import RecordQuery
from sayso.core.quotes import quoted
from sayso.core.record import NOT_PLANNED, Record, State, action_id, action_key
from sayso.journal.reader import JournalReader
from sayso.journal.search import Found, Wanted, search
from sayso.runtime.results import ReportDocument, report_document
from sayso.runtime.rewind import look_back, rewind
from sayso.surfaces.web.answers import (
    Rewind,
    Rewound,
    Rows,
    RowShown,
    TakenBack,
    Undoable,
    Undoables,
    Verified,
    Why,
)
from sayso.surfaces.web.cards import page_row, shown_card, step
from sayso.surfaces.web.faults import Guarded
from sayso.surfaces.web.guard import problem
from sayso.surfaces.web.messages import Rewinding
from sayso.surfaces.web.requests import MOST_LISTED, Page, Unfit, number, read

_MOMENT = 0.025
"""For how many seconds what is not in the index of words is looked through before what was found is told."""
_BETWEEN, _GATHERED, _AFTER_FAULT = 0.05, 2.0, 60.0
"""Seconds between two parts of the journal that are read into the index, from a change to that, and after a fault."""

_EACH_TOLD = 0.25
"""Seconds between two messages about how far a rewind is."""


class Undo(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to take an action back, or a whole run."""

    id: str


class Back(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to rewind to a moment; the digest says what it showed of it."""

    to: str
    digest: str


def routes(page: Page) -> list[BaseRoute]:
    """Return the routes of the history."""
    return [
        page.get("/api/rows", _rows),
        page.get("/api/rows/{id}", _row),
        page.get("/api/rows/{id}/why", _why),
        page.get("/api/undo", _undoable),
        page.post("/api/undo", _undo),
        page.get("/api/rewind", _look_back),
        page.post("/api/rewind", _rewind),
        page.get("/api/verify", _verify),
        page.get("/api/export", _export),
    ]


async def keep_words(page: Page) -> None:
    """Keep the index of words up to date with the journal until this is cancelled."""
    while True:
        changed = page.changes.changed
        with Guarded() as kept:
            if await page.home.journal.read_words():
                await anyio.sleep(_BETWEEN)
                continue
        await (anyio.sleep(_AFTER_FAULT) if kept.problem else changed.wait())
        await anyio.sleep(_GATHERED)


async def _rows(page: Page, request: Request) -> Rows:
    """Return a page of the history, newest first; where much has to be looked through, what was found in a moment."""
    query, wanted = _query(request), _wanted(request)
    hides = request.query_params.get("dry") == "hide" and not request.query_params.get("state")
    clock, path = page.home.clock, page.home.journal.path
    until = clock.monotonic() + _MOMENT

    def look(reader: JournalReader) -> tuple[Found, int]:
        return find(reader), reader.count({State.PLANNED}) if hides else 0

    def find(reader: JournalReader) -> Found:
        if wanted == Wanted():
            records = tuple(reader.query(query))
            full = len(records) >= query.limit > 0
            return Found(records, records[-1].key if full else None, records[-1].time if full else None)
        return search(reader, query, wanted, lambda: clock.monotonic() >= until, path)

    found, hidden = page.home.journal.read(look)
    further = None if found.further is None else action_id(found.further)
    return Rows([page_row(page.home, record) for record in found.records], further, found.since, found.indexed, hidden)


async def _row(page: Page, request: Request) -> RowShown:
    """Return one action of the history."""
    found = await _one(page, request)
    return RowShown(page_row(page.home, found), await step(page.home, shown_card(page.home, found), found))


async def _why(page: Page, request: Request) -> Why:
    """Return why an action was asked about or not, in sentences: what policy looked at, and what each step expects."""
    return Why([*await explain(page.home, await _one(page, request))])


async def _one(page: Page, request: Request) -> Record:
    """Return the action that the address names. Raises `Unfit` if there is none."""
    found: list[Record] = await page.home.log_of(request.path_params["id"])
    if len(found) != 1:
        raise Unfit(problem(404, "page.unknown", "there is no such action"))
    return found[0]


async def _undoable(page: Page, request: Request) -> Undoables:
    """Return what would be taken back."""
    found = await page.home.undoable(request.query_params.get("id"))
    return Undoables([Undoable(record.id, _deed(text)) for record, text in found])


async def _undo(page: Page, request: Request) -> ReportDocument:
    """Take an action or a run back."""
    asked = await read(request, Undo)
    return report_document(await page.home.undo(asked.id, by="click"))


def _query(request: Request) -> RecordQuery:
    given = request.query_params
    states = [name for name in given.get("state", "").split(",") if name]
    if not {*states} <= {*State}:
        raise ProposalError("state is a list of states", "page.request")
    before = given.get("before")
    return RecordQuery(
        limit=number(request, "limit", 50, MOST_LISTED),
        before=None if before is None else action_key(before),
        operation=given.get("operation") or None,
        states=frozenset(map(State, states)) if states or given.get("dry") != "hide" else NOT_PLANNED,
        since=given.get("since") or None,
        until=given.get("until") or None,
    )


def _wanted(request: Request) -> Wanted:
    given = request.query_params
    return Wanted(
        words=tuple(given.get("words", "").split()),
        entries=frozenset(filter(None, given.get("entry", "").split(","))),
        approved_by=frozenset(filter(None, given.get("by", "").split(","))),
    )


async def _look_back(page: Page, request: Request) -> Rewind:
    """Return what rewinding to a moment would take back, and what stays."""
    shown = await look_back(page.home.tools, _moment(request.query_params.get("to", "")))
    backs = [_shown(back.original, _deed(back.plan.summary)) for back in shown.backs]
    stays = [_shown(record, record.summary, why) for record, why in shown.stays]
    return Rewind(shown.to, shown.digest, backs, stays, shown.more)


async def _rewind(page: Page, request: Request) -> Rewound:
    """Take back all that was shown, if nothing was done since; of very many results, those that failed are named."""
    asked = await read(request, Back)
    shown = await look_back(page.home.tools, _moment(asked.to))
    if shown.digest != asked.digest:
        raise Unfit(
            problem(409, "page.changed", "something else was done or taken back since; look at it as it is now")
        )
    clock, told = page.home.clock, [0.0]

    def did(number: int) -> None:
        if clock.monotonic() >= told[0]:
            told[0] = clock.monotonic() + _EACH_TOLD
            page.changes.tell(json.encode(Rewinding(number, len(shown.backs))).decode())

    report = await rewind(page.home.tools, shown, "click", did)
    failed = [one for one in report.outcomes if one.record.state is not State.DONE]
    named = report.outcomes if len(report.outcomes) <= MOST_LISTED else tuple(failed[:MOST_LISTED])
    document = asdict(report_document(replace(report, outcomes=named)))
    return Rewound(**document, of=len(report.outcomes), done=len(report.outcomes) - len(failed))


async def _verify(page: Page, _: Request) -> Verified:
    """Return whether the journal is as sayso wrote it."""
    found = await page.home.journal.verify()
    return Verified(found.ok, found.rows, found.actions, found.problem)


async def _export(page: Page, _: Request) -> StreamingResponse:
    """Return the whole journal as JSON lines; the last line is a checkpoint."""
    lines = page.home.journal.export_lines()
    name = f"attachment; filename=sayso-log-{page.home.clock.now():%Y-%m-%d}.jsonl"
    return StreamingResponse(lines, media_type="application/x-ndjson", headers={"Content-Disposition": name})


def _deed(summary: str) -> str:
    """Return what would be taken back, from the sentence about its undo."""
    return summary.removeprefix("Take back: ")


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ProposalError(f"{quoted(text[:40])} is no time such as 2025-01-06T10:30:00Z", "time.malformed") from None


def _shown(record: Record, text: str, why: str | UnsetType = UNSET) -> TakenBack:
    return TakenBack(record.id, text, record.marks.ended_at or record.time, why)
