"""Calendars in a folder of .ics files: which there are, what is in each, and the backend."""

import re
from collections.abc import Iterator
from datetime import tzinfo
from functools import partial

import anyio.to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.plan import Applied, CannotTell, ChangeRef, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.calendar.formatting import zone_named
from sayso.providers.calendar.ical.parse import Unreadable, parse_calendar
from sayso.providers.calendar.ical.query import Held, Reads, Resource, holds_uid, may_touch, uids_of
from sayso.providers.calendar.ical.serialize import MARK, after
from sayso.providers.calendar.model import (
    CreateEvent,
    CreateReminder,
    DeleteEntry,
    DeleteOccurrence,
    EntryFree,
    EntryIs,
    PutEntry,
    Steps,
    UpdateEvent,
    entry_fact,
)
from sayso.providers.disk.syscalls import beneath
from sayso.providers.disk.textfiles import InThreads, TextFile, Texts, became_of, etag_of

FIRST = "personal"
"""The calendar that is made where there is none."""
_USUAL = (FIRST, "default", "calendar", "private", "home")
_ICS = ".ics"
_REPEATS = re.compile("RRULE|RDATE|DURATION|VTIMEZONE", re.IGNORECASE)
_NAMES = re.compile("DTSTART|DTEND", re.IGNORECASE)
_DATES = re.compile(r"^DT(?:START|END)[^:\n]*:([0-9]{8})", re.MULTILINE)


class Shelf(Struct, frozen=True):
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
        below = [Shelf(name, self._display_name(name) or name) for name in top.folders]
        if any(name.endswith(_ICS) for name in top.files) or {"displayname", "color"} & set(top.files):
            below.append(Shelf("", self._display_name("") or self.texts.path.rpartition("/")[2]))
        return tuple(sorted(below, key=lambda shelf: shelf.name.casefold()))

    def _display_name(self, folder: str) -> str:
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
        shelf = self._find_shelf(calendar or self._chosen, self.shelves())
        name = f"{uid}{_ICS}"
        return f"{shelf.folder}/{name}" if shelf.folder else name

    def _find_shelf(self, wanted: str, shelves: tuple[Shelf, ...]) -> Shelf:
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


def text_of(file: TextFile) -> str:
    """Return a file's content as it stands, bytes that are no text included, so that it can be written back."""
    return file.data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Return what a text stands in a file as."""
    return text.encode("utf-8", "surrogateescape")


def _matters(text: str, kind: str, first: str, last: str) -> bool:
    if kind == "VTODO":
        return "VTODO" in text.upper() and bool(parse_calendar(text).parts("VTODO"))
    if not _REPEATS.search(text):
        dates = _DATES.findall(text)
        if dates and len(dates) == len(_NAMES.findall(text)) and (max(dates) < first or min(dates) > last):
            return False
    return may_touch(parse_calendar(text), first, last)


PLACE = "calendars"
"""The folder in sayso's own, where none is named."""


def build(ground: BackendContext) -> "VdirBackend":
    """Return the backend over the folder that the settings name, or one of sayso's own."""
    return VdirBackend(ground)


