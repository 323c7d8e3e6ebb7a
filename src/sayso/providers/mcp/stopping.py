"""Stopping what a wrapped server is asked while it works on it."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import anyio

from sayso.core.step_watch import StepWatch
from sayso.providers.mcp.session import LinkBroken

T = TypeVar("T")
LOOKS = 0.1
"""Seconds between two looks at whether the step is to stop."""
LATE_SECONDS = 1.0
"""How long an answer may come after the server was told that nobody waits for it: it may have been about to come."""


class Stopped(Exception):
    """It was stopped before it ended; `str()` says why."""


async def until_stopped(
    watch: StepWatch, ask: Callable[[], Awaitable[T]], late: Callable[[], Awaitable[T]] | None = None
) -> T:
    """Return what `ask` returns; if the step is to stop, cancel that, and return what `late` does in a short time.

    Raises `Stopped` if nothing came, and what `ask` raises.
    """
    found: list[T] = []
    why = None

    async def look() -> None:
        nonlocal why
        while why is None:
            await anyio.sleep(LOOKS)
            why = watch.stops()
        together.cancel_scope.cancel()

    try:
        async with anyio.create_task_group() as together:
            together.start_soon(look)
            found.append(await ask())
            together.cancel_scope.cancel()
    except ExceptionGroup as problems:
        raise problems.exceptions[0] from None
    if not found and late is not None:
        with anyio.move_on_after(LATE_SECONDS), suppress(LinkBroken):
            found.append(await late())
    if not found:
        raise Stopped(why)
    return found[0]
