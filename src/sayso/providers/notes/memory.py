"""Notes kept in memory, in folders that were planted."""

import difflib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json, canonical
from sayso.core.errors import ProviderError, SetupError
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Ids, KillPoint, no_kill_point
from sayso.providers.notes.model import AppendNote, CreateNote, CutNote, FolderThere, NoteIs, RemoveNote, Steps
from sayso.providers.notes.store import Found, Note, Notes


class World(Struct, frozen=True):
    """The folders, and all notes by id."""

    folders: tuple[str, ...] = ("Notes",)
    notes: Mapping[str, Note] = field(default_factory=dict[str, Note])

    def given(self, note: Note) -> tuple["World", Facts]:
        """Return the world with this note, and the fact that it is there."""
        return replace(self, notes={**self.notes, note.id: note}), (exactly(note),)


def build(ground: BackendContext) -> MemoryBackend[World]:
    """Build it with what the settings may plant under `world`."""
    return memory_backend(ground.ids, parse_world(ground.settings.get("world", {})), kill=ground.kill)


def memory_backend(
    ids: Ids, world: World, *, lasting: bool = False, kill: KillPoint = no_kill_point
) -> MemoryBackend[World]:
    """Return a backend over these notes."""
    laws = MemoryRules(does=does, holds=must_hold, reads=lambda seen: Reads(seen, ids))
    return MemoryBackend(world, laws, note="kept in memory only", lasting=lasting, kill=kill)


class Planted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Notes as the settings write them, under `world`; a note's folder need not be listed."""

    folders: tuple[str, ...] = ("Notes",)
    notes: tuple[Note, ...] = ()


def parse_world(world: Json) -> World:
    """Read notes from plain data. Raises `SetupError` for what is no folder or note."""
    try:
        given = msgspec.convert(world, Planted)
    except msgspec.ValidationError as wrong:
        raise SetupError(f"[notes] world in the settings: {wrong}", "settings.invalid") from wrong
    named = dict.fromkeys((*given.folders, *(note.folder for note in given.notes)))
    return World(tuple(named), {note.id: note for note in given.notes})


def exactly(note: Note) -> Fact:
    """Return the fact that the note is as it is now."""
    whole = canonical([note.folder, note.title, note.body])
    return NoteIs(note.id, hashlib.sha256(whole).hexdigest())


@dataclass(frozen=True)
class Reads(Notes):
    """The reads over notes, as they are or as earlier steps of a batch would leave them."""

    seen: View[World]
    ids: Ids

    async def folders(self) -> tuple[str, ...]:
        return self.seen.look().folders

    async def note(self, note_id: str) -> Note | None:
        return self.seen.look().notes.get(note_id)

    async def find_by_title(self, title: str) -> tuple[Note, ...]:
        notes = self.seen.look().notes.values()
        return tuple(note for note in notes if note.title.casefold() == title.casefold())

    async def near(self, title: str) -> tuple[str, ...]:
        known = {note.title.casefold(): note.title for note in self.seen.look().notes.values()}
        return tuple(known[one] for one in difflib.get_close_matches(title.casefold(), known, n=3, cutoff=0.5))

    async def find(self, text: str, limit: int) -> Found:
        wanted = text.casefold()
        notes = tuple(self.seen.look().notes.values())
        titled = [note for note in notes if wanted in note.title.casefold()]
        other = [note for note in notes if note not in titled and wanted in note.body.casefold()]
        return Found((*titled, *other)[:limit])

    def fact(self, note: Note) -> Fact:
        return self.seen.fact(exactly(note))

    def folder_fact(self, folder: str) -> Fact:
        return self.seen.fact(FolderThere(folder))

    async def place(self, folder: str, title: str) -> str:
        return ""

    def now(self) -> str:
        return ""

    def new_id(self) -> str:
        return self.ids.token()


def does(world: World, step: Steps, expects: Facts) -> tuple[World, Facts]:
    """Return the world after a step, and what it left."""
    match step:
        case CreateNote(new, folder, title, body):
            if new in world.notes:
                raise ProviderError("a note with this id is there already; nothing was done", "world.changed")
            return world.given(Note(new, title, body, folder))
        case RemoveNote(gone):
            return replace(world, notes={key: note for key, note in world.notes.items() if key != gone}), ()
        case AppendNote(target, text):
            note = _there(world, target)
            return world.given(replace(note, body=note.body + text))
        case CutNote(target, text):
            note = _there(world, target)
            return world.given(replace(note, body=note.body.removesuffix(text)))


def must_hold(world: World, fact: Fact) -> bool:
    """Say that a fact is so. Raises `ProviderError` that names the note or folder when it is not."""
    if not holds(world, fact):
        note = world.notes.get(fact.about)
        folder = f"the folder “{fact.about}” is gone" if isinstance(fact, FolderThere) else "the note is gone"
        what = f"the note “{note.title}” has changed since" if note else folder
        raise ProviderError(f"{what}; nothing was done", "world.changed")
    return True


def holds(world: World, fact: Fact) -> bool:
    """Say whether a fact about notes is so in this world."""
    match fact:
        case NoteIs():
            return fact.about in world.notes and exactly(world.notes[fact.about]) == fact
        case FolderThere():
            return fact.about in world.folders
        case _:
            return False


def _there(world: World, target: str) -> Note:
    if target not in world.notes:
        raise ProviderError("the note is gone; nothing was done", "world.changed")
    return world.notes[target]