class VdirBackend(InThreads[Steps]):
    """The calendar as files that other programs read too."""

    name = "vdir"

    def __init__(self, ground: BackendContext) -> None:
        named = str(ground.settings.get("path") or "")
        self._zone: tzinfo = zone_named(str(ground.settings.get("timezone") or ""))
        self._texts = Texts(named or f"{ground.own}/{PLACE}", beneath(), ground.kill)
        self._named = bool(named)
        self._folder = Folder(self._texts, str(ground.settings.get("default") or ""), own=not named)
        self.reads = Reads(_Source(self._folder), ground.clock, ground.ids, self._zone)

    def imagine(self, seen: Reads, step: Steps, ref: ChangeRef) -> Reads:
        """Return reads in which `step` has been done."""
        return seen.after(step, ref)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Say where the calendar is, and why there."""
        why = "as calendar.path says" if self._named else "calendar.path names no other folder"
        try:
            shelves = await anyio.to_thread.run_sync(self._folder.shelves)
        except SaysoError as wrong:
            return (Capability("calendars", "", str(wrong), f"mkdir -p '{self._texts.path}'", asked=self._named),)
        names = ", ".join(f"“{shelf.name}”" for shelf in shelves) or "none yet; the first event makes “personal”"
        return (Capability("calendars", self._texts.path, f"{why}; calendars: {names}"),)

    def _apply(self, step: Steps, expects: Facts) -> Applied:
        expected = entry_fact(step.uid, expects)
        if isinstance(expected, EntryFree):
            self._must_be_free(step.uid)
            self._make_room(step.place)
            text = after(None, step, self._zone)
            file = self._texts.make(step.place, bytes_of(text or ""), token_of(step))
            return Applied((EntryIs(step.uid, file.etag),))
        if isinstance(step, DeleteEntry):
            self._must_be_alone(step)
            self._texts.take_away(step.place, expected.etag, token_of(step))
            return Applied((EntryFree(step.uid),))
        file = self._texts.read(step.place)
        if file is None or file.etag != expected.etag or not holds_uid(text_of(file), step.uid):
            raise ProviderError("the event is not as it was when this was planned; nothing was done", "world.changed")
        text = after(text_of(file), step, self._zone)
        now = self._texts.exchange(step.place, expected.etag, bytes_of(text or ""), token_of(step))
        return Applied((EntryIs(step.uid, now.etag),))

    def _must_be_free(self, uid: str) -> None:
        if self._folder.resource(uid) is not None:
            raise ProviderError(f"the id “{uid}” is taken by now; nothing was done", "world.changed")

    def _must_be_alone(self, step: DeleteEntry) -> None:
        file = self._texts.read(step.place)
        try:
            others = [uid for uid in uids_of(parse_calendar(text_of(file))) if uid != step.uid] if file else []
        except Unreadable as odd:
            raise ProviderError(f"“{step.place}” cannot be read: {odd}", "calendar.unreadable") from odd
        if others:
            says = f"“{step.place}” holds {len(others)} more events beside this one and was left as it is"
            raise ProviderError(says, "calendar.several")

    def _make_room(self, place: str) -> None:
        self._folder.must_be_there()
        folder = place.rpartition("/")[0]
        if not self._texts.is_there() or (folder and folder not in self._texts.names().folders):
            self._texts.make_folder(folder)

    def _settle(self, step: Steps, expects: Facts) -> Settlement:
        expected = entry_fact(step.uid, expects)
        if not self._texts.is_there():
            return NotDone("there is no calendar yet") if isinstance(expected, EntryFree) else _cannot_tell()
        token = token_of(step)
        if isinstance(step, DeleteEntry) and isinstance(expected, EntryIs):
            return self._settle_deleted(step, expected)
        now, aside = self._texts.read(step.place), self._texts.aside(step.place, token)
        if isinstance(expected, EntryFree):
            made = bytes_of(after(None, step, self._zone) or "")
            if aside is not None:
                self._texts.discard(step.place, token)
            return self._settle_new(step, now.data if now else None, made)
        if aside is not None and now is not None and expected.etag not in {aside.etag, now.etag}:
            # Somebody else's file came out of the exchange: it gets its name back.
            if _bears(now.data, step):
                self._texts.change_back(step.place, token)
                return NotDone("the event had changed meanwhile, and stayed as it was")
            return CannotTell("the event is neither as it was nor as it was to be")
        if aside is not None:
            self._texts.discard(step.place, token)
        return self._settle_changed(step, expected, now.data if now else None, aside.data if aside else None)

    def _settle_new(self, step: Steps, now: bytes | None, made: bytes) -> Settlement:
        if now == made:
            return Applied((EntryIs(step.uid, etag_of(made)),))
        if now is None:
            return NotDone("it is not in the calendar")
        if holds_uid(now.decode("utf-8", "surrogateescape"), step.uid) and not isinstance(step, PutEntry):
            # The uid was made for this step alone; what somebody changed since is theirs, and no undo takes it away.
            return Applied((EntryIs(step.uid, etag_of(made)),))
        return CannotTell("something else stands where it was to be")

    def _settle_deleted(self, step: DeleteEntry, expected: EntryIs) -> Settlement:
        match became_of(self._texts, step.place, token_of(step), lambda aside: aside.etag == expected.etag):
            case "done":
                return Applied((EntryFree(step.uid),))
            case "there":
                return NotDone("it is still there")
            case "gone":
                return _cannot_tell()
            case "changed":
                return NotDone("it had changed meanwhile, and stayed")
            case "taken":
                return CannotTell("another has taken its place")

    def _settle_changed(self, step: Steps, expected: EntryIs, now: bytes | None, was: bytes | None) -> Settlement:
        if now is None:
            return _cannot_tell()
        if etag_of(now) == expected.etag:
            return NotDone("the event is as it was")
        if was is not None and etag_of(was) == expected.etag:
            made = bytes_of(after(text_of_bytes(was), step, self._zone) or "")
            return Applied((EntryIs(step.uid, etag_of(made)),))
        if _bears(now, step):
            return Applied((EntryIs(step.uid, etag_of(now)),))
        return CannotTell("the event was changed by somebody, and it cannot be seen by whom")


class _Source:
    """The folder, looked at from a thread."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    async def held(self, kind: str, first: str, last: str) -> Held:
        """Return what may take place between two days, and all reminders."""
        return await anyio.to_thread.run_sync(partial(self._folder.held, kind, first, last))

    async def resource(self, uid: str) -> Resource | None:
        """Return the file that has a uid."""
        return await anyio.to_thread.run_sync(partial(self._folder.resource, uid))

    async def new_place(self, uid: str, calendar: str, kind: str) -> str:
        """Return the file for something new."""
        return await anyio.to_thread.run_sync(partial(self._folder.new_place, uid, calendar))

    def calendar_of(self, place: str) -> str:
        """Return what the calendar that a place is in is called."""
        return self._folder.name_of(place)


def token_of(step: Steps) -> str:
    """Return what no other step has: the uid it makes, or the mark that was made for it."""
    return step.uid if isinstance(step, (CreateEvent, CreateReminder)) else f"{step.uid} {step.mark}"


def _bears(data: bytes, step: Steps) -> bool:
    """Say whether a text is what a step wrote: by its mark, or because it was to be written whole."""
    if isinstance(step, PutEntry):
        return data == bytes_of(step.raw)
    return isinstance(step, (UpdateEvent, DeleteOccurrence)) and f"{MARK}:{step.mark}".encode() in data


def text_of_bytes(data: bytes) -> str:
    """Return what stood in a file, as it stands."""
    return data.decode("utf-8", "surrogateescape")


def _cannot_tell() -> CannotTell:
    return CannotTell("the event is gone, and it cannot be seen who removed it")
