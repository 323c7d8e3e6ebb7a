"""Write events and reminders as iCalendar text, and change such texts line by line."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, tzinfo
from typing import Any, assert_never

from msgspec import UNSET
from msgspec.structs import replace

from sayso.core.datetimes import read_when
from sayso.core.errors import ProviderError
from sayso.core.lazy import load
from sayso.providers.calendar.ical.parse import (
    Component,
    ContentLine,
    Unreadable,
    create_component,
    create_line,
    day_line,
    escape_text,
    form_of,
    instant_of,
    is_day,
    line_like,
    local_of,
    parse_calendar,
    render_component,
    utc,
    utc_line,
)
from sayso.providers.calendar.model import (
    CompleteReminder,
    CreateEvent,
    CreateReminder,
    DeleteEntry,
    DeleteOccurrence,
    PutEntry,
    Steps,
    UpdateEvent,
)

MARK = "X-SAYSO-CHANGE"
"""The property of an event that names the last step that changed it; after a crash, it shows whether a step was done.
"""
_OF_A_SERIES = ("RRULE", "RDATE", "EXDATE", "EXRULE", "RECURRENCE-ID", MARK)
_NEW = "\r\n"
_COUNTED = re.compile("[0-9]{1,9}")


Marked = UpdateEvent | DeleteOccurrence | CompleteReminder
"""The steps that change an entry, and so write their mark into it."""


def text_after(text: str | None, step: Steps, zone: tzinfo) -> str | None:
    """Return the text after a step; None means that there is no entry then. The same step always gives the same text.

    Raises `ProviderError` if the text does not contain what the step changes.
    """
    match step:
        case CreateEvent():
            return _new_event(step, zone)
        case CreateReminder():
            return _new_reminder(step, zone)
        case PutEntry(_, raw):
            return raw
        case DeleteEntry():
            return None
        case UpdateEvent() | DeleteOccurrence() | CompleteReminder():
            return _change_text(text, step, zone)
        case _:
            assert_never(step)


def bears_mark(step: Steps, text: str) -> bool:
    """Return whether a text contains the mark of this step, which proves that the step was done."""
    return isinstance(step, Marked) and f"{MARK}:{step.mark}" in text


def _new_event(step: CreateEvent, zone: tzinfo) -> str:
    stamp = [utc_line("DTSTAMP", step.stamp, _NEW, zone), utc_line("CREATED", step.stamp, _NEW, zone)]
    times = [_time("DTSTART", step.start, zone, day=step.all_day), _time("DTEND", step.end, zone, day=step.all_day)]
    place = [create_line("LOCATION", escape_text(step.location), _NEW)] if step.location else []
    people = [
        create_line("ATTENDEE", f"mailto:{one}", _NEW, ";ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE")
        for one in step.participants
    ]
    return _calendar(
        "VEVENT", step.uid, [*stamp, create_line("SUMMARY", escape_text(step.title), _NEW), *times, *place, *people]
    )


def _new_reminder(step: CreateReminder, zone: tzinfo) -> str:
    lines = [utc_line("DTSTAMP", step.stamp, _NEW, zone), utc_line("CREATED", step.stamp, _NEW, zone)]
    lines += [create_line("SUMMARY", escape_text(step.title), _NEW)]
    lines += [create_line("DESCRIPTION", escape_text(step.notes), _NEW)] if step.notes else []
    lines += _due_lines(step, zone)
    alarms = [_alarm(step.title, step.rings)] if step.rings is not UNSET else []
    zones = [_zone_component(step.zone, step.stamp)] if step.zone else []
    return _calendar("VTODO", step.uid, [*lines, create_line("STATUS", "NEEDS-ACTION", _NEW), *alarms], zones)


def _due_lines(step: CreateReminder, zone: tzinfo) -> list[ContentLine]:
    """Return when a reminder is due; one that repeats keeps its hour, so it has a zone, or local time if none is known.

    A rule counts from DTSTART; other programs write the same moment there as in DUE.
    """
    if not step.due:
        return []
    if not step.repeat:
        return [_time("DUE", step.due, zone, day="T" not in step.due)]
    if "T" not in step.due:
        when = [day_line(name, step.due, _NEW) for name in ("DTSTART", "DUE")]
    else:
        local = read_when(step.due).at(zone).strftime("%Y%m%dT%H%M%S")
        form = f";TZID={step.zone}" if step.zone else ""
        when = [create_line(name, local, _NEW, form) for name in ("DTSTART", "DUE")]
    return [*when, create_line("RRULE", step.repeat, _NEW)]


def _alarm(title: str, seconds: int) -> Component:
    """Return an alarm that shows the title, so many seconds after the reminder is due, which is its end."""
    hours = seconds // 3600
    body = (
        create_line("ACTION", "DISPLAY", _NEW),
        create_line("DESCRIPTION", escape_text(title), _NEW),
        create_line("TRIGGER", f"PT{hours}H" if hours else f"PT{seconds}S", _NEW, ";RELATED=END"),
    )
    return create_component("VALARM", body, _NEW)


def _zone_component(name: str, stamp: str) -> Component:
    """Return the rules of a zone, from the year before it is used on."""
    year = read_when(stamp).day.year - 1
    made: Any = load("icalendar:Timezone").from_tzid(name, first_date=date(year, 1, 1))
    text = made.to_ical().decode()
    return parse_calendar(f"BEGIN:VCALENDAR\r\n{text}END:VCALENDAR\r\n").parts("VTIMEZONE")[0]


def _time(name: str, text: str, zone: tzinfo, *, day: bool) -> ContentLine:
    return day_line(name, text, _NEW) if day else utc_line(name, text, _NEW, zone)


def _calendar(kind: str, uid: str, lines: Sequence[ContentLine | Component], zones: Sequence[Component] = ()) -> str:
    entry = create_component(kind, (create_line("UID", escape_text(uid), _NEW), *lines), _NEW)
    head = (create_line("VERSION", "2.0", _NEW), create_line("PRODID", "-//sayso//calendar//EN", _NEW))
    return render_component(create_component("VCALENDAR", (*head, *zones, entry), _NEW))


def _change_text(text: str | None, step: Marked, zone: tzinfo) -> str:
    if text is None:
        raise ProviderError("the event is gone; nothing was done", "world.changed")
    try:
        whole = parse_calendar(text)
        if isinstance(step, DeleteOccurrence):
            return render_component(_without(whole, step, zone))
        if isinstance(step, CompleteReminder):
            master = master_of(whole, step.uid)
            completed = complete_todo(master, step, zone)
            return render_component(_map_component(whole, step.uid, lambda part: completed if part is master else part))
        return render_component(
            _with_occurrence(whole, step, zone) if step.occurrence else _with_all(whole, step, zone)
        )
    except Unreadable as error:
        raise ProviderError(f"the event cannot be changed: {error}", "calendar.unreadable") from error


def _with_all(whole: Component, step: UpdateEvent, zone: tzinfo) -> Component:
    """Change an event. A changed occurrence gets the new title or location too, if it had the event's former one."""
    former = master_of(whole, step.uid)

    def change(part: Component) -> Component:
        if part is former:
            return edit_event(part, step, zone)
        own = replace(
            step,
            title=step.title if part.line("SUMMARY").text == former.line("SUMMARY").text else None,
            location=step.location if part.line("LOCATION").text == former.line("LOCATION").text else None,
            start=None,
            end=None,
        )
        return edit_event(part, own, zone) if own.title is not None or own.location is not None else part

    return _map_component(whole, step.uid, change)


