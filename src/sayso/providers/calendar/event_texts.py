"""Read and write the times, zones and invited people of events, and describe events in text."""

import os
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct

from sayso.core.datetimes import LocalZone, Moment, not_after, read_when
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, SetupError
from sayso.core.plan import Answer
from sayso.core.quotes import quoted
from sayso.core.sanitize import fence_data
from sayso.providers.calendar.store import Event, FoundEvents


def zone_named(name: str) -> tzinfo:
    """Return the zone with this IANA name; if the name is empty, the computer's own zone.

    Raises `SetupError` for an unknown name.
    """
    if not name:
        return LocalZone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise SetupError(
            f"[calendar] timezone: there is no time zone {quoted(name)} here", "settings.invalid"
        ) from error


def name_of_zone(zone: tzinfo) -> str:
    """Return the IANA name of a zone; empty if the computer does not tell it of its own zone, or has no such name."""
    if not isinstance(zone, LocalZone):
        return str(getattr(zone, "key", ""))
    name = os.environ.get("TZ", "").removeprefix(":") or _linked_zone()
    if "/" not in name or name.startswith(("/", "Etc/")):
        return ""
    try:
        named = ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ""
    days = (datetime(2024, month, 1, 12, tzinfo=zone) for month in (1, 7))
    return name if all(day.utcoffset() == day.replace(tzinfo=named).utcoffset() for day in days) else ""


def _linked_zone() -> str:
    try:
        return str(Path("/etc/localtime").readlink()).partition("/zoneinfo/")[2]
    except OSError:
        return ""


_ADDRESS = re.compile(r"[^\s@<>(),;:\"\\\[\]]{1,64}@[^\s@<>(),;:\"\\\[\]/?#&=%]{1,255}")


