"""The operations that are raced: what is asked for, what is swapped, what must hold afterwards, how they run."""

import json
import random
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, cast

import anyio.to_thread

import sayso
from sayso.assembly import Home
from sayso.core.encoding import Json
from sayso.core.errors import Refused, SaysoError, Uncertain
from sayso.core.plan import Answer, Applied, CannotUndo, Change, Codec, Plan
from sayso.core.proposal import Origin, Proposal
from sayso.providers.files import FILES
from sayso.providers.files.local.backend import LocalBackend
from sayso.providers.files.model import Keep, SameFolder, Unchanged, Unkeep
from sayso.runtime.results import Report, report_json
from tests.harness.races_ground import Ground
from tests.harness.races_swapper import Exchange, Lifted, Move, Taken, Torn, put

A = "~/Documents/a"
SAME = "mark of new.."
"""As long as every other mark."""


@dataclass(frozen=True, eq=False)
class Deed:
    """One operation; `lands` says where the thing that was seen must be when it was done."""

    name: str
    operation: str
    arguments: Mapping[str, Json]
    moves: tuple[str, ...]
    lands: str = ""
    """`there`: in the folder that was seen; `trash`, `own`; `stays`; empty where nothing that was seen is touched."""
    makes: str = ""
    """The path of what is new, in the arena."""
    back_moves: tuple[str, ...] = ()
    """What is swapped while it is taken back; empty where that is not raced."""
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def reads(self) -> bool:
        """Say whether it only reads."""
        return not self.lands and not self.makes


@dataclass(frozen=True)
class Try:
    """What one attempt is: a deed, or taking it back, while this is swapped."""

    deed: Deed
    move: str
    back: bool


def moves(ground: Ground) -> dict[str, Move]:
    """Return everything that can be swapped, by name."""
    a, out = ground.arena, ground.outside
    return {
        "folder": Exchange(f"{a}/d", f"{a}/aside/d"),
        "another d": Exchange(f"{a}/d", f"{a}/aside/another d"),
        "another e": Exchange(f"{a}/e", f"{a}/aside/another e"),
        "destination": Exchange(f"{a}/e", f"{a}/aside/e"),
        "link": Exchange(f"{a}/d/f.txt", f"{a}/aside/f.txt"),
        "other": Exchange(f"{a}/d/f.txt", f"{a}/aside/other.txt"),
        "hard": Exchange(f"{a}/d/f.txt", f"{a}/aside/hard.txt"),
        "below": Exchange(f"{a}/d/t/u", f"{a}/aside/u"),
        "pipe": Exchange(f"{a}/d/f.txt", f"{a}/aside/pipe"),
        "root": Exchange(f"{ground.home}/Documents", f"{ground.aside}/root"),
        "local": Exchange(f"{ground.home}/.local", f"{ground.aside}/local"),
        "share": Exchange(f"{ground.home}/.local/share", f"{ground.aside}/share"),
        "lifted": Lifted(f"{a}/d/t/u", f"{ground.airlock}/u"),
        "torn": Torn(f"{a}/d", f"{a}/aside/torn", f"{out}/d"),
        "taken in d": Taken(f"{a}/d/new", f"{out}/made"),
        "taken in e": Taken(f"{a}/e/new", f"{out}/made"),
        "landed": Exchange(f"{a}/e/new", f"{a}/aside/other.txt"),
        "made": Exchange(f"{a}/d/new", f"{a}/aside/other.txt"),
        "as a link": Exchange(f"{a}/e/new", f"{a}/aside/f.txt"),
    }


def _file(name: str) -> dict[str, Json]:
    return {"path": f"{A}/{name}"}


def _from(source: str, destination: str) -> dict[str, Json]:
    return {"source": f"{A}/{source}", "destination": f"{A}/{destination}"}


_WITH = {"content": SAME}
_ON_F = ("folder", "another d", "link", "other", "hard", "pipe", "root", "torn")
_TREE = ("folder", "another d", "below", "lifted", "root", "torn")
_INTO = ("destination", "another e", "taken in e", "landed")

