"""The steps that a calendar backend can do, and the facts that may be expected of events and reminders."""

from typing import ClassVar

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact, Facts, Step
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class CalendarStep(Step):
    """A step of the calendar store."""

    store: ClassVar[str] = "calendar"


@dataclass(frozen=True, slots=True)
class CreateEvent(CalendarStep):
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


@dataclass(frozen=True, slots=True)
class UpdateEvent(CalendarStep):
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


@dataclass(frozen=True, slots=True)
class CreateReminder(CalendarStep):
    """Write a new reminder under a uid that was made before."""

    step: ClassVar[str] = "calendar.create_reminder"
    uid: str
    title: str
    notes: str
    due: str
    place: str = ""
    stamp: str = ""


@dataclass(frozen=True, slots=True)
class DeleteEntry(CalendarStep):
    """Take away the event or reminder with this uid, if it is as expected; `mark` is made for this step alone."""

    step: ClassVar[str] = "calendar.delete"
    uid: str
    place: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class DeleteOccurrence(CalendarStep):
    """Take away one occurrence of an event that repeats; the others stay."""

    step: ClassVar[str] = "calendar.delete_occurrence"
    uid: str
    mark: str
    occurrence: str
    place: str = ""
    stamp: str = ""


@dataclass(frozen=True, slots=True)
class PutEntry(CalendarStep):
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


@dataclass(frozen=True, slots=True)
class EntryIs(Fact):
    """The event or reminder is there with this ETag (CA-04)."""

    fact: ClassVar[str] = "calendar_entry"
    etag: str


@dataclass(frozen=True, slots=True)
class EntryFree(Fact):
    """Nothing has this uid."""

    fact: ClassVar[str] = "calendar_free"


def entry_fact(uid: str, expects: Facts) -> "EntryIs | EntryFree":
    """Return the one fact that is expected of an entry. Raises `ProviderError` where there is none."""
    for fact in expects:
        if fact.about == uid and isinstance(fact, (EntryIs, EntryFree)):
            return fact
    raise ProviderError("it is not known what this was planned upon; nothing was done", "world.changed")


FACTS: tuple[type[Fact], ...] = (EntryIs, EntryFree)
