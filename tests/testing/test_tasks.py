"""The suite for stores of tasks finds a store that does not keep the rules."""

import pytest
from msgspec.structs import replace

from sayso.core.memory_backend import MemoryBackend, MemoryRules
from sayso.core.plan import Facts
from sayso.core.ports import Backend
from sayso.providers.tasks.memory import MemoryTasks, TasksWorld, do_step, holds
from sayso.providers.tasks.model import DeleteTasks, Steps
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.tasks import TasksSuite


class Forgetful(TasksSuite):
    """The suite on a store that keeps nothing of what it deletes."""

    def make(self) -> Backend:
        clock, ids = FakeClock(), NumberedIds()

        def does(world: TasksWorld, step: Steps, expects: Facts) -> tuple[TasksWorld, Facts]:
            then, facts = do_step(world, step, expects, "2026-03-14T12:00:00Z")
            return (replace(then, deleted_tasks={}), ()) if isinstance(step, DeleteTasks) else (then, facts)

        laws = MemoryRules(does=does, holds=holds, reads=lambda seen: MemoryTasks(clock, ids, seen))
        return MemoryBackend(TasksWorld(), laws, lasting=True)


class Careless(TasksSuite):
    """The suite on a store that does not look whether anything has changed."""

    def make(self) -> Backend:
        clock, ids = FakeClock(), NumberedIds()

        def does(world: TasksWorld, step: Steps, expects: Facts) -> tuple[TasksWorld, Facts]:
            return do_step(world, step, expects, "2026-03-14T12:00:00Z")

        laws = MemoryRules(does=does, holds=lambda world, fact: True, reads=lambda seen: MemoryTasks(clock, ids, seen))
        return MemoryBackend(TasksWorld(), laws, lasting=True)


async def test_a_store_that_forgets_what_it_deletes_is_found():
    with pytest.raises(Exception, match="no longer kept"):
        await Forgetful().test_a_deleted_tree_comes_back_with_ids_order_and_states()


async def test_a_store_that_does_not_look_is_found():
    with pytest.raises(AssertionError, match="should have been refused"):
        await Careless().test_a_delete_is_refused_when_the_tree_has_changed()
