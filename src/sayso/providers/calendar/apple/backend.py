"""The backend for Calendar and Reminders of macOS: each step requires what was seen during planning.

Both go through EventKit where PyObjC is installed, and else by scripts; only scripts can invite people.
"""

import hashlib
from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path
from typing import Literal

import msgspec
from anyio import to_thread
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, ChangeRef, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability, add_extra
from sayso.core.quotes import quoted
from sayso.providers.calendar import RINGS_ITSELF
from sayso.providers.calendar.apple.entries import AppleEvent, AppleReminder, Entry, day_of, read_text, write_text
from sayso.providers.calendar.apple.eventkit import EventKit, find_eventkit
from sayso.providers.calendar.event_texts import zone_named
from sayso.providers.calendar.ical.parse import Resource
from sayso.providers.calendar.ical.query import IcalCalendar, Resources
from sayso.providers.calendar.ical.serialize import text_after
from sayso.providers.calendar.model import EntryFree, EntryIs, Steps, entry_fact
from sayso.providers.disk.own_ids import OwnIds
from sayso.providers.macos.engine import ScriptEngine, build_engine

Kind = Literal["event", "reminder"]
APPS: dict[Kind, str] = {"event": "Calendar", "reminder": "Reminders"}
KINDS: dict[str, Kind] = {"VEVENT": "event", "VTODO": "reminder"}


class Shelf(Struct, frozen=True):
    """A calendar, or a list of reminders."""

    name: str
    writable: bool = True
    entries: tuple[dict[str, Json], ...] = ()


class Listed(Struct, frozen=True):
    """All calendars or lists; `standard` is the name of the default one, if it is known."""

    shelves: tuple[Shelf, ...]
    standard: str | None = None


class EntryReply(Struct, frozen=True):
    """One entry as it is now; None if it is not there."""

    entry: dict[str, Json] | None = None
    shelf: str = ""
    refused: Literal["", "gone", "changed", "no calendar"] = ""


class Found(Struct, frozen=True):
    """An entry with what finds it again."""

    kind: Kind
    shelf: str
    raw: dict[str, Json]
    """The entry exactly as the script gave it."""
    resource: Resource


def _parse(kind: Kind, raw: dict[str, Json]) -> Entry:
    return msgspec.convert(raw, AppleEvent if kind == "event" else AppleReminder)


