"""The calendars in a folder: which there are, what they are called, and what is in each."""

import re
from collections.abc import Iterator

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.values import dataclass
from sayso.providers.calendar.ical.parse import Unreadable, parsed
from sayso.providers.calendar.ical.query import Held, Resource, holds_uid, may_touch
from sayso.providers.disk.textfiles import File, Texts

FIRST = "personal"
"""The calendar that is made where there is none."""
_USUAL = (FIRST, "default", "calendar", "private", "home")
_ICS = ".ics"
_REPEATS = re.compile("RRULE|RDATE|DURATION|VTIMEZONE", re.IGNORECASE)
_NAMES = re.compile("DTSTART|DTEND", re.IGNORECASE)
_DATES = re.compile(r"^DT(?:START|END)[^:\n]*:([0-9]{8})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Shelf:
    """One calendar: the folder it is, empty for the whole, and what a person calls it."""

    folder: str
    name: str


class Folder:
    """Reads a folder of calendars; what was read of a file is kept until the file changes."""

    def __init__(self, texts: Texts, chosen: str, *, own: bool) -> None:
        self.texts = texts
        self._chosen = chosen
        self._own = own
        self._known: dict[str, tuple[tuple[int, int, int, int], str, str]] = {}

    def must_be_there(self) -> bool:
        """Say whether there is a folder; one that was named must be there. Raises `ProviderError`."""
        if self.texts.is_there():
            return True
        if self._own:
            return False
        raise ProviderError(
            f"the calendar's folder “{self.texts.path}” is not there; make it, or set calendar.path",
            "calendar.no_folder",
        )

    def shelves(self) -> tuple[Shelf, ...]:
        """Return the calendars there are, by name."""
        if not self.must_be_there():
            return ()
        top = self.texts.names()
        below = [Shelf(name, self._called(name) or name) for name in top.folders]
        if any(name.endswith(_ICS) for name in top.files) or {"displayname", "color"} & set(top.files):
            below.append(Shelf("", self._called("") or self.texts.path.rpartition("/")[2]))
        return tuple(sorted(below, key=lambda shelf: shelf.name.casefold()))

    def _called(self, folder: str) -> str:
        try:
            file = self.texts.read(f"{folder}/displayname" if folder else "displayname")
        except SaysoError:
            return ""
        words = file.data[:400].decode("utf-8", "replace") if file else ""
        return " ".join(words.split())[:80]

    def name_of(self, place: str) -> str:
        """Return what the calendar that a place is in is called."""
        folder = place.rpartition("/")[0]
        return next((shelf.name for shelf in self.shelves() if shelf.folder == folder), folder)

    def new_place(self, uid: str, calendar: str) -> str:
        """Return the file for something new. Raises `ProviderError` when no calendar is called so."""
        shelf = self._meant(calendar or self._chosen, self.shelves())
        name = f"{uid}{_ICS}"
        return f"{shelf.folder}/{name}" if shelf.folder else name

    def _meant(self, wanted: str, shelves: tuple[Shelf, ...]) -> Shelf:
        if wanted:
            same = [one for one in shelves if wanted.casefold() in {one.name.casefold(), one.folder.casefold()}]
            if len(same) == 1:
                return same[0]
            known = ", ".join(f"“{shelf.name}”" for shelf in shelves) or "none"
            raise ProviderError(f"There is no calendar “{wanted}”. Calendars: {known}.", "calendar.unknown")
        if not shelves:
            return Shelf(FIRST, FIRST)
        usual = (shelf for name in _USUAL for shelf in shelves if shelf.folder.casefold() == name)
        return next(usual, shelves[0])

    def held(self, kind: str, first: str, last: str) -> Held:
        """Return what may take place between two days, or all reminders."""
        found: list[Resource] = []
        left_out: list[str] = []
        for shelf, place in self._places():
            try:
                resource = self._resource(place, shelf)
                if resource is not None and _matters(resource.text, kind, first, last):
                    found.append(resource)
            except (SaysoError, Unreadable) as odd:
                left_out.append(f"“{place}” was left out: {odd}")
        return Held(tuple(found), tuple(left_out))

    def resource(self, uid: str) -> Resource | None:
        """Return the file that has a uid. Raises `ProviderError` when several have it."""
        found = [one for one in self._all() if holds_uid(one.text, uid)]
        if len(found) > 1:
            where = " and ".join(f"“{one.place}”" for one in found[:3])
            raise ProviderError(f"the id “{uid}” stands in {where}: it is not clear which is meant", "calendar.twice")
        return next(iter(found), None)

    def _all(self) -> Iterator[Resource]:
        for shelf, place in self._places():
            try:
                resource = self._resource(place, shelf)
            except SaysoError:
                continue
            if resource is not None:
                yield resource

    def _places(self) -> Iterator[tuple[Shelf, str]]:
        shelves = self.shelves()
        for shelf in shelves:
            for name in self.texts.names(shelf.folder).files:
                if name.endswith(_ICS):
                    said = Shelf(shelf.folder, shelf.name if len(shelves) > 1 else "")
                    yield said, f"{shelf.folder}/{name}" if shelf.folder else name

    def _resource(self, place: str, shelf: Shelf) -> Resource | None:
        number = self.texts.number(place)
        known = self._known.get(place)
        if number is not None and known is not None and known[0] == number:
            return Resource(place, known[1], known[2], shelf.name)
        file = self.texts.read(place)
        if file is None:
            return None
        text = text_of(file)
        if number is not None:
            self._known[place] = (number, text, file.etag)
        return Resource(place, text, file.etag, shelf.name)


def text_of(file: File) -> str:
    """Return a file's content as it stands, bytes that are no text included, so that it can be written back."""
    return file.data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Return what a text stands in a file as."""
    return text.encode("utf-8", "surrogateescape")


def _matters(text: str, kind: str, first: str, last: str) -> bool:
    if kind == "VTODO":
        return "VTODO" in text.upper() and bool(parsed(text).parts("VTODO"))
    if not _REPEATS.search(text):
        dates = _DATES.findall(text)
        if dates and len(dates) == len(_NAMES.findall(text)) and (max(dates) < first or min(dates) > last):
            return False
    return may_touch(parsed(text), first, last)
