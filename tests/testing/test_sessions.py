"""The suite for sessions finds what does not keep its promise."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from sayso.core.conversation import Sessions, TriggerState, TriggerStates
from sayso.journal.memory import MemorySessions, MemoryTriggers
from sayso.testing.sessions import SessionsSuite, TriggerStatesSuite


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


class LastOneWins(MemoryTriggers):
    """Lets everybody move it on."""

    async def move(self, to: TriggerState) -> bool:
        return await super().move(replace(to, turn=(await self.of(to.name)).turn))


class OfLastOneWins(TriggerStatesSuite):
    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TriggerStates]:
        yield LastOneWins()


async def test_one_that_lets_everybody_win_is_found_out():
    with pytest.raises(AssertionError):
        await OfLastOneWins().test_of_two_that_read_the_same_one_moves_it_on()
