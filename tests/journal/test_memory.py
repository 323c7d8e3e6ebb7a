"""The journal in memory holds what every journal must hold."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sayso.core.conversation import Sessions, TriggerStates
from sayso.core.ports import Journal
from sayso.journal.memory import MemoryJournal, MemoryTriggers
from sayso.testing.fakes import FakeClock
from sayso.testing.journal import JournalSuite, SessionsSuite, TriggerStatesSuite


class TestMemoryTriggers(TriggerStatesSuite):
    """The shipped suite."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TriggerStates]:
        """Open an empty one."""
        yield MemoryTriggers()


class TestMemorySessions(SessionsSuite):
    """The shipped suite."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Sessions]:
        """Open an empty one."""
        yield MemoryJournal(FakeClock()).sessions


class TestMemory(JournalSuite):
    """The shipped suite."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Journal]:
        """Open an empty one."""
        yield MemoryJournal(FakeClock())
