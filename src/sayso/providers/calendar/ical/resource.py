"""The text of one calendar entry, and how the library that understands it is called."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import date, datetime, tzinfo
from typing import Any

from msgspec import Struct

from sayso.core.lazy import load
from sayso.providers.calendar.event_texts import instant, write_moment
from sayso.providers.calendar.ical.parse import Component, Unreadable, parse_calendar


class Resource(Struct, frozen=True):
    """The text of one entry: an event with all its occurrences, or a reminder."""

    place: str
    text: str
    etag: str
    calendar: str = ""
    """The name of the calendar that contains the entry."""

    def whole(self) -> Component:
        """Return the text as a tree. Raises `Unreadable`."""
        return parse_calendar(self.text)


@contextmanager
def unreadable_on_error() -> Generator[None]:
    """Turn any error into `Unreadable`, because the libraries raise various errors for invalid texts."""
    try:
        yield
    except (Unreadable, MemoryError):
        raise
    except Exception as error:
        raise Unreadable(f"it makes no sense as a calendar ({type(error).__name__})") from error


def library_calendar(text: str) -> Any:
    """Return the library's calendar for a text; the library is imported when this is first called."""
    return load("icalendar:Calendar").from_ical(text)


def in_zone(moment: date, zone: tzinfo) -> datetime:
    """Return a day or time of the library as a time; a day begins, and a time without a zone is, in `zone`."""
    if not isinstance(moment, datetime):
        return datetime(moment.year, moment.month, moment.day, tzinfo=zone)
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment


def describe_moment(moment: date, zone: tzinfo) -> str:
    """Return a day or time of the library in the form of steps."""
    return (
        write_moment(instant(in_zone(moment, zone)).astimezone(zone))
        if isinstance(moment, datetime)
        else moment.isoformat()
    )
