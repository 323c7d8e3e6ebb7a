"""Read calendar texts: find the occurrences in a range of time, and implement what operations can read."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from functools import partial
from importlib.util import find_spec
from typing import Any, Protocol, TypeVar, cast

import anyio.to_thread
from msgspec import Struct
from msgspec.structs import replace as with_fields

from sayso.core.errors import ProviderError
from sayso.core.lazy import load
from sayso.core.plan import ChangeRef, Fact, ResultRef
from sayso.core.ports import Clock, Ids, nobody_hosts
from sayso.core.quotes import quoted
from sayso.providers.calendar.event_texts import at, instant
from sayso.providers.calendar.ical.limits import must_be_listable
from sayso.providers.calendar.ical.parse import (
    Component,
    Resource,
    Unreadable,
    describe_moment,
    first_day,
    in_zone,
    library_calendar,
    like_start,
    parse_calendar,
    show_on_one_line,
    unreadable_on_error,
)
from sayso.providers.calendar.ical.reminders import reminders_in
from sayso.providers.calendar.ical.serialize import master_of, text_after
from sayso.providers.calendar.model import DeleteEntry, EntryFree, EntryIs, Steps
from sayso.providers.calendar.store import OCCURRENCE, Calendar, Event, FoundEvents, FoundReminders, Reminder

for _library in ("icalendar", "recurring_ical_events"):
    # They are imported only once there is something to read; that they are missing is said at once all the same.
    if find_spec(_library) is None:
        raise ModuleNotFoundError(f"No module named {_library!r}", name=_library)


class Resources(Struct, frozen=True):
    """The entries of calendars, and, for each part that could not be read, a text that says so."""

    resources: tuple[Resource, ...] = ()
    left_out: tuple[str, ...] = ()


class NamedCalendar(Protocol):
    """A calendar of a folder or server."""

    @property
    def name(self) -> str:
        """Return the name that its owner gave it."""
        ...


class ResourceSource(Protocol):
    """A folder or server that stores calendar texts."""

    async def resources(self, kind: str, first: str, last: str) -> Resources:
        """Return at least every VEVENT that may take place between two days such as `20260314`, or every VTODO."""
        ...

    async def resource(self, uid: str) -> Resource | None:
        """Return the text with the event or reminder that has this uid, or None."""
        ...

    async def new_place(self, uid: str, calendar: str, kind: str) -> str:
        """Return the path for a new VEVENT or VTODO; an empty `calendar` means the default one.

        Raises `ProviderError`.
        """
        ...

    def calendar_of(self, place: str) -> str:
        """Return the name of the calendar that contains a path."""
        ...

    async def calendars(self) -> Sequence[NamedCalendar]:
        """Return the calendars. Raises `ProviderError`."""
        ...


def uids_of(whole: Component) -> tuple[str, ...]:
    """Return the uids in a text, without duplicates."""
    return tuple(dict.fromkeys(part.line("UID").text.strip() for part in whole.parts("VEVENT", "VTODO", "VJOURNAL")))


def holds_uid(text: str, uid: str) -> bool:
    """Return whether a text has an entry with this uid; False for an unreadable text."""
    if uid[:40] not in text:
        return False
    try:
        return uid in uids_of(parse_calendar(text))
    except Unreadable:
        return False


A_DAY = timedelta(days=1)


def may_touch(whole: Component, first: str, last: str) -> bool:
    """Return whether an event in a text may take place between two days; only the dates in its lines are compared."""
    return any(_may_touch(part, first, last) for part in whole.parts("VEVENT"))


def _may_touch(part: Component, first: str, last: str) -> bool:
    begins = part.line("DTSTART").value.strip()[:8]
    if part.lines("RRULE", "RDATE", "DURATION"):
        return begins <= last
    ends = part.line("DTEND").value.strip()[:8] or begins
    # Dates that cannot be compared as text count as possible; the library decides about them.
    return not (begins.isdecimal() and ends.isdecimal()) or (begins <= last and ends >= first)


def speaks_of(whole: Component, wanted: str) -> bool:
    """Return whether the titles and locations of the events in a text contain these words; `wanted` is case-folded."""
    said = (part.line(name).text for part in whole.parts("VEVENT") for name in ("SUMMARY", "LOCATION"))
    # `wanted` may begin in the title and end in the location, so each of its words is searched for separately.
    words = wanted.split()
    everything = " ".join(said).casefold()
    return all(word in everything for word in words)


def occurrences(resource: Resource, start: datetime, end: datetime, zone: tzinfo) -> tuple[Event, ...]:
    """Return the events that take place between `start` and `end`. Raises `Unreadable`."""
    with unreadable_on_error():
        whole = resource.whole()
        must_be_listable(whole, (instant(end) + A_DAY).date())
        found = load("recurring_ical_events:of")(library_calendar(resource.text)).between(start - A_DAY, end + A_DAY)
        happening = [one for one in found if str(one.get("STATUS", "")).upper() != "CANCELLED"]
        return tuple(_event(one, resource, whole, zone) for one in happening if _touches(one, start, end, zone))


def _event(one: Any, resource: Resource, whole: Component, zone: tzinfo) -> Event:
    uid = str(one.get("UID", "")).strip()
    begins, ends = _ends(one)
    all_day = not isinstance(begins, datetime)
    master = master_of(whole, uid)
    series = bool(master.lines("RRULE", "RDATE"))
    recurrence = one.get("RECURRENCE-ID") if series else None
    occurrence = like_start(master.line("DTSTART"), recurrence.dt) if recurrence is not None else ""
    return Event(
        uid=f"{uid}{OCCURRENCE}{occurrence}" if occurrence else uid,
        title=_words(one, "SUMMARY") or "(without a title)",
        start=describe_moment(begins, zone),
        end=describe_moment(ends, zone),
        all_day=all_day,
        location=_words(one, "LOCATION"),
        etag=resource.etag,
        raw=resource.text,
        place=resource.place,
        calendar=resource.calendar,
        occurrence=occurrence,
        repeats=series and not occurrence,
        participants=_addresses(_people(one)),
        own_time=_own_time(begins, master.line("DTSTART").param("TZID"), zone),
    )


_LONGEST_ZONE = 40


def _own_time(begins: date, named: str, zone: tzinfo) -> str:
    """Return the start by the clocks of the event's own zone; empty if they show the same, or it has no zone."""
    if not named or not isinstance(begins, datetime) or begins.tzinfo is None:
        return ""
    here = instant(begins).astimezone(zone)
    if begins.utcoffset() == here.utcoffset():
        return ""
    return f"{begins:%H:%M} {show_on_one_line(named)[:_LONGEST_ZONE]}"