class AppleCalendars:
    """Reads and changes entries of Calendar and Reminders; implements `ResourceSource`.

    A place is the kind of an entry, the name of its calendar and its uid.
    """

    def __init__(self, context: BackendContext, kit: EventKit | None = None) -> None:
        self.kit = kit
        self.zone: tzinfo = zone_named(str(context.settings.get("timezone") or ""))
        self._engine: ScriptEngine = build_engine(context)
        self._own = OwnIds(str(Path(context.own) / "macos" / "calendar"))
        self._clock = context.clock
        self._chosen = str(context.settings.get("default") or "")

    async def resources(self, kind: str, first: str, last: str) -> Resources:
        """Return all events or all reminders as texts."""
        return Resources(tuple(found.resource for found in await self._all(KINDS[kind], first, last)))

    async def resource(self, uid: str) -> Resource | None:
        """Return the event or reminder with this uid, or None."""
        found = await self.find(uid)
        return None if found is None else found.resource

    async def find(self, uid: str, *kinds: Kind) -> Found | None:
        """Return the event or reminder with this uid, or None; `kinds` are those it may be of, if that is known."""
        for kind in kinds or tuple(APPS):
            if kind == "event" and self.kit is not None:
                for made in reversed(await self._made(uid)):
                    seen = await self._run({"do": "look", "kind": kind, "uid": made}, changes=False)
                    if seen.entry is not None:
                        (found,) = await self._known(kind, [(seen.shelf, seen.entry)])
                        return found
            for found in await self._all(kind):
                if uid in {found.resource.place.rpartition("/")[2], found.raw.get("uid")}:
                    return found
        return None

    async def new_place(self, uid: str, calendar: str, kind: str) -> str:
        """Return the place for a new entry. Raises `ProviderError` if no calendar has this name, or several have it."""
        listed = await self._list(KINDS[kind], names=True)
        names = [shelf.name for shelf in listed.shelves if shelf.writable]
        wanted = calendar or self._chosen or listed.standard or (names[0] if names else "")
        same = [name for name in names if name.casefold() == wanted.casefold()]
        if len(same) != 1:
            known = ", ".join(quoted(name) for name in names) or "none"
            count = "several calendars are" if same else "no calendar that can be written to is"
            raise ProviderError(f"{count} called {quoted(wanted)}; calendars: {known}", "calendar.no_calendar")
        return f"{KINDS[kind]}/{same[0]}/{uid}"

    def calendar_of(self, place: str) -> str:
        """Return the name of the calendar that contains a place."""
        return _shelf_of(place)

    async def calendars(self) -> Sequence[Shelf]:
        """Return the calendars and the lists of reminders."""
        return [shelf for kind in APPS for shelf in (await self._list(kind, names=True)).shelves]

    async def make(self, place: str, text: str) -> Resource:
        """Make a new entry."""
        kind, uid = kind_of(place), place.rpartition("/")[2]
        entry = self._entry_of(text)
        data: dict[str, Json] = {"do": "make", "kind": kind, "shelf": _shelf_of(place), "entry": entry}
        by_script = self.kit is not None and bool(entry.get("people"))
        made = await self._run(data, changes=True, by_script=by_script)
        if made.entry is not None and by_script:
            made = await self._run({"do": "adopt", "kind": kind, "uid": made.entry["uid"]}, changes=True)
        if made.entry is None:
            raise Uncertain(f"{APPS[kind]} did not say what it made; look there", "calendar.unseen")
        await self._remember(uid, str(made.entry["uid"]))
        return self._resource(kind, _shelf_of(place), made.entry, uid)

    async def has_alike(self, place: str, text: str) -> bool:
        """Return whether the calendar of a place has an entry with this title that is not known as sayso's."""
        entry, shelf = read_text(text, self.zone), _shelf_of(place)
        day = day_of(entry.start, self.zone)
        entries = await self._all(kind_of(place), day, day)
        return any(found.shelf == shelf and found.raw.get("title") == entry.title for found in entries)

    async def change(self, found: Found, text: str | None) -> Resource | None:
        """Write an entry anew, or remove it if `text` is None; it must be as it was found."""
        data: dict[str, Json] = {"kind": found.kind, "shelf": found.shelf, "uid": found.raw["uid"], "was": found.raw}
        entry = None if text is None else self._entry_of(text)
        reply = await self._run({**data, "do": "remove" if text is None else "write", "entry": entry}, changes=True)
        if text is None:
            return None
        if reply.entry is None:
            raise Uncertain(f"{APPS[found.kind]} did not say what it changed; look there", "calendar.unseen")
        uid = found.resource.place.rpartition("/")[2]
        if reply.entry["uid"] != found.raw["uid"]:
            await self._remember(uid, str(reply.entry["uid"]))
        return self._resource(found.kind, found.shelf, reply.entry, uid)

    async def _made(self, uid: str) -> list[str]:
        """Return a uid and the identifiers that its entry had, as one that was made again has a new one."""
        ids = [uid]
        while (made := await self._own.get(ids[-1])) is not None and made not in ids:
            ids.append(made)
        return ids

    async def _remember(self, uid: str, made: str) -> None:
        before = (await self._made(uid))[-1]
        await self._own.put(uid, made)
        if before != uid:
            await self._own.put(before, made)

    async def _all(self, kind: Kind, first: str = "", last: str = "") -> list[Found]:
        listed = await self._list(kind, first, last)
        return await self._known(kind, [(shelf.name, raw) for shelf in listed.shelves for raw in shelf.entries])

    async def _known(self, kind: Kind, rows: Sequence[tuple[str, dict[str, Json]]]) -> list[Found]:
        """Return entries as they were read, under the uids that sayso gave to its own."""
        tokens = await self._own.tokens([str(raw["uid"]) for _, raw in rows])
        made = [(name, raw, tokens.get(str(raw["uid"]), str(raw["uid"]))) for name, raw in rows]
        return [Found(kind, name, raw, self._resource(kind, name, raw, uid)) for name, raw, uid in made]

    def _resource(self, kind: Kind, shelf: str, raw: dict[str, Json], uid: str) -> Resource:
        text = write_text(_parse(kind, raw), uid, self.zone)
        return Resource(f"{kind}/{shelf}/{uid}", text, hashlib.sha256(text.encode()).hexdigest()[:40], shelf)

    def _entry_of(self, text: str) -> dict[str, Json]:
        """Return an entry as it is written. Raises `ProviderError` if scripts cannot write it."""
        entry = read_text(text, self.zone)
        if isinstance(entry, AppleReminder) and entry.repeat and self.kit is None:
            raise ProviderError(
                f"scripts cannot make a reminder that repeats; {add_extra('macos')}, or make it in Reminders",
                "calendar.no_repeat",
            )
        if isinstance(entry, AppleEvent) and entry.changed and self.kit is None:
            raise ProviderError(
                f"scripts cannot change one time of a repeating event; {add_extra('macos')}, or change it in Calendar",
                "calendar.one_time",
            )
        return msgspec.json.decode(msgspec.json.encode(entry))

    async def _list(self, kind: Kind, first: str = "", last: str = "", *, names: bool = False) -> Listed:
        data: dict[str, Json] = {"do": "list", "kind": kind}
        if self.kit is not None:
            data.update({"first": first, "last": last, "names": names})
        return msgspec.convert(await self._ask(data, changes=False), Listed)

    async def _ask(self, data: dict[str, Json], *, changes: bool, by_script: bool = False) -> Json:
        kind: Kind = "event" if data["kind"] == "event" else "reminder"
        if self.kit is not None and not by_script:
            return await to_thread.run_sync(self.kit.run, data, self._clock.now(), self.zone)
        return await self._engine.run_script("calendar", data, app=APPS[kind], changes=changes)

    async def _run(self, data: dict[str, Json], *, changes: bool, by_script: bool = False) -> EntryReply:
        reply = msgspec.convert(await self._ask(data, changes=changes, by_script=by_script), EntryReply)
        if reply.refused:
            app = APPS["event" if data["kind"] == "event" else "reminder"]
            raise ProviderError(
                f"the entry or its calendar in {app} is not as it was when this was planned; nothing was done",
                "world.changed",
            )
        return reply


