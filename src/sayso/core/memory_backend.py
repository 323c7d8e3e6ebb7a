"""A backend whose whole world is one frozen value in memory: what every memory backend is made of.

A provider says in plain functions how a step changes the value (`does`), whether a fact holds in it
(`holds`), and what its reads look like (`reads`); the three verbs and the overlay follow from these.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct, ValidationError, field

from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, ResultRef, Settlement
from sayso.core.ports import KillPoint, no_kill_point

W = TypeVar("W")


class View(Struct, Generic[W], frozen=True):
    """A look at a pretended world: as it is now, or as earlier steps of a batch would leave it."""

    look: Callable[[], W]
    as_left: Mapping[tuple[str, str], ResultRef] = field(default_factory=dict[tuple[str, str], ResultRef])

    def fact(self, fact: Fact) -> Fact:
        """Return `fact`, or the reference that stands for it because an earlier step changes what it is about."""
        return self.as_left.get(fact.key, fact)


class MemoryReads(Protocol[W]):
    """What the reads of a pretended world have in common."""

    @property
    def seen(self) -> View[W]:
        """Return the look they are made on."""
        ...


def describe_change(fact: Fact) -> str:
    """Say that what this fact is about is no longer so."""
    return f"“{fact.about}” is no longer as it was when this was planned"


def as_it_is(world: W) -> W:
    """Return the world as it is."""
    return world


def at_once(step: object) -> float:
    """Return 0: no step of this world is held back."""
    return 0


def nothing_against(world: object, step: object, expects: Facts) -> str | None:
    """Return None: nothing in this world resists."""
    return None


@contextmanager
def explain_odd_world(says: str, code: str) -> Generator[None]:
    """Raise a `SetupError` that begins with `says` where the world that the settings plant cannot be read."""
    try:
        yield
    except (ValidationError, ProposalError) as error:
        raise SetupError(f"{says}: {error}", code) from error


class MemoryRules(Struct, Generic[W], frozen=True):
    """How a pretended world behaves."""

    does: Callable[[W, Any, Facts], tuple[W, Facts]]
    """The world after a step, and the facts it leaves; an undo finds the ids it needs in what it expects."""
    holds: Callable[[W, Fact], bool]
    reads: Callable[[View[W]], MemoryReads[W]]
    resists: Callable[[W, Any, Facts], str | None] = nothing_against
    """Why the world would not do a step, in one sentence; None when it does."""
    moved_on: Callable[[Fact], str] = describe_change
    """One clause that says what is no longer as it was."""
    settles: Callable[[W], W] = as_it_is
    """The world once a step was really done, without what only planning needs to know."""
    held: Callable[[Any], float] = at_once
    """For how many seconds a step is held back before it begins."""


class MemoryBackend(Generic[W]):
    """A `Backend` over a world of type `W`; `world` is what is there now, `done` what was done, in order.

    `lasting` says that the world outlives a crash (a test holds on to it). One that was made new knows
    nothing of what an earlier process did, and says so when it is asked.
    """

    name = "memory"
    imagines = True

    def __init__(
        self, world: W, laws: MemoryRules[W], *, note: str = "", lasting: bool = False, kill: KillPoint = no_kill_point
    ) -> None:
        self.world = world
        self.done: list[tuple[Any, Facts, Applied]] = []
        self.note = note
        self._begun: list[tuple[Any, Facts]] = []
        self._laws = laws
        self._lasting = lasting
        self.private = not lasting
        self._kill = kill
        self.reads: Any = laws.reads(View(lambda: self.world))

    async def apply(self, step: Any, expects: Facts) -> Applied:
        """Do `step` if the world still is as expected."""
        self._begun.append((step, expects))
        for fact in expects:
            if not self._laws.holds(self.world, fact):
                raise ProviderError(f"{self._laws.moved_on(fact)}; nothing was changed", "world.changed")
        wont = self._laws.resists(self.world, step, expects)
        if wont is not None:
            raise ProviderError(wont, "world.refused")
        self._kill(f"{step.step}.before")
        world, facts = self._laws.does(self.world, step, expects)
        self.world = self._laws.settles(world)
        left = Applied(facts)
        self.done.append((step, expects, left))
        self._kill(f"{step.step}.after")
        return left

    def holds(self, step: Any) -> float:
        """Return for how many seconds a step is held back before it begins."""
        return self._laws.held(step)

    async def settle(self, step: Any, expects: Facts) -> Settlement:
        """Say what became of `step`, as far as this world remembers."""
        found = [left for did, on, left in self.done if did == step and set(on) == set(expects)]
        if found:
            return found[-1]
        if self._lasting or (step, set(expects)) in [(began, set(on)) for began, on in self._begun]:
            return NotDone("the memory world has no record of it")
        return CannotTell("what was kept in memory ended with its process")

    def imagine(self, seen: Any, step: Any, ref: ChangeRef) -> Any:
        """Return reads of the world after `step`; what it leaves is expected as `ref` left it."""
        before: View[W] = seen.seen
        world, facts = self._laws.does(before.look(), step, ())
        left = {fact.key: ResultRef(fact.about, fact.fact, ref.change, ref.action) for fact in facts}
        return self._laws.reads(View(lambda: world, {**before.as_left, **left}))
