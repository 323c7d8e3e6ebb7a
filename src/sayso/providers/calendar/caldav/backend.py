"""The backend for a CalDAV server: each step requires the ETag seen during planning, and its result is read back."""

from collections.abc import Mapping
from datetime import tzinfo

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, ChangeRef, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.core.quotes import quoted
from sayso.providers.accounts.keyring import KeyringEntry, password_line
from sayso.providers.calendar.caldav.client import CaldavClient, CalendarServer, server_name
from sayso.providers.calendar.caldav.discovery import AccountPassword
from sayso.providers.calendar.event_texts import zone_named
from sayso.providers.calendar.ical.parse import Resource
from sayso.providers.calendar.ical.query import IcalCalendar, holds_uid
from sayso.providers.calendar.ical.serialize import bears_mark, describe_differences, same_lines, text_after
from sayso.providers.calendar.model import EntryFree, EntryIs, PutEntry, Steps, entry_fact

_FIXES = {
    "caldav.password": "sayso config calendar",
    "caldav.none": "sayso config set calendar.url https://…",
    "caldav.answer": "sayso config set calendar.url https://…",
    "caldav.elsewhere": "sayso config set calendar.url https://…",
}
_ANOTHER = "changed since"
"""An ETag that no server uses, for a new entry that was found to be changed by somebody else; undo then fails."""


def build(context: BackendContext) -> "CaldavBackend":
    """Return the backend for the server that the settings name. Raises `SetupError`."""
    url, user = str(context.settings.get("url") or ""), str(context.settings.get("user") or "")
    if not url:
        raise SetupError(
            "calendar.url is not set: “sayso config calendar” asks for the address of your server", "settings.missing"
        )
    client = CaldavClient(url, user, AccountPassword(context, entry_of(context.settings)).password)
    return CaldavBackend(context, CalendarServer(client, str(context.settings.get("default") or "")), user)


def entry_of(settings: Mapping[str, Json]) -> KeyringEntry:
    """Return the entry of the keyring that holds the password for `[calendar]`."""
    return KeyringEntry("calendar", server_name(str(settings.get("url") or "")), str(settings.get("user") or ""))


class CaldavBackend:
    """The calendars on a CalDAV server."""

    imagines = True
    note = ""

    def __init__(self, context: BackendContext, server: CalendarServer, user: str) -> None:
        self.name = f"caldav:{user}@{server.client.host}" if user else f"caldav:{server.client.host}"
        self._context = context
        self._user = user
        self._kill = context.kill
        self._zone: tzinfo = zone_named(str(context.settings.get("timezone") or ""))
        self._server = server
        self._late: set[Steps] = set()
        """Steps for which the server sent no answer in time; it may still be doing them."""
        self._kept_otherwise: dict[Steps, str] = {}
        self.reads = IcalCalendar(server, context.clock, context.ids, self._zone, hosted=context.hosted)

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        expected = entry_fact(step.uid, expects)
        self._kill("caldav.before")
        try:
            left = await self._apply_step(step, expected)
        except Uncertain as unclear:
            if unclear.code == "caldav.late":
                self._late.add(step)
            raise
        self._kill("caldav.after")
        return left

    async def _apply_step(self, step: Steps, expected: EntryIs | EntryFree) -> Applied:
        if isinstance(expected, EntryFree):
            if await self._server.resource(step.uid) is not None:
                raise ProviderError(f"the id {quoted(step.uid)} is taken by now; nothing was done", "world.changed")
            text = text_after(None, step, self._zone) or ""
            await self._server.put_new(step.place, text)
            self._kill("caldav.put")
            return await self._read_back(step, text)
        if step.removes:
            await self._server.delete(step.place, expected.etag)
            return Applied((EntryFree(step.uid),))
        now = await self._server.at(step.place)
        if now is None or now.etag != expected.etag or not holds_uid(now.text, step.uid):
            raise ProviderError("the event is not as it was when this was planned; nothing was done", "world.changed")
        text = text_after(now.text, step, self._zone) or ""
        await self._server.put(step.place, text, expected.etag)
        self._kill("caldav.put")
        return await self._read_back(step, text)

    async def _read_back(self, step: Steps, text: str) -> Applied:
        """Return the facts about the entry as the server stored it. Raises `Uncertain` if it cannot be read back."""
        try:
            now = await self._server.at(step.place)
        except ProviderError as silent:
            raise Uncertain(f"what was written could not be read back: {silent}", "caldav.cut") from silent
        if now is None or not holds_uid(now.text, step.uid):
            raise Uncertain("the server accepted the event, but does not show it", "caldav.not_there")
        otherwise = describe_differences(text, now.text, step.uid)
        if otherwise:
            self._kept_otherwise[step] = otherwise
        return Applied((EntryIs(step.uid, now.etag),))

    def tells(self, step: Steps, left: Applied) -> str:
        """Return a text that says what the server stored differently from what it got; empty if nothing differs."""
        otherwise = self._kept_otherwise.get(step)
        return f"the server keeps {otherwise} otherwise than it was given" if otherwise else ""

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        """Find out from the server whether an interrupted step was done."""
        expected = entry_fact(step.uid, expects)
        now = await self._server.at(step.place)
        if isinstance(expected, EntryFree):
            settled = await self._settle_new(step, now)
        elif now is None:
            return CannotTell("the event is gone, and it cannot be seen who removed it")
        else:
            settled = self._settle_changed(step, expected, now)
        if isinstance(settled, NotDone) and step in self._late:
            return CannotTell(f"{self._server.client.host} was slow to answer and may still be doing it")
        return settled

    async def _settle_new(self, step: Steps, now: Resource | None) -> Settlement:
        made = text_after(None, step, self._zone) or ""
        found = now if now is not None else await self._server.resource(step.uid)
        if found is None:
            return NotDone("the server does not have it")
        if not holds_uid(found.text, step.uid) or (isinstance(step, PutEntry) and not same_lines(made, found.text)):
            return CannotTell("something else is where it should be")
        same = found.place == step.place and not describe_differences(made, found.text, step.uid)
        return Applied((EntryIs(step.uid, found.etag if same else _ANOTHER),))

    @staticmethod
    def _settle_changed(step: Steps, expected: EntryIs, now: Resource) -> Settlement:
        if now.etag == expected.etag:
            return NotDone("the event is as it was")
        if same_lines(step.raw, now.text) if isinstance(step, PutEntry) else bears_mark(step, now.text):
            return Applied((EntryIs(step.uid, now.etag),))
        return CannotTell("the event was changed by somebody, and it cannot be seen by whom")

    def imagine(self, seen: IcalCalendar, step: Steps, ref: ChangeRef) -> IcalCalendar:
        """Return what operations can read after this step."""
        return seen.after(step, ref)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return where the password comes from, and the calendars on the server."""
        if self._user:
            line = await password_line(self._context, entry_of(self._context.settings))
            return (line, *(await self._calendars() if line.served else ()))
        return await self._calendars()

    async def _calendars(self) -> tuple[Capability, ...]:
        try:
            calendars = await self._server.calendars()
        except SaysoError as error:
            return (Capability("calendars", "", str(error), _FIXES.get(error.code, ""), asked=True),)
        names = ", ".join(quoted(one.name) for one in calendars)
        return (Capability("calendars", self._server.client.host, f"as calendar.url says; calendars: {names}"),)
