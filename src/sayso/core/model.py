"""The socket for a language model: what it is asked, and what comes of it piece by piece."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import field
from typing import Literal, Protocol

from sayso.core.canonical import Json
from sayso.core.context import Context
from sayso.core.dialect import Dialect
from sayso.core.operation import Operation
from sayso.core.values import dataclass


@dataclass(frozen=True)
class Offered:
    """A tool that a model may call."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """The JSON Schema of its arguments."""


@dataclass(frozen=True)
class Called:
    """A call of a tool, as the model wrote it; its arguments are text that nobody has read yet."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Turn:
    """What one side said in a conversation."""

    role: Literal["user", "assistant", "tool"]
    text: str
    calls: tuple[Called, ...] = ()
    """What an assistant's turn called."""
    answers: str = ""
    """The id of the call that a tool's turn answers."""


@dataclass(frozen=True)
class Asked:
    """What a model is asked."""

    system: str
    turns: tuple[Turn, ...]
    """The conversation so far; the last turn is the one to be answered."""
    words: str
    """The person's own words in it, without anything that sayso wrote around them."""
    dialect: Dialect
    """How it is to write what it proposes."""
    tools: tuple[Offered, ...] = ()
    context: Context = field(default_factory=lambda: Context(()))
    """What stands in the prompt about the world, for a model that reads no prompts."""
    operations: Mapping[str, Operation] = field(default_factory=dict[str, Operation])
    """What it may propose, by id: the operations that `system` describes, for a model that reads no prompts."""
    earlier: tuple[str, ...] = ()
    """The person's own words before these that were answered with a question, oldest first: these words answer it."""


@dataclass(frozen=True)
class Said:
    """A piece of the model's text."""

    text: str


@dataclass(frozen=True)
class Ended:
    """The end of a reply: who answered, why it ended, and what it took."""

    model: str
    reason: Literal["stop", "length", "tools", "refused"]
    tokens_in: int | None = None
    tokens_out: int | None = None
    instead: tuple[str, ...] = ()
    """Why those that were to answer before it did not, each in a sentence; empty where the first one answered."""


Chunk = Said | Called | Ended


class Model(Protocol):
    """Something that answers: a hosted model, a local one, or the built-in rules."""

    name: str

    def stream(self, asked: Asked) -> AsyncGenerator[Chunk]:
        """Yield the reply as it comes, one `Ended` last; closing the generator cancels what goes on.

        Whoever may leave before the end does so within `contextlib.aclosing`, so that it is closed there and then.

        Raises `SetupError` where the person must do something (a key, a name, an address), `ProviderError` where the
        model's server said no or fell silent.
        """
        ...
