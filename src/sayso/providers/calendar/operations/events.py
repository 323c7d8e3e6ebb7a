"""The operations on events: list, find, create, change and delete."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from sayso.core.datetimes import Moment, read_when
from sayso.core.errors import ProposalError, ProviderError
from sayso.core.operation import operation
from sayso.core.plan import Answer, Change, Plan
from sayso.core.quotes import quoted
from sayso.core.schema import AnyLine, Line, When
from sayso.providers.calendar.context import DAYS, on_day
from sayso.providers.calendar.event_texts import (
    EventSpan,
    check_attendees,
    describe_invitations,
    describe_range,
    describe_span,
    instant,
    list_answer,
    move_span,
    place_moment,
    read_span,
    warn_of_attendees,
    write_moment,
)
from sayso.providers.calendar.model import (
    CreateEvent,
    DeleteEntry,
    DeleteOccurrence,
    PutEntry,
    Steps,
    UpdateEvent,
)
from sayso.providers.calendar.store import Calendar, Event, FoundEvents, Reminder

SPAN = (("start", "end"),)
A_YEAR = timedelta(days=365)
People = Annotated[list[Line], Meta(max_length=100, description="Addresses of those who are invited.")]
Limit = Annotated[int, Meta(ge=1, le=500, description="How many events at most.")]
ListLimit = Annotated[int, Meta(ge=1, le=1000, description="How many events at most.")]


@operation("calendar.today", kind="read", asks="none", outside=True)
async def today(calendar: Calendar) -> Answer:
    """List today's events with title, time and location."""
    return list_answer(await on_day(calendar), "today")


@operation("calendar.list", kind="read", asks="none", outside=True, ordered=SPAN)
async def list_events(
    calendar: Calendar,
    start: When | None = None,
    end: When | None = None,
    calendar_name: AnyLine = "",
    limit: ListLimit = 200,
) -> Answer:
    """List the events between two times or days; without `end`, of the whole day of `start`, or of the next 7 days."""
    begins, ends = _range(calendar, start, end)
    if instant(ends) <= instant(begins):
        raise ProposalError(f"“end” ({end}) must be after “start” ({start or begins.date()})", "arguments.date")
    wanted = await _calendar_named(calendar, calendar_name.strip())
    found = await calendar.between(begins, ends)
    events = tuple(one for one in found.events if wanted in {"", one.calendar})
    return list_answer(FoundEvents(events, found.left_out), describe_range(begins, ends), limit)


@operation("calendar.find", kind="read", asks="none", outside=True, ordered=SPAN)
async def find(
    calendar: Calendar, text: AnyLine = "", start: When | None = None, end: When | None = None, limit: Limit = 50
) -> Answer:
    """Find events by title or location; without times, from a year ago to a year ahead."""
    now = calendar.now()
    begins = _time(calendar, start) if start else now - A_YEAR
    ends = _time(calendar, end) if end else max(now, begins, key=instant) + A_YEAR
    if instant(ends) <= instant(begins):
        raise ProposalError(f"“end” ({end}) must be after “start” ({start or begins.date()})", "arguments.date")
    return list_answer(await calendar.find(text.strip(), begins, ends, limit), "found")


@operation("calendar.create_event", kind="write", asks="mode", ordered=SPAN)
async def create_event(
    calendar: Calendar,
    title: Line,
    start: When,
    end: When,
    location: AnyLine = "",
    calendar_name: AnyLine = "",
    participants: People | None = None,
) -> Plan:
    """Create a calendar event; two days make an all-day event, the end being the day after it."""
    words, span, place = title_of(title), read_span(start, end, calendar.zone()), location.strip()
    people = check_attendees(participants or ())
    uid = calendar.new_uid()
    where = await calendar.place(uid, calendar_name.strip(), reminder=False)
    ends = (span.start, span.end, span.all_day)
    step = CreateEvent(uid, words, *ends, where, write_moment(calendar.now()), place, people)
    at_place = f", at {quoted(place)}" if place else ""
    return Plan(
        f"Create the event {quoted(words)}, {span.describe()}{at_place}",
        (Change(step, step.undo(calendar.new_uid()), (calendar.free_fact(uid),)),),
        said_when_done=f"Created the event {quoted(words)}, {span.describe()}{at_place}",
        sends=describe_invitations(people, f"the invitation to {quoted(words)}"),
        asks=bool(people),
        warns=warn_of_attendees(people),
        data={"id": uid},
    )


@operation("calendar.update_event", kind="write", asks="mode", ordered=SPAN)
async def update_event(
    calendar: Calendar,
    id: Line,
    title: Line | None = None,
    start: When | None = None,
    end: When | None = None,
    location: AnyLine | None = None,
) -> Plan:
    """Change title, time or location of the event with this id; with a new start alone it takes as long as before."""
    if title is None and start is None and end is None and location is None:
        raise ProposalError("calendar.update_event needs “title”, “start”, “end” or “location”", "arguments.missing")
    event = await _event(calendar, id)
    if event.repeats and (start or end):
        raise ProposalError(
            f"{quoted(event.title)} repeats: to move one occurrence, give its id as calendar.find shows it",
            "calendar.repeats",
        )
    words = None if title is None else title_of(title)
    span = _new_span(calendar, event, start, end)
    ends = (span.start, span.end, span.all_day) if span else (None, None, None)
    place = None if location is None else location.strip()
    step = _differing(event, UpdateEvent(event.entry, calendar.new_uid(), words, *ends, place))
    if step is None:
        return Plan(f"{quoted(event.title)} is already like that")
    said = f"{_changes(event, step)}{_of_all(event)}"
    step, about = _place_update(calendar, event, step), f"{quoted(event.title)}: {said}"
    sends = f"the change of {quoted(event.title)}"
    return plan_step(calendar, event, step, f"Change {about}", f"Changed {about}", sends)


