"""Questions that an agent's own program shows the person as a form: only if the settings allow it, for little things.

A program can answer its own forms, so this is off until the person switches `mcp.forms` on. Even then a form is shown
only about what every rule lets the person answer anywhere, what can be taken back, and what nothing leaves by.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, cast

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.session import ServerSession
from msgspec import Struct

from sayso.assembly import Home
from sayso.core.decision import Decision, Question
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, Stale
from sayso.core.quotes import quoted, visible
from sayso.core.record import Record, State
from sayso.runtime.questions import Client
from sayso.surfaces.mcp.calls import Calls
from sayso.surfaces.mcp.tokens import secret_in

BY = "form"
"""Who approved, in the journal; no standing permission is derived from such a yes."""
YES, NO = "do it", "do not do it"
KEY = "sayso"
"""The name of the one question in an answer that asks for input."""
_SETTING = "forms"
_MOST = 200
_LASTS = 3600.0
"""Seconds for which the state of a question is valid."""
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"answer": {"type": "string", "title": "May this be done?", "enum": [NO, YES]}},
    "required": ["answer"],
}


class Asked(Struct, frozen=True):
    """What a form was about: an action, and the digest of what was shown of it."""

    id: str
    digest: str


def are_on(home: Home) -> bool:
    """Return whether the person lets the programs of agents show them forms."""
    return home.settings.sections["mcp"].get(_SETTING) is True


def secret_for(home: Home) -> bytes:
    """Return what signs the state that passes through agents. Raises `SetupError`."""
    return secret_in(home.settings.places.home, home.ids)


def boundary(secret: bytes, principal: Callable[[ServerRequestContext[Any, Any]], str]) -> RequestStateBoundary:
    """Return what signs the state that passes through an agent, so that only the same call of the same agent has it."""
    security = RequestStateSecurity(keys=[secret], ttl=_LASTS, bind_principal=principal)
    return RequestStateBoundary(security, default_audience="sayso")


def question_for(calls: Calls, record: Record, session: ServerSession) -> types.ElicitRequest | None:
    """Return what this agent's program can be asked to show about a waiting action; None if it can show nothing.

    Where sayso has a page and the program can open an address, that is the address of the card; the answer is then
    given on the page, for any action. Otherwise it is a form, if one may ask about this action.
    """
    can = session.client_capabilities
    asks = can.elicitation if can else None
    if asks is None or record.state is not State.WAITING:
        return None
    address = calls.page(record.id) if asks.url is not None else None
    if address is not None:
        about = visible(str((record.plan or {}).get("summary", "")))
        params = types.ElicitRequestURLParams(message=f"sayso asks: {about}", url=address, elicitation_id=record.id)
        return types.ElicitRequest(params=params)
    shows = asks.form is not None or asks.url is None
    return form(record) if shows and are_on(calls.home) and is_small(record) else None


def is_small(record: Record) -> bool:
    """Return whether an action can be taken back whole, lets nothing leave, and asks only because of the mode."""
    plan, verdict = record.plan, record.verdict
    if plan is None or verdict is None or verdict.level != "mode" or record.digest is None:
        return False
    changes = cast("list[Mapping[str, Mapping[str, Json]]]", plan["changes"])
    kept = all("cannot" not in change["undo"] for change in changes)
    return bool(changes) and kept and not (plan.get("loses") or plan.get("sends") or plan.get("warns"))


def form(record: Record) -> types.ElicitRequest:
    """Return the form about an action; all texts in it are shown so that they cannot act."""
    arguments = [f"  {name}: {_short(value)}" for name, value in record.arguments.items()]
    summary = visible(str((record.plan or {}).get("summary", "")))
    lines = [f"sayso asks: {summary}", f"{record.operation}", *arguments, "It can be taken back with “sayso undo”."]
    params = types.ElicitRequestFormParams(message="\n".join(lines), requested_schema=_SCHEMA)
    return types.ElicitRequest(params=params)


def _short(value: Json) -> str:
    text = visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return quoted(text if len(text) <= _MOST else f"{text[:_MOST]}…")


def required(record: Record, question: types.ElicitRequest) -> types.InputRequiredResult:
    """Return the answer that asks the client to show the question, and to call again with what came of it."""
    state = json.dumps([record.id, record.digest])
    return types.InputRequiredResult(input_requests={KEY: question}, request_state=state)


def asked_before(state: str) -> Asked:
    """Return what the state of an earlier answer was about; it has been checked to be sayso's own."""
    id_, digest = json.loads(state)
    return Asked(id_, digest)


async def decide(calls: Calls, asked: Asked, answer: types.ElicitResult) -> None:
    """Do what the person said, if exactly this still waits; nothing is decided by a form that was closed.

    Whatever else is decided meanwhile stands: each action is decided once.
    """
    outcome = await calls.home.outcome(asked.id)
    waits = outcome is not None and outcome.record.state is State.WAITING and outcome.record.digest == asked.digest
    if outcome is None or not waits or not calls.is_mine(outcome.record):
        return
    if not are_on(calls.home) or not is_small(outcome.record):
        return
    with suppress(ProposalError, Stale):  # it was decided elsewhere in this moment
        if answer.action == "accept" and answer.content == {"answer": YES}:
            await calls.home.approve(asked.id, Client(lambda question: _yes(question, asked), by=BY))
        elif answer.action == "decline" or (answer.action == "accept" and answer.content == {"answer": NO}):
            await calls.home.decline(asked.id, by=BY)


def _yes(question: Question, asked: Asked) -> Decision | None:
    """Return a yes if the question is about exactly what the form showed."""
    same = [card.digest for card in question.cards] == [asked.digest] and question.level == "mode"
    return question.yes(BY) if same else None
