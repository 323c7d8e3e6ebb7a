"""What a model is told of its own proposals: the notes of its last turn, and what it may correct in the same ask."""

from collections.abc import Iterable, Sequence

from sayso.core.canonical import Json
from sayso.core.fence import fenced
from sayso.dialects.feedback import Note, note_json

CORRECTABLE = frozenset({"malformed", "invalid", "not_found", "ambiguous", "refused"})
"""Kinds of notes after which another spelling, or another way, may do what the person wants."""
_NOTES = "What became of what you proposed before, and was not carried out."
_RESULTS = "What came of your reply, in order."
_PART = (
    "Write again, in the same form, only what was not carried out and can be put right. What was done is done and must "
    "not be written again. Write nothing that was not part of what the person wants."
)
_WHOLE = "Nothing of it was carried out. Write the whole reply again, in the same form, with what is wrong put right."


def with_notes(prompt: str, notes: Sequence[Note]) -> str:
    """Return a prompt with the notes of the turn before it (X-11)."""
    return f"{_NOTES}\n{_noted(notes)}\n\n{prompt}" if notes else prompt


def correction(results: Iterable[Json], notes: Sequence[Note], *, whole: bool) -> str:
    """Return what a model is told so that it can correct itself (S2-46); `whole` where nothing of it was done."""
    told = fenced("results", list(results))
    return f"{_RESULTS}\n{told}\n\n{_NOTES}\n{_noted(notes)}\n\n{_WHOLE if whole else _PART}\n"


def _noted(notes: Sequence[Note]) -> str:
    return fenced("notes", [note_json(note) for note in notes])