@operation("calendar.delete_event", kind="destructive", asks="mode")
async def delete_event(calendar: Calendar, id: Line) -> Plan:
    """Delete the event with this id; of one that repeats, the one time that the id names, or all of it."""
    event = await _event(calendar, id)
    what = f"{quoted(event.title)}, {describe_span(event.start, event.end, all_day=event.all_day)}{_of_all(event)}"
    mark = calendar.new_uid()
    step = DeleteEntry(event.entry, event.place, mark, event.participants)
    if event.occurrence:
        stamp = write_moment(calendar.now())
        step = DeleteOccurrence(event.entry, mark, event.occurrence, event.place, stamp, event.participants)
    done, sends = f"Deleted the event {quoted(event.title)}", f"the cancellation of {quoted(event.title)}"
    return plan_step(calendar, event, step, f"Delete the event {what}", done, sends, (f"the event {what}",))


def plan_step(
    calendar: Calendar,
    of: Event | Reminder,
    step: Steps,
    summary: str,
    done: str,
    sends: str,
    loses: Sequence[str] = (),
) -> Plan:
    """Return the plan of a step on an entry; `sends` says what its server tells those who are invited, if anybody."""
    entry = of.entry if isinstance(of, Event) else of.uid
    back = PutEntry(entry, of.raw, of.place, calendar.new_uid(), of.participants)
    return Plan(
        summary,
        (Change(step, back, (calendar.entry_fact(entry, of.etag),)),),
        said_when_done=done,
        loses=tuple(loses),
        sends=describe_invitations(of.participants, sends),
        asks=bool(of.participants),
        warns=warn_of_attendees(of.participants),
        data={"id": of.uid},
    )


def title_of(title: str) -> str:
    """Return a title without blanks around it. Raises `ProposalError` if nothing is left."""
    words = title.strip()
    if not words:
        raise ProposalError("“title” must be a text that is not only blanks", "arguments.type")
    return words


def _range(calendar: Calendar, start: str | None, end: str | None) -> tuple[datetime, datetime]:
    """Return the start and end of a list."""
    zone = calendar.zone()
    first = read_when(start) if start else Moment(calendar.now().date())
    begins = place_moment(first, zone)
    if end:
        return begins, place_moment(read_when(end), zone)
    return begins, Moment(first.day + timedelta(days=1 if start else DAYS)).at(zone)


async def _calendar_named(calendar: Calendar, name: str) -> str:
    """Return the name as the calendar writes it; empty if all events are meant. Raises `ProviderError`."""
    if not name:
        return ""
    names = await calendar.calendars()
    same = [one for one in names if one.casefold() == name.casefold()]
    if not same:
        known = ", ".join(quoted(one) for one in names) or "one without a name"
        raise ProviderError(f"There is no calendar {quoted(name)}. Calendars: {known}.", "calendar.unknown")
    return same[0] if len(names) > 1 else ""


def _time(calendar: Calendar, text: str) -> datetime:
    return place_moment(read_when(text), calendar.zone())


def _of_all(event: Event) -> str:
    return ", every time it takes place" if event.repeats else ""


def _place_update(calendar: Calendar, event: Event, step: UpdateEvent) -> UpdateEvent:
    """Return the step with its path, time of planning and occurrence.

    For one occurrence, start and end are always given.
    """
    step = replace(
        step,
        place=event.place,
        stamp=write_moment(calendar.now()),
        occurrence=event.occurrence,
        participants=event.participants,
    )
    if event.occurrence and step.start is None:
        step = replace(step, start=event.start, end=event.end, all_day=event.all_day)
    return step


async def _event(calendar: Calendar, uid: str) -> Event:
    event = await calendar.event(uid)
    if event is None:
        raise ProposalError(f"No event has the id {quoted(uid)}. calendar.find shows ids.", "target.not_found")
    return event


def _new_span(calendar: Calendar, event: Event, start: str | None, end: str | None) -> EventSpan | None:
    zone = calendar.zone()
    if end is not None:
        return read_span(start or event.start, end, zone)
    return None if start is None else move_span(event, start, zone)


def _differing(event: Event, wanted: UpdateEvent) -> UpdateEvent | None:
    """Return the change without the fields that already have the wanted value; None if no field is left."""
    ends = (wanted.start, wanted.end, wanted.all_day)
    if ends == (event.start, event.end, event.all_day):
        ends = (None, None, None)
    start, end, all_day = ends
    title = None if wanted.title == event.title else wanted.title
    location = None if wanted.location == event.location else wanted.location
    step = UpdateEvent(event.entry, wanted.mark, title, start, end, all_day, location)
    return None if step == UpdateEvent(event.entry, wanted.mark) else step


def _changes(event: Event, step: UpdateEvent) -> str:
    said: list[str] = []
    if step.title is not None:
        said.append(f"call it {quoted(step.title)}")
    if step.start is not None and step.end is not None:
        before = describe_span(event.start, event.end, all_day=event.all_day)
        said.append(f"{describe_span(step.start, step.end, all_day=bool(step.all_day))} instead of {before}")
    if step.location is not None:
        said.append(f"at {quoted(step.location)}" if step.location else f"without the place {quoted(event.location)}")
    return "; ".join(said)
