"""The prompt for answering a question from the context (S4-36, T-100): words alone, nothing is done."""

from collections.abc import Iterable

from sayso.core.canonical import Json
from sayso.core.context import RULE, Context
from sayso.core.fence import fenced

SYSTEM = (
    "Answer the person's question from the context, in plain words and briefly. You cannot do anything: write no "
    "commands, no code and no JSON. Where the context does not say it, say so. " + RULE + "\n"
)


def user(context: Context, question: str, before: Iterable[tuple[str, str]]) -> str:
    """Return the context, what was asked and answered before, and the question."""
    pairs: list[Json] = [{"question": asked, "answer": answered} for asked, answered in before]
    earlier = f"\nWhat was asked and answered before, oldest first.\n{fenced('before', pairs)}\n" if pairs else ""
    return f"{context.text}{earlier}\nQUESTION:\n{question}\n"