def _with_occurrence(whole: Component, step: UpdateEvent, zone: tzinfo) -> Component:
    master = master_of(whole, step.uid)
    meant = _recurrence(master, step.occurrence)
    same = _overrides(whole, step.uid, meant)
    if same:
        return _map_component(whole, step.uid, lambda part: edit_event(part, step, zone) if part in same else part)
    kept = tuple(one for one in master.body if not (isinstance(one, ContentLine) and one.name in _OF_A_SERIES))
    alone = edit_event(replace(master, body=(*kept[:1], meant, *kept[1:])), step, zone)
    body: list[ContentLine | Component] = []
    for one in whole.body:
        body.append(one)
        if one is master:
            body.append(alone)
    return replace(whole, body=tuple(body))


def _without(whole: Component, step: DeleteOccurrence, zone: tzinfo) -> Component:
    master = master_of(whole, step.uid)
    meant = _recurrence(master, step.occurrence)
    gone = _overrides(whole, step.uid, meant)
    excluded = create_line("EXDATE", meant.value, master.newline, meant.params)
    rest = tuple(one for one in whole.body if one not in gone)
    left = replace(whole, body=rest)
    return _map_component(
        left, step.uid, lambda part: _touch_component(_add_line(part, excluded), step, zone) if part is master else part
    )


