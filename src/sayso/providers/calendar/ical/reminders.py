"""Read reminders from calendar texts: when they are due, how they repeat, and when they ring."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta, tzinfo
from typing import Any

from msgspec.structs import replace

from sayso.core.quotes import quoted
from sayso.providers.calendar.event_texts import FIRST_YEAR, LAST_YEAR, at, instant
from sayso.providers.calendar.ical.limits import must_be_listable, seconds_of
from sayso.providers.calendar.ical.parse import (
    Component,
    ContentLine,
    Resource,
    Unreadable,
    describe_moment,
    in_zone,
    instant_of,
    library_calendar,
    show_on_one_line,
    unreadable_on_error,
    utc,
)
from sayso.providers.calendar.repeats import counted_down, times
from sayso.providers.calendar.store import Reminder

MOST_ALARMS = 5
"""Maximum number of alarms of one reminder that ring."""
_RINGING = frozenset({"DISPLAY", "AUDIO"})
_A_LIFETIME = timedelta(days=36_500)


def reminders_in(resource: Resource, zone: tzinfo, *, done: bool = False) -> tuple[Reminder, ...]:
    """Return the open reminders in a text, and the completed ones if `done` is true. Raises `Unreadable`."""
    whole = resource.whole()
    todos = whole.parts("VTODO")
    masters = [part for part in todos if not part.lines("RECURRENCE-ID")]
    found: list[Reminder] = []
    for part in masters or todos:
        status = part.line("STATUS").value.strip().upper()
        is_done = status == "COMPLETED" or bool(part.lines("COMPLETED"))
        if status != "CANCELLED" and (done or not is_done):
            found.append(_read(resource, whole, part, zone, done=is_done))
    return tuple(found)


def _read(resource: Resource, whole: Component, part: Component, zone: tzinfo, *, done: bool) -> Reminder:
    uid = part.line("UID").text.strip()
    bare = Reminder(
        uid=uid,
        title=show_on_one_line(part.line("SUMMARY").text),
        notes=part.line("DESCRIPTION").text,
        etag=resource.etag,
        raw=resource.text,
        place=resource.place,
        calendar=resource.calendar,
        done=done,
    )
    if not part.lines("DUE", "DTSTART", "COMPLETED"):
        return bare
    with unreadable_on_error():
        one = _library_todo(resource.text, uid, changed=bool(part.lines("RECURRENCE-ID")))
        completed = describe_moment(one["COMPLETED"].dt, zone) if "COMPLETED" in one else ""
        due = _due(one, zone)
        read = replace(bare, due=due, completed=completed, rings=_rings(part, one, due, zone))
        return read if done or not due or not part.lines("RRULE") else _open_time(read, whole, part, zone)


def _library_todo(text: str, uid: str, *, changed: bool) -> Any:
    todos = library_calendar(text).walk("VTODO")
    same = (one for one in todos if str(one.get("UID", "")).strip() == uid)
    return next(one for one in same if ("RECURRENCE-ID" in one) == changed)


def _due(one: Any, zone: tzinfo) -> str:
    """Return when a to-do is due: at DUE, after DURATION from its start, or, if it repeats, at its start."""
    if "DUE" in one:
        due: date = one["DUE"].dt
    elif "DTSTART" in one and "DURATION" in one:
        due = one["DTSTART"].dt + one["DURATION"].dt
    elif "DTSTART" in one and "RRULE" in one:
        due = one["DTSTART"].dt
    else:
        return ""
    if not FIRST_YEAR <= due.year <= LAST_YEAR:
        raise Unreadable(f"it is due in the year {due.year}")
    return describe_moment(due, zone)


def _open_time(read: Reminder, whole: Component, part: Component, zone: tzinfo) -> Reminder:
    """Return a repeating reminder as due at its first time that is neither completed nor taken out.

    A rule that cannot be computed counts as none.
    """
    rule = part.line("RRULE").value.strip()
    try:
        must_be_listable(whole, (at(read.due, zone) + _A_LIFETIME / 10).date())
    except Unreadable:
        return read
    gone = set(_gone(whole, part))
    for number, due in enumerate(times(rule, read.due, zone)):
        forms = {due.replace("-", "")} if "T" not in due else {utc(due), at(due, zone).strftime("%Y%m%dT%H%M%S")}
        if not forms & gone:
            return replace(read, due=due, repeats=counted_down(rule, number))
    return replace(read, done=True)


def _gone(whole: Component, part: Component) -> Iterator[str]:
    """Yield the times of a repeating to-do that are completed, cancelled or taken out."""
    for line in part.lines("EXDATE"):
        for value in line.value.split(","):
            yield instant_of(ContentLine("", line.name, line.params, value))
    uid = part.line("UID").text.strip()
    for other in whole.parts("VTODO"):
        over = other.line("STATUS").value.strip().upper() in {"COMPLETED", "CANCELLED"} or other.lines("COMPLETED")
        if over and other.lines("RECURRENCE-ID") and other.line("UID").text.strip() == uid:
            yield instant_of(other.line("RECURRENCE-ID"))


def _rings(part: Component, one: Any, due: str, zone: tzinfo) -> tuple[float, ...]:
    """Return when a to-do rings, in seconds after it is due.

    Without an alarm, one that is due at a time rings then, and one that is due on a day does not ring.
    """
    if not due:
        return ()
    alarms = part.parts("VALARM")
    if not alarms:
        return (0.0,) if "T" in due else ()
    ends = instant(at(due, zone))
    starts = instant(in_zone(one["DTSTART"].dt, zone)) if "DTSTART" in one else ends
    found: list[float] = []
    for alarm in alarms[:MOST_ALARMS]:
        trigger = alarm.line("TRIGGER")
        if alarm.line("ACTION").value.strip().upper() not in _RINGING or not trigger.value.strip():
            continue
        if "T" in trigger.value[:9] and trigger.value.strip()[0].isdigit():
            found.append((_absolute(trigger, zone) - ends).total_seconds())
        else:
            since = ends if trigger.param("RELATED").upper() == "END" else starts
            found.append((since - ends).total_seconds() + seconds_of(trigger.value))
    return tuple(dict.fromkeys(found))


def _absolute(trigger: ContentLine, zone: tzinfo) -> datetime:
    value = trigger.value.strip().upper()
    try:
        return instant(in_zone(datetime.fromisoformat(value), zone))
    except ValueError as error:
        raise Unreadable(f"{quoted(value[:40])} is no time of an alarm") from error
