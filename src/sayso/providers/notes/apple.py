"""The notes backend for the application Notes of macOS, and what operations can read of it."""

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.encoding import Json, canonical
from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, ResultRef, Settlement, unchecked
from sayso.core.ports import BackendContext, Ids
from sayso.core.provider import Capability
from sayso.core.quotes import quoted
from sayso.providers.disk.own_ids import OwnIds
from sayso.providers.macos.engine import ScriptEngine, build_engine
from sayso.providers.notes.apple_html import rewrite, split_text, write_note
from sayso.providers.notes.model import CreateNote, FolderThere, NoteIs, RemoveNote, Steps
from sayso.providers.notes.store import FoundNotes, Note, Notes

APP = "Notes"
STANDARD = "Notes"
"""The name by which the default folder is known, unless another folder has it."""
TRASH = frozenset({
    "Recently Deleted", "Zuletzt gelöscht", "Suppressions récentes", "Supprimées récemment", "Eliminado", "Eliminados",
    "Eliminadas recientemente", "Eliminati di recente", "Eliminate di recente", "Recent verwijderd", "最近削除した項目",
    "最近删除", "Apagados", "Apagadas recentemente", "Недавно удаленные", "Ostatnio usunięte", "Senast raderade",
})  # fmt: skip
"""The folder with removed notes, whose name macOS translates."""


class Columns(Struct, frozen=True):
    """The notes of one folder, by column."""

    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    texts: tuple[str | None, ...] = ()
    locked: tuple[bool, ...] = ()


class AppleFolder(Struct, frozen=True):
    """A folder of an account; `parent` is the id of the folder that it is in."""

    id: str
    name: str
    parent: str | None = None
    notes: Columns = field(default_factory=Columns)


class AppleAccount(Struct, frozen=True):
    """An account of Notes; `folder` is the id of its default folder, and `standard` says if it is the default one."""

    id: str
    name: str
    standard: bool
    folder: str
    folders: tuple[AppleFolder, ...] = ()


class NoteSeen(Struct, frozen=True):
    """One note as it is now."""

    id: str
    name: str
    text: str
    html: str
    folder: str


class NoteReply(Struct, frozen=True):
    """What the script for one note returns."""

    note: NoteSeen | None = None
    files: int = 0
    refused: Literal["", "gone", "locked", "changed", "no folder"] = ""


class Library(Struct, frozen=True):
    """All folders by the name that a person uses for them, and all notes."""

    folders: Mapping[str, str]
    """The id of each folder, by its name."""
    notes: FoundNotes

    def name_of(self, folder: str) -> str:
        """Return the name of the folder with this id; empty if it is not there."""
        return next((name for name, id_ in self.folders.items() if id_ == folder), "")


class NotesApp:
    """Reads and changes the notes of the application Notes."""

    def __init__(self, engine: ScriptEngine) -> None:
        self._engine = engine

    async def library(self) -> Library:
        """Return all folders and notes, without those that were removed."""
        read = await self._engine.run_script("notes_read", {}, app=APP)
        return read_library(msgspec.convert(read, tuple[AppleAccount, ...]))

    async def look(self, note: str) -> NoteReply:
        """Return one note."""
        return await self._run({"act": "look", "id": note}, changes=False)

    async def make(self, folder: str, html: str) -> NoteReply:
        """Make a note."""
        return await self._run({"act": "make", "folder": folder, "html": html})

    async def write(self, note: NoteSeen, html: str) -> NoteReply:
        """Replace the HTML of a note that is still as it was seen."""
        seen = {"id": note.id, "was": note.html, "folder": note.folder}
        return await self._run({"act": "write", **seen, "html": html})

    async def put_away(self, note: NoteSeen) -> NoteReply:
        """Move a note that is still as it was seen to the folder with removed notes."""
        return await self._run({"act": "remove", "id": note.id, "was": note.html, "folder": note.folder})

    async def _run(self, data: dict[str, Json], *, changes: bool = True) -> NoteReply:
        reply = await self._engine.run_script("notes_change", data, app=APP, changes=changes)
        return msgspec.convert(reply, NoteReply)


def read_library(accounts: tuple[AppleAccount, ...]) -> Library:
    """Return the folders and notes of all accounts; folders of the default account go by their names alone."""
    folders: dict[str, str] = {}
    notes: list[Note] = []
    left_out: list[str] = []
    for account in sorted(accounts, key=lambda one: not one.standard):
        names = _folder_names(account)
        for folder in account.folders:
            if folder.id not in names:
                continue
            name = names[folder.id]
            folders.setdefault(name, folder.id)
            for at, note in enumerate(folder.notes.ids):
                text = folder.notes.texts[at]
                if text is None or folder.notes.locked[at]:
                    left_out.append(f"{quoted(folder.notes.names[at])} was left out: it is locked")
                else:
                    title, body = split_text(folder.notes.names[at], text)
                    notes.append(Note(note, title, body, name))
    return Library(folders, FoundNotes(tuple(notes), tuple(left_out)))


