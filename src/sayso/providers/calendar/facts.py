"""What may be expected of events and reminders, each fact about one uid."""

from typing import ClassVar

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact, Facts
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


def entry_fact(uid: str, expects: Facts) -> "EntryIs | EntryFree":
    """Return the one fact that is expected of an entry. Raises `ProviderError` where there is none."""
    for fact in expects:
        if fact.about == uid and isinstance(fact, (EntryIs, EntryFree)):
            return fact
    raise ProviderError("it is not known what this was planned upon; nothing was done", "world.changed")


FACTS: tuple[type[Fact], ...] = (EntryIs, EntryFree)
