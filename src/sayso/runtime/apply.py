"""Apply the changes of one action; each is journaled before and after its step."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext

import anyio
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused, SaysoError, Uncertain
from sayso.core.lazy import load
from sayso.core.plan import (
    Applied,
    CannotTell,
    CannotUndo,
    Change,
    Facts,
    NotDone,
    Plan,
    ResultRef,
    Step,
    facts_json,
    unchecked,
)
from sayso.core.ports import (
    ChecksFacts,
    CountGrantUse,
    InsertRecord,
    Journal,
    NoteExposure,
    ReportsResult,
    UpdateRecord,
    offers,
)
from sayso.core.record import Record, State, StepOutcome, StepRecord
from sayso.runtime.services import AppliedFacts, Services, log_fault, resolve_facts


def foreign_facts(step: Step, expects: Facts) -> Facts:
    """Return the expected facts that the store of the step does not own, so that it cannot check them itself.

    References to the results of earlier steps are left out: their facts are not known yet.
    """
    return tuple(fact for fact in expects if fact.owner != step.store and not isinstance(fact, ResultRef))


def own_facts(step: Step, expects: Facts) -> Facts:
    """Return the expected facts that the step's own store checks when it does the step; a backend gets no others."""
    return tuple(fact for fact in expects if fact.owner == step.store)


def owners_of(plan: Plan) -> set[str]:
    """Return the stores that own the facts which steps of other stores in the plan expect."""
    return {fact.owner for change in plan.changes for fact in foreign_facts(change.do, change.expects)}


async def untrue_in(tools: Services, *changes: Change) -> SaysoError | None:
    """Return why a foreign fact of these changes is no longer true or cannot be checked; None if all are true."""
    for change in changes:
        problem = await untrue_of(tools, change.do, change.expects)
        if problem is not None:
            return problem
    return None


async def untrue_of(tools: Services, step: Step, expects: Facts) -> SaysoError | None:
    """Return why a foreign fact of one step is no longer true or cannot be checked; None if all are true."""
    foreign = foreign_facts(step, expects)
    for owner in dict.fromkeys(fact.owner for fact in foreign):
        try:
            await _ask_owner(tools, owner, tuple(fact for fact in foreign if fact.owner == owner))
        except SaysoError as problem:
            return problem
    return None


async def _ask_owner(tools: Services, owner: str, facts: Facts) -> None:
    backend = tools.backends.get(owner)
    if backend is None or not offers(backend, ChecksFacts):
        raise unchecked(*facts)
    await backend.check(facts)


