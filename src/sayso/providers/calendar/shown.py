"""What the stored text of an event or a reminder says to a person, without reading more of its calendar."""

from collections.abc import Mapping
from datetime import UTC
from typing import cast

import msgspec

from sayso.core.encoding import Json
from sayso.providers.calendar.ical.parse import (
    Component,
    ContentLine,
    Unreadable,
    find_zone,
    first_day,
    is_day,
    local_of,
    parse_calendar,
)

_TEXTS = {"SUMMARY": "title", "LOCATION": "location", "DESCRIPTION": "notes"}
_TIMES = {"DTSTART": "start", "DTEND": "end", "DUE": "due"}
_KNOWN = frozenset({*_TEXTS.values(), *_TIMES.values()})


def shown_entry(raw: str) -> dict[str, str]:
    """Return title, times, place and notes of the first entry in a stored text; nothing if it cannot be read.

    Times are ISO 8601: in UTC, as a day, or without a zone if the entry names none.
    """
    try:
        if raw.startswith("{"):
            members = cast("Mapping[str, Json]", msgspec.json.decode(raw))
            return {name: value for name, value in members.items() if name in _KNOWN and isinstance(value, str)}
        found = parse_calendar(raw).parts("VEVENT", "VTODO")
        return _of(found[0]) if found else {}
    except (Unreadable, msgspec.DecodeError):
        return {}


def _of(entry: Component) -> dict[str, str]:
    texts = {name: entry.line(key).text for key, name in _TEXTS.items()}
    times = {name: _moment(entry.line(key)) for key, name in _TIMES.items() if entry.line(key).value}
    return {name: text for name, text in {**texts, **times}.items() if text}


def _moment(line: ContentLine) -> str:
    if is_day(line):
        return first_day(line).isoformat()
    at, zone = local_of(line).replace(tzinfo=None), find_zone(line.param("TZID")) if line.param("TZID") else None
    if zone is None:
        return at.isoformat() + ("Z" if line.value.upper().endswith("Z") else "")
    return at.replace(tzinfo=zone).astimezone(UTC).isoformat()
