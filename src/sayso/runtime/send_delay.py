"""Wait before something is sent, so that the person can still stop it: in silence, or not at all."""

from collections.abc import Awaitable, Callable

import anyio
from msgspec import Struct

from sayso.core.ports import Clock
from sayso.runtime.services import DelayedActions

EACH = 0.1
"""Seconds between two looks at whether the hold is over."""
COUNTS = 1.0
"""Seconds that the time between two looks counts for at most: whoever was stopped meanwhile still has the rest."""


class SilentDelay(Struct, frozen=True):
    """Waits without a word."""

    clock: Clock

    async def wait(self, held: DelayedActions, over: Callable[[], Awaitable[bool]]) -> None:
        """Wait."""
        await self.wait_counting(held, over, lambda _: None)

    async def wait_counting(
        self, held: DelayedActions, over: Callable[[], Awaitable[bool]], told: Callable[[float], None]
    ) -> None:
        """Wait, and tell before each look how many seconds are left."""
        left, looked = held.seconds, self.clock.monotonic()
        while left > 0:
            told(left)
            if await over():
                return
            await anyio.sleep(min(EACH, left))
            now = self.clock.monotonic()
            left, looked = left - min(now - looked, COUNTS), now


class NoDelay(Struct, frozen=True):
    """Waits for nothing: the person said that it goes at once."""

    async def wait(self, held: DelayedActions, over: Callable[[], Awaitable[bool]]) -> None:
        """Return."""