class JournalWriter:
    """Writes records to the journal and tracks each row's turn. Raises `Stale` if somebody else has updated a row."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._turns: dict[str, int] = {}
        self._held: dict[str, Record] = {}
        self._uses: list[CountGrantUse] = []
        self._exposures: list[NoteExposure] = []

    def using(self, uses: Iterable[CountGrantUse]) -> None:
        """Count these uses of grants with the next commit. If that commit fails, they are dropped."""
        self._uses = list(uses)

    def exposing(self, exposure: NoteExposure) -> None:
        """Write with the next commit that a principal was shown text of strangers."""
        self._exposures.append(exposure)

    def later(self, record: Record) -> None:
        """Write this record with the next commit."""
        self._held[record.id] = record

    async def new(self, *records: Record, event: str) -> None:
        """Write new rows, and everything set aside by `later`, in one commit."""
        await self._commit(records, (), event)

    async def now(self, *records: Record, event: str) -> None:
        """Update the rows of these records, and write everything set aside by `later`, in one commit."""
        await self._commit((), records, event)

    async def end(self, event: str = "done") -> None:
        """Commit what was set aside by `later` and `exposing`, if there is anything."""
        if self._held or self._exposures:
            await self._commit((), (), event)

    async def end_surely(self) -> None:
        """Do the same, also if the caller is cancelled: what was done is written down."""
        with anyio.CancelScope(shield=True):
            await self.end()

    async def _commit(self, puts: tuple[Record, ...], moved: tuple[Record, ...], event: str) -> None:
        advanced = self._held | {record.id: record for record in moved}
        turned = [record.marked(turn=self._turn(record) + 1) for record in advanced.values()]
        uses, self._uses = self._uses, []
        rows = (*(InsertRecord(record) for record in puts), *(UpdateRecord(record) for record in turned))
        await self._journal.commit(*rows, *uses, *self._exposures, event=event)
        self._held, self._exposures = {}, []
        self._turns |= {record.id: record.marks.turn for record in (*puts, *turned)}

    def _turn(self, record: Record) -> int:
        return self._turns.get(record.id, record.marks.turn)


class StepRunner:
    """Carries out the changes of one run, and keeps the resulting facts, because later actions may expect them."""

    def __init__(self, tools: Services, pen: JournalWriter, beside: Callable[[int], None] | None = None) -> None:
        self._tools = tools
        self._pen = pen
        self._beside = beside
        """Called with the number of each change that was just done, so that the caller can add records to the same
        commit.
        """
        self.lefts: AppliedFacts = {}

    async def carry_out(self, record: Record, plan: Plan, *, begun: bool) -> Record:
        """Do all changes of a plan, and return the record in its final state.

        If `begun` is true, the journal says already that the first change has begun. The final state is not committed
        yet: it is written when the next change begins, or with the run's last commit.
        """
        clock = self._tools.clock
        start = clock.monotonic()
        with anyio.CancelScope(shield=True):
            record = await self._changes(record, plan, begun=begun)
        marks = replace(
            record.marks, duration_ms=round((clock.monotonic() - start) * 1000), ended_at=self._tools.now(), owner=None
        )
        record = replace(record, marks=marks)
        self._pen.later(record)
        return record

    async def _changes(self, record: Record, plan: Plan, *, begun: bool) -> Record:
        for number, change in enumerate(plan.changes):
            why = self._tools.brake() if number else None
            if why is not None:
                return await self._stop_plan(record, plan, ProviderError(f"stopped because {why}", "stopped"))
            if not (begun and number == 0):
                record = await self._begin(record, number)
            result = await self._do(record, change)
            record = self._mark_change(record, number, result)
            if isinstance(result, Applied):
                continue
            if isinstance(result, CannotTell):
                return _unknown(record, result)
            if plan.on_failure == "undo":
                return await self._stop_plan(record, plan, result)
            record = record.marked(error=str(result), code=result.code)
        return self._end_plan(record, plan)

    async def _begin(self, record: Record, number: int) -> Record:
        record = record.marked(begun=number)
        await self._pen.now(record, event="begun")
        self._tools.kill("path.begun")
        return record

    async def _do(self, record: Record, change: Change) -> Applied | CannotTell | SaysoError:
        """Apply one change; return the facts that result, `CannotTell`, or the error that prevented the change."""
        try:
            expects = resolve_facts(change.expects, self.lefts, record.index)
            self._tools.backend(change.do.store)
        except SaysoError as problem:
            return problem
        watch = load("sayso.runtime.watching:watching")(self._tools, record) if change.do.watched else nullcontext()
        with watch:
            return await apply_step(self._tools, change.do, expects)

    def _mark_change(self, record: Record, number: int, result: Applied | CannotTell | SaysoError) -> Record:
        self._tools.kill("path.acted")
        if isinstance(result, Applied):
            self.lefts[record.index, number] = result.facts
            if self._beside is not None:
                self._beside(number)
            mark = StepRecord(StepOutcome.DONE, facts_json(result.facts))
        else:
            mark = StepRecord(StepOutcome.UNKNOWN if isinstance(result, CannotTell) else StepOutcome.NOT_DONE)
        changes = (*record.marks.changes, mark)
        return record.marked(changes=changes, begun=number if mark.outcome is StepOutcome.UNKNOWN else None)

    async def _stop_plan(self, record: Record, plan: Plan, problem: SaysoError) -> Record:
        """Undo the completed changes of a plan that was stopped or whose later change failed, and end its action."""
        done = [number for number, mark in enumerate(record.marks.changes) if mark.outcome is StepOutcome.DONE]
        for number in reversed(done):
            step = plan.changes[number].undo
            if isinstance(step, CannotUndo):
                break
            record = record.marked(undoing=number)
            await self._pen.now(record, event="taking back")
            self._tools.kill("path.taking_back")
            result = await apply_step(self._tools, step, self.lefts[record.index, number])
            record = mark_taken_back(record, number, result)
            if not isinstance(result, Applied):
                break
        return part_done(record, len(plan.changes), problem)

    def _end_plan(self, record: Record, plan: Plan) -> Record:
        done = sum(mark.outcome is StepOutcome.DONE for mark in record.marks.changes)
        if done < len(plan.changes):
            return part_done(
                record, len(plan.changes), ProviderError(record.marks.error or "", record.marks.code or "")
            )
        told = (note for number, change in enumerate(plan.changes) for note in self._notes(record, number, change))
        notes = dict.fromkeys(note for note in told if note)
        said = plan.said_when_done or plan.summary
        message = f"{said} ({', '.join(notes)})" if notes else said
        return record.marked(state=State.DONE, message=message, error=None, code=None)

    def _notes(self, record: Record, number: int, change: Change) -> tuple[str, ...]:
        """Return the backend's general note, and its note on how this result differs from what was asked."""
        backend = self._tools.backends[change.do.store]
        left = Applied(self.lefts[record.index, number])
        note = backend.note
        return note, backend.tells(change.do, left) if offers(backend, ReportsResult) else ""


