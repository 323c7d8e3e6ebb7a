"""The simulated notes backend, which keeps notes in memory."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json, canonical
from sayso.core.errors import ProviderError
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View, explain_odd_world
from sayso.core.plan import Fact, Facts
from sayso.core.ports import BackendContext, Ids, KillPoint, no_kill_point
from sayso.core.quotes import quoted
from sayso.providers.notes.model import FolderThere, NoteIs, Steps
from sayso.providers.notes.store import FoundNotes, Note, Notes


class NotesWorld(Struct, frozen=True):
    """The folders, and all notes by id."""

    folders: tuple[str, ...] = ("Notes",)
    notes: Mapping[str, Note] = field(default_factory=dict[str, Note])


def build(context: BackendContext) -> MemoryBackend[NotesWorld]:
    """Return a backend with the notes from the setting `world`."""
    return memory_backend(context.ids, parse_world(context.settings.get("world", {})), kill=context.kill)


def memory_backend(
    ids: Ids, world: NotesWorld, *, lasting: bool = False, kill: KillPoint = no_kill_point
) -> MemoryBackend[NotesWorld]:
    """Return a backend that starts with this state."""
    rules = MemoryRules(does=do_step, holds=must_hold, reads=lambda seen: MemoryNotes(seen, ids))
    return MemoryBackend(world, rules, note="kept in memory only", lasting=lasting, kill=kill)


class PlantedNotes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the setting `world`; a folder that contains one of the notes need not be listed."""

    folders: tuple[str, ...] = ("Notes",)
    notes: tuple[Note, ...] = ()


def parse_world(world: Json) -> NotesWorld:
    """Parse the notes from plain data. Raises `SetupError` if the data is invalid."""
    with explain_odd_world("[notes] world in the settings", "settings.invalid"):
        planted = msgspec.convert(world, PlantedNotes)
    folders = dict.fromkeys((*planted.folders, *(note.folder for note in planted.notes)))
    return NotesWorld(tuple(folders), {note.id: note for note in planted.notes})


def note_fact(note: Note) -> Fact:
    """Return the fact that the note has its present content."""
    whole = canonical([note.folder, note.title, note.body])
    return NoteIs(note.id, hashlib.sha256(whole).hexdigest())


@dataclass(frozen=True)
class MemoryNotes(Notes):
    """What operations can read of the simulation, as it is now or as it will be after earlier steps of a batch."""

    seen: View[NotesWorld]
    ids: Ids

    async def folders(self) -> tuple[str, ...]:
        return self.seen.look().folders

    async def all_notes(self) -> FoundNotes:
        return FoundNotes(tuple(self.seen.look().notes.values()))

    def fact(self, note: Note) -> Fact:
        return self.seen.fact(note_fact(note))

    def folder_fact(self, folder: str) -> Fact:
        return self.seen.fact(FolderThere(folder))

    async def place(self, folder: str, title: str) -> str:
        return ""

    def now(self) -> str:
        return ""

    def new_id(self) -> str:
        return self.ids.token()


def do_step(world: NotesWorld, step: Steps, expects: Facts) -> tuple[NotesWorld, Facts]:
    """Return the state after a step, and the facts that the step left."""
    changed = step.after(world.notes.get(step.id))
    if changed is None:
        return replace(world, notes={key: one for key, one in world.notes.items() if key != step.id}), ()
    return replace(world, notes={**world.notes, step.id: changed}), (note_fact(changed),)


def must_hold(world: NotesWorld, fact: Fact) -> bool:
    """Return True if the fact is true. Otherwise, raises `ProviderError`, which names the note or folder."""
    if not holds(world, fact):
        note = world.notes.get(fact.about)
        folder = f"the folder {quoted(fact.about)} is gone" if isinstance(fact, FolderThere) else "the note is gone"
        what = f"the note {quoted(note.title)} has changed since" if note else folder
        raise ProviderError(f"{what}; nothing was done", "world.changed")
    return True


def holds(world: NotesWorld, fact: Fact) -> bool:
    """Say whether a fact about notes is true in this state."""
    match fact:
        case NoteIs():
            return fact.about in world.notes and note_fact(world.notes[fact.about]) == fact
        case FolderThere():
            return fact.about in world.folders
        case _:
            return False
