"""Taking back as a program does, for the tests of undo."""

from sayso.core.proposal import Origin
from sayso.runtime.results import Report
from sayso.runtime.undo import Undo
from tests.runtime.given import Given


async def backs(it: Given, undo: Undo, ref: str | None = None, *, dry_run: bool = False) -> Report:
    """Take back as a program does."""
    return await undo.take_back(await undo.find(ref), Origin("lines", "undo", "s9"), "terminal", dry_run=dry_run)
