"""The base of all memory backends: what a store would contain is simulated by one frozen value in memory, its world.

A provider supplies plain functions: `does` returns the world after a step, `holds` checks whether a fact is true, and
`reads` returns the object through which operations read the world. `apply`, `settle` and `imagine` call these.
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
    """Access to a simulated world, either the current one or the one that earlier steps of a batch would produce."""

    look: Callable[[], W]
    as_left: Mapping[tuple[str, str], ResultRef] = field(default_factory=dict[tuple[str, str], ResultRef])

    def fact(self, fact: Fact) -> Fact:
        """Return `fact`, or a `ResultRef` in its place if an earlier step of the batch changes that fact."""
        return self.as_left.get(fact.key, fact)


class MemoryReads(Protocol[W]):
    """The interface that is shared by the objects through which operations read simulated worlds."""

    @property
    def seen(self) -> View[W]:
        """Return the view that this object reads."""
        ...


def describe_change(fact: Fact) -> str:
    """Return a part of a sentence: the thing that this fact is about has changed since the plan was made."""
    return f"“{fact.about}” is no longer as it was when this was planned"


def as_it_is(world: W) -> W:
    """Return the world unchanged."""
    return world


def at_once(step: object) -> float:
    """Return 0: no step is delayed."""
    return 0


def nothing_against(world: object, step: object, expects: Facts) -> str | None:
    """Return None: no step is refused."""
    return None


@contextmanager
def explain_odd_world(says: str, code: str) -> Generator[None]:
    """Raise a `SetupError` that begins with `says` if the world in the settings cannot be read."""
    try:
        yield
    except (ValidationError, ProposalError) as error:
        raise SetupError(f"{says}: {error}", code) from error


class MemoryRules(Struct, Generic[W], frozen=True):
    """The functions that define how a simulated world behaves."""

    does: Callable[[W, Any, Facts], tuple[W, Facts]]
    """Returns the world after a step, and the facts that are true because of the step.

    The third argument is the facts that the step expects; the step of an undo finds the ids that it needs in them.
    """
    holds: Callable[[W, Fact], bool]
    reads: Callable[[View[W]], MemoryReads[W]]
    resists: Callable[[W, Any, Facts], str | None] = nothing_against
    """Returns why a step is refused, in one sentence; None if it is not."""
    moved_on: Callable[[Fact], str] = describe_change
    """Returns a part of a sentence that says that a fact is no longer true."""
    settles: Callable[[W], W] = as_it_is
    """Returns the world after a completed step, without data that only planning needs."""
    held: Callable[[Any], float] = at_once
    """Returns for how many seconds a step is delayed before it begins."""


class MemoryBackend(Generic[W]):
    """A `Backend` over a simulated world of type `W`; `world` is its current value, `done` lists the completed steps.

    `lasting` means that the world survives a simulated crash, because a test keeps it. If a world is not lasting, a new
    process has no record of earlier steps, and `settle` returns `CannotTell` for them.
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
        """Do `step` if all expected facts are still true.

        Raises `ProviderError` if one is not, or if the step is refused.
        """
        self._begun.append((step, expects))
        self._must_hold(expects)
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

    async def check(self, expects: Facts) -> None:
        """Raise `ProviderError` if one of these facts of this store is no longer true."""
        self._must_hold(expects)

    def _must_hold(self, facts: Facts) -> None:
        for fact in facts:
            if not self._laws.holds(self.world, fact):
                raise ProviderError(f"{self._laws.moved_on(fact)}; nothing was changed", "world.changed")

    def holds(self, step: Any) -> float:
        """Return for how many seconds a step is delayed before it begins."""
        return self._laws.held(step)

    async def settle(self, step: Any, expects: Facts) -> Settlement:
        """Return whether `step` was completed, as far as this backend recorded it."""
        found = [left for did, on, left in self.done if did == step and set(on) == set(expects)]
        if found:
            return found[-1]
        if self._lasting or (step, set(expects)) in [(began, set(on)) for began, on in self._begun]:
            return NotDone("the memory world has no record of it")
        return CannotTell("what was kept in memory is gone, because its process has ended")

    def imagine(self, seen: Any, step: Any, ref: ChangeRef) -> Any:
        """Return an object that reads the world after `step`; facts that the step changes are references to `ref`."""
        before: View[W] = seen.seen
        world, facts = self._laws.does(before.look(), step, ())
        left = {fact.key: ResultRef(fact.about, fact.fact, ref.change, ref.action) for fact in facts}
        return self._laws.reads(View(lambda: world, {**before.as_left, **left}))
