"""From texts to events and reminders: each occurrence that takes place in a stretch of time, in one zone."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import date, datetime, timedelta, tzinfo
from typing import Any, cast

import recurring_ical_events
from icalendar import Calendar

from sayso.providers.calendar.ical.dates import first_day, like_start
from sayso.providers.calendar.ical.limits import must_be_listable
from sayso.providers.calendar.ical.lines import Part, Unreadable, shown
from sayso.providers.calendar.ical.resource import Resource
from sayso.providers.calendar.ical.writing import master_of
from sayso.providers.calendar.store import OCCURRENCE, Event, Reminder
from sayso.providers.calendar.times import FIRST_YEAR, LAST_YEAR, instant, written

A_DAY = timedelta(days=1)


def may_touch(whole: Part, first: str, last: str) -> bool:
    """Say whether anything in a text may take place between two days; only dates that stand there are looked at."""
    return any(_may_touch(part, first, last) for part in whole.parts("VEVENT"))


def _may_touch(part: Part, first: str, last: str) -> bool:
    begins = part.line("DTSTART").value.strip()[:8]
    if part.lines("RRULE", "RDATE", "DURATION"):
        return begins <= last
    ends = part.line("DTEND").value.strip()[:8] or begins
    # A text whose dates cannot be compared is looked at properly.
    return not (begins.isdecimal() and ends.isdecimal()) or (begins <= last and ends >= first)


def speaks_of(whole: Part, wanted: str) -> bool:
    """Say whether an event in a text has these words, without regard to case, in its title or place."""
    said = (part.line(name).text for part in whole.parts("VEVENT") for name in ("SUMMARY", "LOCATION"))
    # What is looked for may stand across both, so the words of it are enough here.
    words = wanted.split()
    everything = " ".join(said).casefold()
    return all(word in everything for word in words)


@contextmanager
def _sense() -> Generator[None]:
    """Take any fault in what is done with a text for a text that makes no sense: libraries have no one error for it."""
    try:
        yield
    except (Unreadable, MemoryError):
        raise
    except Exception as odd:
        raise Unreadable(f"it makes no sense as a calendar ({type(odd).__name__})") from odd


def occurrences(resource: Resource, start: datetime, end: datetime, zone: tzinfo) -> tuple[Event, ...]:
    """Return what takes place from `start` until before `end`, by start. Raises `Unreadable`."""
    with _sense():
        whole = resource.whole()
        must_be_listable(whole, (instant(end) + A_DAY).date())
        calendar = Calendar.from_ical(resource.text)
        found = recurring_ical_events.of(calendar).between(start - A_DAY, end + A_DAY)
        there = [one for one in found if str(one.get("STATUS", "")).upper() != "CANCELLED"]
        return tuple(_event(one, resource, whole, zone) for one in there if _touches(one, start, end, zone))


def _event(one: Any, resource: Resource, whole: Part, zone: tzinfo) -> Event:
    uid = str(one.get("UID", "")).strip()
    begins, ends = _ends(one)
    all_day = not isinstance(begins, datetime)
    master = master_of(whole, uid)
    series = bool(master.lines("RRULE", "RDATE"))
    recurrence = one.get("RECURRENCE-ID") if series else None
    occurrence = like_start(master.line("DTSTART"), recurrence.dt) if recurrence is not None else ""
    return Event(
        uid=f"{uid}{OCCURRENCE}{occurrence}" if occurrence else uid,
        title=_words(one, "SUMMARY") or "(without a title)",
        start=_said(begins, zone),
        end=_said(ends, zone),
        all_day=all_day,
        location=_words(one, "LOCATION"),
        etag=resource.etag,
        raw=resource.text,
        place=resource.place,
        calendar=resource.calendar,
        occurrence=occurrence,
        repeats=series and not occurrence,
        participants=_participants(one),
    )


def _ends(one: Any) -> tuple[date, date]:
    begins: date = one["DTSTART"].dt
    if "DTEND" in one:
        ends: date = one["DTEND"].dt
    elif "DURATION" in one:
        ends = begins + one["DURATION"].dt
    else:
        ends = begins if isinstance(begins, datetime) else begins + A_DAY
    if not isinstance(begins, datetime):
        return begins, begins + A_DAY if ends == begins else ends
    return begins, _as_long(begins, ends) if isinstance(ends, datetime) else ends


def _as_long(begins: datetime, ends: datetime) -> datetime:
    """Return when it ends: what begins in the hour that spring skips is as long as at all other times.

    Such a time counts with the offset from before the change (RFC 5545, 3.3.5).
    """
    real = instant(begins)
    skipped = begins.tzinfo is not None and real.astimezone(begins.tzinfo).replace(tzinfo=None) != begins.replace(
        tzinfo=None
    )
    return real + (ends.replace(tzinfo=None) - begins.replace(tzinfo=None)) if skipped else ends


def _touches(one: Any, start: datetime, end: datetime, zone: tzinfo) -> bool:
    begins, ends = (instant(_at(moment, zone)) for moment in _ends(one))
    first, last = instant(start), instant(end)
    return begins < last and (ends > first or begins == ends >= first)


def _at(moment: date, zone: tzinfo) -> datetime:
    if not isinstance(moment, datetime):
        return datetime(moment.year, moment.month, moment.day, tzinfo=zone)
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment


def _said(moment: date, zone: tzinfo) -> str:
    return written(instant(_at(moment, zone)).astimezone(zone)) if isinstance(moment, datetime) else moment.isoformat()


def _words(one: Any, name: str) -> str:
    """Return a text on one line."""
    return shown(str(one.get(name, "")))


def _participants(one: Any) -> tuple[str, ...]:
    found = one.get("ATTENDEE", [])
    people = cast("list[Any]", found) if isinstance(found, list) else [found]
    return tuple(
        dict.fromkeys(str(person).strip().removeprefix("mailto:").removeprefix("MAILTO:") for person in people)
    )


def whole_event(resource: Resource, uid: str, zone: tzinfo) -> Event | None:
    """Return an event by its uid, all its occurrences as one; None for what is no event. Raises `Unreadable`."""
    with _sense():
        whole = resource.whole()
        master = master_of(whole, uid)
        if master.name != "VEVENT":
            return None
        must_be_listable(whole, first_day(master.line("DTSTART")))
        every = cast("Any", Calendar.from_ical(resource.text)).walk("VEVENT")
        return _event(next(one for one in every if _is_master(one, uid, master)), resource, whole, zone)


def _is_master(one: Any, uid: str, master: Part) -> bool:
    return str(one.get("UID", "")).strip() == uid and ("RECURRENCE-ID" in one) == bool(master.lines("RECURRENCE-ID"))


def reminders_in(resource: Resource, zone: tzinfo) -> tuple[Reminder, ...]:
    """Return the reminders in a text that are neither done nor cancelled. Raises `Unreadable`."""
    whole = resource.whole()
    found: list[Reminder] = []
    for part in whole.parts("VTODO"):
        if part.line("STATUS").value.strip().upper() in {"COMPLETED", "CANCELLED"} or part.lines("COMPLETED"):
            continue
        due = part.line("DUE")
        title, notes = shown(part.line("SUMMARY").text), part.line("DESCRIPTION").text
        uid = part.line("UID").text.strip()
        when = _due(resource.text, uid, zone) if due.value else ""
        found.append(Reminder(uid, title, notes, when, resource.etag, resource.text, resource.place, resource.calendar))
    return tuple(found)


def _due(text: str, uid: str, zone: tzinfo) -> str:
    with _sense():
        todos = cast("Any", Calendar.from_ical(text)).walk("VTODO")
        due: date = next(one["DUE"].dt for one in todos if str(one.get("UID", "")).strip() == uid)
        if not FIRST_YEAR <= due.year <= LAST_YEAR:
            raise Unreadable(f"it is due in the year {due.year}")
        return _said(due, zone)
