"""Parse iCalendar text into a tree of lines, read and write its forms of dates, and call the library that knows it."""

import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct

from sayso.core.datetimes import read_when
from sayso.core.lazy import load
from sayso.core.quotes import quoted
from sayso.providers.calendar.event_texts import instant, write_moment
from sayso.providers.ical_text import escape_marks, fold_line, split_property, unescape

MOST = 2**20
"""Maximum number of characters in the text of one event or to-do."""
DEEPEST = 8
_PHYSICAL = re.compile(r"[^\n]+\n?|\n")
_BREAKS = re.compile("\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]")
_ACTS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_PARAM = re.compile(r";(?P<key>[^:;\"=]+)=(?P<value>(?:\"[^\"]*\"|[^:;\"])*)")


class Unreadable(Exception):
    """Raised for a text that cannot be read as a calendar; `str()` gives the reason as part of a sentence."""


class ContentLine(Struct, frozen=True):
    """One property; `raw` is its original text, which may be folded into several lines, with its line breaks."""

    raw: str
    name: str = ""
    params: str = ""
    value: str = ""

    def param(self, key: str) -> str:
        """Return the value of a parameter; empty if there is none."""
        found = (one["value"] for one in _PARAM.finditer(self.params) if one["key"].upper() == key)
        return next(found, "").strip('"')

    @property
    def text(self) -> str:
        """Return the unescaped value."""
        return unescape(self.value)


class Component(Struct, frozen=True):
    """A component with all its lines, from BEGIN to END."""

    name: str
    head: ContentLine
    body: tuple["ContentLine | Component", ...]
    tail: ContentLine

    @property
    def newline(self) -> str:
        """Return the line break that this component uses."""
        return "\r\n" if self.head.raw.endswith("\r\n") else "\n"

    def parts(self, *names: str) -> tuple["Component", ...]:
        """Return the components directly inside this one: all, or those with one of these names."""
        return tuple(one for one in self.body if isinstance(one, Component) and (not names or one.name in names))

    def lines(self, *names: str) -> tuple[ContentLine, ...]:
        """Return the lines with these names that are directly inside this component."""
        return tuple(one for one in self.body if isinstance(one, ContentLine) and one.name in names)

    def line(self, name: str) -> ContentLine:
        """Return the first line with this name that is directly inside; an empty line if there is none."""
        return next(iter(self.lines(name)), ContentLine(""))

    def every_line(self) -> Iterator[tuple[str, ContentLine]]:
        """Yield every line at any depth, each with the name of the component that contains it."""
        for one in self.body:
            if isinstance(one, Component):
                yield from one.every_line()
            else:
                yield self.name, one


def parse_calendar(text: str) -> Component:
    """Return the calendar in a text. Raises `Unreadable` if the text does not contain exactly one calendar."""
    if len(text) > MOST:
        raise Unreadable(f"it is longer than {MOST:,} characters")
    body: list[ContentLine | Component] = []
    open_parts: list[tuple[ContentLine, list[ContentLine | Component]]] = []
    for line in logical(text.removeprefix("\ufeff")):
        if line.name == "BEGIN":
            open_parts.append((line, body))
            body = []
            if len(open_parts) > DEEPEST:
                raise Unreadable("its parts are nested too deep")
        elif line.name == "END" and open_parts:
            head, above = open_parts.pop()
            if head.value.strip().upper() != line.value.strip().upper():
                raise Unreadable(f"{head.value.strip()[:40]} has no end")
            above.append(Component(head.value.strip().upper(), head, tuple(body), line))
            body = above
        else:
            body.append(line)
    found = [one for one in body if isinstance(one, Component) and one.name == "VCALENDAR"]
    if open_parts or len(found) != 1:
        raise Unreadable("it is not one whole calendar")
    return found[0]


def logical(text: str) -> Iterator[ContentLine]:
    """Yield the lines of a text, unfolded."""
    raw = ""
    for physical in _PHYSICAL.findall(text):
        if raw and not physical.startswith((" ", "\t")):
            yield _line(raw)
            raw = ""
        raw += physical
    if raw:
        yield _line(raw)


def _line(raw: str) -> ContentLine:
    found = split_property(re.sub(r"\r?\n[ \t]", "", raw).rstrip("\r\n"))
    return ContentLine(raw, found["name"].upper(), found["params"], found["value"]) if found else ContentLine(raw)


def render_component(part: Component) -> str:
    """Return the text of a component."""
    return "".join(_raws(part))


def _raws(part: Component) -> Iterator[str]:
    yield part.head.raw
    for one in part.body:
        if isinstance(one, Component):
            yield from _raws(one)
        else:
            yield one.raw
    yield part.tail.raw