def _folder_names(account: AppleAccount) -> dict[str, str]:
    """Return the name of each folder by its id: the path from the account down, without the folder of removed notes."""
    by_id = {folder.id: folder for folder in account.folders}
    names: dict[str, str] = {}
    for folder in account.folders:
        path, seen = [folder.name], {folder.id}
        above = by_id.get(folder.parent or "")
        while above is not None and above.id not in seen:
            path.insert(0, above.name)
            seen.add(above.id)
            above = by_id.get(above.parent or "")
        if path[0] not in TRASH:
            names[folder.id] = "/".join(path if account.standard else [account.name, *path])
    if account.standard and account.folder in names and STANDARD not in names.values():
        names[account.folder] = STANDARD
    return names


def note_fact(id_: str, seen: NoteSeen) -> NoteIs:
    """Return the fact that a note has its present folder, title and text."""
    return NoteIs(id_, _hash_note(seen.folder, *split_text(seen.name, seen.text)))


def _hash_note(folder: str, title: str, body: str) -> str:
    return hashlib.sha256(canonical([folder, title, body])).hexdigest()


@dataclass(frozen=True)
class AppleNotes(Notes):
    """What operations can read of Notes; `imagined` are the earlier steps of the batch, in order."""

    app: NotesApp
    own: OwnIds
    ids: Ids
    imagined: tuple[tuple[Steps, ChangeRef], ...] = ()
    folder_ids: dict[str, str] = dataclasses.field(default_factory=dict[str, str])
    """The id of each folder that was read, by its name."""

    def after(self, step: Steps, ref: ChangeRef) -> "AppleNotes":
        """Return what operations can read after this step."""
        return dataclasses.replace(self, imagined=(*self.imagined, (step, ref)))

    async def folders(self) -> tuple[str, ...]:
        return tuple((await self._read()).folders)

    async def all_notes(self) -> FoundNotes:
        found = (await self._read()).notes
        notes = {note.id: note for note in found.notes}
        for step, _ in self.imagined:
            after = step.after(notes.pop(step.id, None))
            if after is not None:
                notes[step.id] = after
        return FoundNotes(tuple(notes.values()), found.left_out)

    async def note(self, note_id: str) -> Note | None:
        """Return the note with this id, or that a step of sayso's made with this id."""
        wanted = (await self.own.tokens((note_id,))).get(note_id, note_id)
        return next((note for note in (await self.all_notes()).notes if note.id == wanted), None)

    async def _read(self) -> Library:
        library = await self.app.library()
        self.folder_ids.update(library.folders)
        tokens = await self.own.tokens([note.id for note in library.notes.notes])
        named = (replace(note, id=tokens.get(note.id, note.id)) for note in library.notes.notes)
        return Library(library.folders, FoundNotes(tuple(named), library.notes.left_out))

    def fact(self, note: Note) -> Fact:
        for step, ref in reversed(self.imagined):
            if step.id == note.id and not step.removes:
                return ResultRef(note.id, NoteIs.fact, ref.change, ref.action)
        return NoteIs(note.id, _hash_note(self.folder_ids.get(note.folder, ""), note.title, note.body))

    def folder_fact(self, folder: str) -> Fact:
        return FolderThere(folder)

    async def place(self, folder: str, title: str) -> str:
        return ""

    def now(self) -> str:
        return ""

    def new_id(self) -> str:
        return self.ids.token()


def build(context: BackendContext) -> "AppleNotesBackend":
    """Return the backend for the application Notes."""
    return AppleNotesBackend(context)


