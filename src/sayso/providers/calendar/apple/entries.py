"""Entries of Calendar and Reminders as iCalendar text, and such texts as entries that a script can write."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.providers.calendar.ical.parse import (
    Component,
    ContentLine,
    Unreadable,
    create_component,
    create_line,
    escape_text,
    find_zone,
    is_day,
    parse_calendar,
    render_component,
)

NEW = "\r\n"
Moment = int | float | str | None
"""Milliseconds since 1970, or a day such as `2026-03-14`."""
_TIME = "%Y%m%dT%H%M%S"


class AppleEvent(Struct, frozen=True):
    """An event as the script reads and writes it."""

    uid: str = ""
    title: str = ""
    notes: str = ""
    location: str = ""
    url: str = ""
    start: Moment = None
    end: Moment = None
    repeat: str = ""
    without: tuple[Moment, ...] = ()
    people: tuple[str, ...] = ()
    zone: str = ""
    """The zone by whose clocks it begins, if it has one of its own; scripts do not know it."""
    alarms: tuple[int, ...] = ()
    """When it is announced, in seconds after its start; scripts do not know it."""
    occurrence: Moment = None
    """The original start of one time of a repeating event."""
    changed: tuple["AppleEvent", ...] = ()
    """The times of a repeating event that differ from the others; scripts cannot write them."""


class AppleReminder(Struct, frozen=True):
    """A reminder as the script reads and writes it; `start` is when it is due."""

    uid: str = ""
    title: str = ""
    notes: str = ""
    done: bool = False
    completed: Moment = None
    start: Moment = None
    ring: Moment = None
    repeat: str = ""


Entry = AppleEvent | AppleReminder


def write_text(entry: Entry, uid: str, zone: tzinfo) -> str:
    """Return an entry as iCalendar text with this uid; the same entry always gives the same text."""
    if isinstance(entry, AppleEvent):
        clocks = _clocks(entry, zone)
        lines = [[*_texts(one, uid), *_event_lines(one, clocks, zone)] for one in (entry, *entry.changed)]
        parts = [create_component("VEVENT", each, NEW) for each in lines]
    else:
        parts = [create_component("VTODO", (*_texts(entry, uid), *_todo_lines(entry, zone)), NEW)]
    head = (create_line("VERSION", "2.0", NEW), create_line("PRODID", "-//sayso//calendar//EN", NEW))
    return render_component(create_component("VCALENDAR", (*head, *parts), NEW))


def _texts(entry: Entry, uid: str) -> Iterator[ContentLine]:
    yield create_line("UID", escape_text(uid), NEW)
    yield create_line("SUMMARY", escape_text(entry.title), NEW)
    if entry.notes:
        yield create_line("DESCRIPTION", escape_text(entry.notes), NEW)


class Clocks(Struct, frozen=True):
    """By which clocks a time is written: those of a zone, with its name if it is not the person's; else of UTC."""

    zone: tzinfo | None = None
    name: str = ""


def _clocks(event: AppleEvent, zone: tzinfo) -> Clocks:
    own = find_zone(event.zone) if event.zone else None
    if own is not None:
        return Clocks(own, event.zone)
    # A repeating event keeps its hour, so its times are those of local clocks.
    return Clocks(zone) if event.repeat else Clocks()


def _event_lines(event: AppleEvent, series: Clocks, zone: tzinfo) -> Iterator[ContentLine | Component]:
    local = series if event.occurrence is None else _clocks(event, zone)
    if event.occurrence is not None:
        yield _moment("RECURRENCE-ID", event.occurrence, series)
    yield _moment("DTSTART", event.start, local)
    yield _moment("DTEND", event.end, local)
    if event.location:
        yield create_line("LOCATION", escape_text(event.location), NEW)
    if event.url:
        yield create_line("URL", escape_text(event.url), NEW)
    for email in event.people:
        yield create_line("ATTENDEE", f"mailto:{escape_text(email)}", NEW)
    if event.repeat:
        yield create_line("RRULE", escape_rule(event.repeat), NEW)
        for gone in event.without:
            yield _moment("EXDATE", gone, local)
    for seconds in event.alarms:
        texts = (create_line("ACTION", "DISPLAY", NEW), create_line("DESCRIPTION", escape_text(event.title), NEW))
        yield create_component("VALARM", (*texts, create_line("TRIGGER", _seconds(seconds), NEW)), NEW)


def _seconds(seconds: int) -> str:
    return f"-PT{-seconds}S" if seconds < 0 else f"PT{seconds}S"


def escape_rule(text: str) -> str:
    """Return a rule on one line."""
    return "".join(text.removeprefix("RRULE:").split())


def _todo_lines(todo: AppleReminder, zone: tzinfo) -> Iterator[ContentLine | Component]:
    if todo.repeat and todo.start is not None:
        # A rule counts from DTSTART; one that repeats keeps its hour.
        yield _moment("DTSTART", todo.start, Clocks(zone))
        yield _moment("DUE", todo.start, Clocks(zone))
        yield create_line("RRULE", escape_rule(todo.repeat), NEW)
    elif todo.start is not None:
        yield _moment("DUE", todo.start, Clocks())
    yield create_line("STATUS", "COMPLETED" if todo.done else "NEEDS-ACTION", NEW)
    if todo.done and todo.completed is not None:
        yield _moment("COMPLETED", todo.completed, Clocks())
    if todo.ring is not None and todo.start is not None:
        trigger = create_line("TRIGGER", _moment("X", todo.ring, Clocks()).value, NEW, ";VALUE=DATE-TIME")
        texts = (create_line("ACTION", "DISPLAY", NEW), create_line("DESCRIPTION", escape_text(todo.title), NEW))
        yield create_component("VALARM", (*texts, trigger), NEW)


