"""The state of triggers in memory holds what all must hold."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sayso.core.triggers import TriggerStates
from sayso.journal.memory_triggers import MemoryTriggers
from sayso.testing.triggers import TriggerStatesSuite


class TestMemoryTriggers(TriggerStatesSuite):
    """The shipped suite."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TriggerStates]:
        """Open an empty one."""
        yield MemoryTriggers()
