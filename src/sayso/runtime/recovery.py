"""Recovery: settle the unfinished actions of processes that died; no step is started."""

import os
import socket
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import cast

from sayso.core.errors import ProposalError, ProviderError, SaysoError
from sayso.core.plan import Applied, CannotTell, CannotUndo, NotDone, Plan, facts_json
from sayso.core.quotes import quoted
from sayso.core.record import Owner, Record, State, StepOutcome, StepRecord
from sayso.runtime.apply import JournalWriter, mark_taken_back, own_facts, part_done
from sayso.runtime.services import AppliedFacts, Services, resolve_facts

PROC = Path("/proc")
"""Where the kernel lists the processes; not every system has this folder."""


def this_process(proc: Path = PROC) -> Owner:
    """Return this process as an owner, so that another process can find out later whether it is still alive."""
    return Owner(socket.gethostname(), _boot(proc), os.getpid(), _process_start_time(os.getpid(), proc) or 0)


_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox"})


def calling_process(proc: Path = PROC) -> Owner:
    """Return the process that started this one as an owner; shells in between are passed over."""
    pid = os.getppid()
    while (found := _name_and_parent(pid, proc)) is not None and found[0] in _SHELLS and found[1] > 1:
        pid = found[1]
    return Owner(socket.gethostname(), _boot(proc), pid, _process_start_time(pid, proc) or 0)


def _name_and_parent(pid: int, proc: Path) -> tuple[str, int] | None:
    try:
        text = (proc / f"{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    head, _, rest = text.rpartition(")")
    return head.partition("(")[2], int(rest.split()[1])


def is_dead(owner: Owner, me: Owner, proc: Path = PROC) -> bool:
    """Return whether the process `owner` is certainly gone; one on another host never counts as gone.

    The same boot id and process namespace mean the same machine, even if its host name has changed.
    """
    if owner.boot != me.boot:
        return owner.host == me.host and _kernel(owner.boot) != _kernel(me.boot)
    if not me.boot and owner.host != me.host:
        return False
    started = _process_start_time(owner.pid, proc)
    if started is None:
        return not _exists(owner.pid, proc)
    return started != owner.started