def create_line(name: str, value: str, newline: str, params: str = "") -> ContentLine:
    """Return a new line, folded if it is long; text in `value` must already be escaped."""
    return _line("".join(f"{folded}{newline}" for folded in fold_line(f"{name}{params}:{value}")))


def create_component(name: str, body: Iterable[ContentLine | Component], newline: str) -> Component:
    """Return a new component."""
    return Component(name, create_line("BEGIN", name, newline), tuple(body), create_line("END", name, newline))


def show_on_one_line(text: str) -> str:
    """Return a text on one line, without control characters and without marks that change the writing direction."""
    return " ".join(_ACTS.sub(" ", text).split())


def escape_text(text: str) -> str:
    """Return a text escaped for use as a value; line breaks are escaped too, so it cannot start a new line (CA-01)."""
    return _BREAKS.sub("\\\\n", escape_marks(text))


_DAY, _TIME = "%Y%m%d", "%Y%m%dT%H%M%S"


def find_zone(name: str) -> tzinfo | None:
    """Return the zone with this IANA name, or None."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def day_line(name: str, text: str, newline: str) -> ContentLine:
    """Return a line with a day and no time."""
    return create_line(name, date.fromisoformat(text).strftime(_DAY), newline, ";VALUE=DATE")


def utc_line(name: str, text: str, newline: str, zone: tzinfo = UTC) -> ContentLine:
    """Return a line with a time in UTC."""
    return create_line(name, utc(text, zone), newline)


def utc(text: str, zone: tzinfo = UTC) -> str:
    """Return a time as a value in UTC; a text without an offset is a time in `zone`."""
    return f"{read_when(text).at(zone).astimezone(UTC).strftime(_TIME)}Z"


def line_like(like: ContentLine, name: str, text: str, newline: str, zone: tzinfo) -> ContentLine:
    """Return a line with a time in the same form as the line `like`: in its zone, or without a zone.

    If the clock time would be ambiguous in that form, the time is written in UTC.
    """
    when = read_when(text).at(zone)
    called = like.param("TZID")
    own = find_zone(called) if called else None
    if own is None and not called and is_floating(like):
        own = zone
    if own is not None:
        shown = when.astimezone(own).replace(tzinfo=None, fold=0)
        if shown.replace(tzinfo=own).astimezone(UTC) == when.astimezone(UTC):
            return create_line(name, shown.strftime(_TIME), newline, f";TZID={called}" if called else "")
    return utc_line(name, text, newline, zone)


def is_day(line: ContentLine) -> bool:
    """Return whether the value of a line is a day without a time."""
    return "T" not in line.value.upper()


def is_floating(line: ContentLine) -> bool:
    """Return whether the value of a line is a time without a zone."""
    return not is_day(line) and not line.value.upper().endswith("Z") and not line.param("TZID")


def like_start(start: ContentLine, when: date) -> str:
    """Return a day or time as a value in the same form as an event's DTSTART."""
    if not isinstance(when, datetime):
        return when.strftime(_DAY)
    if start.value.upper().endswith("Z"):
        return f"{when.astimezone(UTC).strftime(_TIME)}Z"
    own = find_zone(start.param("TZID"))
    if own is not None and when.tzinfo is not None:
        when = when.astimezone(own)
    return when.strftime(_TIME)


def form_of(start: ContentLine) -> str:
    """Return the parameters that a line needs for a value in the same form as an event's DTSTART."""
    if is_day(start):
        return ";VALUE=DATE"
    zone = start.param("TZID")
    return f";TZID={zone}" if zone else ""


def instant_of(line: ContentLine) -> str:
    """Return a key that is equal for two lines that mean the same moment. Raises `Unreadable`."""
    value = line.value.strip().upper()
    own = find_zone(line.param("TZID")) if line.param("TZID") else None
    if own is None or "T" not in value or value.endswith("Z"):
        return value
    return utc(_read(value).replace(tzinfo=own).isoformat())


def local_of(line: ContentLine) -> datetime:
    """Return the day or time in the value of a line as its own clocks show it. Raises `Unreadable`."""
    return _read(line.value.strip().upper().removesuffix("Z"))


def first_day(line: ContentLine) -> date:
    """Return the day in the value of a line, in the line's own zone. Raises `Unreadable`."""
    return _read(line.value.strip().upper()[:8]).date()


def _read(value: str) -> datetime:
    try:
        return datetime.strptime(value, _TIME if "T" in value else _DAY).replace(tzinfo=UTC)
    except ValueError as error:
        raise Unreadable(f"{quoted(value[:40])} is no date") from error


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
