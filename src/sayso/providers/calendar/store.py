"""The reads of the calendar store: what an operation may look at among events and reminders."""

from datetime import datetime, tzinfo
from typing import Protocol

from msgspec import Struct

from sayso.core.plan import Fact
from sayso.core.ports import Clock, Ids

OCCURRENCE = "~"
"""Separates the uid of a repeating event from the time of one occurrence."""


class Event(Struct, frozen=True):
    """One event, or one occurrence of a repeating event.

    `start` and `end` are ISO 8601: times with their offset, or days when `all_day`. The `end` of an all-day event is
    the first day after it. `raw` is the whole event in the format of the backend; undo writes it back.
    """

    uid: str
    title: str
    start: str
    end: str
    all_day: bool = False
    location: str = ""
    etag: str = ""
    raw: str = ""
    place: str = ""
    """Where the backend keeps the event: a path."""
    calendar: str = ""
    """The name of the event's calendar; empty when there is only one calendar."""
    occurrence: str = ""
    """The original time of this occurrence of a repeating event; it is also part of `uid`."""
    repeats: bool = False
    """Whether this is a whole repeating event with all its occurrences."""
    participants: tuple[str, ...] = ()
    """Mail addresses of the invited people; a server may mail every change to them."""

    @property
    def entry(self) -> str:
        """Return the uid without an occurrence."""
        return self.uid.removesuffix(f"{OCCURRENCE}{self.occurrence}") if self.occurrence else self.uid


class FoundEvents(Struct, frozen=True):
    """The events that were found, and a clause for each file or entry that could not be read."""

    events: tuple[Event, ...] = ()
    left_out: tuple[str, ...] = ()


class Reminder(Struct, frozen=True):
    """One reminder; `due` is empty, a day, or a time with its offset."""

    uid: str
    title: str
    notes: str = ""
    due: str = ""
    etag: str = ""
    raw: str = ""
    place: str = ""
    calendar: str = ""


class Calendar(Protocol):
    """The reads. While a batch is planned, they show the calendar as the earlier plans would leave it."""

    clock: Clock
    ids: Ids
    timezone: tzinfo

    async def between(self, start: datetime, end: datetime) -> FoundEvents:
        """Return events and single occurrences that overlap the time from `start` to `end`, sorted by start."""
        ...

    async def find(self, text: str, start: datetime, end: datetime, limit: int) -> FoundEvents:
        """Return the events of `between` whose title or location contains `text`, ignoring case."""
        ...

    async def event(self, uid: str) -> Event | None:
        """Return the event with this uid, or the occurrence if `between` gave this uid to one occurrence."""
        ...

    async def reminders(self) -> tuple[Reminder, ...]:
        """Return the reminders in the order of their due times; those without one come last."""
        ...

    def entry_fact(self, uid: str, etag: str) -> Fact:
        """Return the fact that the event or reminder still has this ETag (`If-Match`)."""
        ...

    def free_fact(self, uid: str) -> Fact:
        """Return the fact that nothing has this uid yet (`If-None-Match`)."""
        ...

    async def place(self, uid: str, calendar: str, *, reminder: bool) -> str:
        """Return the place for a new event or reminder. Raises `ProviderError` when no calendar has this name."""
        ...

    def new_uid(self) -> str:
        """Return a new uid; after a crash it shows whether the entry was written (CA-05)."""
        return self.ids.token()

    def now(self) -> datetime:
        """Return the current time in the calendar's zone."""
        return self.clock.now().astimezone(self.timezone)

    def zone(self) -> tzinfo:
        """Return the calendar's time zone, which applies to days and to times without an offset."""
        return self.timezone
