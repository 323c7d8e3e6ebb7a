"""Read a schedule, and say when it is due; hours that clocks skip or show twice are as cron has them."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct

from sayso.core.datetimes import LocalZone
from sayso.core.errors import SetupError
from sayso.core.lazy import load

FORMS = "write “daily 18:00”, “weekdays 18:00”, “hourly”, or five fields of cron such as “0 18 * * 1-5”"
LOOKED_BACK = timedelta(days=2)
MOST = 3000
"""So many due times are looked at one by one; with more, those that fit into `LOOKED_BACK` are."""
_AT = re.compile(r"(?P<days>daily|weekdays|weekends) (?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})", re.IGNORECASE)
_DAYS = {"daily": "*", "weekdays": "1-5", "weekends": "6,0"}
_FIELDS = 5


class Schedule(Struct, frozen=True):
    """The times at which something is due, by the clocks of a time zone.

    A time that clocks skip is due when they go on; one that they show twice is due the first time, unless it is
    every hour or oftener, which goes on through it.
    """

    cron: str
    zone: tzinfo

    def after(self, moment: datetime) -> datetime | None:
        """Return the first time after a moment, in UTC; None where there is none in the calendar."""
        return next(self._times(moment), None)

    def last(self, after: datetime, until: datetime) -> datetime | None:
        """Return the last time that is later than `after` and not later than `until`, in UTC."""
        found = self.after(after)
        if found is None or found > until:
            return None
        for begin in (found, until - LOOKED_BACK):
            for due in islice(self._times(max(found, begin)), MOST):
                if due > until:
                    return found
                found = due
        return found

    def _times(self, moment: datetime) -> Iterator[datetime]:
        for due in _library("times")(self.cron, moment.astimezone(self.zone)):
            # In the hour that comes twice it goes on by what clocks show, which may be the time before.
            if due.astimezone(UTC) > moment:
                yield due.astimezone(UTC)


def schedule(text: str, zone: str = "") -> Schedule:
    """Return the schedule that a text means in a zone (IANA), or by the computer's own clock. Raises `SetupError`."""
    where, cron = _zone(zone), _cron(" ".join(text.split()))
    if len(cron.split()) != _FIELDS:
        raise SetupError(f"“{text}” is no schedule; {FORMS}", "trigger.schedule")
    wrong: str | None = _library("wrong")(cron, datetime(2024, 1, 1, tzinfo=where))
    if wrong is not None:
        raise SetupError(f"“{text}” is no schedule ({wrong}); {FORMS}", "trigger.schedule")
    return Schedule(cron, where)


def _library(name: str) -> Any:
    """Return a function over the library, which is an extra and imported when a schedule is read."""
    try:
        return load(f"sayso.assistant.triggers.cron:{name}")
    except ModuleNotFoundError as missing:
        raise SetupError(
            f"schedules are read with {missing.name}, which is not installed; pip install 'sayso[triggers]'",
            "trigger.extra",
        ) from missing


def _cron(text: str) -> str:
    if text.lower() == "hourly":
        return "0 * * * *"
    said = _AT.fullmatch(text)
    if said is None:
        return text
    return f"{int(said['minute'])} {int(said['hour'])} * * {_DAYS[said['days'].lower()]}"


def _zone(name: str) -> tzinfo:
    if not name:
        return LocalZone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        raise SetupError(
            f"there is no time zone “{name}” here; it is written as in Europe/Berlin", "trigger.zone"
        ) from unknown
