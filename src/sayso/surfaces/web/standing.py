"""The routes of what stands: permissions, who has read strangers' words, other servers, notes, and the checks."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import cast

import anyio
from msgspec import Struct, json
from msgspec.structs import asdict, replace
from starlette.requests import Request
from starlette.routing import BaseRoute

from sayso.assembly.doctor_document import DoctorDocument
from sayso.assistant.context import is_note_name, note_value
from sayso.core.conversation import UserNote
from sayso.core.errors import ProposalError
from sayso.core.grant import Grant
from sayso.core.ports import Clock, RecordQuery
from sayso.policy.wording import word_grant
from sayso.providers.mcp.servers import WrappedServer
from sayso.providers.programs.own_python import module_command
from sayso.providers.programs.run import ProgramCall, ProgramRunner
from sayso.runtime.grant_documents import GrantDocument, grant_document
from sayso.runtime.services import stamp
from sayso.surfaces.web.answers import Forgotten, GrantShown, PermittedAction, Server, Standing
from sayso.surfaces.web.requests import Empty, Page, read

_LOOKED_AT = 500
_SHOWN_OF_GRANT = 10
_DOCTOR_SECONDS = 60.0
_FRESH = 5.0
"""How many seconds what the doctor found is told again."""


class Note(Struct, frozen=True, forbid_unknown_fields=True):
    """A fact for models from the person or another program; its value is a text, texts, or a number of minutes."""

    name: str
    value: str | int | list[str]


def routes(page: Page) -> list[BaseRoute]:
    """Return the routes of what stands."""
    checks = Checks(page.home.clock, partial(_checked, page))
    return [
        page.get("/api/standing", _standing),
        page.post("/api/grants/{id}/revoke", _revoke),
        page.post("/api/context", _tell),
        page.post("/api/context/{name}/forget", _forget),
        page.get("/api/doctor", partial(_doctor, checks)),
    ]


async def _standing(page: Page, _: Request) -> Standing:
    """Return the standing permissions with what each has allowed, exposed principals, wrapped servers, and notes."""
    home = page.home
    grants = await home.grants.all(ended=False)
    return Standing(
        grants=[await _grant(page, one) for one in grants],
        exposed=await home.exposed_principals(),
        servers=[Server(one.name, one.shown, one.local) for one in _servers(page).values()],
        notes=await home.sessions.told(),
    )


async def _grant(page: Page, grant: Grant) -> GrantShown:
    found = await page.home.log(RecordQuery(limit=_LOOKED_AT, operation=grant.operation))
    allowed = [
        PermittedAction(one.id, one.time, one.summary) for one in found if one.marks.approved_by == f"grant:{grant.id}"
    ]
    says = word_grant(grant, page.home.settings.policy.home)
    told = replace(grant_document(grant, page.home.grants.ended(grant)), says=says)
    return GrantShown(**asdict(told), allowed=allowed[:_SHOWN_OF_GRANT])


def _servers(page: Page) -> Mapping[str, WrappedServer]:
    return cast("Mapping[str, WrappedServer]", page.home.settings.sections.get("mcp", {}).get("servers") or {})


async def _revoke(page: Page, request: Request) -> GrantDocument:
    """Take a standing permission back, for good."""
    await read(request, Empty)
    grant = await page.home.grants.revoke(request.path_params["id"], by="click")
    return grant_document(grant, "revoked")


async def _tell(page: Page, request: Request) -> UserNote:
    """Keep a fact for models, in place of one of the same name; to them, it counts as words of strangers."""
    note = await read(request, Note)
    values = [*note.value] if isinstance(note.value, list) else [str(note.value)]
    if not is_note_name(note.name) or not any(value.strip() for value in values):
        raise ProposalError("a fact has a name in small letters, such as mood, and a value", "context.value")
    plain = [value.encode("utf-8", "replace").decode() for value in values]
    told = UserNote(note.name, note_value(note.name, plain), stamp(page.home.clock.now()))
    await page.home.sessions.tell(told)
    return told


async def _forget(page: Page, request: Request) -> Forgotten:
    """Tell models a fact no longer."""
    await read(request, Empty)
    name = request.path_params["name"]
    return Forgotten(name, await page.home.sessions.forget(name))


class Checks:
    """What the doctor finds, by one check at a time; whoever asks meanwhile or soon after gets the same."""

    def __init__(self, clock: Clock, check: Callable[[], Awaitable[DoctorDocument]]) -> None:
        self._clock = clock
        self._check = check
        self._alone = anyio.Lock()
        self._found: DoctorDocument | None = None
        self._until = 0.0

    async def found(self) -> DoctorDocument:
        """Return what a check found that is at most `_FRESH` seconds old, or has ended since this was called."""
        asked = self._clock.monotonic()
        async with self._alone:
            if self._found is None or asked >= self._until:
                self._found = await self._check()
                self._until = self._clock.monotonic() + _FRESH
            return self._found


async def _checked(page: Page) -> DoctorDocument:
    """Run the checks in a process of their own, which no person at a terminal waits for."""
    settings = page.home.settings
    program, *words = module_command("sayso", "doctor", "--json")
    own = {"SAYSO_HOME": str(settings.places.home)}
    call = ProgramCall(program, tuple(words), seconds=_DOCTOR_SECONDS, whole=True, also=own)
    return json.decode((await ProgramRunner(settings.environ, page.home.ids).run(call)).text, type=DoctorDocument)


async def _doctor(checks: Checks, _: Page, __: Request) -> DoctorDocument:
    """Return what works here and how to mend what does not."""
    return await checks.found()
