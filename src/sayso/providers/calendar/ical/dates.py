"""Dates and times as iCalendar writes them, in every of their forms: days, UTC, with a zone, and without any."""

from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sayso.core.when import read_when
from sayso.providers.calendar.ical.lines import Line, Unreadable, made

_DAY, _TIME = "%Y%m%d", "%Y%m%dT%H%M%S"


def zone_called(name: str) -> tzinfo | None:
    """Return the zone with this IANA name; None where there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def day_line(name: str, text: str, newline: str) -> Line:
    """Return a line with a day."""
    return made(name, date.fromisoformat(text).strftime(_DAY), newline, ";VALUE=DATE")


def utc_line(name: str, text: str, newline: str, zone: tzinfo = UTC) -> Line:
    """Return a line with a time, which needs no zone to be exact."""
    return made(name, utc(text, zone), newline)


def utc(text: str, zone: tzinfo = UTC) -> str:
    """Return the value of a time in UTC; a text without an offset is meant in `zone`."""
    return f"{read_when(text).at(zone).astimezone(UTC).strftime(_TIME)}Z"


def line_like(like: Line, name: str, text: str, newline: str, zone: tzinfo) -> Line:
    """Return a time in the form of another line: in its zone, in none, or in UTC where that form is not exact."""
    when = read_when(text).at(zone)
    called = like.param("TZID")
    there = zone_called(called) if called else None
    if there is None and not called and is_floating(like):
        there = zone
    if there is not None:
        shown = when.astimezone(there).replace(tzinfo=None, fold=0)
        if shown.replace(tzinfo=there).astimezone(UTC) == when.astimezone(UTC):
            return made(name, shown.strftime(_TIME), newline, f";TZID={called}" if called else "")
    return utc_line(name, text, newline, zone)


def is_day(line: Line) -> bool:
    """Say whether a line holds a day and no time."""
    return "T" not in line.value.upper()


def is_floating(line: Line) -> bool:
    """Say whether a line holds a time that belongs to no zone."""
    return not is_day(line) and not line.value.upper().endswith("Z") and not line.param("TZID")


def like_start(start: Line, when: date) -> str:
    """Return a day or time as the value that stands in the form of an event's DTSTART."""
    if not isinstance(when, datetime):
        return when.strftime(_DAY)
    if start.value.upper().endswith("Z"):
        return f"{when.astimezone(UTC).strftime(_TIME)}Z"
    there = zone_called(start.param("TZID"))
    if there is not None and when.tzinfo is not None:
        when = when.astimezone(there)
    return when.strftime(_TIME)


def form_of(start: Line) -> str:
    """Return the parameters with which a value in the form of an event's DTSTART is written."""
    if is_day(start):
        return ";VALUE=DATE"
    zone = start.param("TZID")
    return f";TZID={zone}" if zone else ""


def instant_of(line: Line) -> str:
    """Return what is equal for two lines that mean the same moment. Raises `Unreadable`."""
    value = line.value.strip().upper()
    there = zone_called(line.param("TZID")) if line.param("TZID") else None
    if there is None or "T" not in value or value.endswith("Z"):
        return value
    return utc(_read(value).replace(tzinfo=there).isoformat())


def first_day(line: Line) -> date:
    """Return the day that a line begins with, in whatever zone. Raises `Unreadable`."""
    return _read(line.value.strip().upper()[:8]).date()


def _read(value: str) -> datetime:
    try:
        return datetime.strptime(value, _TIME if "T" in value else _DAY).replace(tzinfo=UTC)
    except ValueError as odd:
        raise Unreadable(f"“{value[:40]}” is no date") from odd