def _moment(name: str, when: Moment, local: Clocks) -> ContentLine:
    if isinstance(when, str):
        return create_line(name, when.replace("-", ""), NEW, ";VALUE=DATE")
    moment = datetime.fromtimestamp((when or 0) / 1000, UTC)
    if local.zone is not None:
        form = f";TZID={local.name}" if local.name else ""
        return create_line(name, moment.astimezone(local.zone).strftime(_TIME), NEW, form)
    return create_line(name, f"{moment.strftime(_TIME)}Z", NEW)


def read_text(text: str, zone: tzinfo) -> Entry:
    """Return the entry that an iCalendar text describes.

    Raises `ProviderError` for what cannot be written into Calendar and Reminders.
    """
    try:
        whole = parse_calendar(text)
    except Unreadable as error:
        raise ProviderError(f"the entry cannot be written: {error}; nothing was done", "calendar.unreadable") from error
    parts = whole.parts("VEVENT", "VTODO")
    first = next((part for part in parts if not part.lines("RECURRENCE-ID")), None)
    if first is None:
        raise ProviderError("the entry has no beginning; nothing was done", "calendar.unreadable")
    if first.name == "VTODO":
        return _read_todo(first, zone)
    others = tuple(replace(_read_event(part, zone), people=()) for part in parts if part is not first)
    return replace(_read_event(first, zone), changed=others)


def _read_event(part: Component, zone: tzinfo) -> AppleEvent:
    start = part.line("DTSTART")
    repeat = part.line("RRULE").value.strip() if part.lines("RRULE") else ""
    gone = [(line, value) for line in part.lines("EXDATE") for value in line.value.split(",")]
    return AppleEvent(
        title=part.line("SUMMARY").text,
        notes=part.line("DESCRIPTION").text,
        location=part.line("LOCATION").text,
        url=part.line("URL").text,
        start=_read_moment(start, zone),
        end=_read_moment(part.line("DTEND"), zone),
        repeat=repeat,
        without=tuple(_read_moment(ContentLine("", line.name, line.params, value), zone) for line, value in gone),
        people=tuple(line.text.partition(":")[2] for line in part.lines("ATTENDEE")),
        zone=start.param("TZID"),
        alarms=tuple(_after(line.value) for alarm in part.parts("VALARM") for line in alarm.lines("TRIGGER")),
        occurrence=_read_moment(part.line("RECURRENCE-ID"), zone) if part.lines("RECURRENCE-ID") else None,
    )


def _after(trigger: str) -> int:
    """Return the seconds after a start that `_seconds` wrote."""
    value = trigger.strip().upper()
    return -int(value[3:-1]) if value.startswith("-") else int(value[2:-1])


def _read_todo(part: Component, zone: tzinfo) -> AppleReminder:
    done = part.line("STATUS").value.strip().upper() == "COMPLETED"
    due = _read_moment(part.line("DUE"), zone) if part.lines("DUE") else None
    completed = _read_moment(part.line("COMPLETED"), zone) if part.lines("COMPLETED") else None
    rings = [_ring(line, due, zone) for alarm in part.parts("VALARM") for line in alarm.lines("TRIGGER")]
    return AppleReminder(
        title=part.line("SUMMARY").text,
        notes=part.line("DESCRIPTION").text,
        done=done,
        completed=completed,
        start=due,
        ring=next((ring for ring in rings if ring is not None), None),
        repeat=escape_rule(part.line("RRULE").value) if part.lines("RRULE") else "",
    )


def _ring(trigger: ContentLine, due: Moment, zone: tzinfo) -> Moment:
    value = trigger.value.strip().upper()
    if not value.startswith("P"):
        return _read_moment(trigger, zone)
    seconds = int(value[2:-1]) * (3600 if value.endswith("H") else 1)
    if isinstance(due, str):
        due = datetime.fromisoformat(due).replace(tzinfo=zone).timestamp() * 1000
    return None if due is None else due + seconds * 1000


def _read_moment(line: ContentLine, zone: tzinfo) -> Moment:
    value = line.value.strip().upper()
    if is_day(line):
        return f"{value[:4]}-{value[4:6]}-{value[6:8]}"
    moment = datetime.strptime(value.removesuffix("Z"), _TIME).replace(
        tzinfo=UTC if value.endswith("Z") else (find_zone(line.param("TZID")) or zone)
    )
    return round((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1))


def day_of(when: Moment, zone: tzinfo) -> str:
    """Return the day of a moment such as `20260314`; empty for none."""
    if when is None or isinstance(when, str):
        return (when or "").replace("-", "")
    return datetime.fromtimestamp(when / 1000, zone).strftime("%Y%m%d")
