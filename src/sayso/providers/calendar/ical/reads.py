"""The reads over texts of calendars, as they are or as earlier steps of a batch would leave them."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, tzinfo
from functools import partial
from typing import TypeVar

import anyio.to_thread

from sayso.core.errors import ProviderError
from sayso.core.plan import AsLeft, Fact, Ref
from sayso.core.ports import Clock, Ids
from sayso.core.replacing import replace
from sayso.core.values import dataclass
from sayso.providers.calendar.facts import EntryFree, EntryIs
from sayso.providers.calendar.ical.lines import Unreadable
from sayso.providers.calendar.ical.reading import may_touch, occurrences, reminders_in, speaks_of, whole_event
from sayso.providers.calendar.ical.resource import Held, Resource, Source
from sayso.providers.calendar.ical.writing import after
from sayso.providers.calendar.steps import DeleteEntry, Steps
from sayso.providers.calendar.store import OCCURRENCE, Calendar, Event, Found, Reminder
from sayso.providers.calendar.times import at, instant

T = TypeVar("T")

_A_DAY = timedelta(days=1)
_LONGEST_SAID = 20


@dataclass(frozen=True)
class Reads(Calendar):
    """What operations are given; `imagined` are the steps of a batch before this one, in their order."""

    source: Source
    clock: Clock
    ids: Ids
    there: tzinfo
    imagined: tuple[tuple[Steps, Ref], ...] = ()

    def after(self, step: Steps, ref: Ref) -> "Reads":
        """Return the reads in which a step was done."""
        return replace(self, imagined=(*self.imagined, (step, ref)))

    async def between(self, start: datetime, end: datetime) -> Found:
        return await self._between(start, end, "")

    async def _between(self, start: datetime, end: datetime, wanted: str) -> Found:
        held = await self._held("VEVENT", start, end)
        first, last = _day(start - _A_DAY), _day(end + _A_DAY)
        return await anyio.to_thread.run_sync(partial(self._listed, held, (start, end), (first, last), wanted))

    def _listed(self, held: Held, ends: tuple[datetime, datetime], days: tuple[str, str], wanted: str) -> Found:
        def listed(resource: Resource) -> tuple[Event, ...]:
            whole = resource.whole()
            return (
                occurrences(resource, *ends, self.there) if may_touch(whole, *days) and speaks_of(whole, wanted) else ()
            )

        events, left_out = _each(held, listed)
        ordered = sorted(events, key=lambda one: (instant(at(one.start, self.there)), one.title, one.uid))
        return Found(tuple(ordered), left_out)

    async def find(self, text: str, start: datetime, end: datetime, limit: int) -> Found:
        wanted = text.casefold()
        found = await self._between(start, end, wanted)
        events = (one for one in found.events if wanted in f"{one.title}\n{one.location}".casefold())
        return Found(tuple(events)[:limit], found.left_out)

    async def event(self, uid: str) -> Event | None:
        resource = await self.resource(uid)
        if resource is not None:
            return self._readable(lambda: whole_event(resource, uid, self.there), uid)
        entry, _, occurrence = uid.rpartition(OCCURRENCE)
        resource = await self.resource(entry) if entry and 0 < len(occurrence) <= _LONGEST_SAID else None
        if resource is None:
            return None
        whole = self._readable(lambda: whole_event(resource, entry, self.there), uid)
        if whole is None:
            return None
        return self._readable(lambda: self._occurrence(resource, uid, occurrence), uid)

    def _occurrence(self, resource: Resource, uid: str, occurrence: str) -> Event | None:
        """Look around the time that an occurrence had at first, and further where it was moved."""
        try:
            meant = datetime.strptime(occurrence[:8], "%Y%m%d").replace(tzinfo=self.there)
        except ValueError:
            return None
        for days in (3, 366):
            around = occurrences(resource, meant - days * _A_DAY, meant + days * _A_DAY, self.there)
            same = [one for one in around if one.uid == uid]
            if same:
                return same[0]
        return None

    @staticmethod
    def _readable(look: Callable[[], Event | None], uid: str) -> Event | None:
        try:
            return look()
        except Unreadable as odd:
            raise ProviderError(f"the event “{uid}” cannot be read: {odd}", "calendar.unreadable") from odd

    async def reminders(self) -> tuple[Reminder, ...]:
        now = self.now()
        held = await self._held("VTODO", now, now)
        found, _ = await anyio.to_thread.run_sync(
            partial(_each, held, lambda resource: reminders_in(resource, self.there))
        )
        return tuple(
            sorted(
                found, key=lambda one: (not one.due, one.due and instant(at(one.due, self.there)), one.title, one.uid)
            )
        )

    async def resource(self, uid: str) -> Resource | None:
        """Return what has a uid, after the imagined steps."""
        found = await self.source.resource(uid)
        for step, _ in self.imagined:
            if step.uid == uid:
                text = after(found.text if found else None, step, self.there)
                where = self.source.calendar_of(step.place)
                found = None if text is None else Resource(step.place, text, "imagined", where)
        return found

    async def _held(self, kind: str, start: datetime, end: datetime) -> Held:
        held = await self.source.held(kind, _day(start - _A_DAY), _day(end + _A_DAY))
        touched = dict.fromkeys(step.uid for step, _ in self.imagined)
        if not touched:
            return held
        places = {step.place for step, _ in self.imagined}
        kept = [one for one in held.resources if one.place not in places]
        imagined = [await self.resource(uid) for uid in touched]
        return Held((*kept, *(one for one in imagined if one is not None)), held.left_out)

    def entry_fact(self, uid: str, etag: str) -> Fact:
        return self._as_left(EntryIs(uid, etag))

    def free_fact(self, uid: str) -> Fact:
        return self._as_left(EntryFree(uid))

    def _as_left(self, fact: Fact) -> Fact:
        """Return the fact, or the reference that stands for it because an earlier step of the batch leaves it."""
        for step, ref in reversed(self.imagined):
            if step.uid == fact.about and isinstance(step, DeleteEntry) == isinstance(fact, EntryFree):
                return AsLeft(fact.about, fact.fact, ref.change, ref.action)
        return fact

    async def place(self, uid: str, calendar: str, *, reminder: bool) -> str:
        return await self.source.new_place(uid, calendar, "VTODO" if reminder else "VEVENT")

    def new_uid(self) -> str:
        return self.ids.token()

    def now(self) -> datetime:
        return self.clock.now().astimezone(self.there)

    def zone(self) -> tzinfo:
        return self.there


def _day(when: datetime) -> str:
    return when.strftime("%Y%m%d")


def _each(held: Held, look: Callable[[Resource], Iterable[T]]) -> tuple[list[T], tuple[str, ...]]:
    """Look at every text; what cannot be read is left out and told, and keeps nothing else from being seen."""
    found: list[T] = []
    left_out = list(held.left_out)
    for resource in held.resources:
        try:
            found += look(resource)
        except Unreadable as odd:
            left_out.append(f"“{resource.place}” was left out: {odd}")
    return found, tuple(left_out)
