"""The journal in memory holds what every journal must hold."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sayso.core.ports import Journal
from sayso.journal.memory import MemoryJournal
from sayso.testing.journal import JournalSuite


class TestMemory(JournalSuite):
    """The shipped suite."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Journal]:
        """Open an empty one."""
        yield MemoryJournal()
