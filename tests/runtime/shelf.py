"""A shelf of named texts: a small backend with real semantics, on which the path is tested; faults can be planted."""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

from sayso.core.errors import ProviderError
from sayso.core.plan import (
    Applied,
    CannotTell,
    ChangeRef,
    Fact,
    Facts,
    NotDone,
    ResultRef,
    Settlement,
    Step,
)
from sayso.core.ports import KillPoint, no_kill_point


class Holds(Fact, frozen=True):
    """The shelf holds this very text under the name."""

    fact: ClassVar[str] = "holds"
    text: str
    version: int


class Empty(Fact, frozen=True):
    """Nothing has this name."""

    fact: ClassVar[str] = "empty"


class Put(Step, frozen=True):
    """Put a text under a free name."""

    step: ClassVar[str] = "shelf.put"
    store: ClassVar[str] = "shelf"
    name: str
    text: str


class Take(Step, frozen=True):
    """Take a text away."""

    step: ClassVar[str] = "shelf.take"
    store: ClassVar[str] = "shelf"
    name: str


Steps = Put | Take


@dataclass
class World:
    """What is really on the shelf, and what is to go wrong."""

    texts: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    done: list[str] = field(default_factory=list[str])
    faults: dict[str, Exception] = field(default_factory=dict[str, Exception])
    """By `before:NAME` or `after:NAME`: raised instead of, or after, the effect."""
    blind: set[str] = field(default_factory=set[str])
    """Names about which the world can tell nothing after a crash."""
    why: str = "nobody looked"
    """What is said of those names."""
    asked: list[Facts] = field(default_factory=list[Facts])
    """What was expected of each step that the world was asked about after a crash."""
    version: int = 0
    held: float = 0
    """For how many seconds a text is held back before it is put."""


class Shelf(Protocol):
    """The reads."""

    async def holds(self, name: str) -> Fact | None:
        """Return the fact about a name, or None when nothing has it."""
        ...

    async def text(self, name: str) -> str:
        """Return a text."""
        ...

    def empty(self, name: str) -> Fact:
        """Return the fact that a name is free."""
        ...


@dataclass(frozen=True)
class Reads:
    """The reads of a world, with what earlier steps of a batch would change laid over it."""

    world: World
    over: dict[str, tuple[Fact | None, str]] = field(default_factory=dict[str, tuple[Fact | None, str]])
    free: dict[str, Fact] = field(default_factory=dict[str, Fact])

    async def holds(self, name: str) -> Fact | None:
        if name in self.over:
            return self.over[name][0]
        found = self.world.texts.get(name)
        return Holds(name, *found) if found else None

    async def text(self, name: str) -> str:
        if name in self.over:
            return self.over[name][1]
        return self.world.texts[name][0]

    def empty(self, name: str) -> Fact:
        return self.free.get(name, Empty(name))


class Backend:
    """Serves the shelf."""

    name = "memory"
    note = ""

    def __init__(self, world: World, kill: KillPoint = no_kill_point, *, imagines: bool = True) -> None:
        self.world = world
        self.imagines = imagines
        self._kill = kill

    @property
    def reads(self) -> Reads:
        return Reads(self.world)

    def holds(self, step: Steps) -> float:
        return self.world.held if isinstance(step, Put) else 0

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        world = self.world
        self._raise(f"before:{step.name}")
        for fact in expects:
            if not self._so(fact):
                raise ProviderError(f"“{fact.about}” has changed since it was looked at", "world.changed")
        self._kill("shelf.before")
        match step:
            case Put(name, text):
                if name in world.texts:
                    raise ProviderError(f"“{name}” is taken", "world.taken")
                world.version += 1
                world.texts[name] = (text, world.version)
            case Take(name):
                del world.texts[name]
        world.done.append(f"{step.step} {step.name}")
        self._kill("shelf.after")
        self._raise(f"after:{step.name}")
        return self._left(step)

    def _raise(self, place: str) -> None:
        if place in self.world.faults:
            raise self.world.faults[place]

    def _so(self, fact: Fact) -> bool:
        match fact:
            case Holds(about, text, version):
                return self.world.texts.get(about) == (text, version)
            case Empty(about):
                return about not in self.world.texts
            case _:
                return False

    def _left(self, step: Steps) -> Applied:
        match step:
            case Put(name):
                return Applied((Holds(name, *self.world.texts[name]),))
            case Take(name):
                return Applied((Empty(name),))

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        self.world.asked.append(expects)
        if step.name in self.world.blind:
            return CannotTell(self.world.why)
        there = step.name in self.world.texts
        return self._left(step) if there == isinstance(step, Put) else NotDone()

    def imagine(self, seen: Reads, step: Steps, ref: ChangeRef) -> Reads:
        name = step.name
        match step:
            case Put(name, text):
                return replace(seen, over=seen.over | {name: (ResultRef(name, "holds", ref.change, ref.action), text)})
            case Take(name):
                gone = ResultRef(name, "empty", ref.change, ref.action)
                return replace(seen, over=seen.over | {name: (None, "")}, free=seen.free | {name: gone})
