"""The operations on the calendar: today, find, create, change and delete events, and create reminders."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta

from sayso.core.arguments import AnyLine, Line, Text, When
from sayso.core.canonical import Json
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation, operation
from sayso.core.plan import Answer, Change, Plan
from sayso.core.when import Moment, read_when
from sayso.providers.calendar.steps import CreateEvent, CreateReminder, DeleteEntry, PutEntry, UpdateEvent
from sayso.providers.calendar.store import Calendar, Event
from sayso.providers.calendar.times import Span, instant, moved, placed, read_due, read_span, said_due, said_span

A_YEAR = timedelta(days=365)
Limit = Annotated[int, Meta(ge=1, le=500, description="How many events at most.")]


@operation("calendar.today", kind="read", asks="none", outside=True)
async def today(calendar: Calendar) -> Answer:
    """List today's events with title, time and location."""
    day, zone = calendar.now().date(), calendar.zone()
    start, end = Moment(day).at(zone), Moment(day + timedelta(days=1)).at(zone)
    return _answer(await calendar.between(start, end), "today")


@operation("calendar.find", kind="read", asks="none", outside=True)
async def find(
    calendar: Calendar, text: AnyLine = "", start: When | None = None, end: When | None = None, limit: Limit = 50
) -> Answer:
    """Find events by title or location; without times, from a year ago to a year ahead."""
    now = calendar.now()
    begins = _time(calendar, start) if start else now - A_YEAR
    ends = _time(calendar, end) if end else max(now, begins, key=instant) + A_YEAR
    if instant(ends) <= instant(begins):
        raise ProposalError(f"the end ({end}) must be after the start ({start or begins.date()})", "arguments.date")
    return _answer(await calendar.find(text.strip(), begins, ends, limit), "found")


@operation("calendar.create_event", kind="write", asks="mode")
async def create_event(calendar: Calendar, title: Line, start: When, end: When) -> Plan:
    """Create a calendar event; two days make an all-day event, the end being the day after it."""
    words, span = _title(title), read_span(start, end, calendar.zone())
    uid = calendar.new_uid()
    step = CreateEvent(uid, words, span.start, span.end, span.all_day)
    return Plan(
        f"Create the event “{words}”, {span.said()}",
        (Change(step, undo=DeleteEntry(uid), expects=(calendar.free_fact(uid),)),),
        said_when_done=f"Created the event “{words}”, {span.said()}",
        data={"id": uid},
    )


@operation("calendar.update_event", kind="write", asks="mode")
async def update_event(  # noqa: PLR0913, PLR0917 - what a person may change of an event
    calendar: Calendar,
    id: Line,  # noqa: A002 - the word of the other operations
    title: Line | None = None,
    start: When | None = None,
    end: When | None = None,
    location: AnyLine | None = None,
) -> Plan:
    """Change title, time or location of the event with this id; with a new start alone it takes as long as before."""
    if title is None and start is None and end is None and location is None:
        raise ProposalError("calendar.update_event needs “title”, “start”, “end” or “location”", "arguments.missing")
    event = await _event(calendar, id)
    words = None if title is None else _title(title)
    span = _new_span(calendar, event, start, end)
    ends = (span.start, span.end, span.all_day) if span else (None, None, None)
    place = None if location is None else location.strip()
    step = _differing(event, UpdateEvent(event.uid, calendar.new_uid(), words, *ends, place))
    if step is None:
        return Plan(f"“{event.title}” is already like that")
    change = Change(step, PutEntry(event.uid, event.raw), (calendar.entry_fact(event.uid, event.etag),))
    return Plan(
        f"Change “{event.title}”: {_changes(event, step)}",
        (change,),
        said_when_done=f"Changed “{event.title}”: {_changes(event, step)}",
        data={"id": event.uid},
    )


@operation("calendar.delete_event", kind="destructive", asks="mode")
async def delete_event(calendar: Calendar, id: Line) -> Plan:  # noqa: A002 - as above
    """Delete the event with this id."""
    event = await _event(calendar, id)
    what = f"“{event.title}”, {said_span(event.start, event.end, all_day=event.all_day)}"
    change = Change(
        DeleteEntry(event.uid), PutEntry(event.uid, event.raw), (calendar.entry_fact(event.uid, event.etag),)
    )
    return Plan(
        f"Delete the event {what}",
        (change,),
        said_when_done=f"Deleted the event “{event.title}”",
        loses=(f"the event {what}",),
        data={"id": event.uid},
    )


