"""Say to a model what came of its call, in one text (S1-32, S1-33)."""

from collections.abc import Mapping

from sayso.core.canonical import Json
from sayso.dialects.feedback import Note

_WAITS = "The person has not decided yet ({id}), and nothing has been done. Do not call it again; you will be told."


def answer(row: Mapping[str, Json], given: Mapping[str, Json], note: Note | None) -> str:
    """Return the text for a result, of which `given` is told: what was found or done, else why not, and what next."""
    if row["state"] == "waiting":
        return _WAITS.format(id=row["id"])
    if given["success"]:
        return str(given["output"] or "")
    return note.sentence if note else str(given["error"])
