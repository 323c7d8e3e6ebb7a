"""Open the home for one command, and do the command's work in it.

This module is separate from `context.py`, so that a command that opens no home does not import one.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from sayso.assembly import Home, open_home
from sayso.core.quotes import visible
from sayso.core.record import Record
from sayso.journal.reader import JournalReader
from sayso.policy.settings import Mode
from sayso.runtime.services import WaitsForDelay, is_stopping
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.journal import close_folders

T = TypeVar("T")


def in_home(
    here: CommandContext,
    work: Callable[[Home], Awaitable[T]],
    *,
    mode: Mode | None = None,
    stopping: Callable[[], bool] = is_stopping,
    waits: WaitsForDelay | None = None,
) -> T:
    """Open the home, do `work` in it and return its result. Raises what `open_home` and `work` raise.

    Folders of sayso's that other users can read are closed first; the person is warned of those that stay open
    (`open_to_others`).
    """
    quiet(here)
    close_folders(here)

    async def opened() -> T:
        async with open_home(environ=here.environ, mode=mode, stopping=stopping, waits=waits) as home:
            return await work(home)

    return anyio.run(opened)


def read_in_home(here: CommandContext, read: Callable[[JournalReader], T]) -> T:
    """Open the home, and return what `read` returns for its journal."""

    async def found(home: Home) -> T:
        return home.journal.read(read)

    return in_home(here, found)


def pending_in_home(here: CommandContext) -> list[Record]:
    """Open the home, expire unanswered actions whose time is over, and return the waiting ones, newest first."""

    async def waiting(home: Home) -> list[Record]:
        return await home.pending()

    return in_home(here, waiting)


def quiet(here: CommandContext) -> None:
    """Log an unexpected error of an action as one line, with its traceback only if `SAYSO_DEBUG` is set."""
    handler = logging.StreamHandler(here.err)
    if not here.environ.get("SAYSO_DEBUG"):
        handler.setFormatter(_OneLine("sayso: %(message)s; with SAYSO_DEBUG=1 the details are printed"))
    logger = logging.getLogger("sayso")
    logger.handlers[:] = [handler]
    logger.propagate = False


class _OneLine(logging.Formatter):
    """Omits the traceback."""

    def formatException(self, ei: object) -> str:  # noqa: N802 - the name that logging calls
        return ""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record).rstrip())
