"""Wait out the time for which something is held back."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio

from sayso.core.ports import Clock
from sayso.core.values import dataclass

EACH = 0.1
"""Seconds between two looks at whether the hold is over."""
COUNTS = 1.0
"""Seconds that the time between two looks counts for at most: whoever was stopped meanwhile still has the rest."""


@dataclass(frozen=True, slots=True)
class Held:
    """What is held back now: in words, by their ids, and for how many seconds."""

    what: tuple[str, ...]
    ids: tuple[str, ...]
    seconds: float


class Waits(Protocol):
    """Who waits a hold out, and may show it to the person."""

    async def wait(self, held: Held, over: Callable[[], Awaitable[bool]]) -> None:
        """Return when the time is up, or `over` says that there is nothing to wait for any more."""
        ...


@dataclass(frozen=True)
class Silently:
    """Waits without a word."""

    clock: Clock

    async def wait(self, held: Held, over: Callable[[], Awaitable[bool]]) -> None:
        """Wait."""
        await self.counted(held, over, lambda _: None)

    async def counted(self, held: Held, over: Callable[[], Awaitable[bool]], told: Callable[[float], None]) -> None:
        """Wait, and tell before each look how many seconds are left."""
        left, looked = held.seconds, self.clock.monotonic()
        while left > 0:
            told(left)
            if await over():
                return
            await anyio.sleep(min(EACH, left))
            now = self.clock.monotonic()
            left, looked = left - min(now - looked, COUNTS), now


@dataclass(frozen=True)
class AtOnce:
    """Waits for nothing: the person said that it goes at once."""

    async def wait(self, held: Held, over: Callable[[], Awaitable[bool]]) -> None:
        """Return."""
