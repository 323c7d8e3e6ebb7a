"""What may be expected of events and reminders, each fact about one uid."""

from typing import ClassVar

from sayso.core.plan import Fact
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class EntryIs(Fact):
    """The event or reminder is there with this ETag (CA-04)."""

    fact: ClassVar[str] = "calendar_entry"
    etag: str


@dataclass(frozen=True, slots=True)
class EntryFree(Fact):
    """Nothing has this uid."""

    fact: ClassVar[str] = "calendar_free"


FACTS: tuple[type[Fact], ...] = (EntryIs, EntryFree)
