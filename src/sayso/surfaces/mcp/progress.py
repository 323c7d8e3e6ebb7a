"""Telling an agent how far its call is: how long it has waited for the person, then what a wrapped server says."""

from typing import Any

import anyio
from mcp.server.context import ServerRequestContext

from sayso.core.quotes import quoted
from sayso.core.step_watch import StepProgress
from sayso.runtime.watching import Listener

_TOLD_SECONDS = 1.0
"""How long an agent may take to be told; one that does not read costs a wrapped server's other users no more."""


class CallProgress:
    """What an agent is told of one call. Each number is greater than the one before, as the protocol wants it."""

    def __init__(self, context: ServerRequestContext[Any, Any], tool: str) -> None:
        self._context = context
        self._tool = tool
        self._last: float | None = None
        self._waited = 0.0
        self._runs = False
        self._reads = True

    @property
    def listener(self) -> Listener | None:
        """Return what is told how far a wrapped server is; None if the agent did not ask for that."""
        return self.running if "progress_token" in (self._context.meta or {}) else None

    async def waiting(self, seconds: float, most: float, message: str) -> None:
        """Tell how long the call has waited of the longest time, and for what."""
        if not self._runs:
            self._waited = seconds
            await self._tell(seconds, max(most, seconds), message)

    async def running(self, progress: StepProgress) -> None:
        """Tell how far a wrapped server is, by its own numbers if the call did not wait; its words stand in quotes."""
        self._runs = True
        whole = None if progress.whole is None else self._waited + progress.whole
        said = f"{quoted(self._tool)} says: {quoted(progress.says)}" if progress.says else None
        await self._tell(self._waited + progress.done, whole, said)

    async def _tell(self, done: float, whole: float | None, message: str | None) -> None:
        if not self._reads or (self._last is not None and done <= self._last):
            return
        self._last = done
        with anyio.move_on_after(_TOLD_SECONDS) as late:
            await self._context.session.report_progress(done, whole, message)
        self._reads = not late.cancelled_caught
