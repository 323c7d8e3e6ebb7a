"""Wait until a screen shows something, for a bounded time."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

T = TypeVar("T")

EVERY = 0.01
"""Seconds between two looks: a screen tells nobody when all that a step needs has come about."""


async def until(look: Callable[[], Awaitable[T | None]], seconds: float) -> T | None:
    """Return what `look` returns as soon as that is something; None when it is not in time."""
    with anyio.move_on_after(seconds):
        while True:
            found = await look()
            if found:
                return found
            await anyio.sleep(EVERY)
    return None
