"""The steps of the notes store, and the facts about notes."""

from typing import ClassVar

from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.core.plan import NOTHING, Fact, Reach, Step
from sayso.providers.notes.store import Note


class NotesStep(Step, frozen=True):
    """A step of the notes store; its methods define its change to a note for every backend."""

    store: ClassVar[str] = "notes"
    removes: ClassVar[bool] = False
    id: str

    def edit(self, body: str | None) -> str | None:
        """Return the body of the note after this step; None means that there is no note then.

        Raises `ProviderError`.
        """
        raise NotImplementedError

    def after(self, note: Note | None) -> Note | None:
        """Return the note after this step; None means that there is no note. Raises `ProviderError`."""
        body = self.edit(note.body if note else None)
        return None if note is None or body is None else replace(note, body=body)

    def before(self, body: str) -> str | None:
        """Return the body before this step made it into `body`; None if that cannot be told from `body`."""
        return None


class CreateNote(NotesStep, frozen=True):
    """Create a new note, with an id that was chosen during planning."""

    step: ClassVar[str] = "note.create"
    reach: ClassVar[Reach] = NOTHING
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

    def after(self, note: Note | None) -> Note:
        """Return the new note."""
        return Note(self.id, self.title, self.edit(note.body if note else None), self.folder)

    def undo(self, mark: str) -> "RemoveNote":
        return RemoveNote(self.id, self.place, mark)


class RemoveNote(NotesStep, frozen=True):
    """Remove a note. This step undoes `CreateNote`; it requires that the note has not changed since."""

    step: ClassVar[str] = "note.remove"
    reach: ClassVar[Reach] = NOTHING
    removes: ClassVar[bool] = True
    place: str = ""
    mark: str = ""

    def edit(self, body: str | None) -> None:
        """Return None, because there is no note after this step."""
        return


class AppendNote(NotesStep, frozen=True):
    """Append exactly `text` to a note's body; `mark` identifies the step."""

    step: ClassVar[str] = "note.append"
    reach: ClassVar[Reach] = NOTHING
    text: str
    mark: str
    place: str = ""

    def edit(self, body: str | None) -> str:
        """Return the body with the text appended."""
        return _require_body(body) + self.text

    def before(self, body: str) -> str | None:
        """Return the body without the text at its end."""
        return body.removesuffix(self.text) if body.endswith(self.text) else None

    def undo(self) -> "CutNote":
        return CutNote(self.id, self.text, f"{self.mark} back", self.place)


class CutNote(NotesStep, frozen=True):
    """Remove exactly `text` from the end of a note's body. This step undoes `AppendNote`."""

    step: ClassVar[str] = "note.cut"
    reach: ClassVar[Reach] = NOTHING
    text: str
    mark: str
    place: str = ""

    def edit(self, body: str | None) -> str:
        """Return the body without the text. Raises `ProviderError` if the body does not end with it."""
        before = _require_body(body)
        if not before.endswith(self.text):
            raise ProviderError("the note does not end with what was added; nothing was done", "world.changed")
        return before.removesuffix(self.text)

    def before(self, body: str) -> str:
        """Return the body with the text appended."""
        return body + self.text

    def undo(self) -> AppendNote:
        """Return the step that appends the text again."""
        return AppendNote(self.id, self.text, f"{self.mark} back", self.place)


def _require_body(body: str | None) -> str:
    if body is None:
        raise ProviderError("the note is gone; nothing was done", "world.changed")
    return body


Steps = CreateNote | RemoveNote | AppendNote | CutNote


def token_of(step: Steps) -> str:
    """Return a text that identifies the step: the id of a new note, or the note's id and the step's mark."""
    return step.id if isinstance(step, CreateNote) else f"{step.id} {step.mark}"


class NoteIs(Fact, frozen=True):
    """The note exists, and its content has this hash; each backend defines what it hashes."""

    fact: ClassVar[str] = "note"
    owner: ClassVar[str] = "notes"
    sha256: str


class FolderThere(Fact, frozen=True):
    """The folder of notes exists; its content does not matter."""

    fact: ClassVar[str] = "note_folder"
    owner: ClassVar[str] = "notes"