def edit_event(part: Component, step: UpdateEvent, zone: tzinfo) -> Component:
    """Return an event with the title, location and times from a step."""
    newline, start = part.newline, part.line("DTSTART")
    if step.title is not None:
        part = _set(part, create_line("SUMMARY", escape_text(step.title), newline))
    if step.location is not None:
        part = (
            _set(part, create_line("LOCATION", escape_text(step.location), newline))
            if step.location
            else _drop(part, "LOCATION")
        )
    if step.start is not None and step.end is not None:
        for name, text in (("DTSTART", step.start), ("DTEND", step.end)):
            line = (
                day_line(name, text, newline)
                if step.all_day
                else utc_line(name, text, newline, zone)
                if is_day(start)
                else line_like(start, name, text, newline, zone)
            )
            part = _set(part, line)
        part = _drop(part, "DURATION")
        if _COUNTED.fullmatch(part.line("SEQUENCE").value.strip()):
            part = _set(part, create_line("SEQUENCE", str(int(part.line("SEQUENCE").value) + 1), newline))
    return _touch_component(part, step, zone)


def complete_todo(part: Component, step: CompleteReminder, zone: tzinfo) -> Component:
    """Return a to-do that is completed, or that is due next time."""
    newline = part.newline
    if not step.due:
        part = _set(part, create_line("STATUS", "COMPLETED", newline))
        part = _set(part, utc_line("COMPLETED", step.stamp, newline, zone))
        part = _set(part, create_line("PERCENT-COMPLETE", "100", newline))
        return _touch_component(part, step, zone)
    for name, line in _moved(part, step.due, zone):
        part = _set(part, line) if part.lines(name) else part
    part = _set(part, create_line("RRULE", step.repeat, newline))
    part = _set(part, create_line("STATUS", "NEEDS-ACTION", newline)) if part.lines("STATUS") else part
    for name in ("COMPLETED", "PERCENT-COMPLETE", "X-MOZ-LASTACK"):
        part = _drop(part, name)
    return _touch_component(_with_alarms_anew(part), step, zone)


def _moved(part: Component, due: str, zone: tzinfo) -> Iterator[tuple[str, ContentLine]]:
    """Yield the start and the end of a to-do that is due at another time; they stay as far apart as they were."""
    ends = part.line("DUE" if part.lines("DUE") else "DTSTART")
    for name in ("DTSTART", "DUE"):
        line = part.line(name)
        if not line.value:
            continue
        before = local_of(line) - local_of(ends)
        if is_day(line):
            yield name, day_line(name, (read_when(due).day + before).isoformat(), part.newline)
        else:
            moved = (read_when(due).at(zone).astimezone(UTC) + before).isoformat()
            yield name, line_like(line, name, moved, part.newline, zone)


def _with_alarms_anew(part: Component) -> Component:
    """Return a to-do whose alarms ring again, because nobody has acknowledged them."""
    body = tuple(
        _drop(one, "ACKNOWLEDGED") if isinstance(one, Component) and one.name == "VALARM" else one for one in part.body
    )
    return replace(part, body=body)


def _touch_component(part: Component, step: Marked, zone: tzinfo) -> Component:
    now = utc(step.stamp, zone)
    part = _set(part, create_line("DTSTAMP", now, part.newline))
    if part.lines("LAST-MODIFIED"):
        part = _set(part, create_line("LAST-MODIFIED", now, part.newline))
    return _set(part, create_line(MARK, step.mark, part.newline))


