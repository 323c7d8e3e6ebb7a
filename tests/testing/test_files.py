"""The suite for file backends finds a backend that does not keep the rules."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from sayso.core.plan import Applied, Facts, NotDone, ResultRef, Settlement, Step
from sayso.core.ports import Backend
from sayso.providers.files import FILES
from sayso.providers.files.model import Free, Unchanged
from sayso.testing.files import (
    STEP_CASES,
    FilesSuite,
    FileStage,
    execute_batch,
    must_agree,
    plan_wishes,
    plant_case,
    resolve_reference,
    snapshot_of,
)
from tests.providers.files.batches import OPERATIONS
from tests.providers.files.staged import MemoryStage


async def test_every_step_has_a_case_that_says_what_it_leaves_and_how_it_is_spoilt():
    steps: set[type[Step]] = set()
    for name in STEP_CASES:
        stage = MemoryStage()
        case = await plant_case(name, stage)
        before = stage.tree()
        case.spoil(stage)

        assert case.leaves, name
        assert stage.tree() != before, name
        steps |= {type(case.do), type(case.undo)}

    assert steps == set(FILES.steps)


async def test_wishes_that_cannot_be_planned_are_left_out():
    stage = MemoryStage()
    stage.file(f"{stage.root}/a", b"")

    batch = await plan_wishes(
        stage.backend(),
        OPERATIONS,
        [
            ("file.delete", {"path": "~/Documents/no"}),
            ("file.mkdir", {"path": "~/Documents"}),
            ("file.read", {"path": "~/Documents/a"}),
            ("file.move", {"source": "~/Documents/a", "destination": "~/Documents/b"}),
        ],
    )

    assert [(ref.action, ref.change) for ref, _ in batch.changes] == [(3, 0)]
    assert set(await execute_batch(stage.backend(), batch)) == {(3, 0)}
    assert list(stage.tree()) == ["b"]


async def test_what_is_shown_of_a_path_says_when_it_is_not_possible():
    said = await snapshot_of(MemoryStage().backend().reads, ["/etc", "~/Documents/no"])

    assert said["look /etc"] == "refused"
    assert said["look ~/Documents/no"] == "not possible"
    assert said["exists ~/Documents/no"] is False


def test_a_reference_must_be_among_what_its_step_left_and_a_fact_that_did_not_come_true_is_found():
    lefts = {(0, 0): (Free("/a"),)}

    assert resolve_reference(ResultRef("/a", "free", 0, 0), lefts) == Free("/a")
    with pytest.raises(AssertionError):
        resolve_reference(ResultRef("/b", "free", 0, 0), lefts)
    with pytest.raises(AssertionError):
        must_agree(Unchanged("/a", "file", 1, 1), Unchanged("/a", "file", 1, 2), {})
    with pytest.raises(AssertionError):
        must_agree(Free("/a"), Unchanged("/b", "file", 1, 2), {})


class Careless:
    """A backend that does not look before it acts."""

    name, imagines, note = "careless", True, ""

    def __init__(self, inner: Any) -> None:
        self.reads, self.settle, self.imagine = inner.reads, inner.settle, inner.imagine
        self._inner = inner

    async def apply(self, step: Any, expects: Facts) -> Applied:
        return await self._inner.apply(step, ())


class Forgetful(Careless):
    """A backend that does not say what it left."""

    async def apply(self, step: Any, expects: Facts) -> Applied:
        await self._inner.apply(step, expects)
        return Applied()


class Sure(Careless):
    """A backend that always says that nothing was done."""

    async def apply(self, step: Any, expects: Facts) -> Applied:
        return await self._inner.apply(step, expects)

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self.settle = self._never

    async def _never(self, step: Any, expects: Facts) -> Settlement:
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
