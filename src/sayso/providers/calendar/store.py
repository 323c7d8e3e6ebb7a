"""What operations can read from the calendar store: events, reminders, and facts about them."""

from datetime import datetime, tzinfo
from typing import Protocol

from msgspec import Struct

from sayso.core.plan import Fact
from sayso.core.ports import Clock, Ids

OCCURRENCE = "~"
"""In the uid of an occurrence, the separator between the repeating event's uid and the occurrence's original time."""


class Event(Struct, frozen=True):
    """One event, or one occurrence of a repeating event.

    `start` and `end` are in ISO 8601: times with their offset, or days if `all_day` is true. The `end` of an all-day
    event is the day after its last day. `raw` is the whole event in the format of the backend; undo writes it back.
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
    """The path at which the backend stores the event."""
    calendar: str = ""
    """The name of the event's calendar; empty if there is only one calendar."""
    occurrence: str = ""
    """The original time of this occurrence of a repeating event; it is also part of `uid`."""
    repeats: bool = False
    """Whether this is a repeating event as a whole, with all its occurrences."""
    participants: tuple[str, ...] = ()
    """Mail addresses of the invited people; a server may mail them every change."""
    own_time: str = ""
    """The start by the clocks of the event's own zone, such as `10:00 America/New_York`; empty if they agree."""

    @property
    def entry(self) -> str:
        """Return the uid without the time of an occurrence."""
        return self.uid.removesuffix(f"{OCCURRENCE}{self.occurrence}") if self.occurrence else self.uid


class FoundEvents(Struct, frozen=True):
    """The events that were found, and, for each file or entry that could not be read, a text that says so."""

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
    done: bool = False
    completed: str = ""
    """When it was completed; empty if it is open, or if nobody wrote down when."""
    repeats: str = ""
    """The RRULE by which it repeats, counted from `due`; empty if it does not."""
    rings: tuple[float, ...] = ()
    """When it rings, in seconds after `due`; for a day, after its midnight."""
    participants: tuple[str, ...] = ()
    """Mail addresses of people in it; a server may mail them every change."""


class FoundReminders(Struct, frozen=True):
    """The reminders that were found, and, for each file or entry that could not be read, a text that says so."""

    reminders: tuple[Reminder, ...] = ()
    left_out: tuple[str, ...] = ()


class Calendar(Protocol):
    """What operations can read from the calendar store; in a batch, as it will be after the earlier plans."""

    clock: Clock
    ids: Ids
    timezone: tzinfo
    rings_itself: str
    """The application that shows its reminders by itself when they are due; empty if only sayso does."""

    def ring(self) -> bool:
        """Return whether a process of sayso runs now that shows reminders when they are due."""
        ...

    async def between(self, start: datetime, end: datetime) -> FoundEvents:
        """Return events and single occurrences that overlap the time from `start` to `end`, sorted by start."""
        ...

    async def find(self, text: str, start: datetime, end: datetime, limit: int) -> FoundEvents:
        """Return the events of `between` whose title or location contains `text`, ignoring case."""
        ...

    async def event(self, uid: str) -> Event | None:
        """Return the event with this uid, or the occurrence that `between` returned with this uid.

        Its participants are those of the whole series, as a change of one part may be mailed to all of them.
        """
        ...

    async def reminders(self, *, done: bool = False) -> FoundReminders:
        """Return the open reminders, and the completed ones if `done` is true.

        They are in the order of their due times; those without a due time come last.
        """
        ...

    async def calendars(self) -> tuple[str, ...]:
        """Return the names of the calendars."""
        ...

    def entry_fact(self, uid: str, etag: str) -> Fact:
        """Return the fact that the event or reminder still has this ETag (`If-Match`)."""
        ...

    def free_fact(self, uid: str) -> Fact:
        """Return the fact that nothing has this uid yet (`If-None-Match`)."""
        ...

    async def place(self, uid: str, calendar: str, *, reminder: bool) -> str:
        """Return the path for a new event or reminder. Raises `ProviderError` if no calendar has this name."""
        ...

    def new_uid(self) -> str:
        """Return a new uid; after a crash, the uid shows whether the entry was written (CA-05)."""
        return self.ids.token()

    def now(self) -> datetime:
        """Return the current time in the calendar's zone."""
        return self.clock.now().astimezone(self.timezone)

    def zone(self) -> tzinfo:
        """Return the calendar's time zone, which applies to days and to times without an offset."""
        return self.timezone
