"""What an operation may look at among notes: the reads of the notes store."""

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
    """Where the backend keeps it."""
    etag: str = ""
    """What tells this content from every other, where the backend says so itself."""
    ended: bool = True
    """Whether the last line of its file is a whole one; what is added to another would go on in that line."""


class Found(Struct, frozen=True):
    """Notes that were found, and a clause for each file that could not be read."""

    notes: tuple[Note, ...] = ()
    left_out: tuple[str, ...] = ()


class Notes(Protocol):
    """The reads. In a batch they show the notes as the earlier plans would leave them."""

    async def folders(self) -> tuple[str, ...]:
        """Return the names of the folders."""
        ...

    async def note(self, note_id: str) -> Note | None:
        """Return the note with this id."""
        ...

    async def find_by_title(self, title: str) -> tuple[Note, ...]:
        """Return the notes with exactly this title, in any case."""
        ...

    async def near(self, title: str) -> tuple[str, ...]:
        """Return up to three titles that are written alike."""
        ...

    async def find(self, text: str, limit: int) -> Found:
        """Return notes whose title or body holds `text` in any case, those with it in the title first."""
        ...

    def fact(self, note: Note) -> Fact:
        """Return the fact that the note is as it was seen."""
        ...

    def folder_fact(self, folder: str) -> Fact:
        """Return the fact that the folder is there."""
        ...

    async def place(self, folder: str, title: str) -> str:
        """Return where a new note of this title goes, which nothing has yet."""
        ...

    def now(self) -> str:
        """Return what a new note says of when it was made, in ISO 8601; empty where it says nothing."""
        ...

    def new_id(self) -> str:
        """Return an id that no note has yet; a crash is settled by it."""
        ...
