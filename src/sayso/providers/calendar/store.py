"""What an operation may look at among events and reminders: the reads of the calendar store."""

from datetime import datetime, tzinfo
from typing import Protocol

from msgspec import Struct

from sayso.core.plan import Fact
from sayso.core.ports import Clock, Ids

OCCURRENCE = "~"
"""Stands between the uid of an event that repeats and the time of one occurrence."""


class Event(Struct, frozen=True):
    """One event, or one occurrence of a recurring one.

    `start` and `end` are ISO 8601: times with their offset, or only days when `all_day`; then `end` is
    the first day after it. `raw` is the whole event in the form of the backend; undo writes it back.
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
    """Where the backend keeps it."""
    calendar: str = ""
    """The name of the calendar it is in; empty where there is only one."""
    occurrence: str = ""
    """The original time of this occurrence of an event that repeats; it is also part of `uid`."""
    repeats: bool = False
    """This is the whole of an event that repeats."""
    participants: tuple[str, ...] = ()
    """Addresses of those who are invited; a server may mail them every change."""

    @property
    def entry(self) -> str:
        """Return the uid without an occurrence."""
        return self.uid.removesuffix(f"{OCCURRENCE}{self.occurrence}") if self.occurrence else self.uid


class FoundEvents(Struct, frozen=True):
    """Events that were found, and a clause for each file or entry that could not be read."""

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
    """The reads. In a batch they show the calendar as the earlier plans would leave it."""

    clock: Clock
    ids: Ids
    timezone: tzinfo

    async def between(self, start: datetime, end: datetime) -> FoundEvents:
        """Return events and single occurrences that overlap the time from `start` to `end`, sorted by start."""
        ...

    async def find(self, text: str, start: datetime, end: datetime, limit: int) -> FoundEvents:
        """Return the events of `between` whose title or location contains `text` in any case."""
        ...

    async def event(self, uid: str) -> Event | None:
        """Return the event with this uid, or the occurrence that such an id of `between` names."""
        ...

    async def reminders(self) -> tuple[Reminder, ...]:
        """Return the reminders, those with a due time first, by that time."""
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
        """Return the time, in the calendar's zone."""
        return self.clock.now().astimezone(self.timezone)

    def zone(self) -> tzinfo:
        """Return the calendar's time zone, in which days begin and times without an offset are meant."""
        return self.timezone
