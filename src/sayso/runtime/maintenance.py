"""Daily clean-up: remove undo data and audit rows that are older than the settings allow."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path

from sayso.core.ports import Prunes
from sayso.runtime.services import Services, log_warning, moment, stamp

EVERY = timedelta(days=1)
LONG = timedelta(days=7)
"""After a gap longer than this, nothing is removed until a later day, because the clock may be wrong (CR-05)."""
AGAIN = " again"
PRUNED = ("files", "tasks")
"""The stores whose backends keep data so that actions can be undone."""


def is_tidy(done: Path, now: datetime) -> bool:
    """Return whether no clean-up is due at `now`: the last one, or the last check, was less than a day ago."""
    last, _ = _read_done(done)
    return last is not None and timedelta(0) <= now - last < EVERY


class Maintenance:
    """Cleans up a home once a day; the file `done` holds the time of the last clean-up."""

    def __init__(self, tools: Services, done: Path, prune_journal: Callable[[str, str], Awaitable[object]]) -> None:
        self._tools = tools
        self._done = done
        self._prune_journal = prune_journal

    async def daily(self) -> bool:
        """Clean up if the last clean-up is a day ago and no action runs; return whether it tried.

        Disk errors are logged.
        """
        now, (last, agreed) = self._tools.clock.now(), _read_done(self._done)
        if last is None or now < last:
            self._note(now)
            return False
        if now - last < EVERY:
            return False
        if now - last > LONG and not agreed:
            self._note(now, AGAIN)
            return False
        async with self._tools.locks.attempt(PRUNED) as held:
            if not held:
                return False
            try:
                await self._tidy(now)
            except OSError as fault:
                log_warning("old undo data could not be cleared away: %s", fault.strerror)
        return True

    async def _tidy(self, now: datetime) -> None:
        self._note(now)
        for store in PRUNED:
            backend = self._tools.backends.get(store)
            if isinstance(backend, Prunes):
                backend.prune()
        policy = self._tools.policy()
        before = now - timedelta(seconds=policy.audit_keep)
        await self._prune_journal(stamp(before), stamp(min(before, now - timedelta(seconds=policy.exposure_lasts))))

    def _note(self, now: datetime, more: str = "") -> None:
        if self._done.parent.is_dir():
            self._done.touch(mode=0o600)
            self._done.write_text(stamp(now) + more, "ascii")


def _read_done(done: Path) -> tuple[datetime | None, bool]:
    """Return the time in `done`, and whether a clean-up after a long gap waits for a second day."""
    try:
        text = done.read_text("ascii")
        return moment(text.removesuffix(AGAIN)), text.endswith(AGAIN)
    except (OSError, ValueError):
        return None, False
