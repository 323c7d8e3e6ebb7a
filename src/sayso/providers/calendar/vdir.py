"""Calendars in a folder of .ics files: finding the calendars, reading their entries, and the backend."""

import re
from collections.abc import Iterator
from datetime import tzinfo
from functools import partial

import anyio.to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.plan import Facts
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.core.quotes import quoted
from sayso.providers.calendar.event_texts import zone_named
from sayso.providers.calendar.ical.parse import Resource, Unreadable, parse_calendar
from sayso.providers.calendar.ical.query import IcalCalendar, Resources, holds_uid, may_touch, uids_of
from sayso.providers.calendar.ical.serialize import bears_mark, text_after
from sayso.providers.calendar.model import EntryFree, EntryIs, PutEntry, Steps, entry_fact, token_of
from sayso.providers.disk.entries import EntryFiles, text_of
from sayso.providers.disk.syscalls import beneath
from sayso.providers.disk.textfiles import Texts

FIRST = "personal"
"""The name of the calendar that is created if there is none."""
_USUAL = (FIRST, "default", "calendar", "private", "home")
_ICS = ".ics"
_REPEATS = re.compile("RRULE|RDATE|DURATION|VTIMEZONE", re.IGNORECASE)
_NAMES = re.compile("DTSTART|DTEND", re.IGNORECASE)
_DATES = re.compile(r"^DT(?:START|END)[^:\n]*:([0-9]{8})", re.MULTILINE)


class VdirCalendar(Struct, frozen=True):
    """One calendar: its folder (empty if it is the top folder itself), and its name."""

    folder: str
    name: str


