"""The suite for backends of applications finds a backend that does not keep the rules."""

import pytest
from msgspec.structs import replace

from sayso.core.memory_backend import MemoryBackend
from sayso.core.ports import Backend
from sayso.providers.apps import memory
from sayso.providers.apps.model import AppRunning, AppsState
from sayso.testing.apps import AppsSuite


class Suite(AppsSuite):
    """The suite on a world where quitting is only pretended."""

    running = "Finder"
    idle = "Notes"

    def make(self) -> Backend:
        def does(world: AppsState, step: object, expects: object):
            return world, (AppRunning("Finder", ()),)

        return MemoryBackend(memory.parse_world({}), replace(memory.RULES, does=does))


async def test_a_backend_that_only_says_it_quit_is_found():
    with pytest.raises(AssertionError, match="does not run"):
        await Suite().test_an_application_is_quit_and_then_was_not_running()