def _ends(one: Any) -> tuple[date, date]:
    begins: date = one["DTSTART"].dt
    if "DTEND" in one:
        ends: date = one["DTEND"].dt
    elif "DURATION" in one:
        ends = begins + one["DURATION"].dt
    else:
        ends = begins if isinstance(begins, datetime) else begins + A_DAY
    if not isinstance(begins, datetime):
        return begins, begins + A_DAY if ends == begins else ends
    return begins, _end_of(begins, ends) if isinstance(ends, datetime) else ends


def _end_of(begins: datetime, ends: datetime) -> datetime:
    """Return when an event ends.

    If the event starts in the hour that clocks skip in spring, the end is computed from the real start, so the event
    keeps its length. A time in that hour has the offset from before the change (RFC 5545, 3.3.5).
    """
    real = instant(begins)
    skipped = begins.tzinfo is not None and real.astimezone(begins.tzinfo).replace(tzinfo=None) != begins.replace(
        tzinfo=None
    )
    return real + (ends.replace(tzinfo=None) - begins.replace(tzinfo=None)) if skipped else ends


def _touches(one: Any, start: datetime, end: datetime, zone: tzinfo) -> bool:
    begins, ends = (instant(in_zone(moment, zone)) for moment in _ends(one))
    first, last = instant(start), instant(end)
    return begins < last and (ends > first or begins == ends >= first)


def _words(one: Any, name: str) -> str:
    """Return the text of a property on one line."""
    return show_on_one_line(str(one.get(name, "")))


def _people(one: Any) -> list[Any]:
    found = one.get("ATTENDEE", [])
    return cast("list[Any]", found) if isinstance(found, list) else [found]


def _addresses(people: Iterable[Any]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(str(person).strip().removeprefix("mailto:").removeprefix("MAILTO:") for person in people)
    )


