"""How a conversation begins: its options, its session and its model."""

from enum import Enum

from msgspec import Struct

from sayso.assembly import Home
from sayso.assistant.prompts import DECIDED
from sayso.core.conversation import Exchange, Session

ENTRY = "chat"
RECALLED = 200
"""Maximum number of earlier words that the arrow keys bring back."""


class Input(Enum):
    """How the person's words are read."""

    EDITED = "edited"
    """With sayso's own line editing."""
    LINES = "lines"
    """As lines of a terminal, which the system edits."""
    PIPED = "piped"
    """From standard input, where no person can be asked."""


class ChatOptions(Struct, frozen=True):
    """The options of the command."""

    session: str = ""
    model: str = ""
    input: Input = Input.LINES
    plain: bool = False


async def conversations(home: Home) -> list[Session]:
    """Return the last conversations of `sayso chat`, the most recent first."""
    return [one for one in await home.sessions.all(RECALLED) if one.entry == ENTRY]


async def recalled(home: Home) -> list[str]:
    """Return what the person said before, oldest first, as the journal keeps it: without what the settings redact."""
    said: list[Exchange] = []
    for session in await conversations(home):
        said += await home.sessions.exchanges(session.id, RECALLED - len(said))
        if len(said) >= RECALLED:
            break
    ordered = sorted(said, key=lambda one: one.time)
    return list(dict.fromkeys(one.words for one in ordered if one.words != DECIDED))
