"""Offers of the person's own actions, what these add to a chat, and the interface of the storage of both."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Literal, Protocol

from msgspec import Struct, field

from sayso.core.encoding import Json
from sayso.core.record import Owner

Style = Literal["primary", "secondary", "danger"]
InstanceState = Literal["pending", "running", "done", "failed"]
LASTS = timedelta(hours=1)
"""How long an offer is valid; at exactly this age it still is (T-75)."""


START, LONGEST = "act_", 64
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


class Instance(Struct, frozen=True):
    """One of the person's own actions with its parameters, as it was offered in one session (S3-18 to S3-25)."""

    id: str
    """`act_` and at least 12 characters that nobody can guess."""
    session: str
    template: str
    label: str
    """The model's words for it; they never affect a decision."""
    params: Mapping[str, Json]
    created: str
    """When it was offered, in ISO 8601."""
    description: str = ""
    style: Style = "primary"
    state: InstanceState = "pending"
    turn: int = 0
    """How many times this row was updated."""
    run: str = ""
    """The run that carries out what its handler requested; empty if it requested nothing, or has not been called."""
    entry: str = ""
    principal: str = ""
    """On whose behalf it was offered (`core.proposal.Origin`)."""
    began: str = ""
    """When its handler was last called, in ISO 8601."""
    owner: Owner | None = None
    """The process that called its handler."""
    handled: Mapping[str, Json] | None = None
    """What its handler returned, before anything that it requested was done."""
    calls: tuple[tuple[int, ...], ...] = ()
    """For each action of `run`, which calls of the handler it carries out."""
    result: Mapping[str, Json] | None = None
    """The result once it is done or has failed (S3-26 to S3-29)."""
    redacted: bool = False
    """Whether values were removed from its parameters when it ended, so that it cannot be run again."""


ChatRole = Literal["user", "assistant", "system", "log"]


class ChatMessage(Struct, frozen=True):
    """What an action or its handler put into a session: a message of a role, or a line for the log."""

    id: str
    session: str
    time: str
    """ISO 8601 in UTC."""
    role: ChatRole
    content: str
    level: str = ""
    """The level of a line for the log: info, warn or error."""
    instance: str = ""
    """The instance whose result this is, or whose run wrote this line; empty for a message that a handler added."""
    number: int = field(default=0)
    """Its place in the order in which messages were added; set by the storage."""


def is_offer(ref: str) -> bool:
    """Return whether a text has the form of an offer's id: `act_` and up to 64 letters, digits, “_” and “-” (T-73)."""
    rest = ref.removeprefix(START)
    return ref.startswith(START) and 0 < len(rest) <= LONGEST and _LETTERS.issuperset(rest)


class Instances(Protocol):
    """Stores offers and messages. Its methods raise `SetupError` if the storage cannot be read or written."""

    async def register(self, instance: Instance) -> bool:
        """Store a new offer, and remove those that are too old; return False if its id was used before."""
        ...

    async def find(self, id_: str, session: str | None = None) -> Instance | None:
        """Return an offer of a session, or of any session if that is None; None if there is no such offer."""
        ...

    async def of_run(self, run: str) -> Instance | None:
        """Return the offer whose handler requested this run."""
        ...

    async def all(self) -> list[Instance]:
        """Return all offers, oldest first."""
        ...

    async def move(self, to: Instance, said: ChatMessage | None = None) -> bool:
        """Store an offer with the next turn, and a message in the same commit; return whether it was stored.

        It is not stored if another process has stored it since `to` was read.
        """
        ...

    async def prune(self) -> int:
        """Remove the offers older than `LASTS` that do not run; return how many there were (T-75)."""
        ...

    async def say(self, message: ChatMessage) -> bool:
        """Store a message; return False if one with its id is there already."""
        ...

    async def say_all(self, messages: Sequence[ChatMessage]) -> None:
        """Store messages in one commit; those whose ids are there already stay as they are."""
        ...

    def lines_of(self, instances: Sequence[str]) -> list[ChatMessage]:
        """Return the lines for the log of these runs of actions, oldest first."""
        ...

    async def has_said(self, id_: str) -> bool:
        """Return whether a message with this id is stored."""
        ...

    async def said(self, session: str, limit: int = 50) -> list[ChatMessage]:
        """Return the last messages of a session, oldest first, without lines for the log."""
        ...

    async def logged(self, limit: int = 50) -> list[ChatMessage]:
        """Return the last lines for the log, newest first."""
        ...
