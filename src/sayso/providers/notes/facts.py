"""What may be expected of notes and their folders, each fact about one of them."""

from typing import ClassVar

from sayso.core.plan import Fact
from sayso.core.values import dataclass


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
