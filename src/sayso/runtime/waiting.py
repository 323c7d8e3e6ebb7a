"""Wait out the time for which something is held back."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio

from sayso.core.ports import Clock
from sayso.core.values import dataclass

EACH = 0.1
"""Seconds between two looks at whether the hold is over."""


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
        end = self.clock.monotonic() + held.seconds
        while True:
            left = end - self.clock.monotonic()
            if left <= 0 or await over():
                return
            await anyio.sleep(min(EACH, left))


@dataclass(frozen=True)
class AtOnce:
    """Waits for nothing: the person said that it goes at once."""

    async def wait(self, held: Held, over: Callable[[], Awaitable[bool]]) -> None:
        """Return."""