def _boot(proc: Path) -> str:
    """Return the kernel's boot id and the namespace in which process ids are unique; containers have their own."""
    try:
        boot = (proc / "sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot} {(proc / 'self/ns/pid').readlink()}"
    except OSError:
        return ""  # without a boot id, a restart is noticed only because the process is gone


def _kernel(boot: str) -> str:
    return boot.partition(" ")[0]


def _process_start_time(pid: int, proc: Path) -> int | None:
    try:
        text = (proc / f"{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The second field is the program's name in brackets, which may contain anything; later fields have no brackets.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])


def _exists(pid: int, proc: Path) -> bool:
    if (proc / "self").exists():
        return False  # `_process_start_time` found no such process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # the process belongs to another user, so it exists
    return True


INTERRUPTED = "interrupted before it began; nothing was changed"
INTERRUPTED_AT_IT = "interrupted before it was done; nothing was changed"


class Recovery:
    """Settles unfinished actions while it holds the locks of their stores."""

    def __init__(self, tools: Services) -> None:
        self._tools = tools

    async def on_opening(self) -> int:
        """Settle the actions of dead owners if the locks of all their stores are free; return how many were settled."""
        dead = await self._dead()
        if not dead:
            return 0
        async with self._tools.locks.attempt(stores_of(dead)) as held:
            return await self._settle_all(await self._dead()) if held else 0

    def holding(self, stores: set[str]) -> AbstractAsyncContextManager[None]:
        """Hold the locks of these stores, after settling what dead owners left unfinished on them.

        Stores that are private to this process need neither locks nor settling.
        """
        shared = self._tools.shared_stores(stores)
        return self._hold(shared) if shared or not stores else nullcontext()

    @asynccontextmanager
    async def _hold(self, shared: set[str]) -> AsyncGenerator[None]:
        async with self._tools.locks.hold(shared):
            await self.on_locked(shared)
            yield

    async def on_locked(self, stores: Iterable[str]) -> None:
        """Settle the actions of dead owners on these stores, whose locks the caller holds."""
        held = set(stores)
        dead = [record for record in await self._dead() if set(stores_of([record])) <= held]
        await self._settle_all(dead)

    async def _dead(self) -> list[Record]:
        running = await self._tools.journal.in_state(State.RUNNING)
        return [record for record in running if record.marks.owner and is_dead(record.marks.owner, self._tools.owner)]

    async def _settle_all(self, dead: list[Record]) -> int:
        pen = JournalWriter(self._tools.journal)
        runs = dict.fromkeys(record.run for record in dead)
        for run in runs:
            await self._run([record for record in dead if record.run == run], pen)
        return len(dead)

    async def _run(self, dead: list[Record], pen: JournalWriter) -> None:
        lefts = await lefts_of_run(self._tools, dead[0].run)
        whole = await self._tools.journal.of_run(dead[0].run)
        started = any(_has_started(record) for record in whole)
        for record in dead:
            self._tools.kill("recovery.before")
            settled, also = await self._one(record, lefts, started=started)
            end = settled.marked(owner=None, ended_at=self._tools.now())
            await pen.now(end, *also, event="settled")
            self._tools.kill("recovery.after")

    async def _one(self, record: Record, lefts: AppliedFacts, *, started: bool) -> tuple[Record, list[Record]]:
        if record.plan is None:
            return record.marked(state=State.FAILED, error=INTERRUPTED, code="interrupted"), []
        plan = self._tools.codec.plan(record.plan)
        if record.marks.undoing is not None:
            return await self._recover_undo(record, plan, record.marks.undoing), []
        if record.marks.begun is not None:
            return await self._recover_begun(record, plan, record.marks.begun, lefts)
        if record.marks.changes:
            return part_done(record, len(plan.changes), ProviderError("interrupted", "interrupted")), []
        if started:
            sentence = "skipped because the run was interrupted before its turn"
            return record.marked(state=State.SKIPPED, error=sentence, code="interrupted"), []
        return record.marked(state=State.FAILED, error=INTERRUPTED, code="interrupted"), []

    async def _recover_begun(
        self, record: Record, plan: Plan, number: int, lefts: AppliedFacts
    ) -> tuple[Record, list[Record]]:
        change = plan.changes[number]
        try:
            expects = own_facts(change.do, resolve_facts(change.expects, lefts, record.index))
            settled = await self._tools.backend(change.do.store).settle(change.do, expects)
        except SaysoError as problem:
            settled = CannotTell(str(problem))
        if isinstance(settled, CannotTell):
            return unknown(record, number, settled.why), []
        mark = (
            StepRecord(StepOutcome.DONE, facts_json(settled.facts))
            if isinstance(settled, Applied)
            else StepRecord(StepOutcome.NOT_DONE)
        )
        record = record.marked(changes=(*record.marks.changes, mark), begun=None)
        also = await mark_original(self._tools, record, number) if mark.outcome is StepOutcome.DONE else []
        return _end_interrupted(record, plan), also

    async def _recover_undo(self, record: Record, plan: Plan, number: int) -> Record:
        step = plan.changes[number].undo
        left = self._tools.codec.left(record.marks.changes[number].left)
        if isinstance(step, CannotUndo):
            why = "the journal says that it was being taken back, but it holds nothing to undo it with"
            return unknown(record.marked(undoing=None), number, why)
        try:
            settled = await self._tools.backend(step.store).settle(step, left.facts)
        except SaysoError as problem:
            settled = CannotTell(str(problem))
        if not isinstance(settled, NotDone):
            record = mark_taken_back(record, number, settled)
        return part_done(record.marked(undoing=None), len(plan.changes), ProviderError("interrupted", "interrupted"))


def _end_interrupted(record: Record, plan: Plan) -> Record:
    """End an interrupted action after the outcome of its last begun change was recorded."""
    outcomes = [mark.outcome for mark in record.marks.changes]
    count = len(plan.changes)
    if outcomes == [StepOutcome.DONE] * count:
        return record.marked(state=State.DONE, message=plan.said_when_done or plan.summary)
    if len(outcomes) == count and record.marks.error is not None:
        # All changes were tried, and the error in one of them had not stopped the others.
        return part_done(record, count, ProviderError(record.marks.error, str(record.marks.code)))
    why = "interrupted before it was done" if StepOutcome.DONE in outcomes else INTERRUPTED_AT_IT
    return part_done(record, count, ProviderError(why, "interrupted"))


async def mark_original(tools: Services, undo: Record, number: int) -> list[Record]:
    """Return the original record of `undo`, with the change marked that change `number` of `undo` has reversed.

    The list is empty if `undo` is not an undo. In the plan of an undo, `changes` in `data` lists, for each change of
    the undo, which change of the original it reverses.
    """
    original = await tools.journal.get(undo.undo_of) if undo.undo_of is not None else None
    return [] if original is None else [mark_undone(original, undo, number)]


def mark_undone(original: Record, undo: Record, number: int) -> Record:
    """Return `original` after marking as undone the change that change `number` of `undo` reversed.

    If no change of `original` is still marked as done, the whole record is undone.
    """
    data = cast("Mapping[str, list[int]]", (undo.plan or {})["data"])
    taken = data["changes"][number]
    marks = list(original.marks.changes)
    marks[taken] = StepRecord(StepOutcome.UNDONE)
    original = original.marked(changes=tuple(marks))
    if any(mark.outcome is StepOutcome.DONE for mark in marks):
        return original
    return original.marked(state=State.UNDONE, undone_by=undo.id)


def unknown(record: Record, number: int, why: str) -> Record:
    """Return the record as unknown, because nobody can tell whether change `number` happened."""
    changes = (*record.marks.changes[:number], StepRecord(StepOutcome.UNKNOWN), *record.marks.changes[number + 1 :])
    sentence = f"it is not known whether this happened: {why or 'nothing that can be looked at shows it'}"
    return record.marked(state=State.UNKNOWN, changes=changes, error=sentence, code="unknown")


async def lefts_of_run(tools: Services, run: str) -> AppliedFacts:
    """Return the facts that resulted from each completed change of a run."""
    lefts: AppliedFacts = {}
    for record in await tools.journal.of_run(run):
        for number, mark in enumerate(record.marks.changes):
            if mark.left is not None:
                lefts[record.index, number] = tools.codec.left(mark.left).facts
    return lefts


def stores_of(records: Iterable[Record]) -> set[str]:
    """Return the stores that the steps of these records' plans belong to."""
    return {store for record in records for store in record.backends}


def _has_started(record: Record) -> bool:
    return record.marks.begun is not None or bool(record.marks.changes)


async def settle_by_person(tools: Services, id: str, *, done: bool) -> Record:  # noqa: A002 - the word of the interface
    """Record the person's answer about an unknown outcome. Raises `ProposalError` when the action is not unknown."""
    record = await tools.journal.get(id)
    if record is None:
        raise ProposalError(f"there is no action {quoted(id)}", "action.unknown")
    record = _give_up_running(tools, record)
    numbers = [number for number, mark in enumerate(record.marks.changes) if mark.outcome is StepOutcome.UNKNOWN]
    if not numbers:
        raise ProposalError(f"{quoted(id)} is not unknown: it is {record.state}", "action.not_unknown")
    number = numbers[0]
    marks = list(record.marks.changes)
    marks[number] = StepRecord(StepOutcome.DONE if done else StepOutcome.NOT_DONE)
    record = record.marked(changes=tuple(marks), begun=None)
    plan = tools.codec.plan(record.plan or {})
    also = await mark_original(tools, record, number) if done else []
    if len(marks) == len(plan.changes) and all(mark.outcome is StepOutcome.DONE for mark in marks):
        message = plan.said_when_done or plan.summary
        record = record.marked(state=State.DONE, message=f"{message} (as you said)", error=None, code="settled")
    else:
        record = part_done(record, len(plan.changes), ProviderError("settled by you", "settled"))
    await JournalWriter(tools.journal).now(record, *also, event="settled by the person")
    return record


def _give_up_running(tools: Services, record: Record) -> Record:
    """Return a running action as unknown if it was begun on another machine, about which nothing can be found out."""
    owner, me = record.marks.owner, tools.owner
    if record.state is not State.RUNNING or record.marks.begun is None or owner is None or owner.boot == me.boot:
        return record
    return unknown(record, record.marks.begun, "it was begun on another machine").marked(owner=None)
