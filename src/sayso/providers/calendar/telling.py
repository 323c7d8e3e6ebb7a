"""What is told of events that were found: lines for a reader, and data for a program."""

from sayso.core.canonical import Json
from sayso.core.fence import fenced
from sayso.core.plan import Answer
from sayso.providers.calendar.store import Event, Found
from sayso.providers.calendar.times import said_span


def answered(found: Found, when: str) -> Answer:
    """Return what was found `today`, or `found`, and below it what could not be read.

    Titles, places and names of files are words of others: in the text they stand between marks, as data (X-08).
    """
    events = found.events
    more = {"left_out": list(found.left_out)} if found.left_out else {}
    unread = [f"What could not be read:\n{fenced('left_out', [*found.left_out])}"] if found.left_out else []
    if not events:
        return Answer(f"No events {when}", {"events": [], **more}, "\n".join([f"There are no events {when}.", *unread]))
    count = f"{len(events)} event{'s' if len(events) > 1 else ''} {when}"
    lines = [_line(event, with_day=when != "today", with_id=when != "today") for event in events]
    told = fenced("events", "\n".join(" ".join(line.split()) for line in lines))
    return Answer(
        count, {"events": [event_json(event) for event in events], **more}, "\n".join([f"{count}:\n{told}", *unread])
    )


def _line(event: Event, *, with_day: bool, with_id: bool) -> str:
    if event.all_day:
        when = said_span(event.start, event.end, all_day=True) if with_day else "all day"
    else:
        words = said_span(event.start, event.end, all_day=False)
        when = words if with_day else words.partition(" ")[2]
    where = f", {event.location}" if event.location else ""
    return f"{when}: {event.title}{where}" + (f" (id {event.uid})" if with_id else "")


def event_json(event: Event) -> dict[str, Json]:
    """Return an event as results hold it."""
    return {
        "id": event.uid,
        "title": event.title,
        "start": event.start,
        "end": event.end,
        "all_day": event.all_day,
        "location": event.location,
        **({"calendar": event.calendar} if event.calendar else {}),
        **({"participants": list(event.participants)} if event.participants else {}),
    }