def check_attendees(addresses: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses without duplicates. Raises `ProposalError` for a text that is not a mail address."""
    people = tuple(dict.fromkeys(address.strip() for address in addresses))
    for address in people:
        if not _ADDRESS.fullmatch(address):
            raise ProposalError(
                f"{quoted(address[:80])} is no mail address; write one like ana@example.org", "arguments.address"
            )
    return people


def describe_invitations(people: Sequence[str], what: str) -> tuple[str, ...]:
    """Return for each invited person a text that says what is sent to them; a server mails every change (CA-02)."""
    return tuple(f"{what} to {address}" for address in people)


def warn_of_attendees(people: Sequence[str]) -> tuple[str, ...]:
    """Return why sayso asks about a change in every mode: invited people may get mail. Empty if nobody is invited."""
    if not people:
        return ()
    who = people[0] if len(people) == 1 else f"{len(people)} people"
    return (f"{who} may be told of this by mail, and that cannot be called back",)


FIRST_YEAR, LAST_YEAR = 1900, 2199
"""The first and last year in which events are read and written (CA-03)."""


class EventSpan(Struct, frozen=True):
    """Start and end of an event, in the form that steps use."""

    start: str
    end: str
    all_day: bool

    def describe(self) -> str:
        """Return the span as text: “2024-01-28 14:00 to 15:00”."""
        return describe_span(self.start, self.end, all_day=self.all_day)


def read_span(start: str, end: str, zone: tzinfo) -> EventSpan:
    """Return the span of an event; two days give an all-day event whose last day is the one before the second day.

    Raises `ProposalError` with code `arguments.date` if the end is not after the start.
    """
    first, last = read_when(start), read_when(end)
    begins, ends = place_moment(first, zone), place_moment(last, zone)
    if instant(ends) <= instant(begins):
        raise ProposalError(not_after(("start", "end"), (first, start), (last, end)), "arguments.date")
    if first.all_day and last.all_day:
        return EventSpan(first.day.isoformat(), last.day.isoformat(), all_day=True)
    return EventSpan(write_moment(begins), write_moment(ends), all_day=False)


def move_span(event: Event, start: str, zone: tzinfo) -> EventSpan:
    """Return the span of an event that is moved to `start` and lasts as long as before."""
    first = read_when(start)
    if event.all_day and first.all_day:
        days = date.fromisoformat(event.end) - date.fromisoformat(event.start)
        place_moment(first, zone)
        return EventSpan(first.day.isoformat(), (first.day + days).isoformat(), all_day=True)
    length = instant(at(event.end, zone)) - instant(at(event.start, zone))
    begins = place_moment(first, zone)
    return EventSpan(write_moment(begins), write_moment((instant(begins) + length).astimezone(zone)), all_day=False)


def read_due(due: str, zone: tzinfo) -> tuple[str, datetime]:
    """Return when a reminder is due, in the form that steps use, and the time from which it is overdue."""
    moment = read_when(due)
    when = place_moment(moment, zone)
    if moment.all_day:
        return moment.day.isoformat(), place_moment(Moment(moment.day + timedelta(days=1)), zone)
    return write_moment(when), when


def place_moment(moment: Moment, zone: tzinfo) -> datetime:
    """Return a moment in the calendar's zone. Raises `ProposalError` for a year that is too early or too late."""
    if not FIRST_YEAR <= moment.day.year <= LAST_YEAR:
        raise ProposalError(f"{moment.day} is not between {FIRST_YEAR} and {LAST_YEAR}", "arguments.date")
    return moment.at(zone)


def at(text: str, zone: tzinfo) -> datetime:
    """Return an event's `start` or `end` as a time; a day without a time means the start of that day."""
    return read_when(text).at(zone)


def instant(when: datetime) -> datetime:
    """Return a time in UTC, for comparisons.

    Python compares two times in the same zone by their clock times, although a clock shows one hour twice when it is
    set back.
    """
    return when.astimezone(UTC)


def write_moment(when: datetime) -> str:
    """Return a time in the form that steps use."""
    return when.isoformat(timespec="minutes" if not when.second and not when.microsecond else "auto")


def describe_span(start: str, end: str, *, all_day: bool) -> str:
    """Return a text that says when an event takes place."""
    if all_day:
        last = date.fromisoformat(end) - timedelta(days=1)
        return f"all day on {start}" if last.isoformat() == start else f"all day from {start} to {last}"
    begins, ends = read_when(start), read_when(end)
    if begins.day == ends.day:
        return f"{begins.day} {begins.clock:%H:%M} to {ends.clock:%H:%M}"
    return f"{begins.day} {begins.clock:%H:%M} to {ends.day} {ends.clock:%H:%M}"


def describe_due(due: str) -> str:
    """Return a text that says when a reminder is due."""
    moment = read_when(due)
    return f"{moment.day} {moment.clock:%H:%M}" if moment.clock else str(moment.day)


def describe_range(begins: datetime, ends: datetime) -> str:
    """Return a text that says from when to when events are listed: “on 2026-03-20”."""
    last = instant(ends).astimezone(ends.tzinfo) - timedelta(microseconds=1)
    whole = not any((begins.hour, begins.minute, begins.second, ends.hour, ends.minute, ends.second))
    if not whole:
        return f"from {begins:%Y-%m-%d %H:%M} to {ends:%Y-%m-%d %H:%M}"
    return f"on {begins.date()}" if last.date() == begins.date() else f"from {begins.date()} to {last.date()}"


def list_answer(found: FoundEvents, when: str, limit: int | None = None) -> Answer:
    """Return an answer that lists events, and what could not be read; `when` is `today`, `found`, or says the range.

    The titles, locations and file names were written by other people, so the text marks them as data (X-08).
    """
    events = found.events[:limit]
    more = {"left_out": list(found.left_out)} if found.left_out else {}
    unread = [f"What could not be read:\n{fence_data('left_out', [*found.left_out])}"] if found.left_out else []
    if not events:
        return Answer(f"No events {when}", {"events": [], **more}, "\n".join([f"There are no events {when}.", *unread]))
    count = f"{len(events)} event{'s' if len(events) > 1 else ''} {when}"
    left = len(found.events) - len(events)
    count += f" ({left} more {'is' if left == 1 else 'are'} not shown)" if left else ""
    lines = [_line(event, with_day=when != "today", with_id=when != "today") for event in events]
    told = fence_data("events", "\n".join(" ".join(line.split()) for line in lines))
    return Answer(
        count, {"events": [event_json(event) for event in events], **more}, "\n".join([f"{count}:\n{told}", *unread])
    )


def _line(event: Event, *, with_day: bool, with_id: bool) -> str:
    if event.all_day:
        when = describe_span(event.start, event.end, all_day=True) if with_day else "all day"
    else:
        words = describe_span(event.start, event.end, all_day=False)
        when = words if with_day else words.partition(" ")[2]
    there = f" ({event.own_time})" if event.own_time else ""
    where = f", {event.location}" if event.location else ""
    return f"{when}{there}: {event.title}{where}" + (f" (id {event.uid})" if with_id else "")


def event_json(event: Event) -> dict[str, Json]:
    """Return an event as JSON for results."""
    return {
        "id": event.uid,
        "title": event.title,
        "start": event.start,
        "end": event.end,
        "all_day": event.all_day,
        "location": event.location,
        **({"own_time": event.own_time} if event.own_time else {}),
        **({"calendar": event.calendar} if event.calendar else {}),
        **({"participants": list(event.participants)} if event.participants else {}),
    }
