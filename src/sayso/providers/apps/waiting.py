"""Look at the screen again and again until it shows what a step waits for."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

T = TypeVar("T")

POLL_SECONDS = 0.01
"""Seconds between two looks at the screen. The looks are needed, as no screen signals everything a step waits for."""


async def poll(look: Callable[[], Awaitable[T | None]], seconds: float) -> T | None:
    """Return the first true value that `look` returns; None if there is none within `seconds`."""
    with anyio.move_on_after(seconds):
        while True:
            found = await look()
            if found:
                return found
            await anyio.sleep(POLL_SECONDS)
    return None
