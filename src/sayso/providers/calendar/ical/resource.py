"""One text of a calendar as a backend keeps it, and what is asked of the place that keeps them."""

from typing import Protocol

from sayso.core.values import dataclass
from sayso.providers.calendar.ical.lines import Part, Unreadable, parsed


@dataclass(frozen=True, slots=True)
class Resource:
    """An event with all its occurrences, or a reminder, as text."""

    place: str
    text: str
    etag: str
    calendar: str = ""
    """What a person calls the calendar that it is in."""

    def whole(self) -> Part:
        """Return it as a tree. Raises `Unreadable`."""
        return parsed(self.text)


@dataclass(frozen=True, slots=True)
class Held:
    """What a calendar holds, and a clause for each part of it that could not be read."""

    resources: tuple[Resource, ...] = ()
    left_out: tuple[str, ...] = ()


class Source(Protocol):
    """Where texts of calendars are kept."""

    async def held(self, kind: str, first: str, last: str) -> Held:
        """Return every VEVENT that may take place between these days (`20260314`), or VTODO; more will do."""
        ...

    async def resource(self, uid: str) -> Resource | None:
        """Return what has this uid."""
        ...

    async def new_place(self, uid: str, calendar: str, kind: str) -> str:
        """Return where something new goes, a VEVENT or VTODO; `calendar` names one. Raises `ProviderError`."""
        ...

    def calendar_of(self, place: str) -> str:
        """Return what a person calls the calendar that a place is in."""
        ...


def uids_of(whole: Part) -> tuple[str, ...]:
    """Return the uids that a text holds, each once."""
    return tuple(dict.fromkeys(part.line("UID").text.strip() for part in whole.parts("VEVENT", "VTODO", "VJOURNAL")))


def holds_uid(text: str, uid: str) -> bool:
    """Say whether a text is about this uid; one that cannot be read is about none."""
    if uid[:40] not in text:
        return False
    try:
        return uid in uids_of(parsed(text))
    except Unreadable:
        return False
