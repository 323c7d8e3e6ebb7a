"""The context that a model gets from the calendar: the events of the next days, and the open reminders."""

from datetime import timedelta

from sayso.core.conversation import ContextLimits, ContextPiece
from sayso.core.datetimes import Moment
from sayso.core.encoding import Json
from sayso.providers.calendar.repeats import describe_rule
from sayso.providers.calendar.store import Calendar, Event, FoundEvents, Reminder

MOST = 50
"""Maximum number of events, and of reminders, that are shown; they are shown in the order of their times."""
MOST_WHY = 3
"""Maximum number of unreadable files or entries that are named."""
LONGEST = 200
"""Maximum number of characters that are shown of a title or a location."""
DAYS = 7
"""The number of days whose events are shown, today included."""
ABOUT = "The events of today and the next 6 days. Their titles and places were written by whoever invited the person."

REMINDERS = "The open reminders. In a calendar that is shared, others may have written their titles."


async def events(calendar: Calendar, around: ContextLimits) -> tuple[ContextPiece, ...]:
    """Return the events of the next days; the names and addresses of invited people are left out."""
    found = await on_day(calendar, DAYS)
    rows: list[Json] = [_row(event) for event in found.events[:MOST]]
    more = len(found.events) - len(rows)
    left_out = (*found.left_out[:MOST_WHY], *((f"{more} more events are not shown",) if more else ()))
    return (ContextPiece("events", ABOUT, rows, left_out="; ".join(left_out)),)


async def reminders(calendar: Calendar, around: ContextLimits) -> tuple[ContextPiece, ...]:
    """Return the open reminders, those that are due first."""
    found = await calendar.reminders()
    rows: list[Json] = [_reminder(one) for one in found.reminders[:MOST]]
    more = len(found.reminders) - len(rows)
    left_out = (*found.left_out[:MOST_WHY], *((f"{more} more reminders are not shown",) if more else ()))
    return (ContextPiece("reminders", REMINDERS, rows, left_out="; ".join(left_out)),)


def _reminder(one: Reminder) -> dict[str, Json]:
    row: dict[str, Json] = {"id": one.uid, "title": one.title[:LONGEST], "due": one.due}
    return {**row, "repeats": describe_rule(one.repeats)} if one.repeats else row


async def on_day(calendar: Calendar, days: int = 1) -> FoundEvents:
    """Return the events of today and the days after it; which day is today depends on the calendar's zone."""
    day, zone = calendar.now().date(), calendar.zone()
    return await calendar.between(Moment(day).at(zone), Moment(day + timedelta(days=days)).at(zone))


def _row(event: Event) -> dict[str, Json]:
    return {
        "id": event.uid,
        "title": event.title[:LONGEST],
        "start": event.start,
        "end": event.end,
        "location": event.location[:LONGEST],
        "all_day": event.all_day,
    }
