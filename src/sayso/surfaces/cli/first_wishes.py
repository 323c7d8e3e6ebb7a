"""Find wishes that work on this machine now: each is really planned, by the built-in rules, in the home as it is."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath

import anyio

from sayso.assembly import Home
from sayso.assembly.model import made
from sayso.assistant.answer import Answer, Asker
from sayso.core.errors import SaysoError
from sayso.core.ids import session_id
from sayso.core.model import Model
from sayso.core.record import State
from sayso.core.values import dataclass
from sayso.models.vendors import EMBEDDED

WANTED = 3
SECONDS = 10.0
"""How long one of them may take to be planned."""
_LONGEST = 40
"""Characters of a folder's name that is worth typing."""


@dataclass(frozen=True)
class Works:
    """A wish that was planned, and what would be done."""

    words: str
    would: str


async def wishes(home: Home, wanted: int = WANTED) -> list[Works]:
    """Return wishes that come out as a plan here now. Nothing is done; the log shows that it was looked at."""
    tools = home.tools
    try:
        model = made(EMBEDDED, home.settings, tools.clock, tools.ids, EMBEDDED)
    except SaysoError:
        return []
    found: list[Works] = []
    for words in candidates(home.settings.policy.roots):
        if len(found) == wanted:
            break
        would = await _would(home, model, words)
        found += [Works(words, would)] if would else []
    return found


def candidates(roots: Sequence[str]) -> Iterator[str]:
    """Yield wishes to try, each about another part of the computer, those that show most first."""
    names = [PurePath(root).name for root in roots]
    plain = [name for name in names if name.isprintable() and 0 < len(name) <= _LONGEST]
    yield from (f"make a folder called Plans in {name}" for name in plain[:1])
    yield "remind me tomorrow at nine to call Ana"
    yield "add water the plants to my tasks"
    yield "open wikipedia.org"
    yield "set the volume to 30%"
    yield "copy good morning to the clipboard"
    yield "make a note called Ideas"


async def _would(home: Home, model: Model, words: str) -> str:
    """Say what would be done; nothing where it is not understood, or not possible here."""
    session = session_id(home.tools.ids.key())
    try:
        with anyio.fail_after(SECONDS):
            answer = await home.ask(words, model=model, asker=Asker(session=session, dry_run=True))
    except (SaysoError, TimeoutError):
        return ""
    finally:
        with anyio.CancelScope(shield=True):
            await home.sessions.delete(session)
    return _planned(answer)


def _planned(answer: Answer) -> str:
    records = [one.record for one in answer.report.outcomes]
    if answer.report.needs_clarification or not records or any(one.state is not State.PLANNED for one in records):
        return ""
    return "; ".join(str(one.plan["summary"]) for one in records if one.plan)
