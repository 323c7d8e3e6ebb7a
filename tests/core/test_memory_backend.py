"""A pretended world does what its laws say, and what a batch imagines leaves it alone."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from sayso.core.errors import ProviderError
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View
from sayso.core.plan import NOTHING, Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, Reach, ResultRef, Step
from sayso.testing.fakes import KillAt, Killed


class Height(Fact, frozen=True):
    """How high a tower is."""

    fact: ClassVar[str] = "height"
    owner: ClassVar[str] = "towers"
    blocks: int


class Put(Step, frozen=True):
    """Put blocks on top."""

    step: ClassVar[str] = "tower.put"
    reach: ClassVar[Reach] = NOTHING
    blocks: int


@dataclass(frozen=True)
class Reads:
    """A look at the tower."""

    seen: View[int]

    def height(self) -> tuple[int, Fact]:
        blocks = self.seen.look()
        return blocks, self.seen.fact(Height("tower", blocks))


def does(world: int, step: Put, expects: Facts) -> tuple[int, Facts]:
    return world + step.blocks, (Height("tower", world + step.blocks),)


def too_high(world: int, step: Put, expects: Facts) -> str | None:
    return "it would fall" if world + step.blocks > 9 else None


def a_tower(**how: Any) -> MemoryBackend[int]:
    return MemoryBackend(
        1, MemoryRules(does, lambda world, fact: fact == Height("tower", world), Reads, too_high), **how
    )


async def test_a_step_changes_the_world_and_tells_what_it_left():
    tower = a_tower()

    left = await tower.apply(Put(2), (Height("tower", 1),))

    assert left == Applied((Height("tower", 3),))
    assert tower.reads.height() == (3, Height("tower", 3))


@pytest.mark.parametrize(
    ("blocks", "expects", "says"),
    [
        (2, (Height("tower", 7),), "“tower” is no longer as it was when this was planned; nothing was changed"),
        (9, (), "it would fall"),
    ],
)
async def test_a_world_that_moved_on_or_resists_is_left_alone(blocks: int, expects: Facts, says: str):
    tower = a_tower()

    with pytest.raises(ProviderError, match=says):
        await tower.apply(Put(blocks), expects)

    assert (tower.world, tower.done) == (1, [])


async def test_what_is_imagined_is_seen_and_not_so():
    tower = a_tower()

    seen = tower.imagine(tower.reads, Put(2), ChangeRef(action=4, change=1))
    seen = tower.imagine(seen, Put(3), ChangeRef(action=5, change=0))

    assert seen.height() == (6, ResultRef("tower", "height", 0, 5))
    assert tower.reads.height() == (1, Height("tower", 1))


async def test_it_remembers_what_it_did_and_admits_what_it_cannot_know():
    lasting, fresh = a_tower(lasting=True), a_tower()
    left = await lasting.apply(Put(1), ())

    assert await lasting.settle(Put(1), ()) == left
    assert isinstance(await lasting.settle(Put(2), ()), NotDone)
    assert isinstance(await fresh.settle(Put(1), ()), CannotTell)


async def test_a_crash_may_come_before_and_after_the_step_and_what_did_not_happen_in_this_very_world_was_not_done():
    labels: list[str] = []
    tower = a_tower(kill=KillAt("tower.put.before"))

    await a_tower(kill=labels.append).apply(Put(1), ())
    with pytest.raises(Killed):
        await tower.apply(Put(1), ())

    assert labels == ["tower.put.before", "tower.put.after"]
    assert isinstance(await tower.settle(Put(1), ()), NotDone)
