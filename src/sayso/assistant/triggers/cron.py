"""The times of a cron expression, by the library that knows what clocks skip and show twice."""

from collections.abc import Iterator
from datetime import datetime

from cronsim import CronSim, CronSimError


def times(expression: str, after: datetime) -> Iterator[datetime]:
    """Yield the times after a moment, in its zone."""
    yield from CronSim(expression, after)


def wrong(expression: str, now: datetime) -> str | None:
    """Say what is wrong with an expression; None for one that is right and has a time to come."""
    try:
        return None if next(CronSim(expression, now), None) else "it is never due"
    except CronSimError as odd:
        return str(odd).lower()
