"""Answer a question with a plain list of what is known, for where no model can answer in words."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import cast

from sayso.core.canonical import Json
from sayso.core.context import Context, Piece

NOTHING = "Nothing is known here to answer from."
_ALSO: Mapping[str, str] = {
    "todo": "task",
    "application": "app",
    "program": "app",
    "calendar": "event",
    "appointment": "event",
    "meeting": "event",
    "screen": "monitor",
    "display": "monitor",
    "layout": "preset",
}
"""Words for what is named otherwise in the context."""
_TITLES = ("text", "title", "name", "said")
"""What an entry is called by, where it has one of these."""


def listing(context: Context, question: str) -> str:
    """Return what the question names; all that is known where it names nothing of it."""
    pieces = [piece for piece in context.pieces if isinstance(piece.data, list)]  # a text is told as a list beside it
    words = _words(question)
    named = [piece for piece in pieces if words & _words(piece.name)]
    told = [_told(piece) for piece in named or pieces if piece.data or named]
    return "\n\n".join(told) or NOTHING


def _words(text: str) -> set[str]:
    """Return the words of a text, each in the singular."""
    found = {word.removesuffix("s") for word in re.findall(r"[a-z]+", text.lower().replace("to-do", "todo"))}
    return {_ALSO.get(word, word) for word in found}


def _told(piece: Piece) -> str:
    rows, name = cast("list[Json]", piece.data), _plain(piece.name).capitalize()
    return "\n".join((f"{name}:", *(f"- {_row(row)}" for row in rows))) if rows else f"{name}: none"


def _plain(name: str) -> str:
    """Return a name such as `recent_files` or `lastDoneAt` as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


def _row(row: Json) -> str:
    if not isinstance(row, Mapping):
        return _value(row)
    members = cast("Mapping[str, Json]", row)
    title = next((name for name in _TITLES if members.get(name)), "")
    more = ", ".join(_members(members, title))
    if not title:
        return more
    return f"{members[title]} ({more})" if more else f"{members[title]}"


def _members(members: Mapping[str, Json], title: str) -> Iterator[str]:
    """Yield what else an entry says: what holds by its name alone, and what is nothing not at all."""
    for name, value in members.items():
        if name != title and value not in ("", None, False, 0):
            yield _plain(name) if value is True else f"{_plain(name)}: {_value(value)}"


def _value(value: Json) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