@operation("reminder.create", kind="write", asks="mode")
async def create_reminder(calendar: Calendar, title: Line, notes: Text = "", due: When | None = None) -> Plan:
    """Create a reminder, due at a time, on a day, or whenever."""
    words, uid = _title(title), calendar.new_uid()
    written, passed = read_due(due, calendar.zone()) if due else ("", None)
    late = passed is not None and instant(passed) <= instant(calendar.now())
    when = f", due {said_due(written)}" if written else ""
    return Plan(
        f"Create the reminder “{words}”{when}",
        (
            Change(
                CreateReminder(uid, words, notes, written),
                undo=DeleteEntry(uid),
                expects=(calendar.free_fact(uid),),
            ),
        ),
        said_when_done=f"Created the reminder “{words}”{when}",
        warns=(f"{said_due(written)} is in the past",) if late else (),
        preview=notes,
        data={"id": uid},
    )


def _title(title: str) -> str:
    words = title.strip()
    if not words:
        raise ProposalError("“title” must be a text that is not only blanks", "arguments.type")
    return words


def _time(calendar: Calendar, text: str) -> datetime:
    return placed(read_when(text), calendar.zone())


async def _event(calendar: Calendar, uid: str) -> Event:
    event = await calendar.event(uid)
    if event is None:
        raise ProposalError(f"No event has the id “{uid}”. calendar.find shows ids.", "target.not_found")
    return event


def _new_span(calendar: Calendar, event: Event, start: str | None, end: str | None) -> Span | None:
    zone = calendar.zone()
    if end is not None:
        return read_span(start or event.start, end, zone)
    return None if start is None else moved(event, start, zone)


def _differing(event: Event, wanted: UpdateEvent) -> UpdateEvent | None:
    """Return the change without what already is so; None when nothing is left of it."""
    ends = (wanted.start, wanted.end, wanted.all_day)
    if ends == (event.start, event.end, event.all_day):
        ends = (None, None, None)
    start, end, all_day = ends
    title = None if wanted.title == event.title else wanted.title
    location = None if wanted.location == event.location else wanted.location
    step = UpdateEvent(event.uid, wanted.mark, title, start, end, all_day, location)
    return None if step == UpdateEvent(event.uid, wanted.mark) else step


def _changes(event: Event, step: UpdateEvent) -> str:
    said: list[str] = []
    if step.title is not None:
        said.append(f"call it “{step.title}”")
    if step.start is not None and step.end is not None:
        before = said_span(event.start, event.end, all_day=event.all_day)
        said.append(f"{said_span(step.start, step.end, all_day=bool(step.all_day))} instead of {before}")
    if step.location is not None:
        said.append(f"at “{step.location}”" if step.location else f"without the place “{event.location}”")
    return "; ".join(said)


def _answer(found: Sequence[Event], when: str) -> Answer:
    if not found:
        return Answer(f"No events {when}", {"events": []}, f"There are no events {when}.")
    return Answer(
        f"{len(found)} event{'s' if len(found) > 1 else ''} {when}",
        {"events": [event_json(event) for event in found]},
        "\n".join(_line(event, with_day=when != "today", with_id=when != "today") for event in found),
    )


def _line(event: Event, *, with_day: bool, with_id: bool) -> str:
    if event.all_day:
        when = said_span(event.start, event.end, all_day=True) if with_day else "all day"
    else:
        words = said_span(event.start, event.end, all_day=False)
        when = words if with_day else words.partition(" ")[2]
    where = f", {event.location}" if event.location else ""
    return f"{when}: {event.title}{where}" + (f" (id {event.uid})" if with_id else "")


def event_json(event: Event) -> dict[str, Json]:
    """Return an event as results hold it."""
    return {
        "id": event.uid,
        "title": event.title,
        "start": event.start,
        "end": event.end,
        "all_day": event.all_day,
        "location": event.location,
    }


OPERATIONS: tuple[Operation, ...] = (today, find, create_event, update_event, delete_event, create_reminder)
