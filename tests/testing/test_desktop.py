"""The suite for desktop backends finds a backend that does not keep the rules."""

import pytest

from sayso.core.memory_backend import MemoryBackend
from sayso.core.plan import Applied, Facts
from sayso.core.ports import Backend
from sayso.providers.desktop import memory
from sayso.providers.desktop.model import DesktopState
from sayso.testing.desktop import DesktopSuite
from sayso.testing.fakes import NumberedIds


class Careless:
    """A backend that does not look before it acts."""

    def __init__(self, inner: MemoryBackend[DesktopState]) -> None:
        self.name, self.imagines, self.note = inner.name, inner.imagines, inner.note
        self.reads, self.settle, self.imagine = inner.reads, inner.settle, inner.imagine
        self._inner = inner

    async def apply(self, step: object, expects: Facts) -> Applied:
        return await self._inner.apply(step, ())


class Suite(DesktopSuite):
    """The suite on the careless backend."""

    def make(self) -> Backend:
        return Careless(memory.backend(DesktopState(), NumberedIds()))


async def test_a_backend_that_does_not_look_before_it_acts_is_found():
    with pytest.raises(AssertionError, match="should have been refused"):
        await Suite().test_a_volume_that_was_set_since_is_left_alone()