class AppleNotesBackend:
    """Keeps notes in the application Notes, which macOS keeps in step with the person's other devices."""

    name = "apple"
    imagines = True
    note = ""

    def __init__(self, context: BackendContext) -> None:
        self._app = NotesApp(build_engine(context))
        self._own = OwnIds(str(Path(context.own) / "macos" / "notes"))
        self._kill = context.kill
        self._altered: dict[Steps, str] = {}
        self.reads = AppleNotes(self._app, self._own, context.ids)

    def imagine(self, seen: AppleNotes, step: Steps, ref: ChangeRef) -> AppleNotes:
        """Return what operations can read after `step`."""
        return seen.after(step, ref)

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        self._kill(f"{step.step}.before")
        try:
            left = await (self._create(step) if isinstance(step, CreateNote) else self._change(step, expects))
        except SetupError as missing:
            # A missing permission is noticed only when Notes is asked, and then nothing was changed.
            raise ProviderError(str(missing), missing.code) from missing
        self._kill(f"{step.step}.after")
        return left

    async def check(self, expects: Facts) -> None:
        """Raise `ProviderError` if a note or folder is no longer as these facts say."""
        await self._refuse_changed(expects)

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        if isinstance(step, CreateNote):
            return await self._settle_created(step)
        expected = next((fact.sha256 for fact in expects if isinstance(fact, NoteIs)), "")
        seen = await self._look(step.id)
        if isinstance(step, RemoveNote):
            return await self._settle_removed(seen, expected)
        if seen is None:
            return CannotTell("the note is gone, and it cannot be seen who removed it")
        title, body = split_text(seen.name, seen.text)
        if _hash_note(seen.folder, title, body) == expected:
            return NotDone("the note is as it was")
        before = step.before(body)
        if before is not None and _hash_note(seen.folder, title, before) == expected:
            return Applied((note_fact(step.id, seen),))
        return CannotTell("the note was changed by somebody, and it cannot be seen by whom")

    def tells(self, step: Steps, left: Applied) -> str:
        """Return what Notes changed in the text that it was given; empty if nothing."""
        return self._altered.pop(step, "")

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return whether sayso may control Notes, and the folders there."""
        try:
            folders = (await self._app.library()).folders
        except SaysoError as error:
            return (Capability("notes of macOS", "", str(error), "allow it, then run sayso doctor again", asked=True),)
        names = ", ".join(quoted(folder) for folder in list(folders)[:8])
        return (Capability("notes of macOS", APP, f"folders: {names}"),)

    async def _create(self, step: CreateNote) -> Applied:
        folder = (await self._app.library()).folders.get(step.folder)
        if folder is None:
            raise ProviderError(f"the folder {quoted(step.folder)} is gone; nothing was done", "world.changed")
        reply = await self._app.make(folder, write_note(step.title, step.body))
        made = _require_seen(reply)
        self._kill("notes.made")
        await self._own.put(step.id, made.id)
        self._compare(step, made, step.body)
        return Applied((note_fact(step.id, made),))

    async def _change(self, step: Steps, expects: Facts) -> Applied:
        reply = await self._app.look(await self._id_of(step.id))
        seen = _require_seen(reply)
        if not any(isinstance(fact, NoteIs) and fact == note_fact(fact.about, seen) for fact in expects):
            raise ProviderError(f"the note {quoted(seen.name)} has changed since; nothing was done", "world.changed")
        if isinstance(step, RemoveNote):
            _require_done(await self._app.put_away(seen))
            return Applied()
        body = step.edit(split_text(seen.name, seen.text)[1]) or ""
        html = None if reply.files else rewrite(seen.html, seen.text, body)
        if html is None:
            raise ProviderError(
                f"the note {quoted(seen.name)} has a list, a table, a picture or a file, which Notes may damage when "
                "a script writes the note; nothing was done",
                "notes.rich",
            )
        made = _require_seen(await self._app.write(seen, html))
        self._compare(step, made, body)
        return Applied((note_fact(step.id, made),))

    async def _refuse_changed(self, expects: Facts) -> None:
        for fact in expects:
            match fact:
                case NoteIs(about):
                    seen = await self._look(about)
                    if seen is None or note_fact(about, seen) != fact:
                        raise ProviderError("the note has changed since, or is gone; nothing was done", "world.changed")
                case FolderThere(about):
                    if about not in (await self._app.library()).folders:
                        raise ProviderError(f"the folder {quoted(about)} is gone; nothing was done", "world.changed")
                case _:
                    raise unchecked(fact)

    async def _settle_created(self, step: CreateNote) -> Settlement:
        made = await self._own.get(step.id)
        library = await self._app.library()
        folder = library.folders.get(step.folder, "")
        if made is not None:
            # The fact describes what the step made, so that undo fails instead of removing what was changed since.
            seen = await self._look(step.id)
            hashed = _hash_note(seen.folder if seen else folder, step.title, step.body)
            return Applied((NoteIs(step.id, hashed),))
        alike = (note for note in library.notes.notes if (note.title, note.folder) == (step.title, step.folder))
        if any(note.body == step.body for note in alike):
            return CannotTell("a note like it is there, and it cannot be seen who made it")
        return NotDone("the note is not there")

    async def _settle_removed(self, seen: NoteSeen | None, expected: str) -> Settlement:
        if seen is None:
            return CannotTell("the note is gone, and it cannot be seen who removed it")
        if _hash_note(seen.folder, *split_text(seen.name, seen.text)) == expected:
            return NotDone("the note is still there")
        if not (await self._app.library()).name_of(seen.folder):
            return Applied()
        return CannotTell("the note was changed by somebody, and it cannot be seen by whom")

    async def _id_of(self, id_: str) -> str:
        return await self._own.get(id_) or id_

    async def _look(self, id_: str) -> NoteSeen | None:
        return (await self._app.look(await self._id_of(id_))).note

    def _compare(self, step: Steps, made: NoteSeen, body: str) -> None:
        if split_text(made.name, made.text)[1] != body:
            self._altered[step] = "Notes shows parts of the text differently, such as blanks or line breaks"


def _require_done(reply: NoteReply) -> NoteReply:
    match reply.refused:
        case "":
            return reply
        case "locked":
            raise ProviderError("the note is locked; unlock it in Notes first; nothing was done", "notes.locked")
        case "no folder":
            raise ProviderError("the folder is gone; nothing was done", "world.changed")
        case "gone" | "changed":
            raise ProviderError("the note has changed since, or is gone; nothing was done", "world.changed")


def _require_seen(reply: NoteReply) -> NoteSeen:
    seen = _require_done(reply).note
    if seen is None:
        raise Uncertain("Notes did not say what became of the note; look at it in Notes", "notes.unseen")
    return seen