_FOLD = re.compile(r"\r?\n[ \t]")
_PERSON = re.compile(
    "(?:^|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029])(?:[A-Za-z0-9-]+\\.)?ATTENDEE[ \t]*(?:[;:]|$)", re.IGNORECASE
)
"""A line that a server may take for one that invites, also if it is malformed or begins in the middle of another."""


def everybody_in(resource: Resource) -> tuple[str, ...]:
    """Return the addresses of all people in a text, as the server may mail each of them when any part of it changes.

    They may stand on the series, on one changed occurrence, or on an alarm that is a mail. Raises `Unreadable`.
    """
    lines = (line for _, line in resource.whole().every_line())
    unfolded = ((line, _FOLD.sub("", line.raw).strip()) for line in lines)
    return _addresses(
        line.value if line.name == "ATTENDEE" else raw.rpartition(":")[2]
        for line, raw in unfolded
        if _PERSON.search(raw)
    )


def whole_event(resource: Resource, uid: str, zone: tzinfo) -> Event | None:
    """Return an event with all its occurrences as one `Event`; None if the uid is a reminder's. Raises `Unreadable`."""
    with unreadable_on_error():
        whole = resource.whole()
        master = master_of(whole, uid)
        if master.name != "VEVENT":
            return None
        must_be_listable(whole, first_day(master.line("DTSTART")))
        every = library_calendar(resource.text).walk("VEVENT")
        return _event(next(one for one in every if _is_master(one, uid, master)), resource, whole, zone)


def _is_master(one: Any, uid: str, master: Component) -> bool:
    return str(one.get("UID", "")).strip() == uid and ("RECURRENCE-ID" in one) == bool(master.lines("RECURRENCE-ID"))


T = TypeVar("T")

_LONGEST_SAID = 20


