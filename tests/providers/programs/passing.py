"""Time that passes at a word, for limits that are to be reached only once something is there."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio

from tests.desktop_env.session import wait_for


def passes(seconds: float) -> None:
    """Let the loop believe that this time has passed."""
    loop = asyncio.get_running_loop()
    time = loop.time
    loop.time = lambda: time() + seconds


@asynccontextmanager
async def too_late_once(there: Callable[[], object]) -> AsyncGenerator[None]:
    """Let an hour pass as soon as something is there."""

    async def late() -> None:
        await anyio.to_thread.run_sync(wait_for, there)
        passes(3600)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(late)
        yield
