"""Let the handler of an own action wait for an answer that is given elsewhere, such as on the page.

What a handler requests and needs the reply of is in the journal as waiting while somebody is asked. So whoever sees it
there can answer it, and the handler goes on with what came of it.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

import anyio

from sayso.assembly.home import Home
from sayso.core.decision import Decision, Question
from sayso.core.errors import Stale
from sayso.core.ports import Approver
from sayso.core.record import State

_LOOKS = 30.0
"""Seconds after which it is looked whether the time for an answer is over."""
_OPEN = frozenset({State.WAITING, State.RUNNING})
WATCHED: ContextVar[Approver | None] = ContextVar("WATCHED", default=None)
"""Who is asked what a handler needs to know while it runs, if nobody else can be."""


@contextmanager
def watched(home: Home, changed: Callable[[], anyio.Event]) -> Generator[None]:
    """Have handlers in the block wait for answers given elsewhere; `changed` returns what is set at a change."""
    token = WATCHED.set(AnsweredElsewhere(home, changed))
    try:
        yield
    finally:
        WATCHED.reset(token)


class AnsweredElsewhere:
    """Asks nobody, and waits until what was to be asked was decided and has ended; withdraws it if cancelled."""

    def __init__(self, home: Home, changed: Callable[[], anyio.Event]) -> None:
        self._home = home
        self._changed = changed

    async def ask(self, question: Question) -> Decision | None:
        """Raise `Stale` once it was decided elsewhere, so that its outcome is read from the journal."""
        ids = [card.id for card in question.cards]
        try:
            while True:
                changed = self._changed()
                await self._home.pending()  # what nobody answered in time expires
                found = [await self._home.journal.get(id_) for id_ in ids]
                if not any(record is not None and record.state in _OPEN for record in found):
                    raise Stale("it was decided elsewhere")
                with anyio.move_on_after(_LOOKS):
                    await changed.wait()
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                for id_ in ids:
                    await self._home.withdraw(id_)
            raise