@dataclass(frozen=True)
class IcalCalendar(Calendar):
    """What operations can read of calendar texts; `imagined` are the earlier steps of the batch, in order."""

    source: ResourceSource
    clock: Clock
    ids: Ids
    timezone: tzinfo
    imagined: tuple[tuple[Steps, ChangeRef], ...] = ()
    hosted: Callable[[], bool] = nobody_hosts
    rings_itself: str = ""

    def ring(self) -> bool:
        return self.hosted()

    def after(self, step: Steps, ref: ChangeRef) -> "IcalCalendar":
        """Return what operations can read after this step."""
        return replace(self, imagined=(*self.imagined, (step, ref)))

    async def between(self, start: datetime, end: datetime) -> FoundEvents:
        return await self._between(start, end, "")

    async def _between(self, start: datetime, end: datetime, wanted: str) -> FoundEvents:
        held = await self._read_between("VEVENT", start, end)
        first, last = _day(start - A_DAY), _day(end + A_DAY)
        return await anyio.to_thread.run_sync(partial(self._list_between, held, (start, end), (first, last), wanted))

    def _list_between(
        self, held: Resources, ends: tuple[datetime, datetime], days: tuple[str, str], wanted: str
    ) -> FoundEvents:
        def listed(resource: Resource) -> tuple[Event, ...]:
            whole = resource.whole()
            return (
                occurrences(resource, *ends, self.timezone)
                if may_touch(whole, *days) and speaks_of(whole, wanted)
                else ()
            )

        events, left_out = _each(held, listed)
        ordered = sorted(events, key=lambda one: (instant(at(one.start, self.timezone)), one.title, one.uid))
        return FoundEvents(tuple(ordered), left_out)

    async def find(self, text: str, start: datetime, end: datetime, limit: int) -> FoundEvents:
        wanted = text.casefold()
        found = await self._between(start, end, wanted)
        events = (one for one in found.events if wanted in f"{one.title}\n{one.location}".casefold())
        return FoundEvents(tuple(events)[:limit], found.left_out)

    async def event(self, uid: str) -> Event | None:
        resource = await self.resource(uid)
        if resource is not None:
            return self._readable(resource, lambda: whole_event(resource, uid, self.timezone), uid)
        entry, _, occurrence = uid.rpartition(OCCURRENCE)
        resource = await self.resource(entry) if entry and 0 < len(occurrence) <= _LONGEST_SAID else None
        if resource is None:
            return None
        whole = self._readable(resource, lambda: whole_event(resource, entry, self.timezone), uid)
        if whole is None:
            return None
        return self._readable(resource, lambda: self._occurrence(resource, uid, occurrence), uid)

    def _occurrence(self, resource: Resource, uid: str, occurrence: str) -> Event | None:
        """Return one occurrence.

        It is searched for near its original time, then within a year, as it may have been moved.
        """
        try:
            meant = datetime.strptime(occurrence[:8], "%Y%m%d").replace(tzinfo=self.timezone)
        except ValueError:
            return None
        for days in (3, 366):
            around = occurrences(resource, meant - days * A_DAY, meant + days * A_DAY, self.timezone)
            same = [one for one in around if one.uid == uid]
            if same:
                return same[0]
        return None

    @staticmethod
    def _readable(resource: Resource, look: Callable[[], Event | None], uid: str) -> Event | None:
        try:
            found = look()
            return None if found is None else with_fields(found, participants=everybody_in(resource))
        except Unreadable as error:
            raise ProviderError(f"the event {quoted(uid)} cannot be read: {error}", "calendar.unreadable") from error

    async def reminders(self, *, done: bool = False) -> FoundReminders:
        now = self.now()
        held = await self._read_between("VTODO", now, now)
        found, left_out = await anyio.to_thread.run_sync(partial(_each, held, partial(self._reminders_in, done=done)))
        ordered = sorted(
            found,
            key=lambda one: (not one.due, one.due and instant(at(one.due, self.timezone)), one.title, one.uid),
        )
        return FoundReminders(tuple(ordered), left_out)

    def _reminders_in(self, resource: Resource, *, done: bool) -> list[Reminder]:
        found = [one for one in reminders_in(resource, self.timezone, done=done) if done or not one.done]
        people = everybody_in(resource) if found and "ATTENDEE" in resource.text.upper() else ()
        return [with_fields(one, participants=people) for one in found]

    async def resource(self, uid: str) -> Resource | None:
        """Return the entry with this uid as it will be after the steps in `imagined`."""
        found = await self.source.resource(uid)
        for step, _ in self.imagined:
            if step.uid == uid:
                text = text_after(found.text if found else None, step, self.timezone)
                where = self.source.calendar_of(step.place)
                found = None if text is None else Resource(step.place, text, "imagined", where)
        return found

    async def _read_between(self, kind: str, start: datetime, end: datetime) -> Resources:
        held = await self.source.resources(kind, _day(start - A_DAY), _day(end + A_DAY))
        touched = dict.fromkeys(step.uid for step, _ in self.imagined)
        if not touched:
            return held
        places = {step.place for step, _ in self.imagined}
        kept = [one for one in held.resources if one.place not in places]
        imagined = [await self.resource(uid) for uid in touched]
        return Resources((*kept, *(one for one in imagined if one is not None)), held.left_out)

    async def calendars(self) -> tuple[str, ...]:
        return tuple(one.name for one in await self.source.calendars())

    def entry_fact(self, uid: str, etag: str) -> Fact:
        return self._as_left(EntryIs(uid, etag))

    def free_fact(self, uid: str) -> Fact:
        return self._as_left(EntryFree(uid))

    def _as_left(self, fact: Fact) -> Fact:
        """Return the fact, or, if an earlier step of the batch will make it true, a reference to that step's result."""
        for step, ref in reversed(self.imagined):
            if step.uid == fact.about and isinstance(step, DeleteEntry) == isinstance(fact, EntryFree):
                return ResultRef(fact.about, fact.fact, ref.change, ref.action)
        return fact

    async def place(self, uid: str, calendar: str, *, reminder: bool) -> str:
        return await self.source.new_place(uid, calendar, "VTODO" if reminder else "VEVENT")


def _day(when: datetime) -> str:
    return when.strftime("%Y%m%d")


def _each(held: Resources, look: Callable[[Resource], Iterable[T]]) -> tuple[list[T], tuple[str, ...]]:
    """Return what `look` finds in all texts, and, for each text that could not be read, a text that says so."""
    found: list[T] = []
    left_out = list(held.left_out)
    for resource in held.resources:
        try:
            found += look(resource)
        except Unreadable as error:
            left_out.append(f"{quoted(resource.place)} was left out: {error}")
    return found, tuple(left_out)
