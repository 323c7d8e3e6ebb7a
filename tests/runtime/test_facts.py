"""What a step expects of another store is checked by that store, and what nobody can check is refused."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, cast

import pytest

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.plan import Applied, Change, Fact, Facts, Plan, ResultRef
from sayso.core.ports import Backend
from sayso.runtime.apply import apply_step, owners_of, untrue_in
from tests.runtime.given import Given, given
from tests.runtime.shelf import Empty, Put, Take, World

PUT = Put("a", "x")


class LidOpen(Fact, frozen=True):
    """The lid of a box is open; the boxes know it, not the shelf."""

    fact: ClassVar[str] = "lid_open"
    owner: ClassVar[str] = "boxes"


LID = LidOpen("the red box")


class Boxes:
    """A store that knows which of its lids are open."""

    def __init__(self, *lids: str, fault: Exception | None = None) -> None:
        self._open = lids
        self._fault = fault
        self.asked: list[Facts] = []

    async def check(self, expects: Facts) -> None:
        self.asked.append(expects)
        if self._fault is not None:
            raise self._fault
        for fact in expects:
            if fact.about not in self._open:
                raise ProviderError(f"{fact.about} was closed", "world.changed")


def with_boxes(it: Given, boxes: object) -> None:
    """Let the boxes serve their store."""
    cast("dict[str, Backend]", it.tools.backends)["boxes"] = cast("Backend", boxes)


async def done(it: Given, *expects: Fact) -> tuple[object, Mapping[str, object]]:
    """Put a text on the shelf, with these expectations; return what came of it, and what is on the shelf."""
    return await apply_step(it.tools, PUT, expects), dict(it.world.texts)


async def test_a_step_is_done_when_the_other_store_says_that_its_fact_is_true(tmp_path: Path):
    boxes = Boxes("the red box")
    async with given(tmp_path) as it:
        with_boxes(it, boxes)

        result, texts = await done(it, Empty("a"), LID)

    assert isinstance(result, Applied)
    assert boxes.asked == [(LID,)]
    assert "a" in texts


async def test_a_step_is_not_done_when_the_other_store_says_that_its_fact_has_changed(tmp_path: Path):
    async with given(tmp_path) as it:
        with_boxes(it, Boxes())

        result, texts = await done(it, LID)

    assert isinstance(result, ProviderError)
    assert (str(result), result.code, texts) == ("the red box was closed", "world.changed", {})


@pytest.mark.parametrize("other", [None, object()], ids=["no such store", "a store that cannot check"])
async def test_a_fact_that_nobody_can_check_is_refused(tmp_path: Path, other: object):
    async with given(tmp_path) as it:
        if other is not None:
            with_boxes(it, other)

        result, texts = await done(it, LID)

    assert isinstance(result, SaysoError)
    assert (result.code, texts) == ("fact.unchecked", {})
    assert "nothing here can check whether “the red box” is still as it was" in str(result)


async def test_a_fault_in_a_check_ends_the_step_before_it_begins(tmp_path: Path):
    async with given(tmp_path) as it:
        with_boxes(it, Boxes(fault=RuntimeError("a secret")))

        result, texts = await done(it, LID)

    assert isinstance(result, ProviderError)
    assert (result.code, texts) == ("bug", {})
    assert "secret" not in str(result)


async def test_the_acting_store_gets_its_own_facts_only(tmp_path: Path):
    world = World(blind={"a"}, faults={"before:a": RuntimeError("boom")})
    async with given(tmp_path, world=world) as it:
        with_boxes(it, Boxes("the red box"))

        await done(it, Empty("a"), LID)

    assert world.asked == [(Empty("a"),)]


async def test_the_first_untrue_fact_of_a_plan_is_told_and_results_to_come_are_not_looked_at(tmp_path: Path):
    coming = ResultRef("the blue box", "lid_open", 0)
    async with given(tmp_path) as it:
        with_boxes(it, Boxes("the blue box"))

        first = await untrue_in(it.tools, Change(PUT, Take("a"), (coming,)))
        then = await untrue_in(it.tools, Change(PUT, Take("a"), (coming,)), Change(PUT, Take("a"), (LID,)))

    assert first is None
    assert str(then) == "the red box was closed"


def test_the_stores_that_own_what_a_plan_expects_are_known_so_that_they_can_be_locked():
    plan = Plan("x", (Change(PUT, Take("a"), (Empty("a"), LID)), Change(PUT, Take("a"), (Empty("b"),))))

    assert owners_of(plan) == {"boxes"}
