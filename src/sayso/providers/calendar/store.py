"""What an operation may look at among events and reminders: the reads of the calendar store."""

from datetime import datetime, tzinfo
from typing import Protocol

from msgspec import Struct

from sayso.core.plan import Fact

OCCURRENCE = "~"
"""Stands between the uid of an event that repeats and which of the times is meant."""


class Event(Struct, frozen=True):
    """One event, or one occurrence of a recurring one.

    `start` and `end` are ISO 8601: times with their offset, or only days when `all_day`; then `end` is
    the first day after it. `raw` is the whole event as the backend keeps it: what brings it back.
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
    """What a person calls the calendar it is in; empty where there is one only."""
    occurrence: str = ""
    """Which of the times this is that it takes place, where it repeats; it stands behind the uid in `uid` too."""
    repeats: bool = False
    """This is all of an event that repeats."""
    participants: tuple[str, ...] = ()
    """Addresses of those who are invited, and told of changes where a server does so."""

    @property
    def entry(self) -> str:
        """Return the uid alone."""
        return self.uid.removesuffix(f"{OCCURRENCE}{self.occurrence}") if self.occurrence else self.uid


class FoundEvents(Struct, frozen=True):
    """Events that were found, and a clause for each thing in the calendar that could not be read."""

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

    async def between(self, start: datetime, end: datetime) -> FoundEvents:
        """Return what takes place at any time from `start` until before `end`, by start; recurring ones each time."""
        ...

    async def find(self, text: str, start: datetime, end: datetime, limit: int) -> FoundEvents:
        """Return those of `between` whose title or location holds `text` in any case; all when it is empty."""
        ...

    async def event(self, uid: str) -> Event | None:
        """Return the event with this uid, or the occurrence that such an id of `between` names."""
        ...

    async def reminders(self) -> tuple[Reminder, ...]:
        """Return the reminders, those with a due time first, by that time."""
        ...

    def entry_fact(self, uid: str, etag: str) -> Fact:
        """Return the fact that the event or reminder is as it was seen (`If-Match`)."""
        ...

    def free_fact(self, uid: str) -> Fact:
        """Return the fact that nothing has this uid yet (`If-None-Match`)."""
        ...

    async def place(self, uid: str, calendar: str, *, reminder: bool) -> str:
        """Return where a new event or reminder goes. Raises `ProviderError` when no calendar is called so."""
        ...

    def new_uid(self) -> str:
        """Return a uid that nothing has yet; a crash is settled by it (CA-05)."""
        ...

    def now(self) -> datetime:
        """Return the time, in the calendar's zone."""
        ...

    def zone(self) -> tzinfo:
        """Return the calendar's time zone: where days begin, and what times without an offset mean."""
        ...
