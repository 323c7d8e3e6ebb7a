"""The prompt of the command bar (S4): the contract, the context as data, and the person's request."""

from collections.abc import Sequence

from sayso.assistant.prompt.known import PromptContext
from sayso.core.operation import Operation
from sayso.dialects.commands import COMMANDS


def system(operations: Sequence[Operation]) -> str:
    """Return the contract and each type of command."""
    return COMMANDS.describe(operations)


def user(known: PromptContext, words: str) -> str:
    """Return the context and, after it, the request."""
    return f"{known.text}\nCurrent time: {known.time}\n\nREQUEST:\n{words}\n"
