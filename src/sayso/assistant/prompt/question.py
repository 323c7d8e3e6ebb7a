"""The prompt for answering a question from the context (S4-36, T-100): words alone, nothing is done."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from sayso.core.canonical import Json
from sayso.core.context import RULE, Context, Piece
from sayso.core.fence import fenced

SYSTEM = (
    "Answer the person's question from the context, in plain words and briefly. You cannot do anything: write no "
    "commands, no code and no JSON. Where the context does not say it, say so. " + RULE + "\n"
)
NOTHING = "Nothing is known here to answer from."


def user(context: Context, question: str, before: Iterable[tuple[str, str]]) -> str:
    """Return the context, what was asked and answered before, and the question."""
    pairs: list[Json] = [{"question": asked, "answer": answered} for asked, answered in before]
    earlier = f"\nWhat was asked and answered before, oldest first.\n{fenced('before', pairs)}\n" if pairs else ""
    return f"{context.text}{earlier}\nQUESTION:\n{question}\n"


def listing(context: Context) -> str:
    """Return what is known as a plain list, for where no model can answer."""
    parts = [
        f"{piece.about}\n{lines}" for piece in context.pieces if piece.data and (lines := "\n".join(_lines(piece)))
    ]
    return "\n\n".join(parts) or NOTHING


def _lines(piece: Piece) -> Iterator[str]:
    if isinstance(piece.data, list):  # what is a text is a browser's own words, and told as a list beside them
        yield from (f"- {_row(row)}" for row in cast("list[Json]", piece.data))


def _row(row: Json) -> str:
    if not isinstance(row, Mapping):
        return row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)
    members = cast("Mapping[str, Json]", row)
    said = {name: value for name, value in members.items() if value not in ("", None)}
    return ", ".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in said.items()
    )
