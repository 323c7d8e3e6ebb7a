"""Do a deed as sayso does it: by its operations and its backend alone, or down the whole path with the journal."""

import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

import anyio.to_thread

import sayso
from sayso.assembly import Home
from sayso.core.codec import Codec
from sayso.core.errors import Refused, SaysoError, Uncertain
from sayso.core.plan import Answer, Applied, CannotUndo, Change, Plan
from sayso.core.proposal import Origin, Proposal
from sayso.providers.files import FILES
from sayso.providers.files.local.backend import LocalBackend
from sayso.providers.files.model import Keep, SameFolder, Unchanged, Unkeep
from sayso.runtime.results import Report, report_json
from tests.harness.races_deeds import Deed
from tests.harness.races_gaps import put

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
