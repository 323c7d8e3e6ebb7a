"""A shelf of named texts: a small backend with real semantics, on which the path is tested; faults can be planted."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

from sayso.core.encoding import Json
from sayso.core.errors import Candidate, ProposalError, ProviderError
from sayso.core.operation import operation
from sayso.core.plan import (
    NOTHING,
    Answer,
    Applied,
    CannotTell,
    CannotUndo,
    Change,
    ChangeRef,
    Fact,
    Facts,
    NotDone,
    Plan,
    Reach,
    ResultRef,
    Settlement,
    Step,
)
from sayso.core.ports import KillPoint, no_kill_point
from sayso.core.provider import Provider
from sayso.core.schema import Line, Text, UserPath


class Holds(Fact, frozen=True):
    """The shelf holds this very text under the name."""

    fact: ClassVar[str] = "holds"
    owner: ClassVar[str] = "shelf"
    text: str
    version: int


class Empty(Fact, frozen=True):
    """Nothing has this name."""

    fact: ClassVar[str] = "empty"
    owner: ClassVar[str] = "shelf"


class Put(Step, frozen=True):
    """Put a text under a free name."""

    step: ClassVar[str] = "shelf.put"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "shelf"
    name: str
    text: str


class Take(Step, frozen=True):
    """Take a text away."""

    step: ClassVar[str] = "shelf.take"
    reach: ClassVar[Reach] = NOTHING
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


async def _there(shelf: Shelf, name: str) -> Fact:
    found = await shelf.holds(name)
    if found is None:
        raise ProviderError(f"there is no “{name}”", "shelf.missing")
    return found


async def _putting(shelf: Shelf, name: str, text: str) -> Change:
    if await shelf.holds(name) is not None:
        raise ProviderError(f"“{name}” is taken", "shelf.taken")
    return Change(Put(name, text), Take(name), (shelf.empty(name),))


@operation("shelf.put", kind="write", asks="mode")
async def put(shelf: Shelf, name: Line, text: Text = "") -> Plan:
    """Put a text on the shelf."""
    return Plan(f"Put “{name}” on the shelf", (await _putting(shelf, name, text),), "Put it there")


@operation("shelf.jot", kind="write", asks="mode")
async def jot(shelf: Shelf, text: Text) -> Plan:
    """Put a text under its own words."""
    return Plan(f"Jot “{text}”", (await _putting(shelf, text, text),))


@operation("shelf.label", kind="write", asks="mode")
async def label(shelf: Shelf, path: UserPath) -> Plan:
    """Put a text under the name of a place."""
    return Plan(f"Label “{path}”", (await _putting(shelf, path, "label"),), "Labelled it")


@operation("shelf.pair", kind="write", asks="mode")
async def pair(shelf: Shelf, one: Line, other: Line) -> Plan:
    """Put two texts on the shelf."""
    changes = (await _putting(shelf, one, "1"), await _putting(shelf, other, "2"))
    return Plan(f"Put “{one}” and “{other}” on the shelf", changes, "Put both there")


@operation("shelf.spread", kind="write", asks="mode")
async def spread(shelf: Shelf, one: Line, other: Line) -> Plan:
    """Put two texts on the shelf, each for itself."""
    changes = (await _putting(shelf, one, "1"), await _putting(shelf, other, "2"))
    return Plan(f"Put “{one}” and “{other}” on the shelf", changes, "Put both there", on_failure="go on")


@operation("shelf.scatter", kind="write", asks="mode")
async def scatter(shelf: Shelf, names: list[Line]) -> Plan:
    """Put any number of texts on the shelf, each for itself."""
    changes = tuple([await _putting(shelf, name, "x") for name in names])
    return Plan("Scatter them", changes, "Scattered them", on_failure="go on")


@operation("shelf.refill", kind="write", asks="mode")
async def refill(shelf: Shelf, name: Line, text: Text = "") -> Plan:
    """Put another text in the place of one."""
    fact, before = await _there(shelf, name), await shelf.text(name)
    free = ResultRef(name, "empty", 0)
    changes = (Change(Take(name), Put(name, before), (fact,)), Change(Put(name, text), Take(name), (free,)))
    return Plan(f"Refill “{name}”", changes, "Refilled it", loses=(before,))


@operation("shelf.take", kind="destructive", asks="mode")
async def take(shelf: Shelf, name: Line) -> Plan:
    """Take a text from the shelf."""
    fact = await _there(shelf, name)
    text = await shelf.text(name)
    return Plan(f"Take “{name}” from the shelf", (Change(Take(name), Put(name, text), (fact,)),), "Took it")


@operation("shelf.burn", kind="destructive", asks="floor")
async def burn(shelf: Shelf, name: Line) -> Plan:
    """Burn a text."""
    fact = await _there(shelf, name)
    change = Change(Take(name), CannotUndo("what is burnt is gone"), (fact,))
    return Plan(f"Burn “{name}”", (change,), "Burnt it", loses=(f"“{name}”",))


@operation("shelf.send", kind="external", asks="mode")
async def send(shelf: Shelf, name: Line, to: Line) -> Plan:
    """Send a text away."""
    change = await _putting(shelf, f"sent {name}", to)
    return Plan(f"Send “{name}” to {to}", (change,), "Sent it", sends=(to,))


@operation("shelf.keep", kind="write", asks="mode")
async def keep(shelf: Shelf, name: Line) -> Plan:
    """Keep a text."""
    await _there(shelf, name)
    return Plan(f"“{name}” is kept already")


@operation("shelf.read", kind="read", asks="none", outside=True)
async def read(shelf: Shelf, name: Line) -> Answer:
    """Read a text."""
    await _there(shelf, name)
    return Answer(f"Read “{name}”", {"text": await shelf.text(name)}, await shelf.text(name))


@operation("shelf.count", kind="read", asks="none")
async def count(shelf: Shelf, name: Line) -> Answer:
    """Say whether a text is there."""
    return Answer("Counted", {"count": int(await shelf.holds(name) is not None)})


@operation("shelf.some", kind="read", asks="none")
async def some(shelf: Shelf, most: int, name: Line = "") -> Answer:
    """Read some of a text."""
    return Answer("Read some", {"text": (await shelf.text(name))[:most] if name else ""})


@operation("shelf.guess", kind="write", asks="mode")
async def guess(shelf: Shelf, name: Line) -> Plan:
    """Put a text where several would do."""
    raise ProposalError(f"“{name}” may be either", "shelf.several", (Candidate("left"), Candidate("right", "r")))


@operation("shelf.fault", kind="write", asks="mode")
async def fault(shelf: Shelf) -> Plan:
    """Fail with a bug."""
    raise ZeroDivisionError("a secret")


OPERATIONS = (put, jot, label, pair, spread, scatter, refill, take, burn, send, keep, read, count, some, guess, fault)
SHELF = Provider("shelf", OPERATIONS, (Put, Take), (Holds, Empty))

Call = tuple[str, Mapping[str, Json]]
PUT: Call = ("shelf.put", {"name": "a", "text": "x"})
PUT_B: Call = ("shelf.put", {"name": "b"})
PAIR: Call = ("shelf.pair", {"one": "a", "other": "b"})
KEEP: Call = ("shelf.keep", {"name": "a"})
TAKE: Call = ("shelf.take", {"name": "old"})
BURN: Call = ("shelf.burn", {"name": "old"})
READ: Call = ("shelf.read", {"name": "old"})
SEND: Call = ("shelf.send", {"name": "old", "to": "ana"})
NONE: Call = ("shelf.take", {"name": "none"})
JOT, JOT_B = (("shelf.jot", {"text": text}) for text in "ab")
"""Two that one permission can cover in one batch: their words may vary."""
NOON = "2026-03-14T12:00:00.000Z"
"""The time of every test, as the journal writes it."""


def old() -> World:
    """Return a shelf with one thing on it."""
    return World(texts={"old": ("o", 0)})
