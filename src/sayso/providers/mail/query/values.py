"""Read what stands behind an operator: days, ages, sizes."""

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from sayso.core.errors import ProposalError
from sayso.core.values import dataclass

CODE = "mail.query"
FIRST_YEAR, LAST_YEAR = 1900, 2999
_DAY = re.compile(r"(?P<year>\d{4})(?P<between>[/-])(?P<month>\d{1,2})(?P=between)(?P<day>\d{1,2})", re.ASCII)
_AMERICAN = re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})", re.ASCII)
_SECONDS = re.compile(r"\d{9,11}", re.ASCII)
_AGE = re.compile(r"(?P<count>\d{1,5})(?P<unit>[dmy])", re.ASCII | re.IGNORECASE)
_SIZE = re.compile(r"(?P<count>\d{1,15})(?P<unit>[kmg]?)b?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks, and when: what a query's words stand on."""

    now: datetime
    zone: tzinfo
    me: tuple[str, ...] = ()
    """The person's own addresses, which “me” stands for."""


def wrong(sentence: str) -> ProposalError:
    """Return the error for a query that cannot be meant as it stands."""
    return ProposalError(sentence, CODE)


def read_day(operator: str, text: str, zone: tzinfo) -> datetime:
    """Return the first moment of a day, or the moment of a number of seconds since 1970."""
    if _SECONDS.fullmatch(text):
        return datetime.fromtimestamp(int(text), UTC)
    found = _DAY.fullmatch(text) or _AMERICAN.fullmatch(text)
    if found is None:
        raise wrong(f"“{operator}:{text}” names no day that can be read; write {operator}:2025/01/31")
    try:
        day = date(int(found["year"]), int(found["month"]), int(found["day"]))
    except ValueError:
        raise wrong(f"“{operator}:{text}” names a day that there is not; write {operator}:2025/01/31") from None
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise wrong(f"“{operator}:{text}” is out of reach; years from {FIRST_YEAR} to {LAST_YEAR} are taken")
    return datetime.combine(day, time(), zone).astimezone(UTC)


def read_age(operator: str, text: str, asked: Asked) -> datetime:
    """Return the moment that was so many days, months or years ago."""
    found = _AGE.fullmatch(text)
    if found is None:
        raise wrong(f"“{operator}:{text}” is no age that can be read; write 3d, 2m or 1y for days, months or years")
    count, unit = int(found["count"]), found["unit"].lower()
    here = asked.now.astimezone(asked.zone)
    try:
        if unit == "d":
            return asked.now.astimezone(UTC) - timedelta(days=count)
        return _months_before(here, count * (12 if unit == "y" else 1)).astimezone(UTC)
    except (OverflowError, ValueError):
        raise wrong(f"“{operator}:{text}” reaches back further than mail does; write a shorter time") from None


def read_size(operator: str, text: str) -> int:
    """Return a number of bytes."""
    found = _SIZE.fullmatch(text)
    if found is None:
        raise wrong(f"“{operator}:{text}” is no size that can be read; write 500K, 10M or a number of bytes")
    return int(found["count"]) * _UNITS[found["unit"].lower()]


def _months_before(here: datetime, months: int) -> datetime:
    year, month = divmod(here.year * 12 + here.month - 1 - months, 12)
    if year < FIRST_YEAR:
        raise ValueError(year)
    return here.replace(year=year, month=month + 1, day=min(here.day, monthrange(year, month + 1)[1]))
