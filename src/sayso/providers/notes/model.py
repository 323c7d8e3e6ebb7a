"""The steps that a notes backend can do, and the facts that may be expected of notes."""

from typing import ClassVar

from sayso.core.errors import ProviderError
from sayso.core.plan import Fact, Step


class NotesStep(Step, frozen=True):
    """A step of the notes store; what it does to a note stands here alone, and every backend does just that."""

    store: ClassVar[str] = "notes"
    removes: ClassVar[bool] = False
    id: str

    def edit(self, body: str | None) -> str | None:
        """Return the body of the note after this step; None stands for no note. Raises `ProviderError`."""
        raise NotImplementedError


class CreateNote(NotesStep, frozen=True):
    """Write a new note under an id that was made before the plan was shown."""

    step: ClassVar[str] = "note.create"
    folder: str
    title: str
    body: str
    place: str = ""
    date: str = ""

    def edit(self, body: str | None) -> str:
        """Return the body of the new note."""
        if body is not None:
            raise ProviderError("a note with this id is there already; nothing was done", "world.changed")
        return self.body

    def undo(self, mark: str) -> "RemoveNote":
        return RemoveNote(self.id, self.place, mark)


class RemoveNote(NotesStep, frozen=True):
    """Take away a note, if it is as it was left."""

    step: ClassVar[str] = "note.remove"
    removes: ClassVar[bool] = True
    place: str = ""
    mark: str = ""

    def edit(self, body: str | None) -> None:
        """Return None: there is no note any more."""
        return


class AppendNote(NotesStep, frozen=True):
    """Put exactly `text` at the end of a note's body; `mark` is kept beside what was done."""

    step: ClassVar[str] = "note.append"
    text: str
    mark: str
    place: str = ""

    def edit(self, body: str | None) -> str:
        """Return the body with the text at its end."""
        return _require_body(body) + self.text

    def undo(self) -> "CutNote":
        return CutNote(self.id, self.text, f"{self.mark} back", self.place)


class CutNote(NotesStep, frozen=True):
    """Take exactly `text` off the end of a note's body, if the note is as it was left."""

    step: ClassVar[str] = "note.cut"
    text: str
    mark: str
    place: str = ""

    def edit(self, body: str | None) -> str:
        """Return the body without the text."""
        before = _require_body(body)
        if not before.endswith(self.text):
            raise ProviderError("the note does not end with what was added; nothing was done", "world.changed")
        return before.removesuffix(self.text)

    def undo(self) -> AppendNote:
        """Return the step that puts the text back."""
        return AppendNote(self.id, self.text, f"{self.mark} back", self.place)


def _require_body(body: str | None) -> str:
    if body is None:
        raise ProviderError("the note is gone; nothing was done", "world.changed")
    return body


Steps = CreateNote | RemoveNote | AppendNote | CutNote


def token_of(step: Steps) -> str:
    """Return what tells this step from every other one: the id that it creates, or the mark that was made for it."""
    return step.id if isinstance(step, CreateNote) else f"{step.id} {step.mark}"


class NoteIs(Fact, frozen=True):
    """The note is there with this folder, title and body, of which this is the SHA-256."""

    fact: ClassVar[str] = "note"
    sha256: str


class FolderThere(Fact, frozen=True):
    """The folder of notes is there, whatever it holds."""

    fact: ClassVar[str] = "note_folder"
