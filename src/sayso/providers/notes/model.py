"""The steps that a notes backend can do, and the facts that may be expected of notes."""

from typing import ClassVar

from sayso.core.plan import Fact, Step


class NotesStep(Step, frozen=True):
    """A step of the notes store."""

    store: ClassVar[str] = "notes"


class CreateNote(NotesStep, frozen=True):
    """Write a new note under an id that was made before the plan was shown."""

    step: ClassVar[str] = "note.create"
    id: str
    folder: str
    title: str
    body: str
    place: str = ""
    date: str = ""


class RemoveNote(NotesStep, frozen=True):
    """Take away a note, if it is as it was left."""

    step: ClassVar[str] = "note.remove"
    id: str
    place: str = ""
    mark: str = ""


class AppendNote(NotesStep, frozen=True):
    """Put exactly `text` at the end of a note's body; `mark` is kept beside what was done."""

    step: ClassVar[str] = "note.append"
    id: str
    text: str
    mark: str
    place: str = ""


class CutNote(NotesStep, frozen=True):
    """Take exactly `text` off the end of a note's body, if the note is as it was left."""

    step: ClassVar[str] = "note.cut"
    id: str
    text: str
    mark: str
    place: str = ""


Steps = CreateNote | RemoveNote | AppendNote | CutNote
STEPS: tuple[type[NotesStep], ...] = (CreateNote, RemoveNote, AppendNote, CutNote)


class NoteIs(Fact, frozen=True):
    """The note is there with this folder, title and body, of which this is the SHA-256."""

    fact: ClassVar[str] = "note"
    sha256: str


class FolderThere(Fact, frozen=True):
    """The folder of notes is there, whatever it holds."""

    fact: ClassVar[str] = "note_folder"


FACTS: tuple[type[Fact], ...] = (NoteIs, FolderThere)
