"""Open the home for one command, and do its work there.

It stands apart from the context of a command, so that one that opens no home imports none.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from sayso.assembly import Home, open_home
from sayso.core.record import Record
from sayso.journal.reader import JournalReader
from sayso.policy.settings import Mode
from sayso.runtime.services import WaitsForDelay, never
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.journal import close_folders
from sayso.surfaces.cli.text import visible

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
    quiet(here)
    close_folders(here)

    async def opened() -> T:
        async with open_home(environ=here.environ, mode=mode, stopping=stopping, waits=waits) as home:
            return await work(home)

    return anyio.run(opened)


def read_in_home(here: CommandContext, read: Callable[[JournalReader], T]) -> T:
    """Open the home, and return what `read` finds in its journal."""

    async def found(home: Home) -> T:
        return home.journal.read(read)

    return in_home(here, found)


def pending_in_home(here: CommandContext) -> list[Record]:
    """Open the home, let expire what nobody answered in time, and return what still waits, newest first."""

    async def waiting(home: Home) -> list[Record]:
        return await home.pending()

    return in_home(here, waiting)


def quiet(here: CommandContext) -> None:
    """Let a fault that ended one action be told in one line, and in full only on demand."""
    handler = logging.StreamHandler(here.err)
    if not here.environ.get("SAYSO_DEBUG"):
        handler.setFormatter(_OneLine("sayso: %(message)s; with SAYSO_DEBUG=1 the details are printed"))
    logger = logging.getLogger("sayso")
    logger.handlers[:] = [handler]
    logger.propagate = False


class _OneLine(logging.Formatter):
    """Leaves the traceback out."""

    def formatException(self, ei: object) -> str:  # noqa: N802 - the name that logging calls
        return ""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record).rstrip())
