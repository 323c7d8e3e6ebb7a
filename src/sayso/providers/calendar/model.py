"""The steps that a calendar backend can do, and the facts that may be expected of events and reminders."""

from typing import ClassVar

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact, Facts, Step


class CalendarStep(Step, frozen=True):
    """A step of the calendar store."""

    store: ClassVar[str] = "calendar"


class CreateEvent(CalendarStep, frozen=True):
    """Write a new event under a uid that was made before; if something has it, nothing is written.

    `stamp` is when this was planned: what is written is the same however often it is made.
    """

    step: ClassVar[str] = "calendar.create_event"
    uid: str
    title: str
    start: str
    end: str
    all_day: bool
    place: str = ""
    stamp: str = ""
    location: str = ""
    participants: tuple[str, ...] = ()


class UpdateEvent(CalendarStep, frozen=True):
    """Change what is given of an event, or of one occurrence of it; everything else in it stays.

    `mark` is kept in the event where the backend can, so that a crash is settled by it.
    """

    step: ClassVar[str] = "calendar.update_event"
    uid: str
    mark: str
    title: str | None = None
    start: str | None = None
    end: str | None = None
    all_day: bool | None = None
    location: str | None = None
    place: str = ""
    stamp: str = ""
    occurrence: str = ""


class CreateReminder(CalendarStep, frozen=True):
    """Write a new reminder under a uid that was made before."""

    step: ClassVar[str] = "calendar.create_reminder"
    uid: str
    title: str
    notes: str
    due: str
    place: str = ""
    stamp: str = ""


class DeleteEntry(CalendarStep, frozen=True):
    """Take away the event or reminder with this uid, if it is as expected; `mark` is made for this step alone."""

    step: ClassVar[str] = "calendar.delete"
    uid: str
    place: str = ""
    mark: str = ""


class DeleteOccurrence(CalendarStep, frozen=True):
    """Take away one occurrence of an event that repeats; the others stay."""

    step: ClassVar[str] = "calendar.delete_occurrence"
    uid: str
    mark: str
    occurrence: str
    place: str = ""
    stamp: str = ""


class PutEntry(CalendarStep, frozen=True):
    """Write an event or reminder whole, as it was: the way back of a change or a deletion."""

    step: ClassVar[str] = "calendar.put"
    uid: str
    raw: str
    place: str = ""
    mark: str = ""


Steps = CreateEvent | UpdateEvent | CreateReminder | DeleteEntry | DeleteOccurrence | PutEntry
STEPS: tuple[type[CalendarStep], ...] = (
    CreateEvent,
    UpdateEvent,
    CreateReminder,
    DeleteEntry,
    DeleteOccurrence,
    PutEntry,
)


class EntryIs(Fact, frozen=True):
    """The event or reminder is there with this ETag (CA-04)."""

    fact: ClassVar[str] = "calendar_entry"
    etag: str


class EntryFree(Fact, frozen=True):
    """Nothing has this uid."""

    fact: ClassVar[str] = "calendar_free"


def entry_fact(uid: str, expects: Facts) -> "EntryIs | EntryFree":
    """Return the one fact that is expected of an entry. Raises `ProviderError` where there is none."""
    for fact in expects:
        if fact.about == uid and isinstance(fact, (EntryIs, EntryFree)):
            return fact
    raise ProviderError("it is not known what this was planned upon; nothing was done", "world.changed")


FACTS: tuple[type[Fact], ...] = (EntryIs, EntryFree)
