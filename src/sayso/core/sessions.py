"""The socket for what is kept of conversations with a model, and for what other programs told of the person."""

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from sayso.core.canonical import Json
from sayso.core.values import dataclass


@dataclass(frozen=True)
class Session:
    """One conversation; `id` is the session that its runs have in the journal. Times are ISO 8601 in UTC."""

    id: str
    name: str
    entry: str
    """The entry point it began at: commands, automation or chat."""
    begun: str
    last: str
    """When something was last said in it."""
    exchanges: int = 0


@dataclass(frozen=True)
class Exchange:
    """One wish of the person and what came of it, with the whole trace (S0-85)."""

    session: str
    entry: str
    time: str
    words: str
    """The person's own words, or what a trigger says."""
    reply: str
    """What the model said last, as it wrote it."""
    asked_back: bool = False
    """The model asked instead of acting: the person's next words answer it."""
    runs: tuple[str, ...] = ()
    """The runs that came of it, in order."""
    trace: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True)
class Told:
    """What another program, or the person, told for models to know: a mood, minutes of work, projects, insights."""

    name: str
    value: Json
    time: str


class Sessions(Protocol):
    """What is kept of conversations. Raises `SetupError` where it cannot be written or read."""

    async def keep(self, exchange: Exchange) -> None:
        """Write what was said, and its session if it is new, named after the first words."""
        ...

    async def all(self, limit: int = 50) -> list[Session]:
        """Return sessions, the one last spoken in first."""
        ...

    async def session(self, session: str) -> Session | None:
        """Return one session."""
        ...

    async def exchanges(self, session: str, limit: int = 50) -> list[Exchange]:
        """Return the last exchanges of a session, oldest first."""
        ...

    async def of_run(self, run: str) -> Exchange | None:
        """Return the exchange that a run came of."""
        ...

    async def give_name(self, session: str, name: str) -> bool:
        """Give a session another name; return whether there is one of this id."""
        ...

    async def delete(self, session: str) -> bool:
        """Forget a session with all its exchanges; what was done in it stays in the journal. Return whether it was."""
        ...

    async def told(self) -> list[Told]:
        """Return what was told, by name."""
        ...

    async def tell(self, told: Told) -> None:
        """Keep what is told; it takes the place of what was told under its name."""
        ...

    async def forget(self, name: str) -> bool:
        """Forget what was told under a name; return whether there was anything."""
        ...


NAME = 60
"""Characters of the first words that a session is named by."""


def named_after(words: str) -> str:
    """Return the name of a session that begins with these words: one line, whole characters, not too long."""
    line = " ".join(words.encode("utf-8", "replace").decode().split())
    return line if len(line) <= NAME else f"{line[: NAME - 1]}…"
