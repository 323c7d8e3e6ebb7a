"""Parse schedules, and compute when they are due; clock changes are handled as cron does."""

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
from sayso.core.provider import add_extra

FORMS = "write “daily 18:00”, “weekdays 18:00”, “hourly”, or five fields of cron such as “0 18 * * 1-5”"
LOOKED_BACK = timedelta(days=2)
MOST = 3000
"""Maximum number of due times that `last` examines one by one; then it goes on with those in the last `LOOKED_BACK`."""
_AT = re.compile(r"(?P<days>daily|weekdays|weekends) (?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})", re.IGNORECASE)
_DAYS = {"daily": "*", "weekdays": "1-5", "weekends": "6,0"}
_FIELDS = 5


class Schedule(Struct, frozen=True):
    """The times at which a trigger is due, by the clocks of a time zone.

    A time that a clock change skips is due right after it. A time that occurs twice is due the first time only, unless
    the schedule is due at least hourly and continues through both hours.
    """

    cron: str
    zone: tzinfo

    def after(self, moment: datetime) -> datetime | None:
        """Return the first due time after a moment, in UTC; None if there is none."""
        return next(self._times(moment), None)

    def last(self, after: datetime, until: datetime) -> datetime | None:
        """Return the last due time later than `after` and not later than `until`, in UTC; None if there is none."""
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
        for due in _library("CronSim")(self.cron, moment.astimezone(self.zone)):
            # In the hour that occurs twice, the library goes on by the time that clocks show, so what it yields may be
            # before `moment`.
            if due.astimezone(UTC) > moment:
                yield due.astimezone(UTC)


def schedule(text: str, zone: str = "") -> Schedule:
    """Return the schedule for a text, in an IANA time zone or by the computer's clock. Raises `SetupError`."""
    where, cron = _zone(zone), _cron(" ".join(text.split()))
    if len(cron.split()) != _FIELDS:
        raise SetupError(f"“{text}” is no schedule; {FORMS}", "trigger.schedule")
    wrong = _explain_wrong(cron, datetime(2024, 1, 1, tzinfo=where))
    if wrong:
        raise SetupError(f"“{text}” is no schedule ({wrong}); {FORMS}", "trigger.schedule")
    return Schedule(cron, where)


def _explain_wrong(cron: str, now: datetime) -> str:
    """Return what is wrong with an expression; empty if it is valid and has a future time."""
    try:
        return "" if next(_library("CronSim")(cron, now), None) else "it is never due"
    except _library("CronSimError") as odd:
        return str(odd).lower()


def _library(name: str) -> Any:
    """Return a class of cronsim, which handles clock changes. Raises `SetupError` if it is not installed."""
    try:
        return load(f"cronsim:{name}")
    except ModuleNotFoundError as missing:
        raise SetupError(
            f"schedules are read with {missing.name}, which is not installed; {add_extra('triggers')}",
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
