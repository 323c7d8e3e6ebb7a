"""Events and reminders kept in memory; an ETag is the hash of what is kept, as on a server."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import cast

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.datetimes import LocalZone, read_when
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Clock, Ids
from sayso.providers.calendar.formatting import at, instant, write_moment, zone_named
from sayso.providers.calendar.model import (
    CreateEvent,
    CreateReminder,
    DeleteEntry,
    DeleteOccurrence,
    EntryFree,
    EntryIs,
    PutEntry,
    Steps,
    UpdateEvent,
)
from sayso.providers.calendar.store import Calendar, Event, Found, Reminder

Entry = Event | Reminder
NOTE = "kept in memory only"


class World(Struct, frozen=True):
    """All events and reminders by uid."""

    entries: Mapping[str, Entry] = field(default_factory=dict[str, Entry])

    def given(self, entry: Entry) -> tuple["World", Facts]:
        """Return the world with this entry, and the fact that it is there."""
        kept = seal_entry(entry)
        return replace(self, entries={**self.entries, kept.uid: kept}), (EntryIs(kept.uid, kept.etag),)


def build(ground: BackendContext) -> MemoryBackend[World]:
    """Build it with what the settings may plant under `world`, in the zone that `timezone` names."""
    zone = zone_named(str(ground.settings.get("timezone") or ""))
    world = parse_world(ground.settings.get("world", {}), zone)
    return MemoryBackend(world, _laws(ground.clock, ground.ids, zone), note=NOTE, kill=ground.kill)


def memory_backend(
    clock: Clock, ids: Ids, world: World, zone: tzinfo | None = None, *, lasting: bool = False
) -> MemoryBackend[World]:
    """Return a backend over this calendar."""
    return MemoryBackend(world, _laws(clock, ids, zone or LocalZone()), note=NOTE, lasting=lasting)


def _laws(clock: Clock, ids: Ids, there: tzinfo) -> MemoryRules[World]:
    return MemoryRules(does=does, holds=must_hold, reads=lambda seen: Reads(seen, clock, ids, there))


class Planted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A calendar as the settings write it, under `world`."""

    events: tuple[Event, ...] = ()
    reminders: tuple[Reminder, ...] = ()


def parse_world(world: Json, zone: tzinfo) -> World:
    """Read a calendar from plain data. Raises `SetupError` for what is no event or reminder."""
    try:
        given = msgspec.convert(world, Planted)
        events = tuple(_place_event(event, zone) for event in given.events)
    except (msgspec.ValidationError, ProposalError) as wrong:
        raise SetupError(f"[calendar] world in the settings: {wrong}", "settings.invalid") from wrong
    return World({entry.uid: seal_entry(entry) for entry in (*events, *given.reminders)})


def _place_event(event: Event, zone: tzinfo) -> Event:
    if event.all_day:
        ends = (read_when(text).day.isoformat() for text in (event.start, event.end))
        return replace(event, start=next(ends), end=next(ends))
    return replace(event, start=write_moment(at(event.start, zone)), end=write_moment(at(event.end, zone)))


def seal_entry(entry: Entry) -> Entry:
    """Return the entry with its whole text and the ETag of that."""
    bare = replace(entry, raw="", etag="")
    kind = "event" if isinstance(entry, Event) else "reminder"
    raw = msgspec.json.encode({"kind": kind, **msgspec.to_builtins(bare)}, order="sorted").decode()
    return replace(bare, raw=raw, etag=hashlib.sha256(raw.encode()).hexdigest()[:20])


def unseal_entry(raw: str) -> Entry:
    """Return the entry that a whole text holds."""
    members = cast("dict[str, Json]", msgspec.json.decode(raw))
    kind = Event if members.pop("kind") == "event" else Reminder
    return msgspec.convert(members, kind)


