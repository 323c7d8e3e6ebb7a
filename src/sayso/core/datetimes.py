"""Parse a date or time as a person or model writes it, and convert it to a time zone."""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

from msgspec import Struct

from sayso.core.errors import ProposalError

FORMS = "write YYYY-MM-DD HH:MM, YYYY-MM-DD, or ISO 8601 such as 2024-01-28T14:00+01:00"

_OFFSET = r"(?P<offset>[Zz]|(?P<sign>[+-])(?P<ahead>[0-9]{2}):?(?P<minutes>[0-9]{2})?)?"
_EXTENDED = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"(?:[Tt ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]{1,9}))?)?"
    rf" ?{_OFFSET})?"
)
_BASIC = re.compile(
    r"(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})"
    r"(?:[Tt](?P<hour>[0-9]{2})(?P<minute>[0-9]{2})(?:(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]{1,9}))?)?"
    rf"{_OFFSET})?"
)


_EASTERN, _WESTERN = timedelta(hours=14), timedelta(hours=12)
"""How far the clocks of time zones are ahead of UTC and behind it at most."""


class LocalZone(tzinfo):
    """The computer's own time zone, with its rules for every date and not only today's offset."""

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        return None if dt is None else self._there(dt).utcoffset()

    def dst(self, dt: datetime | None) -> timedelta | None:
        return None

    def tzname(self, dt: datetime | None) -> str | None:
        return None if dt is None else self._there(dt).tzname()

    def fromutc(self, dt: datetime) -> datetime:
        there = dt.replace(tzinfo=UTC).astimezone()
        here = there.replace(tzinfo=self)
        # A time that occurs twice when clocks go back needs `fold=1` for its second occurrence.
        return here if here.utcoffset() == there.utcoffset() else here.replace(fold=1)

    @staticmethod
    def _there(dt: datetime) -> datetime:
        return dt.replace(tzinfo=None).astimezone()


class Moment(Struct, frozen=True):
    """A day, or a time on a day; without an offset it is in the person's own time zone."""

    day: date
    clock: time | None = None
    offset: timedelta | None = None

    @property
    def all_day(self) -> bool:
        """Return whether only a day was given."""
        return self.clock is None

    def at(self, zone: tzinfo) -> datetime:
        """Return the moment as a time in `zone`; for a day, its first moment.

        If clocks go back and the time occurs twice, the first occurrence is returned. Raises `ProposalError` for a time
        that does not exist because clocks go forward over it.
        """
        try:
            if self.clock is not None and self.offset is not None:
                return datetime.combine(self.day, self.clock, timezone(self.offset)).astimezone(zone)
            meant = datetime.combine(self.day, self.clock or time(), zone)
            shown = meant.astimezone(UTC).astimezone(zone)
        except (OverflowError, ValueError) as beyond:
            raise ProposalError(f"{self.day} is beyond what a calendar can hold", "arguments.date") from beyond
        if self.clock is not None and shown.replace(tzinfo=None) != meant.replace(tzinfo=None):
            raise ProposalError(
                f"{meant:%Y-%m-%d %H:%M} does not exist in local time: the clocks skip it when they go forward",
                "arguments.date",
            )
        return shown


def read_when(text: str) -> Moment:
    """Parse `YYYY-MM-DD HH:MM`, `YYYY-MM-DD`, or ISO 8601 with or without offset (T-46).

    Raises `ProposalError` with code `arguments.date` for any other format and for days and times that do not exist,
    such as 2024-02-30 or 24:00.
    """
    written = text.strip()
    found = _EXTENDED.fullmatch(written) or _BASIC.fullmatch(written)
    if found is None:
        raise ProposalError(f"“{text[:60]}” is not a date that can be read; {FORMS}", "arguments.date")
    try:
        day = date(int(found["year"]), int(found["month"]), int(found["day"]))
        return Moment(day, _clock(found), _offset(found))
    except ValueError as missing:
        raise ProposalError(f"there is no {text[:60]}: no such day or time; {FORMS}", "arguments.date") from missing


def check_when(name: str, text: str) -> None:
    """Raise `ProposalError` with code `arguments.date` if `read_when` does not read the text of this name."""
    try:
        read_when(text)
    except ProposalError as wrong:
        raise ProposalError(f"“{name}”: {wrong}", wrong.code) from wrong


def order_problem(names: tuple[str, str], first: str, last: str) -> str | None:
    """Return what is wrong if, wherever the person is, the last of two times is not after the first; otherwise None.

    A time without an offset may be a different instant in each time zone.
    """
    begins, ends = read_when(first), read_when(last)
    if (begins.offset is None) == (ends.offset is None):
        apart = timedelta()
    else:
        apart = _EASTERN if begins.offset is None else _WESTERN
    try:
        backwards = _in_utc(ends) + apart <= _in_utc(begins)
    except OverflowError:
        return None
    return not_after(names, (begins, first), (ends, last)) if backwards else None


def not_after(names: tuple[str, str], begins: tuple[Moment, str], ends: tuple[Moment, str]) -> str:
    """Return the sentence that the last of two times is not after the first, each given with its text."""
    (first, last), days = names, begins[0].all_day and ends[0].all_day
    hint = f"; for one whole day, “{last}” is the day after" if days else ""
    return f"“{last}” ({ends[1]}) must be after “{first}” ({begins[1]}){hint}"


def _in_utc(moment: Moment) -> datetime:
    return datetime.combine(moment.day, moment.clock or time()) - (moment.offset or timedelta())


def _clock(found: re.Match[str]) -> time | None:
    if found["hour"] is None:
        return None
    micros = int((found["part"] or "0").ljust(6, "0")[:6])
    return time(int(found["hour"]), int(found["minute"]), int(found["second"] or 0), micros)


def _offset(found: re.Match[str]) -> timedelta | None:
    if found["offset"] is None:
        return None
    if found["sign"] is None:
        return timedelta()
    given = time(int(found["ahead"]), int(found["minutes"] or 0))
    ahead = timedelta(hours=given.hour, minutes=given.minute)
    return -ahead if found["sign"] == "-" else ahead
