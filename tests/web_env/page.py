"""The page's server, as tests run it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskStatus

from sayso.assembly import Home
from sayso.surfaces.web.application import serve


@asynccontextmanager
async def serving(home: Home) -> AsyncGenerator[tuple[str, str]]:
    """Serve the page of a home while the block runs, and give its address and its token."""

    async def run(*, task_status: TaskStatus[tuple[str, str]]) -> None:
        await serve(home, 0, lambda url, token: task_status.started((url, token)))

    async with anyio.create_task_group() as together:
        yield await together.start(run)
        together.cancel_scope.cancel()