def kind_of(place: str) -> Kind:
    """Return whether a place is that of an event or of a reminder."""
    return "reminder" if place.startswith("reminder/") else "event"


def _shelf_of(place: str) -> str:
    return place.partition("/")[2].rpartition("/")[0]


def build(context: BackendContext) -> "AppleCalendarBackend":
    """Return the backend for Calendar and Reminders."""
    return AppleCalendarBackend(context, find_eventkit())


class AppleCalendarBackend:
    """The calendars and lists of reminders of macOS."""

    name = "apple"
    imagines = True
    note = ""

    def __init__(self, context: BackendContext, kit: EventKit | None = None) -> None:
        self._calendars = AppleCalendars(context, kit)
        self._zone = self._calendars.zone
        self._kill = context.kill
        self.reads = IcalCalendar(
            self._calendars,
            context.clock,
            context.ids,
            self._zone,
            hosted=context.hosted,
            rings_itself=RINGS_ITSELF["apple"],
        )

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        expected = entry_fact(step.uid, expects)
        self._kill("calendar.before")
        try:
            left = await self._do(step, expected)
        except SetupError as missing:
            # A missing permission is noticed only when the application is asked, and then nothing was changed.
            raise ProviderError(str(missing), missing.code) from missing
        self._kill("calendar.after")
        return left

    async def _do(self, step: Steps, expected: EntryIs | EntryFree) -> Applied:
        found = await self._calendars.find(step.uid, kind_of(step.place))
        if isinstance(expected, EntryFree):
            if found is not None:
                raise ProviderError(f"the id {quoted(step.uid)} is taken by now; nothing was done", "world.changed")
            made = await self._calendars.make(step.place, text_after(None, step, self._zone) or "")
            return Applied((EntryIs(step.uid, made.etag),))
        if found is None or found.resource.etag != expected.etag:
            raise ProviderError("the entry is not as it was when this was planned; nothing was done", "world.changed")
        changed = await self._calendars.change(found, text_after(found.resource.text, step, self._zone))
        return Applied((EntryFree(step.uid) if changed is None else EntryIs(step.uid, changed.etag),))

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        expected = entry_fact(step.uid, expects)
        found = await self._calendars.find(step.uid, kind_of(step.place))
        if isinstance(expected, EntryFree):
            if found is not None:
                return Applied((EntryIs(step.uid, found.resource.etag),))
            if await self._calendars.has_alike(step.place, text_after(None, step, self._zone) or ""):
                return CannotTell("one with its title is there, and it cannot be seen who made it")
            return NotDone("it is not there")
        if found is not None and found.resource.etag == expected.etag:
            return NotDone("it is as it was")
        return CannotTell("it was changed or removed, and it cannot be seen by whom")

    def imagine(self, seen: IcalCalendar, step: Steps, ref: ChangeRef) -> IcalCalendar:
        """Return what operations can read after this step."""
        return seen.after(step, ref)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return the calendars and lists, or why they cannot be read."""
        try:
            shelves = await self._calendars.calendars()
        except SaysoError as error:
            return (Capability("calendars", "", str(error), "allow it, then run sayso doctor again", asked=True),)
        names = ", ".join(quoted(shelf.name) for shelf in shelves)
        calendars = Capability("calendars", "Calendar and Reminders", f"calendars: {names}")
        if self._calendars.kit is not None:
            return calendars, Capability("repeating entries", "EventKit", "PyObjC is installed")
        lacks = "scripts are slower, and cannot make reminders that repeat nor change one time of a repeating event"
        return calendars, Capability("repeating entries", "", lacks, add_extra("macos"))
