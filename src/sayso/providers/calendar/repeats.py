"""Rules by which reminders repeat: write them, say them in words, and compute when they ring."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import takewhile
from typing import Any, Literal

from msgspec import Struct

from sayso.core.errors import ProposalError
from sayso.core.lazy import load
from sayso.providers.calendar.event_texts import at, instant, write_moment
from sayso.providers.calendar.store import Reminder

Every = Literal["daily", "weekly", "monthly", "yearly", "weekdays"]
_RULES = {
    "daily": "FREQ=DAILY",
    "weekly": "FREQ=WEEKLY",
    "monthly": "FREQ=MONTHLY",
    "yearly": "FREQ=YEARLY",
    "weekdays": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
}
_NOUNS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year", "HOURLY": "hour"}
_FORM, _DAY_FORM = "%Y%m%dT%H%M%S", "%Y%m%d"
MORNING = timedelta(hours=9)
"""When a reminder of a day rings on that day."""
MOST_TIMES = 20_000
"""Maximum number of times of one rule that are looked at."""


class Repeat(Struct, frozen=True):
    """How a new reminder repeats: every so many days, weeks, months or years, so often or until a day."""

    every: Every
    interval: int = 1
    count: int | None = None
    until: str = ""
    """The last day or time, in the form of steps; empty for none."""

    def rule(self, due: str, zone: tzinfo, *, floating: bool) -> str:
        """Return the RRULE of a reminder that is first due at `due`. Raises `ProposalError`."""
        if self.count is not None and self.until:
            raise ProposalError("a reminder repeats “count” times or “until” a day, not both", "arguments.surplus")
        if self.every == "weekdays" and self.interval != 1:
            raise ProposalError("“interval” cannot go with “repeat” weekdays", "arguments.surplus")
        parts = [_RULES[self.every]]
        parts += [f"INTERVAL={self.interval}"] if self.interval != 1 else []
        parts += [f"COUNT={self.count}"] if self.count is not None else []
        parts += [f"UNTIL={_until(self.until, due, zone, floating=floating)}"] if self.until else []
        return ";".join(parts)


def _until(until: str, due: str, zone: tzinfo, *, floating: bool) -> str:
    last = at(until, zone) + (timedelta(days=1, seconds=-1) if "T" not in until else timedelta())
    if instant(last) < instant(at(due, zone)):
        raise ProposalError(f"“until” ({until}) must not be before “due” ({due})", "arguments.date")
    if "T" not in due:
        return last.strftime(_DAY_FORM)
    return last.strftime(_FORM) if floating else f"{last.astimezone(UTC).strftime(_FORM)}Z"


def first_due(due: str, every: Every, zone: tzinfo) -> str:
    """Return when a reminder is first due: with `weekdays`, the first such day from `due` on."""
    when = at(due, zone)
    while every == "weekdays" and when.weekday() >= len(("MO", "TU", "WE", "TH", "FR")):
        when = (when.replace(tzinfo=None) + timedelta(days=1)).replace(tzinfo=zone)
    return write_moment(when) if "T" in due else when.date().isoformat()


def members_of(rule: str) -> dict[str, str]:
    """Return the parts of an RRULE by name."""
    return dict(part.split("=", 1) for part in rule.upper().strip().split(";") if "=" in part)


def describe_rule(rule: str) -> str:
    """Return in words how something repeats, such as “every 2 weeks until 2026-05-01”; empty without a rule."""
    given = members_of(rule)
    noun, interval = _NOUNS.get(given.get("FREQ", ""), ""), given.get("INTERVAL", "1")
    if not rule:
        return ""
    if not noun or not set(given) <= {"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "WKST"}:
        return "repeats"
    said = f"every {noun}" if interval == "1" else f"every {interval[:5]} {noun}s"
    if given.get("BYDAY") == "MO,TU,WE,TH,FR" and interval == "1" and noun == "week":
        said = "on weekdays"
    elif "BYDAY" in given:
        said += f" on {given['BYDAY'][:40].replace(',', ', ')}"
    if "COUNT" in given:
        said += f", {given['COUNT'][:6]} more times" if given["COUNT"] != "1" else ", one more time"
    until = given.get("UNTIL", "")[:8]
    return f"{said} until {until[:4]}-{until[4:6]}-{until[6:]}" if until else said


def times(rule: str, due: str, zone: tzinfo) -> Iterator[str]:
    """Yield when something is due that is due at `due` and repeats, in the form of steps; a rule counts from `due`.

    The times stay at their hour when clocks change. A rule that cannot be computed counts as none, so that `due` is the
    only time. Raises an error of the library for another meaningless rule.
    """
    if not load("sayso.providers.calendar.ical.limits:can_be_computed")(rule):
        yield due
        return
    first = at(due, zone).replace(tzinfo=None)
    whole = "T" not in due
    for number, local in enumerate(_library_times(_local_rule(rule, zone), first)):
        if number == MOST_TIMES:
            return
        yield local.date().isoformat() if whole else write_moment(_real(local, zone))


def _real(local: datetime, zone: tzinfo) -> datetime:
    """Return a local time in its zone; a time that clocks skip is as long after midnight as it would be."""
    return local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)


def _local_rule(rule: str, zone: tzinfo) -> str:
    """Return a rule whose UNTIL, if it is in UTC, is in local time instead."""
    given = members_of(rule)
    until = given.get("UNTIL", "")
    if until.endswith("Z"):
        when = datetime.strptime(until, f"{_FORM}Z").replace(tzinfo=UTC).astimezone(zone)
        given["UNTIL"] = when.strftime(_FORM)
    return ";".join(f"{name}={value}" for name, value in given.items())


def _library_times(rule: str, first: datetime) -> Iterator[datetime]:
    found: Any = load("dateutil.rrule:rrulestr")(rule, dtstart=first)
    return iter(found)


def after_completion(reminder: Reminder, now: datetime, zone: tzinfo) -> tuple[str, str]:
    """Return when a reminder is due next, once it is completed, and the rest of its rule; empty if it never is.

    Times that have passed are skipped, so that one completion is enough for a reminder that was long overdue.
    """
    if not reminder.repeats or not reminder.due:
        return "", ""
    for number, due in enumerate(times(reminder.repeats, reminder.due, zone)):
        if number and not _is_past(due, now, zone):
            return due, counted_down(reminder.repeats, number)
    return "", ""


def _is_past(due: str, now: datetime, zone: tzinfo) -> bool:
    return date.fromisoformat(due) < now.astimezone(zone).date() if "T" not in due else instant(at(due, zone)) <= now


def counted_down(rule: str, done: int) -> str:
    """Return what is left of a rule after its first `done` times."""
    parts = rule.split(";")
    return ";".join(f"COUNT={int(part[6:]) - done}" if part.upper().startswith("COUNT=") else part for part in parts)


class Ring(Struct, frozen=True):
    """A moment at which a reminder rings."""

    reminder: Reminder
    at: datetime
    due: str

    @property
    def key(self) -> str:
        """Return a text that no other ring has, also of the same reminder."""
        return f"{self.reminder.uid} {self.at.astimezone(UTC).isoformat()}"


def rings(reminders: Sequence[Reminder], after: datetime, until: datetime, zone: tzinfo) -> list[Ring]:
    """Return when open reminders ring, after one moment and until another, in order."""
    found = [ring for one in reminders if one.due and not one.done for ring in _rings(one, after, until, zone)]
    return sorted(found, key=lambda ring: (ring.at, ring.reminder.title, ring.key))


def _rings(reminder: Reminder, after: datetime, until: datetime, zone: tzinfo) -> Iterator[Ring]:
    ahead = min(reminder.rings, default=0.0)
    last = instant(until) - timedelta(seconds=min(ahead, 0.0))

    def may_ring(due: str) -> bool:
        return instant(at(due, zone)) <= last

    dues = times(reminder.repeats, reminder.due, zone) if reminder.repeats else iter((reminder.due,))
    for due in takewhile(may_ring, dues):
        for seconds in reminder.rings:
            when = _shift(at(due, zone), seconds, zone)
            if instant(after) < instant(when) <= instant(until):
                yield Ring(reminder, instant(when), due)


def _shift(due: datetime, seconds: float, zone: tzinfo) -> datetime:
    """Return a time so many seconds after another; from the start of a day, clocks count."""
    if due.hour or due.minute or due.second:
        return instant(due) + timedelta(seconds=seconds)
    return _real(due.replace(tzinfo=None) + timedelta(seconds=seconds), zone)
