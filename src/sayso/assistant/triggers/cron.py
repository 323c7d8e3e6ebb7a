"""Compute the times of a cron expression with cronsim, which handles clock changes."""

from collections.abc import Iterator
from datetime import datetime

from cronsim import CronSim, CronSimError


def times(expression: str, after: datetime) -> Iterator[datetime]:
    """Yield the times after `after`, in its time zone."""
    yield from CronSim(expression, after)


def wrong(expression: str, now: datetime) -> str | None:
    """Return what is wrong with an expression; None if it is valid and has a future time."""
    try:
        return None if next(CronSim(expression, now), None) else "it is never due"
    except CronSimError as odd:
        return str(odd).lower()
