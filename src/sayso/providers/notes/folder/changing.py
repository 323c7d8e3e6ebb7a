"""What stands in a note's file once a step was done; everything that the step is not about stays byte for byte."""

from typing import assert_never

from sayso.core.errors import ProviderError
from sayso.providers.notes.folder.markdown import written
from sayso.providers.notes.steps import AppendNote, CreateNote, CutNote, RemoveNote, Steps


def after(data: bytes | None, step: Steps) -> bytes | None:
    """Return what is there after a step; None for nothing. Raises `ProviderError` when it cannot be done to that."""
    match step:
        case CreateNote(new, _, title, body, _, date):
            return written(new, title, body, date)
        case RemoveNote():
            return None
        case AppendNote(_, text):
            return _there(data) + text.encode()
        case CutNote(_, text):
            return before_text(_there(data), text)
        case _:
            assert_never(step)


def before_text(data: bytes, text: str) -> bytes:
    """Return a file without the text at its end. Raises `ProviderError`."""
    added = text.encode()
    if not data.endswith(added):
        raise ProviderError("the note does not end with what was added; nothing was done", "world.changed")
    return data[: len(data) - len(added)]


def _there(data: bytes | None) -> bytes:
    if data is None:
        raise ProviderError("the note is gone; nothing was done", "world.changed")
    return data
