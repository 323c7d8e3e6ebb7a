"""The simulated calendar backend; the ETag of an entry is a hash of it, as on a server."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import cast

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.datetimes import LocalZone, read_when
from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View, explain_odd_world
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Clock, Ids, nobody_hosts
from sayso.core.quotes import quoted
from sayso.providers.calendar.event_texts import at, instant, write_moment, zone_named
from sayso.providers.calendar.model import Entry, EntryFree, EntryIs, PutEntry, Steps
from sayso.providers.calendar.store import Calendar, Event, FoundEvents, FoundReminders, Reminder

NOTE = "kept in memory only"


class CalendarWorld(Struct, frozen=True):
    """All events and reminders, by uid."""

    entries: Mapping[str, Entry] = field(default_factory=dict[str, Entry])


def build(context: BackendContext) -> MemoryBackend[CalendarWorld]:
    """Return a backend with the entries from the setting `world`, in the zone from the setting `timezone`."""
    zone = zone_named(str(context.settings.get("timezone") or ""))
    world = parse_world(context.settings.get("world", {}), zone)
    return MemoryBackend(world, _rules(context.clock, context.ids, zone, context.hosted), note=NOTE, kill=context.kill)


def memory_backend(
    clock: Clock, ids: Ids, world: CalendarWorld, zone: tzinfo | None = None, *, lasting: bool = False
) -> MemoryBackend[CalendarWorld]:
    """Return a backend over this calendar, in `zone` or else in the computer's zone."""
    return MemoryBackend(world, _rules(clock, ids, zone or LocalZone()), note=NOTE, lasting=lasting)


def _rules(
    clock: Clock, ids: Ids, zone: tzinfo, hosted: Callable[[], bool] = nobody_hosts
) -> MemoryRules[CalendarWorld]:
    return MemoryRules(does=do_step, holds=must_hold, reads=lambda seen: MemoryCalendar(seen, clock, ids, zone, hosted))


class PlantedCalendar(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A calendar as it is written in the setting `world`."""

    events: tuple[Event, ...] = ()
    reminders: tuple[Reminder, ...] = ()


def parse_world(world: Json, zone: tzinfo) -> CalendarWorld:
    """Return the calendar that plain data describes. Raises `SetupError` if the data is invalid."""
    with explain_odd_world("[calendar] world in the settings", "settings.invalid"):
        planted = msgspec.convert(world, PlantedCalendar)
        events = tuple(_place_event(event, zone) for event in planted.events)
    return CalendarWorld({entry.uid: seal_entry(entry) for entry in (*events, *planted.reminders)})


def _place_event(event: Event, zone: tzinfo) -> Event:
    if event.all_day:
        ends = (read_when(text).day.isoformat() for text in (event.start, event.end))
        return replace(event, start=next(ends), end=next(ends))
    return replace(event, start=write_moment(at(event.start, zone)), end=write_moment(at(event.end, zone)))


def seal_entry(entry: Entry) -> Entry:
    """Return the entry with its own JSON in `raw`, and with a hash of that JSON as its ETag."""
    bare = replace(entry, raw="", etag="")
    kind = "event" if isinstance(entry, Event) else "reminder"
    raw = msgspec.json.encode({"kind": kind, **msgspec.to_builtins(bare)}, order="sorted").decode()
    return replace(bare, raw=raw, etag=hashlib.sha256(raw.encode()).hexdigest()[:20])


def unseal_entry(raw: str) -> Entry:
    """Return the entry that `raw` describes as JSON."""
    members = cast("dict[str, Json]", msgspec.json.decode(raw))
    kind = Event if members.pop("kind") == "event" else Reminder
    return msgspec.convert(members, kind)


@dataclass(frozen=True)
class MemoryCalendar(Calendar):
    """What operations can read of a calendar in memory, as it is now or will be after earlier steps of a batch."""

    seen: View[CalendarWorld]
    clock: Clock
    ids: Ids
    timezone: tzinfo
    hosted: Callable[[], bool] = nobody_hosts
    rings_itself: str = ""

    def ring(self) -> bool:
        return self.hosted()

    async def between(self, start: datetime, end: datetime) -> FoundEvents:
        events = [entry for entry in self.seen.look().entries.values() if isinstance(entry, Event)]
        first, last = instant(start), instant(end)
        inside = (one for one in events if self._at(one.start) < last and self._at(one.end) > first)
        return FoundEvents(tuple(sorted(inside, key=lambda one: (self._at(one.start), one.title, one.uid))))

    async def find(self, text: str, start: datetime, end: datetime, limit: int) -> FoundEvents:
        wanted = text.casefold()
        found = await self.between(start, end)
        events = (one for one in found.events if wanted in f"{one.title}\n{one.location}".casefold())
        return FoundEvents(tuple(events)[:limit])

    async def event(self, uid: str) -> Event | None:
        entry = self.seen.look().entries.get(uid)
        return entry if isinstance(entry, Event) else None

    async def reminders(self, *, done: bool = False) -> FoundReminders:
        entries = (entry for entry in self.seen.look().entries.values() if isinstance(entry, Reminder))
        kept = [one for one in entries if done or not one.done]
        kept.sort(key=lambda one: (not one.due, one.due and self._at(one.due), one.uid))
        return FoundReminders(tuple(kept))

    async def calendars(self) -> tuple[str, ...]:
        return tuple(sorted({entry.calendar for entry in self.seen.look().entries.values()} - {""}))

    def entry_fact(self, uid: str, etag: str) -> Fact:
        return self.seen.fact(EntryIs(uid, etag))

    def free_fact(self, uid: str) -> Fact:
        return self.seen.fact(EntryFree(uid))

    async def place(self, uid: str, calendar: str, *, reminder: bool) -> str:
        if calendar:
            raise ProviderError(
                f"There is no calendar {quoted(calendar)}: in memory there is only one.", "calendar.unknown"
            )
        return uid

    def _at(self, text: str) -> datetime:
        return instant(at(text, self.timezone))


def do_step(world: CalendarWorld, step: Steps, expects: Facts) -> tuple[CalendarWorld, Facts]:
    """Return the calendar after a step, and the facts that are true after it."""
    entry = unseal_entry(step.raw) if isinstance(step, PutEntry) else step.edit(world.entries.get(step.uid))
    if entry is None:
        rest = {uid: other for uid, other in world.entries.items() if uid != step.uid}
        return replace(world, entries=rest), (EntryFree(step.uid),)
    sealed = seal_entry(entry)
    return replace(world, entries={**world.entries, step.uid: sealed}), (EntryIs(step.uid, sealed.etag),)


def must_hold(world: CalendarWorld, fact: Fact) -> bool:
    """Return True if a fact is true. Otherwise, raises `ProviderError`, which names the entry."""
    if not holds(world, fact):
        entry = world.entries.get(fact.about)
        what = f"{quoted(entry.title)} is not as it was" if entry else "the event or reminder is gone"
        raise ProviderError(f"{what}; nothing was done", "world.changed")
    return True


def holds(world: CalendarWorld, fact: Fact) -> bool:
    """Return whether a fact about an entry is true in this calendar."""
    entry = world.entries.get(fact.about)
    match fact:
        case EntryIs():
            return entry is not None and entry.etag == fact.etag
        case EntryFree():
            return entry is None
        case _:
            return False