class VdirReader:
    """Reads a folder of calendars; the content of each file is cached until the file changes."""

    def __init__(self, texts: Texts, chosen: str, *, own: bool) -> None:
        self.texts = texts
        self._chosen = chosen
        self._own = own
        self._known: dict[str, tuple[tuple[int, int, int, int], str, str]] = {}

    def must_be_there(self) -> bool:
        """Return whether the folder exists.

        Raises `ProviderError` if the settings name the folder and it is missing.
        """
        if self.texts.is_there():
            return True
        if self._own:
            return False
        raise ProviderError(
            f"the calendar's folder {quoted(self.texts.path)} is not there; make it, or set calendar.path",
            "calendar.no_folder",
        )

    def calendars(self) -> tuple[VdirCalendar, ...]:
        """Return the existing calendars, sorted by name."""
        if not self.must_be_there():
            return ()
        top = self.texts.names()
        below = [VdirCalendar(name, self._display_name(name) or name) for name in top.folders]
        if any(name.endswith(_ICS) for name in top.files) or {"displayname", "color"} & set(top.files):
            below.append(VdirCalendar("", self._display_name("") or self.texts.path.rpartition("/")[2]))
        return tuple(sorted(below, key=lambda one: one.name.casefold()))

    def _display_name(self, folder: str) -> str:
        try:
            file = self.texts.read(f"{folder}/displayname" if folder else "displayname")
        except SaysoError:
            return ""
        words = file.data[:400].decode("utf-8", "replace") if file else ""
        return " ".join(words.split())[:80]

    def name_of(self, place: str) -> str:
        """Return the name of the calendar that contains a path."""
        folder = place.rpartition("/")[0]
        return next((shelf.name for shelf in self.calendars() if shelf.folder == folder), folder)

    def new_place(self, uid: str, calendar: str) -> str:
        """Return the path of the file for a new entry. Raises `ProviderError` if no calendar has this name."""
        shelf = self._find_calendar(calendar or self._chosen, self.calendars())
        name = f"{uid}{_ICS}"
        return f"{shelf.folder}/{name}" if shelf.folder else name

    def _find_calendar(self, wanted: str, calendars: tuple[VdirCalendar, ...]) -> VdirCalendar:
        if wanted:
            same = [one for one in calendars if wanted.casefold() in {one.name.casefold(), one.folder.casefold()}]
            if len(same) == 1:
                return same[0]
            known = ", ".join(quoted(shelf.name) for shelf in calendars) or "none"
            raise ProviderError(f"There is no calendar {quoted(wanted)}. Calendars: {known}.", "calendar.unknown")
        if not calendars:
            return VdirCalendar(FIRST, FIRST)
        usual = (shelf for name in _USUAL for shelf in calendars if shelf.folder.casefold() == name)
        return next(usual, calendars[0])

    def resources(self, kind: str, first: str, last: str) -> Resources:
        """Return the files with events that may take place between two days, or the files with reminders."""
        found: list[Resource] = []
        left_out: list[str] = []
        for shelf, place in self._places():
            try:
                resource = self._resource(place, shelf)
                if resource is not None and _matters(resource.text, kind, first, last):
                    found.append(resource)
            except (SaysoError, Unreadable) as error:
                left_out.append(f"{quoted(place)} was left out: {error}")
        return Resources(tuple(found), tuple(left_out))

    def resource(self, uid: str) -> Resource | None:
        """Return the file that contains a uid, or None. Raises `ProviderError` if several files contain it."""
        found = [one for one in self._all() if holds_uid(one.text, uid)]
        if len(found) > 1:
            where = " and ".join(quoted(one.place) for one in found[:3])
            raise ProviderError(
                f"the id {quoted(uid)} stands in {where}: it is not clear which is meant", "calendar.twice"
            )
        return next(iter(found), None)

    def _all(self) -> Iterator[Resource]:
        for shelf, place in self._places():
            try:
                resource = self._resource(place, shelf)
            except SaysoError:
                continue
            if resource is not None:
                yield resource

    def _places(self) -> Iterator[tuple[VdirCalendar, str]]:
        calendars = self.calendars()
        for shelf in calendars:
            for name in self.texts.names(shelf.folder).files:
                if name.endswith(_ICS):
                    said = VdirCalendar(shelf.folder, shelf.name if len(calendars) > 1 else "")
                    yield said, f"{shelf.folder}/{name}" if shelf.folder else name

    def _resource(self, place: str, shelf: VdirCalendar) -> Resource | None:
        number = self.texts.number(place)
        known = self._known.get(place)
        if number is not None and known is not None and known[0] == number:
            return Resource(place, known[1], known[2], shelf.name)
        file = self.texts.read(place)
        if file is None:
            return None
        text = text_of(file.data)
        if number is not None:
            self._known[place] = (number, text, file.etag)
        return Resource(place, text, file.etag, shelf.name)


def _matters(text: str, kind: str, first: str, last: str) -> bool:
    if kind == "VTODO":
        return "VTODO" in text.upper() and bool(parse_calendar(text).parts("VTODO"))
    if not _REPEATS.search(text):
        dates = _DATES.findall(text)
        if dates and len(dates) == len(_NAMES.findall(text)) and (max(dates) < first or min(dates) > last):
            return False
    return may_touch(parse_calendar(text), first, last)


PLACE = "calendars"
"""The folder inside sayso's own folder that is used if the settings name no folder."""


def build(context: BackendContext) -> "VdirBackend":
    """Return the backend for the folder that the settings name, or else for a folder inside sayso's own folder."""
    return VdirBackend(context)


