"""The suite for file backends finds a backend that does not keep the rules."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from sayso.core.plan import Facts, Left, NotDone, Settled
from sayso.core.ports import Backend
from sayso.testing.file_deeds import FileStage
from sayso.testing.files import FilesSuite
from tests.providers.files.staged import MemoryStage


class Careless:
    """A backend that does not look before it acts."""

    name, imagines, note = "careless", True, ""

    def __init__(self, inner: Any) -> None:
        self.reads, self.settle, self.imagine = inner.reads, inner.settle, inner.imagine
        self._inner = inner

    async def apply(self, step: Any, expects: Facts) -> Left:
        return await self._inner.apply(step, ())


class Forgetful(Careless):
    """A backend that does not say what it left."""

    async def apply(self, step: Any, expects: Facts) -> Left:
        await self._inner.apply(step, expects)
        return Left()


class Sure(Careless):
    """A backend that always says that nothing was done."""

    async def apply(self, step: Any, expects: Facts) -> Left:
        return await self._inner.apply(step, expects)

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self.settle = self._never

    async def _never(self, step: Any, expects: Facts) -> Settled:
        return NotDone()


def suite(kind: Callable[[Any], Backend]) -> FilesSuite:
    class Stage(MemoryStage):
        def __post_init__(self) -> None:
            super().__post_init__()
            build = self.backend
            self.backend = lambda: kind(build())

    class Suite(FilesSuite):
        def stage(self) -> AbstractContextManager[FileStage]:
            return nullcontext(Stage())

    return Suite()


CHECKS: list[tuple[type[Careless], Callable[[FilesSuite], Awaitable[None]]]] = [
    (Careless, FilesSuite.test_a_step_is_not_done_when_the_world_has_moved_on),
    (Careless, FilesSuite.test_an_undo_is_not_done_when_what_was_left_has_changed),
    (Forgetful, FilesSuite.test_each_step_leaves_what_it_says_and_can_be_taken_back),
    (Sure, FilesSuite.test_settling_says_what_became_of_a_step),
]


@pytest.mark.parametrize(("kind", "check"), CHECKS)
async def test_a_backend_that_breaks_a_rule_fails(kind: type[Careless], check: Callable[[FilesSuite], Awaitable[None]]):
    with pytest.raises(AssertionError):
        await check(suite(kind))
