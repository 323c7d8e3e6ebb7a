"""What operations can read from the notes store."""

import difflib
from typing import Protocol

from msgspec import Struct

from sayso.core.plan import Fact


class Note(Struct, frozen=True):
    """One note in a folder."""

    id: str
    title: str
    body: str = ""
    folder: str = "Notes"
    place: str = ""
    """The path of the file; empty if the backend has no files."""
    etag: str = ""
    """A hash of the file's content; empty if the backend has no files."""
    ended: bool = True
    """Whether the file is empty or ends with a line break; if it does not, added text would continue its last line."""


class FoundNotes(Struct, frozen=True):
    """The notes that were found, and, for each file that could not be read, a text that says so."""

    notes: tuple[Note, ...] = ()
    left_out: tuple[str, ...] = ()


class Notes(Protocol):
    """What operations can read from the notes store; in a batch, as it will be after the earlier plans."""

    async def folders(self) -> tuple[str, ...]:
        """Return the names of the folders."""
        ...

    async def all_notes(self) -> FoundNotes:
        """Return every note that can be read."""
        ...

    async def note(self, note_id: str) -> Note | None:
        """Return the note with this id or path; None if no note or several notes have it."""
        notes = (await self.all_notes()).notes
        # A copied file has the same id as the original, so the path is tried before the id.
        for same in ([note for note in notes if note.place == note_id != ""], [n for n in notes if n.id == note_id]):
            if same:
                return same[0] if len(same) == 1 else None
        return None

    async def find_by_title(self, title: str) -> tuple[Note, ...]:
        """Return the notes with exactly this title, ignoring case."""
        return tuple(one for one in (await self.all_notes()).notes if one.title.casefold() == title.casefold())

    async def near(self, title: str) -> tuple[str, ...]:
        """Return up to three titles whose spelling is close to this one."""
        known = {note.title.casefold(): note.title for note in (await self.all_notes()).notes}
        return tuple(known[one] for one in difflib.get_close_matches(title.casefold(), known, n=3, cutoff=0.5))

    async def find(self, text: str, limit: int) -> FoundNotes:
        """Return up to `limit` notes that contain `text`, ignoring case; notes with it in the title come first."""
        everything = await self.all_notes()
        wanted = text.casefold()
        in_title = [note for note in everything.notes if wanted in note.title.casefold()]
        in_body = [
            note for note in everything.notes if wanted in note.body.casefold() and wanted not in note.title.casefold()
        ]
        return FoundNotes((*in_title, *in_body)[:limit], everything.left_out)

    def fact(self, note: Note) -> Fact:
        """Return the fact that the note is unchanged since it was read."""
        ...

    def folder_fact(self, folder: str) -> Fact:
        """Return the fact that the folder exists."""
        ...

    async def place(self, folder: str, title: str) -> str:
        """Return an unused path for a new note with this title; empty if the backend has no files."""
        ...

    def now(self) -> str:
        """Return the time to write into a new note, in ISO 8601; empty if the backend writes none."""
        ...

    def new_id(self) -> str:
        """Return an unused id for a note; after a crash, the id shows whether the note was written."""
        ...
