"""Limits for a calendar text: endless or meaningless rules, unknown zones and impossible dates are refused.

The text is checked before any library parses it (CA-03).
"""

import re
from calendar import monthrange
from datetime import date

from sayso.core.lazy import load
from sayso.core.quotes import quoted
from sayso.providers.calendar.event_texts import FIRST_YEAR, LAST_YEAR
from sayso.providers.calendar.ical.parse import (
    Component,
    ContentLine,
    Unreadable,
    first_day,
    instant_of,
    is_day,
    show_on_one_line,
)

MOST_DATES = 5000
"""Maximum number of dates in one text; each date that excludes or adds an occurrence counts."""
MOST_TIMES = 60_000
"""Maximum number of occurrences of all events in one text together, up to the last wanted day."""
MOST_ZONE_RULES = 100
MOST_AT_ONCE = 400
"""Maximum number of occurrences of one event that may take place at the same time."""
_LASTS = re.compile(r"(\d{1,12})([WDHMS])", re.ASCII)
_LENGTHS = {"W": 7, "D": 1, "H": 1 / 24, "M": 1 / 1440, "S": 1 / 86_400}
_LONGEST_INTERVAL = 5
"""Maximum number of digits of the interval in a rule."""
_DAYS = {"HOURLY": 1 / 24, "DAILY": 1, "WEEKLY": 7, "MONTHLY": 28, "YEARLY": 365}
_LEAP, _MONTHS = 2024, range(1, 13)
_DATED = ("DTSTART", "DTEND", "DUE", "RECURRENCE-ID")
_ZONED = (*_DATED, "EXDATE", "RDATE")


def must_be_listable(whole: Component, until: date) -> None:
    """Raise `Unreadable`, which says why, if the events in a calendar cannot be listed up to the day `until`."""
    _zones_must_make_sense(whole)
    own = {part.line("TZID").value.strip() for part in whole.parts("VTIMEZONE")}
    named, times = 0, 0.0
    for part in whole.parts("VEVENT", "VTODO", "VJOURNAL"):
        for line in part.lines(*_ZONED):
            _must_be_known(line, own)
            named += line.value.count(",") + 1
        for line in part.lines(*_DATED):
            if not FIRST_YEAR <= first_day(line).year <= LAST_YEAR:
                raise Unreadable(f"it takes place in the year {first_day(line).year}")
        _must_make_sense(part)
        times += _all_times(part, until)
    if times > MOST_TIMES:
        raise Unreadable("it repeats too often to be listed")
    if named > MOST_DATES:
        raise Unreadable(f"it names more than {MOST_DATES:,} dates one by one")


def _zones_must_make_sense(whole: Component) -> None:
    rules = [line for part, line in whole.every_line() if part in {"STANDARD", "DAYLIGHT"} and line.name == "RRULE"]
    if len(rules) > MOST_ZONE_RULES or not all(_is_once_a_year(line) for line in rules):
        raise Unreadable("its time zone changes more often than every year")


def _is_once_a_year(line: ContentLine) -> bool:
    """Return whether a rule of a zone applies on one day of one month per year, as the rules of real zones do."""
    given = _members(line)
    one = all("," not in given.get(name, "") for name in ("BYMONTH", "BYDAY"))
    plain = set(given) <= {"FREQ", "INTERVAL", "BYMONTH", "BYDAY", "BYMONTHDAY", "UNTIL", "COUNT", "WKST"}
    weekly = "BYDAY" in given and "BYMONTH" not in given
    return given.get("FREQ") == "YEARLY" and _interval(given.get("INTERVAL", "1")) > 0 and one and plain and not weekly


def _members(line: ContentLine) -> dict[str, str]:
    return dict(part.split("=", 1) for part in line.value.upper().strip().split(";") if "=" in part)


def _must_be_known(line: ContentLine, own: set[str]) -> None:
    zone = line.param("TZID")
    if zone and zone not in own and load("icalendar.timezone:tzp").timezone(zone) is None:
        raise Unreadable(f"the time zone {quoted(show_on_one_line(zone[:60]))} is not known here")


