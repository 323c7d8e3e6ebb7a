"""The prompt of an automation (S0-66 to S0-71): what it may do, what started it, and the moment."""

from collections.abc import Sequence

from sayso.assistant.prompt.known import PromptContext
from sayso.core.context import RULE
from sayso.core.fence import fenced
from sayso.core.operation import Operation
from sayso.dialects.lines import LINES


def system(operations: Sequence[Operation]) -> str:
    """Return role, rules of a reply, and each command."""
    return LINES.describe(operations)


def user(known: PromptContext, words: str) -> str:
    """Return what started it, and what is known of the moment."""
    world = known.text.removeprefix(f"CONTEXT\n{RULE}").strip()
    return f"TRIGGER:\n{fenced('trigger', words)}\n\nCONTEXT:\n{RULE}\n\n{known.facts}\n\n{world}".rstrip() + "\n"
