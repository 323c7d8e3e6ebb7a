"""The suite for sessions finds what does not keep its promise."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from sayso.core.sessions import Sessions
from sayso.journal.memory_sessions import MemorySessions
from sayso.testing.sessions import SessionsSuite


class Forgetful(MemorySessions):
    """Forgets nothing that it is asked to forget."""

    async def delete(self, session: str) -> bool:
        return session == "s1"


class OfForgetful(SessionsSuite):
    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Sessions]:
        yield Forgetful()


async def test_one_that_forgets_nothing_is_found_out():
    with pytest.raises(AssertionError):
        await OfForgetful().test_a_session_can_be_renamed_and_forgotten()
