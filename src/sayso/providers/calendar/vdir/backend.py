"""Carry steps out on a folder of .ics files: each in one go, checked in the act, and settled by looking."""

from datetime import tzinfo
from functools import partial

import anyio.to_thread

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.plan import CannotTell, Facts, Left, NotDone, Ref, Settled
from sayso.core.ports import Ground
from sayso.core.provider import Capability
from sayso.providers.calendar.formatting import zone_named
from sayso.providers.calendar.ical.parse import Unreadable, parsed
from sayso.providers.calendar.ical.query import Held, Reads, Resource, holds_uid, uids_of
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
from sayso.providers.calendar.vdir.folder import Folder, bytes_of, text_of
from sayso.providers.disk.syscalls import beneath
from sayso.providers.disk.textfiles import InThreads, Texts, became_of, etag_of

PLACE = "calendars"
"""The folder in sayso's own, where none is named."""


def build(ground: Ground) -> "VdirBackend":
    """Return the backend over the folder that the settings name, or one of sayso's own."""
    return VdirBackend(ground)


class VdirBackend(InThreads[Steps]):
    """The calendar as files that other programs read too."""

    name = "vdir"

    def __init__(self, ground: Ground) -> None:
        named = str(ground.settings.get("path") or "")
        self._zone: tzinfo = zone_named(str(ground.settings.get("timezone") or ""))
        self._texts = Texts(named or f"{ground.own}/{PLACE}", beneath(), ground.kill)
        self._named = bool(named)
        self._folder = Folder(self._texts, str(ground.settings.get("default") or ""), own=not named)
        self.reads = Reads(_Source(self._folder), ground.clock, ground.ids, self._zone)

    def imagine(self, seen: Reads, step: Steps, ref: Ref) -> Reads:
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

    def _apply(self, step: Steps, expects: Facts) -> Left:
        expected = entry_fact(step.uid, expects)
        if isinstance(expected, EntryFree):
            self._must_be_free(step.uid)
            self._make_room(step.place)
            text = after(None, step, self._zone)
            file = self._texts.make(step.place, bytes_of(text or ""), token_of(step))
            return Left((EntryIs(step.uid, file.etag),))
        if isinstance(step, DeleteEntry):
            self._must_be_alone(step)
            self._texts.take_away(step.place, expected.etag, token_of(step))
            return Left((EntryFree(step.uid),))
        file = self._texts.read(step.place)
        if file is None or file.etag != expected.etag or not holds_uid(text_of(file), step.uid):
            raise ProviderError("the event is not as it was when this was planned; nothing was done", "world.changed")
        text = after(text_of(file), step, self._zone)
        now = self._texts.exchange(step.place, expected.etag, bytes_of(text or ""), token_of(step))
        return Left((EntryIs(step.uid, now.etag),))

    def _must_be_free(self, uid: str) -> None:
        if self._folder.resource(uid) is not None:
            raise ProviderError(f"the id “{uid}” is taken by now; nothing was done", "world.changed")

    def _must_be_alone(self, step: DeleteEntry) -> None:
        file = self._texts.read(step.place)
        try:
            others = [uid for uid in uids_of(parsed(text_of(file))) if uid != step.uid] if file else []
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

    def _settle(self, step: Steps, expects: Facts) -> Settled:
        expected = entry_fact(step.uid, expects)
        if not self._texts.is_there():
            return NotDone("there is no calendar yet") if isinstance(expected, EntryFree) else _gone()
        token = token_of(step)
        if isinstance(step, DeleteEntry) and isinstance(expected, EntryIs):
            return self._settled_away(step, expected)
        now, aside = self._texts.read(step.place), self._texts.aside(step.place, token)
        if isinstance(expected, EntryFree):
            made = bytes_of(after(None, step, self._zone) or "")
            if aside is not None:
                self._texts.discard(step.place, token)
            return self._settled_new(step, now.data if now else None, made)
        if aside is not None and now is not None and expected.etag not in {aside.etag, now.etag}:
            # Somebody else's file came out of the exchange: it gets its name back.
            if _bears(now.data, step):
                self._texts.change_back(step.place, token)
                return NotDone("the event had changed meanwhile, and stayed as it was")
            return CannotTell("the event is neither as it was nor as it was to be")
        if aside is not None:
            self._texts.discard(step.place, token)
        return self._settled_changed(step, expected, now.data if now else None, aside.data if aside else None)

    def _settled_new(self, step: Steps, now: bytes | None, made: bytes) -> Settled:
        if now == made:
            return Left((EntryIs(step.uid, etag_of(made)),))
        if now is None:
            return NotDone("it is not in the calendar")
        if holds_uid(now.decode("utf-8", "surrogateescape"), step.uid) and not isinstance(step, PutEntry):
            # The uid was made for this step alone; what somebody changed since is theirs, and no undo takes it away.
            return Left((EntryIs(step.uid, etag_of(made)),))
        return CannotTell("something else stands where it was to be")

    def _settled_away(self, step: DeleteEntry, expected: EntryIs) -> Settled:
        match became_of(self._texts, step.place, token_of(step), lambda aside: aside.etag == expected.etag):
            case "done":
                return Left((EntryFree(step.uid),))
            case "there":
                return NotDone("it is still there")
            case "gone":
                return _gone()
            case "changed":
                return NotDone("it had changed meanwhile, and stayed")
            case "taken":
                return CannotTell("another has taken its place")

    def _settled_changed(self, step: Steps, expected: EntryIs, now: bytes | None, was: bytes | None) -> Settled:
        if now is None:
            return _gone()
        if etag_of(now) == expected.etag:
            return NotDone("the event is as it was")
        if was is not None and etag_of(was) == expected.etag:
            made = bytes_of(after(text_of_bytes(was), step, self._zone) or "")
            return Left((EntryIs(step.uid, etag_of(made)),))
        if _bears(now, step):
            return Left((EntryIs(step.uid, etag_of(now)),))
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


def _gone() -> CannotTell:
    return CannotTell("the event is gone, and it cannot be seen who removed it")