def _must_make_sense(part: Component) -> None:
    start, end = part.line("DTSTART"), part.line("DTEND")
    if part.name == "VEVENT" and not start.value:
        raise Unreadable("it has no start")
    if start.value and end.value:
        if is_day(start) != is_day(end):
            raise Unreadable("it begins with a time and ends with a day, or the other way round")
        begins, ends = instant_of(start), instant_of(end)
        if begins.endswith("Z") == ends.endswith("Z") and ends < begins:
            raise Unreadable("it ends before it starts")


def _all_times(part: Component, until: date) -> float:
    """Return roughly how often an event takes place up to the day `until`. Raises `Unreadable` for a refused rule."""
    times = 0.0
    for rule in part.lines("RRULE", "EXRULE"):
        times += _times(rule, first_day(part.line("DTSTART") if part.lines("DTSTART") else part.line("DUE")), until)
        if _days(part) / _each(rule) > MOST_AT_ONCE:
            raise Unreadable("it takes place too often at the same time")
    return times


def can_be_computed(rule: str) -> bool:
    """Return whether the next time of a rule is found soon; looking for one that never comes could last for ever."""
    try:
        _times(ContentLine("", "RRULE", value=rule), date.min, date.min)
    except Unreadable:
        return False
    return True


def _times(rule: ContentLine, start: date, until: date) -> float:
    """Return roughly how often a rule applies up to the day `until`. Raises `Unreadable` for a refused rule."""
    given = _members(rule)
    freq = given.get("FREQ", "")
    if freq not in _DAYS:
        raise Unreadable(
            "it repeats more often than every hour" if freq in {"SECONDLY", "MINUTELY"} else "its rule makes no sense"
        )
    each = _each(rule)
    within = 1
    for name in ("BYHOUR", "BYMINUTE", "BYSECOND"):
        within *= len(given.get(name, "0").split(","))
    often = max(0, (until - start).days) / each
    if often * within > MOST_TIMES or (
        freq == "HOURLY" and set(given) & {"BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO"}
    ):
        raise Unreadable("it repeats too often to be listed")
    if freq in {"DAILY", "HOURLY"} and set(given) & {"BYSETPOS", "BYYEARDAY", "BYWEEKNO"}:
        raise Unreadable("its rule is not one that can be listed")
    if not _can_be(given):
        raise Unreadable("its rule names a day that no month has")
    return often * within


def _each(rule: ContentLine) -> float:
    """Return roughly how many days are between two occurrences; `_times` must have accepted the rule."""
    given = _members(rule)
    return _DAYS[given["FREQ"]] * _interval(given.get("INTERVAL", "1"))


def _days(part: Component) -> float:
    """Return roughly how many days an event lasts."""
    ends, lasts = part.line("DTEND"), _LASTS.findall(part.line("DURATION").value.upper())
    if ends.value:
        return (first_day(ends) - first_day(part.line("DTSTART"))).days
    return sum(int(number) * _LENGTHS[unit] for number, unit in lasts)


def seconds_of(duration: str) -> float:
    """Return the seconds of a duration such as `-PT15M`."""
    seconds = sum(int(number) * round(_LENGTHS[unit] * 86_400) for number, unit in _LASTS.findall(duration.upper()))
    return -seconds if duration.strip().startswith("-") else seconds


def _interval(said: str) -> int:
    """Return the interval of a rule, as a number of its units.

    Raises `Unreadable` for 0, which would repeat endlessly.
    """
    number = int(said) if said.isascii() and said.isdecimal() and len(said) <= _LONGEST_INTERVAL else 0
    if not number:
        raise Unreadable("its rule makes no sense")
    return number


def _can_be(given: dict[str, str]) -> bool:
    """Return whether at least one of the rule's days exists in at least one of the rule's months."""
    months = [
        int(one) for one in given.get("BYMONTH", "").split(",") if one.isdecimal() and int(one) in _MONTHS
    ] or _MONTHS
    days = [abs(int(one)) for one in given.get("BYMONTHDAY", "").split(",") if one.lstrip("+-").isdecimal()] or [1]
    return any(0 < day <= monthrange(_LEAP, month)[1] for month in months for day in days)
