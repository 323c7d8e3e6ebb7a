"""The steps that a notes backend can do, and the facts that may be expected of notes."""

from typing import ClassVar

from sayso.core.plan import Fact, Step
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class NotesStep(Step):
    """A step of the notes store."""

    store: ClassVar[str] = "notes"


@dataclass(frozen=True, slots=True)
class CreateNote(NotesStep):
    """Write a new note under an id that was made before the plan was shown."""

    step: ClassVar[str] = "note.create"
    id: str
    folder: str
    title: str
    body: str
    place: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class RemoveNote(NotesStep):
    """Take away a note, if it is as it was left."""

    step: ClassVar[str] = "note.remove"
    id: str
    place: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class AppendNote(NotesStep):
    """Put exactly `text` at the end of a note's body; `mark` is kept beside what was done."""

    step: ClassVar[str] = "note.append"
    id: str
    text: str
    mark: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class CutNote(NotesStep):
    """Take exactly `text` off the end of a note's body, if the note is as it was left."""

    step: ClassVar[str] = "note.cut"
    id: str
    text: str
    mark: str
    place: str = ""


Steps = CreateNote | RemoveNote | AppendNote | CutNote
STEPS: tuple[type[NotesStep], ...] = (CreateNote, RemoveNote, AppendNote, CutNote)


@dataclass(frozen=True, slots=True)
class NoteIs(Fact):
    """The note is there with this folder, title and body, of which this is the SHA-256."""

    fact: ClassVar[str] = "note"
    sha256: str


@dataclass(frozen=True, slots=True)
class FolderThere(Fact):
    """The folder of notes is there, whatever it holds."""

    fact: ClassVar[str] = "note_folder"


FACTS: tuple[type[Fact], ...] = (NoteIs, FolderThere)
