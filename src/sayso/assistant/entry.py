"""What one entry point is: its dialect, its prompt, and how a reply of it goes on (T-50)."""

from collections.abc import Callable, Sequence
from typing import Literal

from sayso.assistant.prompt.known import PromptContext
from sayso.core.canonical import Json
from sayso.core.dialect import Dialect
from sayso.core.operation import Operation
from sayso.core.values import dataclass

Name = Literal["commands", "automation", "chat"]


@dataclass(frozen=True)
class Entry:
    """One entry point."""

    name: Name
    dialect: Dialect
    system: Callable[[Sequence[Operation]], str]
    user: Callable[[PromptContext, str], str]
    offers: Callable[[Sequence[Json]], str] = lambda actions: ""
    """What its system prompt says of the person's own actions, where these may be offered."""
    talks: bool = False
    """Its reply has words for the person, which are shown as they come."""
    calls: bool = False
    """The model may call tools, and is told what came of each before it goes on."""
    remembers: bool = False
    """The whole conversation goes along; else only what was asked back, for the words that answer it (T-95)."""
    batch: bool = True
    """Its reply is one batch: one that was cut off is not carried out at all."""
