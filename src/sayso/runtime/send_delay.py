"""The delay before something is sent, during which the person can still stop it; `NoDelay` skips the delay."""

from collections.abc import Awaitable, Callable

import anyio
from msgspec import Struct

from sayso.core.ports import Clock
from sayso.runtime.services import DelayedActions

EACH = 0.1
"""Seconds between two checks whether the delay is over."""
COUNTS = 1.0
"""The most seconds that count between two checks, so that a process that was suspended still waits for the rest."""


class SilentDelay(Struct, frozen=True):
    """Waits without showing anything."""

    clock: Clock

    async def wait(self, held: DelayedActions, over: Callable[[], Awaitable[bool]]) -> None:
        """Wait until the delay is over, or `over` returns True."""
        await self.wait_counting(held, over, lambda _: None)

    async def wait_counting(
        self, held: DelayedActions, over: Callable[[], Awaitable[bool]], told: Callable[[float], None]
    ) -> None:
        """Wait, and before each check call `told` with the remaining seconds."""
        left, looked = held.seconds, self.clock.monotonic()
        while left > 0:
            told(left)
            if await over():
                return
            await anyio.sleep(min(EACH, left))
            now = self.clock.monotonic()
            left, looked = left - min(now - looked, COUNTS), now


class NoDelay(Struct, frozen=True):
    """Does not wait, because the person chose to send at once."""

    async def wait(self, held: DelayedActions, over: Callable[[], Awaitable[bool]]) -> None:
        """Return at once."""
