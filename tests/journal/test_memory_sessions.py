"""Sessions in memory hold what all must hold."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sayso.core.sessions import Sessions
from sayso.journal.memory_sessions import MemorySessions
from sayso.testing.sessions import SessionsSuite


class TestMemorySessions(SessionsSuite):
    """The shipped suite."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Sessions]:
        """Open an empty one."""
        yield MemorySessions()
