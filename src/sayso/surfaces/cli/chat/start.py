"""How a conversation begins: its options, its session and its model."""

from enum import Enum

from msgspec import Struct

from sayso.assembly import Home
from sayso.core.conversation import Exchange, Session
from sayso.core.errors import ProposalError
from sayso.core.quotes import quoted
from sayso.core.record import session_id

ENTRY = "chat"
LATEST = "latest"
"""The word that names the last conversation."""
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


async def find_session(home: Home, name: str) -> str:
    """Return the id of the conversation of this name, or of a new one without a name. Raises `ProposalError`."""
    if not name:
        return session_id(home.tools.ids.key())
    if name == LATEST:
        found: Session | None = next(iter(await conversations(home)), None)
        if found is None:
            raise ProposalError("there is no conversation yet; “sayso chat” begins one", "session.unknown")
        return found.id
    if await home.sessions.session(name) is None:
        raise ProposalError(f"there is no session {quoted(name[:60])}; “sayso sessions” lists them", "session.unknown")
    return name


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
    return list(dict.fromkeys(one.words for one in ordered))