async def apply_step(tools: Services, step: Step, expects: Facts) -> Applied | CannotTell | SaysoError:
    """Apply a step, and return the facts that result or the error that prevented it.

    The stores that own the foreign facts check them first. If the backend raises a plain `Refused` or `ProviderError`,
    the step was not done. After any other error, `settle` is asked whether it was done; the answer may be `CannotTell`.
    """
    backend, own, begun = tools.backends[step.store], own_facts(step, expects), False
    try:
        untrue = await untrue_of(tools, step, expects)
        if untrue is not None:
            return untrue
        begun = True
        return await backend.apply(step, own)
    except (Refused, ProviderError) as problem:
        if type(problem) in {Refused, ProviderError}:
            return problem
        sentence: SaysoError = problem
    except Exception as fault:  # noqa: BLE001 - after a fault, only `settle` can tell what happened
        log_fault(fault)
        sentence = ProviderError(f"a fault in sayso ended this ({type(fault).__name__})", "bug")
    if not begun:
        return sentence
    try:
        settled = await backend.settle(step, own)
    except SaysoError as silent:
        return CannotTell(str(silent))
    if isinstance(settled, NotDone):
        return ProviderError(str(sentence), sentence.code)
    if isinstance(settled, CannotTell) and isinstance(sentence, Uncertain):
        return CannotTell("; ".join(why for why in (str(sentence), settled.why) if why))
    return settled


def _unknown(record: Record, why: CannotTell) -> Record:
    sentence = f"it is not known whether this happened: {why.why or 'nothing that can be looked at shows it'}"
    return record.marked(state=State.UNKNOWN, error=sentence, code="unknown", message=None)


def mark_taken_back(record: Record, number: int, result: Applied | CannotTell | SaysoError) -> Record:
    """Return the record with the result of undoing change `number`: undone, unknown or, after an error, still done."""
    mark = record.marks.changes[number]
    if isinstance(result, Applied):
        mark = StepRecord(StepOutcome.UNDONE)
    elif isinstance(result, CannotTell):
        mark = StepRecord(StepOutcome.UNKNOWN)
    changes = (*record.marks.changes[:number], mark, *record.marks.changes[number + 1 :])
    return record.marked(changes=changes, undoing=None)


def part_done(record: Record, count: int, problem: SaysoError) -> Record:
    """End an action whose plan was not done completely; the error says how many of the changes were made.

    If the outcome of a change is unknown, the whole action is unknown.
    """
    marks = record.marks.changes
    if any(mark.outcome is StepOutcome.UNKNOWN for mark in marks):
        sentence = f"it is not known whether this happened; {problem}"
        return record.marked(state=State.UNKNOWN, error=sentence, code="unknown", message=None)
    done = sum(mark.outcome is StepOutcome.DONE for mark in marks)
    sentence = str(problem)
    if done:
        sentence = f"{done} of {count} changes were made, then: {sentence}"
    elif any(mark.outcome is StepOutcome.UNDONE for mark in marks):
        sentence = f"{sentence}; the part that had been done was taken back"
    state = State.REFUSED if isinstance(problem, Refused) and not done else State.FAILED
    return record.marked(state=state, error=sentence, code=problem.code, message=None)


def ways_back(changes: Sequence[Change], marks: Sequence[StepRecord]) -> list[int]:
    """Return the numbers of the completed changes that have an undo step, last first."""
    return [
        number
        for number, (change, mark) in reversed(list(enumerate(zip(changes, marks, strict=False))))
        if mark.outcome is StepOutcome.DONE and mark.left is not None and not isinstance(change.undo, CannotUndo)
    ]
