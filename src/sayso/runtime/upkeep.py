"""Once a day: ways back and audit rows that are older than the settings say are let go."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path

from sayso.core.ports import Prunes
from sayso.runtime.tools import Tools, log, moment, stamp

EVERY = timedelta(days=1)
PRUNED = "files"
"""The store whose backend keeps things for ways back."""


class Upkeep:
    """Tidies a home; `done` is the file that says when it was last done."""

    def __init__(self, tools: Tools, done: Path, prune_journal: Callable[[str], Awaitable[object]]) -> None:
        self._tools = tools
        self._done = done
        self._prune_journal = prune_journal

    async def daily(self) -> bool:
        """Tidy if that was not done for a day and nobody acts now; a fault here keeps nothing else from going on."""
        now = self._tools.clock.now()
        if now - self._last() < EVERY:
            return False
        async with self._tools.locks.attempt([PRUNED]) as held:
            if not held:
                return False
            try:
                await self._tidy(now)
            except OSError as fault:
                log.warning("old ways back could not be tidied away: %s", fault.strerror)
        return True

    async def _tidy(self, now: datetime) -> None:
        self._done.touch(mode=0o600)
        self._done.write_text(stamp(now), "ascii")
        backend = self._tools.backends.get(PRUNED)
        if isinstance(backend, Prunes):
            backend.prune()
        await self._prune_journal(stamp(now - timedelta(seconds=self._tools.policy().audit_keep)))

    def _last(self) -> datetime:
        try:
            return moment(self._done.read_text("ascii"))
        except (OSError, ValueError):
            # Nothing is old on the first day; from then on the file says when.
            return self._first_day()

    def _first_day(self) -> datetime:
        now = self._tools.clock.now()
        if self._done.parent.is_dir():
            self._done.touch(mode=0o600)
            self._done.write_text(stamp(now), "ascii")
        return now
