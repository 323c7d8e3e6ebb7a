"""The routes of conversations: what was said, words of the person, buttons, and stopping."""

import sys
from collections.abc import Sequence
from functools import partial
from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from sayso.assembly.attachments import Wording, attach
from sayso.assembly.entry import ENTRIES
from sayso.assistant.asker import Attachment
from sayso.core.errors import SaysoError
from sayso.models.vendors import EMBEDDED
from sayso.surfaces.web.answers import Begun, Conversation, Conversations, ConversationShown, Results, Said
from sayso.surfaces.web.buttons import Buttons, Take
from sayso.surfaces.web.guard import problem
from sayso.surfaces.web.replies import CHAT, Replies, Words
from sayso.surfaces.web.requests import MOST_LISTED, Empty, Page, Unfit, number, read
from sayso.surfaces.web.sessions import SHOWN, ConversationView, action, buttons_of, instances_of, part_of
from sayso.surfaces.web.visitors import Nonces

LONGEST = 100_000
"""How many characters the person's words, or one text that they attach, may have."""
Text = Annotated[str, Meta(max_length=LONGEST)]


class NewSession(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to begin a conversation."""

    entry: str = CHAT


class AttachedText(Struct, frozen=True, forbid_unknown_fields=True):
    """A text that the person attaches."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    text: Text


class NewMessage(Struct, frozen=True, forbid_unknown_fields=True):
    """What the person says; `id` is made by the page, and sent again if it does not know whether it arrived."""

    id: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{8,64}$")]
    text: Annotated[str, Meta(min_length=1, max_length=LONGEST)]
    attachments: Annotated[Sequence[AttachedText], Meta(max_length=10)] = ()


class NewName(Struct, frozen=True, forbid_unknown_fields=True):
    """A new title of a conversation."""

    title: Annotated[str, Meta(min_length=1, max_length=200)]


def routes(page: Page) -> list[BaseRoute]:
    """Return the routes of conversations."""
    buttons = Buttons(page.home)
    return [
        page.get("/api/sessions", _list),
        page.post("/api/sessions", _begin, 201),
        page.get("/api/sessions/{id}", partial(_session, buttons.nonces)),
        page.post("/api/sessions/{id}/messages", _say, 202),
        page.post("/api/sessions/{id}/stop", _stop),
        page.post("/api/sessions/{id}/offers", partial(_take, buttons)),
        page.post("/api/sessions/{id}/name", _rename),
        page.post("/api/sessions/{id}/delete", _delete),
    ]


async def _list(page: Page, request: Request) -> Conversations:
    """Return the last conversations."""
    sequence = page.changes.newest()
    waiting: dict[str, set[str]] = {}
    for record in await page.home.pending():
        waiting.setdefault(record.session, set()).add(record.run)
    rows = [
        Conversation(
            id=one.id,
            title=one.name,
            entry=one.entry,
            begun=one.begun,
            last=one.last,
            exchanges=one.exchanges,
            status=_status(page.replies, one.id, one.id in waiting),
            waiting=len(waiting.get(one.id, ())),
        )
        for one in await page.home.sessions.all(number(request, "limit", 50, MOST_LISTED))
    ]
    return Conversations(sequence, rows)


async def _begin(page: Page, request: Request) -> Begun:
    """Begin a conversation."""
    asked = await read(request, NewSession)
    return Begun(page.replies.begin(asked.entry), asked.entry)


async def _session(nonces: Nonces, page: Page, request: Request) -> ConversationShown:
    """Return a part of a conversation, and all that can be done in it now."""
    session, home, sequence = request.path_params["id"], page.home, page.changes.newest()
    entry = await _entry(page, session)
    await page.replies.mend(session)
    before = number(request, "before", -1, sys.maxsize)
    said = await part_of(home, session, number(request, "limit", SHOWN, MOST_LISTED), None if before < 0 else before)
    buttons = await buttons_of(home, session, request.scope["visitor"], nonces)
    instances = await instances_of(home, session)
    live = page.replies.live.get(session)
    added = await home.chats.said(session) if before < 0 else []
    view = ConversationView(home, buttons, instances)
    messages = await view.messages(said.exchanges, added, live.message if live else "")
    known = await home.sessions.session(session)
    model, model_problem = _model(page)
    return ConversationShown(
        sequence=sequence,
        id=session,
        title=known.name if known else "",
        entry=entry,
        model="" if model == EMBEDDED else model,
        model_sends=model != EMBEDDED,
        model_problem=model_problem,
        begun=known.begun if known else None,
        last=known.last if known else None,
        status=_status(page.replies, session, any(one.session == session for one in await home.pending())),
        replying=live.shown() if live else None,
        before=said.before or None,
        messages=messages,
        buttons=buttons,
        actions=[action(home, one) for one in instances],
    )


async def _say(page: Page, request: Request) -> Said:
    """Take the person's words, and let the reply begin."""
    session, asked = request.path_params["id"], await read(request, NewMessage)
    entry = await _entry(page, session)
    if entry not in ENTRIES:
        raise Unfit(problem(409, "page.request", "this conversation goes on where it began, not here"))
    if not asked.text.strip():
        raise Unfit(problem(400, "page.request", "there are no words in this"))
    named = await attach(
        page.home, session, entry, Wording(asked.text, page.home.settings.places.person, must_be_there=True)
    )
    if named.refused:
        marks = named.refused[0].outcomes[0].record.marks
        why = f"nothing was sent: {marks.error or 'a file cannot be read'}"
        raise Unfit(problem(409, "attach.refused", why))
    attached = (*named.texts, *(Attachment(one.name, one.text) for one in asked.attachments))
    await page.replies.say(session, entry, Words(asked.id, asked.text, attached))
    return Said(asked.id)


async def _stop(page: Page, request: Request) -> Response:
    """Stop the reply that goes on, if there is one."""
    await read(request, Empty)
    page.replies.stop(request.path_params["id"])
    return Response(status_code=204)


async def _take(buttons: Buttons, page: Page, request: Request) -> Results:
    """Do what the person answered by one button, or by several at once."""
    session, asked = request.path_params["id"], await read(request, Take)
    return Results(await buttons.take(session, request.scope["visitor"], asked))


async def _rename(page: Page, request: Request) -> Response:
    """Give a conversation another title."""
    title = " ".join((await read(request, NewName)).title.split())
    if title and await page.home.sessions.give_name(request.path_params["id"], title):
        return Response(status_code=204)
    return _unknown()


async def _delete(page: Page, request: Request) -> Response:
    """Delete what was said in a conversation; its actions stay in the history."""
    await read(request, Empty)
    session = request.path_params["id"]
    if session in page.replies.live:
        return problem(409, "page.busy", "a reply goes on in this conversation; stop it first")
    return Response(status_code=204) if await page.home.sessions.delete(session) else _unknown()


async def _entry(page: Page, session: str) -> str:
    """Return the entry point of a conversation. Raises `Unfit` if there is no such conversation."""
    entry = await page.replies.entry_of(session)
    if entry is None:
        raise Unfit(_unknown())
    return entry


def _model(page: Page) -> tuple[str, str]:
    """Return the name of the model that is asked, and why it cannot be asked, if it cannot."""
    try:
        return page.replies.model().name, ""
    except SaysoError as problem:
        return str(page.home.settings.sections["model"].get("name") or ""), str(problem)


def _unknown() -> JSONResponse:
    return problem(404, "page.unknown", "there is no such conversation")


def _status(replies: Replies, session: str, waits: object) -> str:
    return "replying" if session in replies.live else "waiting" if waits else "idle"