def master_of(whole: Component, uid: str) -> Component:
    """Return the component that describes the whole series with this uid, or else its first one.

    Raises `Unreadable`.
    """
    same = [part for part in whole.parts("VEVENT", "VTODO") if part.line("UID").text.strip() == uid]
    masters = [part for part in same if not part.lines("RECURRENCE-ID")]
    if not masters and not same:
        raise Unreadable("it is not in there")
    return (masters or same)[0]


def _overrides(whole: Component, uid: str, meant: ContentLine) -> list[Component]:
    instant = instant_of(meant)
    parts = (part for part in whole.parts("VEVENT") if part.line("UID").text.strip() == uid)
    return [part for part in parts if part.lines("RECURRENCE-ID") and instant_of(part.line("RECURRENCE-ID")) == instant]


def _recurrence(master: Component, occurrence: str) -> ContentLine:
    return create_line("RECURRENCE-ID", occurrence, master.newline, form_of(master.line("DTSTART")))


def _map_component(whole: Component, uid: str, change: Callable[[Component], Component]) -> Component:
    body = tuple(
        change(one)
        if isinstance(one, Component) and one.name in {"VEVENT", "VTODO"} and one.line("UID").text.strip() == uid
        else one
        for one in whole.body
    )
    return replace(whole, body=body)


def _set(part: Component, line: ContentLine) -> Component:
    """Return a component in which `line` replaces the lines with the same name, or else is added to the others."""
    if not part.lines(line.name):
        return _add_line(part, line)
    body: list[ContentLine | Component] = []
    done = False
    for one in part.body:
        if not (isinstance(one, ContentLine) and one.name == line.name):
            body.append(one)
        elif not done:
            body.append(line)
            done = True
    return replace(part, body=tuple(body))


def _add_line(part: Component, line: ContentLine) -> Component:
    at = next((number for number, one in enumerate(part.body) if isinstance(one, Component)), len(part.body))
    return replace(part, body=(*part.body[:at], line, *part.body[at:]))


def _drop(part: Component, name: str) -> Component:
    return replace(
        part, body=tuple(one for one in part.body if not (isinstance(one, ContentLine) and one.name == name))
    )


_TEXTS = {"SUMMARY": "the title", "LOCATION": "the place", "DESCRIPTION": "the notes"}
_TIMES = {"DTSTART": "the start", "DTEND": "the end", "DUE": "when it is due"}
_NOT_SAID = {"PRODID", "DTSTAMP", "LAST-MODIFIED", "CREATED", "X-RADICALE-NAME"}


def describe_differences(given: str, kept: str, uid: str) -> str:
    """Return a text that names what a server stored differently; empty if a person would notice no difference."""
    try:
        one, other = master_of(parse_calendar(given), uid), master_of(parse_calendar(kept), uid)
        texts = [said for name, said in _TEXTS.items() if _words(one, name) != _words(other, name)]
        times = [said for name, said in _TIMES.items() if _when(one, name) != _when(other, name)]
        rules = [line.value for line in one.lines("RRULE")] != [line.value for line in other.lines("RRULE")]
    except Unreadable:
        return "all of it"
    return " and ".join([*texts, *times, *(["how it repeats"] if rules else [])])


def _words(part: Component, name: str) -> str:
    return part.line(name).text.strip()


def _when(part: Component, name: str) -> str:
    line = part.line(name)
    return instant_of(line) if line.value else ""


def same_lines(one: str, other: str) -> bool:
    """Return whether two texts have the same lines; order, folding and the times of writing are ignored."""
    try:
        return _lines(one) == _lines(other)
    except Unreadable:
        return False


def _lines(text: str) -> Counter[tuple[str, str, str, str]]:
    every = parse_calendar(text).every_line()
    return Counter((part, *_split_line(line)) for part, line in every if line.name and line.name not in _NOT_SAID)


def _split_line(line: ContentLine) -> tuple[str, str, str]:
    return line.name, ";".join(sorted(line.params.split(";"))), line.value.strip()