DEEDS = (
    Deed("read", "file.read", _file("d/f.txt"), _ON_F),
    Deed("read below", "file.read", _file("d/t/u/two.txt"), _TREE),
    Deed("list", "file.list", _file("d"), ("folder", "torn")),
    Deed("list below", "file.list", _file("d/t/u"), _TREE),
    Deed("find", "file.find", {**_file("d"), "pattern": "*"}, _TREE),
    Deed("open", "file.open", _file("d/f.txt"), _ON_F),
    Deed("reveal", "file.reveal", _file("d/f.txt"), _ON_F),
    Deed("write new", "file.write", {**_file("d/new"), **_WITH},
         ("folder", "another d", "torn", "taken in d"), "", "d/new",
         ("folder", "made", "torn")),
    Deed("write over", "file.write", {**_file("d/f.txt"), **_WITH}, _ON_F, "own", "d/f.txt", ("folder", "other")),
    Deed("append", "file.append", {**_file("d/f.txt"), **_WITH}, _ON_F, "own", "d/f.txt", ("folder", "link")),
    Deed("append to nothing", "file.append", {**_file("d/new"), **_WITH}, ("folder", "taken in d"), "", "d/new"),
    Deed("make folders", "file.mkdir", _file("d/new/x/y"), ("folder", "another d", "torn", "taken in d"), "",
         "d/new/x/y",
         ("folder", "made", "torn")),
    Deed("make folders below", "file.mkdir", _file("d/t/u/new/x"), _TREE, "", "d/t/u/new/x"),
    Deed("move", "file.move", _from("d/f.txt", "e/new"), (*_ON_F, *_INTO), "there", "e/new",
         ("folder", "destination", "landed", "as a link")),
    Deed("rename", "file.move", _from("d/f.txt", "d/new"), (*_ON_F, "taken in d"), "there", "d/new",
         ("folder", "made")),
    Deed("move folder", "file.move", _from("d/t", "e/new"), (*_TREE, *_INTO), "there", "e/new",
         ("folder", "destination")),
    Deed("copy", "file.copy", _from("d/f.txt", "e/new"), (*_ON_F, *_INTO), "stays", "e/new",
         ("destination", "landed", "as a link")),
    Deed("copy folder", "file.copy", _from("d/t", "e/new"), (*_TREE, *_INTO), "stays", "e/new", ("destination",)),
    Deed("delete", "file.delete", _file("d/f.txt"), (*_ON_F, "local", "share"), "trash", "",
         ("folder", "torn", "share")),
    Deed("delete folder", "file.delete", _file("d/t"), (*_TREE, "local", "share"), "trash", "", ("folder", "local")),
    Deed("keep", "keep", _file("d/f.txt"), _ON_F, "own", "", ("folder", "torn")),
)  # fmt: skip


def tries(draw: random.Random) -> Iterator[Try]:
    """Yield every deed with everything that is swapped for it, in another order each time, without end."""
    every = [Try(deed, move, False) for deed in DEEDS for move in deed.moves]
    every += [Try(deed, move, True) for deed in DEEDS for move in deed.back_moves]
    while True:
        draw.shuffle(every)
        yield from every


T = TypeVar("T")
HOW = {"done": "acted", "unchanged": "acted", "unknown": "uncertain"}


@dataclass(frozen=True)
class Ending:
    """How an attempt ended: `acted`, `refused`, `uncertain` or `bug`; all that was told; which thing was seen."""

    how: str
    told: str
    inode: int = 0
    folder: int = 0
    """The folder that was seen, into which something was to be put."""


class Doer(Protocol):
    """Somebody who does deeds and takes them back."""

    async def do(self, deed: Deed) -> Ending:
        """Do it."""
        ...

    async def undo(self) -> Ending:
        """Take the last one back."""
        ...


