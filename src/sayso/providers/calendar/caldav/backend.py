"""Carry steps out on a CalDAV server: each on the condition it was planned upon, read back, and settled by looking."""

from collections.abc import Mapping
from datetime import tzinfo

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, ChangeRef, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.accounts.keyring import Entry, password_line
from sayso.providers.calendar.caldav.client import Client, Server, server_called
from sayso.providers.calendar.caldav.discovery import Secret
from sayso.providers.calendar.formatting import zone_named
from sayso.providers.calendar.ical.query import Reads, Resource, holds_uid
from sayso.providers.calendar.ical.serialize import MARK, after, differs, same_lines
from sayso.providers.calendar.model import (
    DeleteEntry,
    DeleteOccurrence,
    EntryFree,
    EntryIs,
    PutEntry,
    Steps,
    UpdateEvent,
    entry_fact,
)

_FIXES = {
    "caldav.password": "sayso config calendar",
    "caldav.none": "sayso config set calendar.url https://…",
    "caldav.answer": "sayso config set calendar.url https://…",
    "caldav.elsewhere": "sayso config set calendar.url https://…",
}
_ANOTHER = "changed since"
"""An ETag that no server has: what was made is there, and is no longer what was made."""


def build(ground: BackendContext) -> "CaldavBackend":
    """Return the backend for the server that the settings name. Raises `SetupError`."""
    url, user = str(ground.settings.get("url") or ""), str(ground.settings.get("user") or "")
    if not url:
        raise SetupError(
            "calendar.url is not set: “sayso config calendar” asks for the address of your server", "settings.missing"
        )
    client = Client(url, user, Secret(ground, entry_of(ground.settings)).password)
    return CaldavBackend(ground, Server(client, str(ground.settings.get("default") or "")), user)


def entry_of(settings: Mapping[str, Json]) -> Entry:
    """Return where the keyring has the password of `[calendar]`."""
    return Entry("calendar", server_called(str(settings.get("url") or "")), str(settings.get("user") or ""))


class CaldavBackend:
    """The calendars on a server."""

    imagines = True
    note = ""

    def __init__(self, ground: BackendContext, server: Server, user: str) -> None:
        self.name = f"caldav:{user}@{server.client.said}" if user else f"caldav:{server.client.said}"
        self._ground = ground
        self._user = user
        self._kill = ground.kill
        self._zone: tzinfo = zone_named(str(ground.settings.get("timezone") or ""))
        self._server = server
        self._late: set[Steps] = set()
        """Steps that the server may still be doing."""
        self._kept_otherwise: dict[Steps, str] = {}
        self.reads = Reads(server, ground.clock, ground.ids, self._zone)

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do `step` if `expects` still holds, checked by the server in the act. Raises `ProviderError`, `Uncertain`."""
        expected = entry_fact(step.uid, expects)
        self._kill("caldav.before")
        try:
            left = await self._applied(step, expected)
        except Uncertain as unclear:
            if unclear.code == "caldav.late":
                self._late.add(step)
            raise
        self._kill("caldav.after")
        return left

    async def _applied(self, step: Steps, expected: EntryIs | EntryFree) -> Applied:
        if isinstance(expected, EntryFree):
            if await self._server.resource(step.uid) is not None:
                raise ProviderError(f"the id “{step.uid}” is taken by now; nothing was done", "world.changed")
            text = after(None, step, self._zone) or ""
            await self._server.put_new(step.place, text)
            self._kill("caldav.put")
            return await self._read_back(step, text)
        if isinstance(step, DeleteEntry):
            await self._server.delete(step.place, expected.etag)
            return Applied((EntryFree(step.uid),))
        now = await self._server.at(step.place)
        if now is None or now.etag != expected.etag or not holds_uid(now.text, step.uid):
            raise ProviderError("the event is not as it was when this was planned; nothing was done", "world.changed")
        text = after(now.text, step, self._zone) or ""
        await self._server.put(step.place, text, expected.etag)
        self._kill("caldav.put")
        return await self._read_back(step, text)

    async def _read_back(self, step: Steps, text: str) -> Applied:
        """Return what is there now, as the server keeps it."""
        try:
            now = await self._server.at(step.place)
        except ProviderError as silent:
            raise Uncertain(f"what was written could not be read back: {silent}", "caldav.cut") from silent
        if now is None or not holds_uid(now.text, step.uid):
            raise Uncertain("the server took the event and does not show it", "caldav.not_there")
        otherwise = differs(text, now.text, step.uid)
        if otherwise:
            self._kept_otherwise[step] = otherwise
        return Applied((EntryIs(step.uid, now.etag),))

    def tells(self, step: Steps, left: Applied) -> str:
        """Return what the server keeps otherwise than it was given."""
        otherwise = self._kept_otherwise.get(step)
        return f"the server keeps {otherwise} otherwise than it was given" if otherwise else ""

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        """Ask the server whether `step`, whose end nobody saw, was done."""
        expected = entry_fact(step.uid, expects)
        now = await self._server.at(step.place)
        if isinstance(expected, EntryFree):
            settled = await self._settled_new(step, now)
        elif now is None:
            return CannotTell("the event is gone, and it cannot be seen who removed it")
        else:
            settled = self._settled_changed(step, expected, now)
        if isinstance(settled, NotDone) and step in self._late:
            return CannotTell(f"{self._server.client.said} was slow to answer and may still be doing it")
        return settled

    async def _settled_new(self, step: Steps, now: Resource | None) -> Settlement:
        made = after(None, step, self._zone) or ""
        found = now if now is not None else await self._server.resource(step.uid)
        if found is None:
            return NotDone("the server does not have it")
        if not holds_uid(found.text, step.uid) or (isinstance(step, PutEntry) and not same_lines(made, found.text)):
            return CannotTell("something else stands where it was to be")
        same = found.place == step.place and not differs(made, found.text, step.uid)
        return Applied((EntryIs(step.uid, found.etag if same else _ANOTHER),))

    @staticmethod
    def _settled_changed(step: Steps, expected: EntryIs, now: Resource) -> Settlement:
        if now.etag == expected.etag:
            return NotDone("the event is as it was")
        if isinstance(step, PutEntry):
            done = same_lines(step.raw, now.text)
        else:
            done = isinstance(step, (UpdateEvent, DeleteOccurrence)) and f"{MARK}:{step.mark}" in now.text
        if done:
            return Applied((EntryIs(step.uid, now.etag),))
        return CannotTell("the event was changed by somebody, and it cannot be seen by whom")

    def imagine(self, seen: Reads, step: Steps, ref: ChangeRef) -> Reads:
        """Return reads in which `step` has been done."""
        return seen.after(step, ref)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Say whether the password can be had, and which calendars the server has."""
        if self._user:
            line = await password_line(self._ground, entry_of(self._ground.settings))
            return (line, *(await self._calendars() if line.served else ()))
        return await self._calendars()

    async def _calendars(self) -> tuple[Capability, ...]:
        try:
            shelves = await self._server.shelves()
        except SaysoError as wrong:
            return (Capability("calendars", "", str(wrong), _FIXES.get(wrong.code, ""), asked=True),)
        names = ", ".join(f"“{shelf.name}”" for shelf in shelves)
        return (Capability("calendars", self._server.client.said, f"as calendar.url says; calendars: {names}"),)