@dataclass(frozen=True)
class Reads(Calendar):
    """The reads over a calendar, as it is or as earlier steps of a batch would leave it."""

    seen: View[World]
    clock: Clock
    ids: Ids
    there: tzinfo

    async def between(self, start: datetime, end: datetime) -> Found:
        events = [entry for entry in self.seen.look().entries.values() if isinstance(entry, Event)]
        first, last = instant(start), instant(end)
        inside = (one for one in events if self._at(one.start) < last and self._at(one.end) > first)
        return Found(tuple(sorted(inside, key=lambda one: (self._at(one.start), one.title, one.uid))))

    async def find(self, text: str, start: datetime, end: datetime, limit: int) -> Found:
        wanted = text.casefold()
        found = await self.between(start, end)
        events = (one for one in found.events if wanted in f"{one.title}\n{one.location}".casefold())
        return Found(tuple(events)[:limit])

    async def event(self, uid: str) -> Event | None:
        entry = self.seen.look().entries.get(uid)
        return entry if isinstance(entry, Event) else None

    async def reminders(self) -> tuple[Reminder, ...]:
        entries = (entry for entry in self.seen.look().entries.values() if isinstance(entry, Reminder))
        return tuple(sorted(entries, key=lambda one: (not one.due, one.due and self._at(one.due), one.uid)))

    def entry_fact(self, uid: str, etag: str) -> Fact:
        return self.seen.fact(EntryIs(uid, etag))

    def free_fact(self, uid: str) -> Fact:
        return self.seen.fact(EntryFree(uid))

    async def place(self, uid: str, calendar: str, *, reminder: bool) -> str:
        if calendar:
            raise ProviderError(f"There is no calendar “{calendar}”: in memory there is one only.", "calendar.unknown")
        return uid

    def new_uid(self) -> str:
        return self.ids.token()

    def now(self) -> datetime:
        return self.clock.now().astimezone(self.there)

    def zone(self) -> tzinfo:
        return self.there

    def _at(self, text: str) -> datetime:
        return instant(at(text, self.there))


def does(world: World, step: Steps, expects: Facts) -> tuple[World, Facts]:
    """Return the world after a step, and what it left."""
    match step:
        case CreateEvent(uid, title, start, end, all_day, place, _, location, people):
            event = Event(uid, title, start, end, all_day, location, place=place, participants=people)
            return world.given(event)
        case UpdateEvent(uid):
            return world.given(_update_event(world, step))
        case CreateReminder(uid, title, notes, due, place):
            return world.given(Reminder(uid, title, notes, due, place=place))
        case DeleteOccurrence():
            raise ProviderError("in memory no event repeats; nothing was done", "world.refused")
        case DeleteEntry(uid):
            rest = {other: entry for other, entry in world.entries.items() if other != uid}
            return replace(world, entries=rest), (EntryFree(uid),)
        case PutEntry(_, raw):
            return world.given(unseal_entry(raw))


def _update_event(world: World, step: UpdateEvent) -> Event:
    event = world.entries.get(step.uid)
    if not isinstance(event, Event):
        raise ProviderError("the event is gone; nothing was done", "world.changed")
    return replace(
        event,
        title=event.title if step.title is None else step.title,
        start=event.start if step.start is None else step.start,
        end=event.end if step.end is None else step.end,
        all_day=event.all_day if step.all_day is None else step.all_day,
        location=event.location if step.location is None else step.location,
    )


def must_hold(world: World, fact: Fact) -> bool:
    """Say that a fact is so. Raises `ProviderError` that names the entry when it is not."""
    if not holds(world, fact):
        entry = world.entries.get(fact.about)
        what = f"“{entry.title}” is not as it was" if entry else "the event or reminder is gone"
        raise ProviderError(f"{what}; nothing was done", "world.changed")
    return True


def holds(world: World, fact: Fact) -> bool:
    """Say whether a fact about an entry is so in this world."""
    entry = world.entries.get(fact.about)
    match fact:
        case EntryIs():
            return entry is not None and entry.etag == fact.etag
        case EntryFree():
            return entry is None
        case _:
            return False