class VdirBackend(EntryFiles[Steps]):
    """The calendars as .ics files, which other programs may read and write too."""

    name = "vdir"
    entry = "event"

    def __init__(self, context: BackendContext) -> None:
        named = str(context.settings.get("path") or "")
        self._zone: tzinfo = zone_named(str(context.settings.get("timezone") or ""))
        self.texts = Texts(named or f"{context.own}/{PLACE}", beneath(), context.kill)
        self._named = bool(named)
        self._reader = VdirReader(self.texts, str(context.settings.get("default") or ""), own=not named)
        self.reads = IcalCalendar(
            _VdirSource(self._reader), context.clock, context.ids, self._zone, hosted=context.hosted
        )

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return the path of the calendars' folder, and whether the settings name it."""
        why = "as calendar.path says" if self._named else "the default, as calendar.path names no other folder"
        try:
            calendars = await anyio.to_thread.run_sync(self._reader.calendars)
        except SaysoError as error:
            return (Capability("calendars", "", str(error), f"mkdir -p '{self.texts.path}'", asked=self._named),)
        names = ", ".join(quoted(one.name) for one in calendars) or "none yet; the first event makes “personal”"
        return (Capability("calendars", self.texts.path, f"{why}; calendars: {names}"),)

    def token(self, step: Steps) -> str:
        """Return the uid of a new event, or the uid and mark of a change."""
        return token_of(step)

    def after(self, step: Steps, text: str | None) -> str | None:
        """Return the text of an event's file after a step."""
        return text_after(text, step, self._zone)

    def expected_etag(self, step: Steps, expects: Facts) -> str | None:
        """Return the hash that an event's file should have; None if the event is new."""
        fact = entry_fact(step.uid, expects)
        return fact.etag if isinstance(fact, EntryIs) else None

    def facts(self, step: Steps, etag: str | None) -> Facts:
        """Return the fact that the event has this ETag; if `etag` is None, the fact that no entry has its uid."""
        return (EntryFree(step.uid) if etag is None else EntryIs(step.uid, etag),)

    def check(self, step: Steps, expects: Facts, text: str | None) -> None:
        """Check that a new uid is unused, or that a file to be removed has no other events; create missing folders.

        Raises `ProviderError`.
        """
        if text is None:
            if self._reader.resource(step.uid) is not None:
                raise ProviderError(f"the id {quoted(step.uid)} is taken by now; nothing was done", "world.changed")
            self._make_folders(step.place)
        elif step.removes:
            self._check_alone(step, text)
        elif not holds_uid(text, step.uid):
            raise ProviderError("the event is not as it was when this was planned; nothing was done", "world.changed")

    def is_result(self, step: Steps, text: str, expected: str) -> bool:
        """Return whether a step wrote this text: it has the step's mark, or is exactly what the step writes."""
        return text == step.raw if isinstance(step, PutEntry) else bears_mark(step, text)

    def is_new(self, step: Steps, text: str) -> bool:
        """Return whether a text contains the uid that was made for this step alone; if so, the step was done."""
        return not isinstance(step, PutEntry) and holds_uid(text, step.uid)

    def _check_alone(self, step: Steps, text: str) -> None:
        try:
            others = [uid for uid in uids_of(parse_calendar(text)) if uid != step.uid]
        except Unreadable as error:
            raise ProviderError(f"{quoted(step.place)} cannot be read: {error}", "calendar.unreadable") from error
        if others:
            says = f"{quoted(step.place)} holds {len(others)} more events beside this one and was left as it is"
            raise ProviderError(says, "calendar.several")

    def _make_folders(self, place: str) -> None:
        self._reader.must_be_there()
        folder = place.rpartition("/")[0]
        if not self.texts.is_there() or (folder and folder not in self.texts.names().folders):
            self.texts.make_folder(folder)


class _VdirSource:
    """Reads a folder of calendars in worker threads, so the event loop is not blocked."""

    def __init__(self, reader: VdirReader) -> None:
        self._reader = reader

    async def resources(self, kind: str, first: str, last: str) -> Resources:
        """Return the files with events that may take place between two days, or the files with reminders."""
        return await anyio.to_thread.run_sync(partial(self._reader.resources, kind, first, last))

    async def resource(self, uid: str) -> Resource | None:
        """Return the file that contains a uid, or None."""
        return await anyio.to_thread.run_sync(partial(self._reader.resource, uid))

    async def new_place(self, uid: str, calendar: str, kind: str) -> str:
        """Return the path of the file for a new entry."""
        return await anyio.to_thread.run_sync(partial(self._reader.new_place, uid, calendar))

    async def calendars(self) -> tuple[VdirCalendar, ...]:
        """Return the calendars of the folder."""
        return await anyio.to_thread.run_sync(self._reader.calendars)

    def calendar_of(self, place: str) -> str:
        return self._reader.name_of(place)
