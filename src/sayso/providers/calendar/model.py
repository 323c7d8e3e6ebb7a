"""The steps that a calendar backend can do, and the facts about events and reminders that steps expect."""

from typing import ClassVar

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.plan import NOTHING, Fact, Facts, Reach, Step, named
from sayso.providers.calendar.store import Event, Reminder

Entry = Event | Reminder


class CalendarStep(Step, frozen=True):
    """A step of the calendar store.

    `edit` applies the step to an `Event` or `Reminder`; `ical/serialize.py` applies it to iCalendar text.
    """

    store: ClassVar[str] = "calendar"
    removes: ClassVar[bool] = False
    uid: str

    def edit(self, entry: Entry | None) -> Entry | None:
        """Return the event or reminder after this step; None if the step removes it. Raises `ProviderError`."""
        raise NotImplementedError


class CreateEvent(CalendarStep, frozen=True):
    """Write a new event with a uid that was made during planning; no entry may have that uid yet.

    `stamp` is the time of planning; it is part of the step so that the step always gives the same text.
    """

    step: ClassVar[str] = "calendar.create_event"
    reach: ClassVar[Reach] = named("the invitation", "participants")
    title: str
    start: str
    end: str
    all_day: bool
    place: str = ""
    stamp: str = ""
    location: str = ""
    participants: tuple[str, ...] = ()

    def edit(self, entry: Entry | None) -> Event:
        """Return the new event."""
        return Event(
            self.uid, self.title, self.start, self.end, self.all_day, self.location,
            place=self.place, participants=self.participants,
        )  # fmt: skip

    def undo(self, mark: str) -> "DeleteEntry":
        return DeleteEntry(self.uid, self.place, mark, self.participants)


class UpdateEvent(CalendarStep, frozen=True):
    """Change the given fields of an event, or of one of its occurrences; all other fields stay unchanged.

    `mark` is written into the event if the backend can do so; after a crash, it shows whether the step was done.
    """

    step: ClassVar[str] = "calendar.update_event"
    reach: ClassVar[Reach] = named("the change", "participants")
    mark: str
    title: str | None = None
    start: str | None = None
    end: str | None = None
    all_day: bool | None = None
    location: str | None = None
    place: str = ""
    stamp: str = ""
    occurrence: str = ""
    participants: tuple[str, ...] | UnsetType = UNSET
    """The invited people, who may be told of this."""

    def edit(self, entry: Entry | None) -> Event:
        """Return the event with the given fields changed."""
        if not isinstance(entry, Event):
            raise ProviderError("the event is gone; nothing was done", "world.changed")
        return replace(
            entry,
            title=entry.title if self.title is None else self.title,
            start=entry.start if self.start is None else self.start,
            end=entry.end if self.end is None else self.end,
            all_day=entry.all_day if self.all_day is None else self.all_day,
            location=entry.location if self.location is None else self.location,
        )


class CreateReminder(CalendarStep, frozen=True):
    """Write a new reminder with a uid that was made during planning."""

    step: ClassVar[str] = "calendar.create_reminder"
    reach: ClassVar[Reach] = NOTHING
    title: str
    notes: str
    due: str
    place: str = ""
    stamp: str = ""
    repeat: str | UnsetType = UNSET
    """The RRULE by which it repeats."""
    zone: str | UnsetType = UNSET
    """The IANA name of the zone in which a repeating reminder keeps its hour, if it has one."""
    rings: int | UnsetType = UNSET
    """When it rings, in seconds after `due`."""

    def edit(self, entry: Entry | None) -> Reminder:
        """Return the new reminder."""
        rings = (float(self.rings),) if self.rings is not UNSET else ()
        return Reminder(
            self.uid, self.title, self.notes, self.due, place=self.place, repeats=self.repeat or "", rings=rings
        )  # fmt: skip

    def undo(self, mark: str) -> "DeleteEntry":
        return DeleteEntry(self.uid, self.place, mark, ())


