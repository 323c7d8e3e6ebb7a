"""Open the person's home for one command and close it again."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from sayso.assembly import Home, open_home
from sayso.assembly.parts import PROVIDERS, providers
from sayso.config import Settings, load, places
from sayso.config.private import open_to_others
from sayso.policy.settings import Mode
from sayso.runtime.tools import never
from sayso.runtime.waiting import Waits
from sayso.surfaces.cli.here import Here

T = TypeVar("T")


def in_home(
    here: Here,
    work: Callable[[Home], Awaitable[T]],
    *,
    mode: Mode | None = None,
    stopping: Callable[[], bool] = never,
    waits: Waits | None = None,
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


def settings_of(here: Here) -> Settings:
    """Return the settings without opening anything else."""
    return load(here.environ, others=foreign_sections())


def foreign_sections() -> tuple[str, ...]:
    """Return the sections of settings that belong to providers of other packages."""
    return tuple(part.store for part in providers() if part not in PROVIDERS)
