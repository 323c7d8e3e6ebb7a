"""The notes that a model gets with its next turn, once (X-11)."""

from collections.abc import Sequence

from sayso.core.canonical import Json
from sayso.core.errors import Candidate
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """What the model is told about one of its proposals; `sentence` says what to write or do instead."""

    kind: str
    """not_found, ambiguous, malformed, invalid, declined, refused, failed, expired, skipped, unknown or unchanged."""
    index: int
    said: str
    sentence: str
    candidates: tuple[Candidate, ...] = ()
    """What may have been meant, where a name fits nothing or several things; the sentence names them too."""
    line: int | None = None
    """On which line of the reply it began, from 1, where that is known."""


def note_json(note: Note) -> dict[str, Json]:
    """Return a note as data."""
    candidates: list[Json] = [{"name": one.name, "id": one.id, "where": one.where} for one in note.candidates]
    return {
        "kind": note.kind,
        "index": note.index,
        "line": note.line,
        "said": note.said,
        "sentence": note.sentence,
        "candidates": candidates,
    }


class Feedback:
    """The notes of one session: they are delivered to the model with its next turn, and once."""

    def __init__(self) -> None:
        self._notes: list[Note] = []

    def add(self, more: Sequence[Note]) -> None:
        """Keep notes for the next turn."""
        self._notes += more

    def take(self) -> tuple[Note, ...]:
        """Return the notes there are, and forget them."""
        taken, self._notes = tuple(self._notes), []
        return taken