class CompleteReminder(CalendarStep, frozen=True):
    """Complete a reminder, or, if it repeats, its present time, so that it is due at the next one.

    `mark` is written into the reminder if the backend can do so; after a crash, it shows whether the step was done.
    """

    step: ClassVar[str] = "calendar.complete"
    reach: ClassVar[Reach] = named("the change", "participants")
    mark: str
    due: str
    """When it is due next; empty if it is completed for good."""
    repeat: str
    """The RRULE by which it goes on."""
    place: str
    stamp: str
    participants: tuple[str, ...]
    """The people in it, who may be told of this."""

    def edit(self, entry: Entry | None) -> Reminder:
        """Return the reminder that is due next time, or done."""
        if not isinstance(entry, Reminder):
            raise ProviderError("the reminder is gone; nothing was done", "world.changed")
        if self.due:
            return replace(entry, due=self.due, repeats=self.repeat)
        return replace(entry, done=True, completed=self.stamp)


class DeleteEntry(CalendarStep, frozen=True):
    """Remove the event or reminder with this uid, if it is as expected; no other step has the same `mark`."""

    step: ClassVar[str] = "calendar.delete"
    reach: ClassVar[Reach] = named("the cancellation", "participants")
    removes: ClassVar[bool] = True
    place: str = ""
    mark: str = ""
    participants: tuple[str, ...] | UnsetType = UNSET
    """The invited people, who may be told of this."""

    def edit(self, entry: Entry | None) -> None:
        """Return None, because the step removes the event or reminder."""
        return


class DeleteOccurrence(CalendarStep, frozen=True):
    """Remove one occurrence of a repeating event; its other occurrences are kept."""

    step: ClassVar[str] = "calendar.delete_occurrence"
    reach: ClassVar[Reach] = named("the cancellation", "participants")
    mark: str
    occurrence: str
    place: str = ""
    stamp: str = ""
    participants: tuple[str, ...] | UnsetType = UNSET
    """The invited people, who may be told of this."""

    def edit(self, entry: Entry | None) -> Entry:
        """Raise `ProviderError`, because events in memory do not repeat."""
        raise ProviderError("in memory no event repeats; nothing was done", "world.refused")


class PutEntry(CalendarStep, frozen=True):
    """Write a whole event or reminder as it was before; this undoes a change or a deletion.

    `raw` is the content in the format of the backend that read it.
    """

    step: ClassVar[str] = "calendar.put"
    reach: ClassVar[Reach] = named("the change", "participants")
    raw: str
    place: str = ""
    mark: str = ""
    participants: tuple[str, ...] | UnsetType = UNSET
    """The invited people, who may be told of this."""


Steps = CreateEvent | UpdateEvent | CreateReminder | CompleteReminder | DeleteEntry | DeleteOccurrence | PutEntry


def token_of(step: Steps) -> str:
    """Return a text that identifies the step: the uid of a new entry, or the entry's uid and the step's mark."""
    return step.uid if isinstance(step, CreateEvent | CreateReminder) else f"{step.uid} {step.mark}"


class EntryIs(Fact, frozen=True):
    """The event or reminder exists and has this ETag (CA-04)."""

    fact: ClassVar[str] = "calendar_entry"
    owner: ClassVar[str] = "calendar"
    etag: str


class EntryFree(Fact, frozen=True):
    """No event or reminder has this uid."""

    fact: ClassVar[str] = "calendar_free"
    owner: ClassVar[str] = "calendar"


def entry_fact(uid: str, expects: Facts) -> "EntryIs | EntryFree":
    """Return the fact that a step expects about an entry. Raises `ProviderError` if it expects none."""
    for fact in expects:
        if fact.about == uid and isinstance(fact, (EntryIs, EntryFree)):
            return fact
    raise ProviderError("what this plan was based on is not known; nothing was done", "world.changed")
