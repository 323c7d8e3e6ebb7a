"""The suite for the state of triggers finds what does not keep its promise."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from sayso.core.triggers import TriggerState, TriggerStates
from sayso.journal.memory_triggers import MemoryTriggers
from sayso.testing.triggers import TriggerStatesSuite


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
