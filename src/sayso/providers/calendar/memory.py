"""Events and reminders kept in memory; an ETag is the hash of what is kept, as on a server."""

import hashlib
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import datetime, tzinfo
from typing import cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from sayso.core.canonical import Json
from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.plan import Fact, Facts
from sayso.core.ports import Clock, Ground, Ids, KillPoint, no_kill_point
from sayso.core.pretend import Laws, Pretended, Seen
from sayso.core.values import dataclass
from sayso.core.when import LocalZone, read_when
from sayso.providers.calendar.facts import EntryFree, EntryIs
from sayso.providers.calendar.steps import CreateEvent, CreateReminder, DeleteEntry, PutEntry, Steps, UpdateEvent
from sayso.providers.calendar.store import Calendar, Event, Reminder
from sayso.providers.calendar.times import at, instant, written

Entry = Event | Reminder


@dataclass(frozen=True)
class World:
    """All events and reminders by uid."""

    entries: Mapping[str, Entry] = field(default_factory=dict[str, Entry])

    def given(self, entry: Entry) -> tuple["World", Facts]:
        """Return the world with this entry, and the fact that it is there."""
        kept = sealed(entry)
        return replace(self, entries={**self.entries, kept.uid: kept}), (EntryIs(kept.uid, kept.etag),)


def build(ground: Ground) -> Pretended[World]:
    """Build it with what the settings may plant under `world`, in the zone that `timezone` names."""
    zone = zone_named(str(ground.settings.get("timezone") or ""))
    return pretended(ground.clock, ground.ids, planted(ground.settings.get("world", {}), zone), zone, kill=ground.kill)


def pretended(  # noqa: PLR0913 - what a calendar in memory is made of
    clock: Clock,
    ids: Ids,
    world: World,
    zone: tzinfo | None = None,
    *,
    lasting: bool = False,
    kill: KillPoint = no_kill_point,
) -> Pretended[World]:
    """Return a backend over this calendar."""
    there = zone or LocalZone()
    laws = Laws(does=does, holds=must_hold, reads=lambda seen: Reads(seen, clock, ids, there))
    return Pretended(world, laws, note="kept in memory only", lasting=lasting, kill=kill)


def zone_named(name: str) -> tzinfo:
    """Return the zone with this IANA name, or the computer's own. Raises `SetupError` for an unknown one."""
    if not name:
        return LocalZone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        raise SetupError(f"[calendar] timezone: there is no time zone “{name}” here", "settings.invalid") from unknown


class Planted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A calendar as the settings write it, under `world`."""

    events: tuple[Event, ...] = ()
    reminders: tuple[Reminder, ...] = ()


def planted(world: Json, zone: tzinfo) -> World:
    """Read a calendar from plain data. Raises `SetupError` for what is no event or reminder."""
    try:
        given = msgspec.convert(world, Planted)
        events = tuple(_placed(event, zone) for event in given.events)
    except (msgspec.ValidationError, ProposalError) as wrong:
        raise SetupError(f"[calendar] world in the settings: {wrong}", "settings.invalid") from wrong
    return World({entry.uid: sealed(entry) for entry in (*events, *given.reminders)})


def _placed(event: Event, zone: tzinfo) -> Event:
    if event.all_day:
        ends = (read_when(text).day.isoformat() for text in (event.start, event.end))
        return replace(event, start=next(ends), end=next(ends))
    return replace(event, start=written(at(event.start, zone)), end=written(at(event.end, zone)))


def sealed(entry: Entry) -> Entry:
    """Return the entry with its whole text and the ETag of that."""
    bare = replace(entry, raw="", etag="")
    kind = "event" if isinstance(entry, Event) else "reminder"
    raw = msgspec.json.encode({"kind": kind, **msgspec.to_builtins(bare)}, order="sorted").decode()
    return replace(bare, raw=raw, etag=hashlib.sha256(raw.encode()).hexdigest()[:20])


def unsealed(raw: str) -> Entry:
    """Return the entry that a whole text holds."""
    members = cast("dict[str, Json]", msgspec.json.decode(raw))
    kind = Event if members.pop("kind") == "event" else Reminder
    return msgspec.convert(members, kind)


@dataclass(frozen=True)
class Reads(Calendar):
    """The reads over a calendar, as it is or as earlier steps of a batch would leave it."""

    seen: Seen[World]
    clock: Clock
    ids: Ids
    there: tzinfo

    async def between(self, start: datetime, end: datetime) -> tuple[Event, ...]:
        events = [entry for entry in self.seen.look().entries.values() if isinstance(entry, Event)]
        first, last = instant(start), instant(end)
        inside = (one for one in events if self._at(one.start) < last and self._at(one.end) > first)
        return tuple(sorted(inside, key=lambda one: (self._at(one.start), one.title, one.uid)))

    async def find(self, text: str, start: datetime, end: datetime, limit: int) -> tuple[Event, ...]:
        wanted = text.casefold()
        found = await self.between(start, end)
        return tuple(one for one in found if wanted in f"{one.title}\n{one.location}".casefold())[:limit]

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
        case CreateEvent(uid, title, start, end, all_day):
            return world.given(Event(uid, title, start, end, all_day))
        case UpdateEvent(uid):
            return world.given(_updated(world, step))
        case CreateReminder(uid, title, notes, due):
            return world.given(Reminder(uid, title, notes, due))
        case DeleteEntry(uid):
            rest = {other: entry for other, entry in world.entries.items() if other != uid}
            return replace(world, entries=rest), (EntryFree(uid),)
        case PutEntry(_, raw):
            return world.given(unsealed(raw))


def _updated(world: World, step: UpdateEvent) -> Event:
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
