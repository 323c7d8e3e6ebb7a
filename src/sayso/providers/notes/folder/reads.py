"""The reads over a folder of notes, as it is or as earlier steps of a batch would leave it."""

import difflib
from functools import partial

import anyio.to_thread

from sayso.core.plan import AsLeft, Fact, Ref
from sayso.core.ports import Clock, Ids
from sayso.core.replacing import replace
from sayso.core.values import dataclass
from sayso.providers.disk.textfiles import etag_of
from sayso.providers.notes.folder.vault import Kept, Vault, after, kept_as
from sayso.providers.notes.model import CreateNote, FolderThere, NoteIs, RemoveNote, Steps
from sayso.providers.notes.store import Found, Note, Notes


@dataclass(frozen=True)
class Reads(Notes):
    """What operations are given; `imagined` are the steps of a batch before this one, in their order."""

    vault: Vault
    clock: Clock
    ids: Ids
    imagined: tuple[tuple[Steps, Ref], ...] = ()

    def after(self, step: Steps, ref: Ref) -> "Reads":
        """Return the reads in which a step was done."""
        return replace(self, imagined=(*self.imagined, (step, ref)))

    async def folders(self) -> tuple[str, ...]:
        return await anyio.to_thread.run_sync(self.vault.folders)

    async def note(self, note_id: str) -> Note | None:
        notes, _ = await self._notes()
        same = [note for note in notes if note_id in {note.id, note.place}]
        # Whoever copies a file copies the id in it: then only the place says which is meant.
        placed = [note for note in same if note.place == note_id]
        return next(iter(placed or same), None) if len(placed or same) == 1 else None

    async def titled(self, title: str) -> tuple[Note, ...]:
        notes, _ = await self._notes()
        return tuple(note for note in notes if note.title.casefold() == title.casefold())

    async def near(self, title: str) -> tuple[str, ...]:
        notes, _ = await self._notes()
        known = {note.title.casefold(): note.title for note in notes}
        return tuple(known[one] for one in difflib.get_close_matches(title.casefold(), known, n=3, cutoff=0.5))

    async def find(self, text: str, limit: int) -> Found:
        notes, left_out = await self._notes()
        wanted = text.casefold()
        titled = [note for note in notes if wanted in note.title.casefold()]
        places = {note.place for note in titled}
        other = [note for note in notes if note.place not in places and wanted in note.body.casefold()]
        return Found((*titled, *other)[:limit], left_out)

    async def _notes(self) -> tuple[tuple[Note, ...], tuple[str, ...]]:
        return await anyio.to_thread.run_sync(self._looked)

    def _looked(self) -> tuple[tuple[Note, ...], tuple[str, ...]]:
        left_out: list[str] = []
        kept = {one.note.place: one for one in self.vault.notes(left_out)}
        for step, _ in self.imagined:
            before = kept.pop(step.place, None)
            data = after(before.data if before else None, step)
            if data is not None:
                kept[step.place] = self._imagined_as(step, before, data)
        # Two files with one id are told apart by where they stand.
        ids = [one.note.id for one in kept.values()]
        notes = (
            one.note if ids.count(one.note.id) == 1 else replace(one.note, id=one.note.place) for one in kept.values()
        )
        return tuple(notes), tuple(left_out)

    @staticmethod
    def _imagined_as(step: Steps, before: Kept | None, data: bytes) -> Kept:
        called = step.folder if isinstance(step, CreateNote) else before.note.folder if before else ""
        return kept_as(step.place, called, data, etag_of(data))

    def fact(self, note: Note) -> Fact:
        for step, ref in reversed(self.imagined):
            if step.id == note.id and not isinstance(step, RemoveNote):
                return AsLeft(note.id, NoteIs.fact, ref.change, ref.action)
        return NoteIs(note.id, note.etag)

    def folder_fact(self, folder: str) -> Fact:
        return FolderThere(folder)

    async def place(self, folder: str, title: str) -> str:
        taken = frozenset(step.place.casefold() for step, _ in self.imagined)
        return await anyio.to_thread.run_sync(partial(self.vault.free_place, folder, title, taken))

    def now(self) -> str:
        return self.clock.now().astimezone().isoformat(timespec="seconds")

    def new_id(self) -> str:
        return self.ids.token()