class Direct:
    """Operations and backend, without anything around them."""

    def __init__(self, backend: LocalBackend, between: Callable[[], None]) -> None:
        self._backend = backend
        self._between = between
        self._operations = {operation.id: operation for operation in FILES.operations}
        self._done: list[tuple[Change, Applied]] = []
        self._seen = (0, 0)

    async def do(self, deed: Deed) -> Ending:
        """Plan it, and carry out every change that is about files."""
        self._done, self._seen = [], (0, 0)
        return await self._told(self._do(deed))

    async def undo(self) -> Ending:
        """Take back what was done, the last change first."""
        return await self._told(self._undo())

    async def _told(self, telling: Coroutine[Any, Any, str]) -> Ending:
        try:
            return Ending("acted", await telling, *self._seen)
        except Uncertain as uncertain:
            return Ending("uncertain", str(uncertain))
        except SaysoError as refusal:
            return Ending("refused", f"{type(refusal).__name__} {refusal.code}: {refusal}")

    async def _do(self, deed: Deed) -> str:
        plan = await self._plan(deed)
        if isinstance(plan, Answer):
            return f"{plan.summary} {plan.text} {plan.data}"
        self._seen = seen(plan.changes)
        self._between()
        for change in plan.changes:
            if change.do.store == "files":
                self._done.append((change, await self._backend.apply(cast("Any", change.do), change.expects)))
        return f"{plan} {self._done}"

    async def _plan(self, deed: Deed) -> Plan | Answer:
        reads = self._backend.reads
        if deed.operation == "keep":
            found = await reads.look(str(deed.arguments["path"]))
            token = reads.token()
            return Plan("keep", (Change(Keep(found.path, token), Unkeep(found.path, token), (found.fact,)),))
        return await self._operations[deed.operation].function(reads, **deed.arguments)

    async def _undo(self) -> str:
        told = ""
        for change, left in reversed(self._done):
            if isinstance(change.undo, CannotUndo):
                raise Refused("there is no way back", "undo.none")
            told += str(await self._backend.apply(cast("Any", change.undo), left.facts))
        return told


def seen(changes: Sequence[Change]) -> tuple[int, int]:
    """Return which thing and which folder a plan is about, by what it expects of them."""
    facts = [fact for change in changes for fact in change.expects]
    thing = next((fact.inode for fact in facts if isinstance(fact, Unchanged)), 0)
    return thing, next((fact.inode for fact in facts if isinstance(fact, SameFolder)), 0)


class Whole:
    """The whole path: door, policy, question, journal, locks, undo."""

    def __init__(self, home: Home, codec: Codec) -> None:
        self._home = home
        self._codec = codec
        self._seen = (0, 0)

    async def do(self, deed: Deed) -> Ending:
        """Take it down the path, with somebody who says yes."""
        proposal = Proposal(0, deed.name, deed.operation, deed.arguments)
        report = await self._home.take([proposal], Origin("tools"), sayso.Client(lambda question: True))
        (outcome,) = report.outcomes
        plan: Mapping[str, Any] | None = outcome.record.plan
        self._seen = seen(self._codec.plan(plan).changes) if plan else (0, 0)
        return self._told(report)

    async def undo(self) -> Ending:
        """Take back the last thing done."""
        try:
            return self._told(await self._home.undo())
        except SaysoError as refusal:
            return Ending("refused", str(refusal))

    def _told(self, report: Report) -> Ending:
        (outcome,) = report.outcomes
        marks = outcome.record.marks
        told = json.dumps(report_json(report), default=str)
        return Ending("bug" if marks.code == "bug" else HOW.get(marks.state.value, "refused"), told, *self._seen)


async def at_once(work: Callable[..., T], *given: Any, **options: Any) -> T:
    """Do here what would be handed to a thread: an attempt costs less, and its calls of the kernel are in order."""
    return work(*given)


def without_threads() -> None:
    """Let nothing in this process be handed to a thread any more."""
    put(anyio.to_thread, run_sync=at_once)
