"""Open the home for one command, and do its work there.

It stands apart from the context of a command, so that one that opens no home imports none.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from sayso.assembly import Home, open_home
from sayso.config import places
from sayso.config.paths import open_to_others
from sayso.policy.settings import Mode
from sayso.runtime.services import WaitsForDelay, never
from sayso.surfaces.cli.context import CommandContext

T = TypeVar("T")


def in_home(
    here: CommandContext,
    work: Callable[[Home], Awaitable[T]],
    *,
    mode: Mode | None = None,
    stopping: Callable[[], bool] = never,
    waits: WaitsForDelay | None = None,
) -> T:
    """Do `work` with the open home and return what it returns. Raises what `open_home` and `work` raise.

    A folder of sayso's that others may look into is closed first, or the person is told (`open_to_others`).
    """
    for folder in open_to_others(places(here.environ), named=bool(here.environ.get("SAYSO_HOME"))):
        here.tell(f"sayso: others may look into “{folder}”; “sayso doctor” says how to close it")

    async def opened() -> T:
        async with open_home(environ=here.environ, mode=mode, stopping=stopping, waits=waits) as home:
            return await work(home)

    return anyio.run(opened)
