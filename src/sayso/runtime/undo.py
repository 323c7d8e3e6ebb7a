"""Undo an action: reverse its changes, last first, each only if its result has not changed since."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.errors import ProposalError, SaysoError
from sayso.core.lazy import load
from sayso.core.plan import CannotUndo, Change, Facts, Plan, Step, plan_json
from sayso.core.ports import DescribesUndoLoss
from sayso.core.proposal import Origin
from sayso.core.quotes import quoted
from sayso.core.record import NOT_KEPT, Progress, Record, State, StepOutcome, action_id, action_key, run_id, run_key
from sayso.policy.rules import judge
from sayso.runtime.apply import JournalWriter, StepRunner, ways_back
from sayso.runtime.executor import TAKEN_BACK, is_held, seconds_of
from sayso.runtime.recovery import Recovery, mark_undone
from sayso.runtime.results import Outcome, Report
from sayso.runtime.services import Services, digest_of

UNDO = "undo"
"""The operation id of undo records in the journal. It is not in the catalogue, so no model can propose it."""

BY_AGENTS = "sayso.core.agent_calls:BY_AGENTS"

NOT_TWICE = "an undo cannot be taken back itself; do the action anew"


class UndoCandidate(Struct, frozen=True):
    """One action that can be undone, and the plan that would undo it."""

    original: Record
    plan: Plan


class Undo:
    """Finds actions that can be undone, and undoes them; the person's command counts as approval and is audited."""

    def __init__(self, tools: Services) -> None:
        self._tools = tools

    async def find(self, ref: str | None) -> list[UndoCandidate]:
        """Return what can be undone of the action or run `ref`, newest first.

        If `ref` is None, return the newest delayed action that has not begun, else the newest action that was done.
        Raises `ProposalError` when there is no such action, or when it cannot be undone.
        """
        if ref is not None and ref.startswith("run_"):
            records = list(reversed(await self._tools.journal.of_run(ref)))
        else:
            record = await (self._last() if ref is None else self._tools.journal.get(ref))
            records = [record] if record else []
        if not records:
            nothing = "there is nothing to take back" if ref is None else f"there is no action or run {quoted(ref)}"
            raise ProposalError(nothing, "undo.nothing" if ref is None else "action.unknown")
        backs = [back for record in records if (back := self.back_of(record)) is not None]
        if not backs:
            raise ProposalError(self._no_way(records[0]), "undo.no_way_back")
        return backs

    async def find_before(self, id_: str) -> UndoCandidate | None:
        """Return the newest thing done before the action with this id that can be undone; None if there is none."""
        record = await self._tools.journal.last_undoable(action_key(id_))
        while record is not None:
            back = self.back_of(record)
            if back is not None:
                return back
            record = await self._tools.journal.last_undoable(record.key)
        return None

    async def _last(self) -> Record | None:
        """Return the newest delayed action that has not begun, else the newest action that can be undone."""
        for record in reversed(await self._tools.journal.in_state(State.RUNNING)):
            if self.back_of(record) is not None:
                return record
        return await self._tools.journal.last_undoable()

    def back_of(self, record: Record) -> UndoCandidate | None:
        """Return how one action would be undone; None if nothing of it can be."""
        if record.plan is None:
            return None
        plan = self._tools.codec.plan(record.plan)
        if is_held(record) and seconds_of(self._tools, plan):
            # Its own row still has the values that the settings name as secret; they must not get into this one.
            what = str(record.operation) if self._tools.policy().audit_redact else plan.summary
            said = f"Took back before it began: {what}"
            return UndoCandidate(record, Plan(f"Take back before it begins: {what}", said_when_done=said))
        if record.state not in {State.DONE, State.FAILED}:
            return None
        numbers = ways_back(plan.changes, record.marks.changes)
        if not numbers:
            return None
        changes = tuple(
            Change(step, CannotUndo(NOT_TWICE), self._left(record, number))
            for number in numbers
            if not isinstance(step := plan.changes[number].undo, CannotUndo)
        )
        less = dict.fromkeys(said for change in changes if (said := self._less(change.do)))
        summary = f"Take back: {plan.summary}" + (f" ({'; '.join(less)})" if less else "")
        data = {"takes_back": record.id, "changes": numbers}
        said = f"Took back: {plan.summary}"
        return UndoCandidate(record, Plan(summary, changes, said, on_failure=plan.on_failure, data=data))

    def _left(self, record: Record, number: int) -> Facts:
        return tuple(fact.for_undo for fact in self._tools.codec.left(record.marks.changes[number].left).facts)

    def _less(self, step: Step) -> str:
        """Return a part of a sentence about what an undo step would not restore; empty if it restores everything."""
        try:
            backend = self._tools.backends.get(step.store)
            return backend.foretells(step) if isinstance(backend, DescribesUndoLoss) else ""
        except SaysoError:
            return ""  # a missing backend is reported when the undo is carried out

    def _no_way(self, record: Record) -> str:
        if record.undo_of is not None:
            return f"{quoted(record.id)} is an undo itself; do the action anew instead"
        if record.state is State.UNDONE:
            return f"{quoted(record.id)} was already taken back by {record.marks.undone_by}"
        if record.state is State.UNKNOWN:
            return (
                f"it is not known whether {quoted(record.id)} happened; say so "
                f"with `sayso settle {record.id} done` first"
            )
        if record.state not in {State.DONE, State.FAILED} or record.plan is None:
            return f"{quoted(record.id)} changed nothing: it is {record.state}"
        if any(mark.outcome is StepOutcome.DONE and mark.left is None for mark in record.marks.changes):
            return f"{quoted(record.id)} cannot be taken back: you said that it was done, so what it left is not known"
        plan = self._tools.codec.plan(record.plan)
        whys = [change.undo.why for change in plan.changes if isinstance(change.undo, CannotUndo)]
        whys += [str(plan.data[NOT_KEPT])] if NOT_KEPT in plan.data else []
        return (
            f"{quoted(record.id)} cannot be taken back: {whys[0]}" if whys else f"{quoted(record.id)} changed nothing"
        )

    async def take_back(
        self,
        backs: Sequence[UndoCandidate],
        origin: Origin,
        by: str,
        *,
        dry_run: bool = False,
        did: Callable[[int], None] = lambda _: None,
    ) -> Report:
        """Undo these actions in this order. After a failure the others are still tried, since each is independent.

        `did` is told after each how many were tried.
        """
        run, outcomes = run_id(self._tools.ids.key()), list[Outcome]()
        for index, back in enumerate(backs):
            outcomes.append(Outcome(await self._one(back, self._record(back, run, index, origin, dry_run=dry_run), by)))
            did(index + 1)
        return Report(run, origin.dialect, tuple(outcomes), dry_run)

    async def _one(self, back: UndoCandidate, record: Record, by: str) -> Record:
        pen = JournalWriter(self._tools.journal)
        verdict = self._verdict(back)
        record = replace(record, verdict=verdict)
        if verdict.ruling == "deny":
            record = record.marked(
                state=State.REFUSED, error=verdict.because, code=verdict.code, ended_at=self._tools.now()
            )
        elif record.dry_run:
            record = record.marked(message=back.plan.summary, ended_at=self._tools.now())
        else:
            return await self._act(back, record, pen, by)
        await pen.new(record, event="undo")
        return record

    async def _act(self, back: UndoCandidate, record: Record, pen: JournalWriter, by: str) -> Record:
        original = back.original
        if is_held(original):
            return await self._withdrawn(back, record, pen, by)

        def mark_original(number: int) -> None:
            nonlocal original
            original = mark_undone(original, record, number)
            pen.later(original)

        stores = set(record.backends)
        async with Recovery(self._tools).holding(stores):
            record = record.marked(
                state=State.RUNNING, owner=self._tools.owner, begun=0, approved_by=by, decided_at=self._tools.now()
            )
            # Updating the original's row in this commit makes a concurrent undo of the same action fail with `Stale`.
            pen.later(original)
            await pen.new(record, event="undo begun")
            self._tools.kill("undo.begun")
            record = await StepRunner(self._tools, pen, mark_original).carry_out(record, back.plan, begun=True)
            await pen.end("undone")
        return record

    async def _withdrawn(self, back: UndoCandidate, record: Record, pen: JournalWriter, by: str) -> Record:
        """Cancel a delayed action; both records are written in one commit. Raises `ProposalError` if it has begun."""
        async with Recovery(self._tools).holding(set(back.original.backends)):
            now = await self._tools.journal.get(back.original.id)
            if now is None or not is_held(now):
                raise ProposalError(
                    f"{quoted(back.original.id)} is not held back any more: it has begun or ended", "undo.too_late"
                )
            at = self._tools.now()
            pen.later(now.marked(state=State.UNDONE, message=TAKEN_BACK, owner=None, ended_at=at, undone_by=record.id))
            record = record.marked(
                state=State.DONE, message=back.plan.said_when_done, approved_by=by, decided_at=at, ended_at=at
            )
            await pen.new(record, event="undone")
        return record

    def _verdict(self, back: UndoCandidate) -> Verdict:
        """Return a denial if policy denies the undo; otherwise allow it, because the person asked for it."""
        policy, name = self._tools.policy(), back.original.operation or ""
        operation = self._tools.catalogue.get(name) or load(BY_AGENTS).get(name)
        if policy.paused:
            return Verdict("deny", policy.why_paused, "paused", code="policy.paused")
        if operation is None:
            return Verdict("deny", "this operation is no longer available here", "unknown", code="operation.unknown")
        arguments = back.original.arguments
        # The person may still undo actions of operations that are switched off for the model.
        verdict = judge(
            replace(policy, allowed_operations=("*",)),
            operation,
            back.plan,
            arguments=arguments,
        )
        if verdict.ruling == "deny":
            return verdict
        return Verdict("allow", "you asked for it", "undo")

    def _record(self, back: UndoCandidate, run: str, index: int, origin: Origin, *, dry_run: bool) -> Record:
        key = self._tools.ids.key() if index else run_key(run)
        record = Record(
            key=key,
            id=action_id(key),
            run=run,
            index=index,
            time=self._tools.now(),
            dialect=origin.dialect,
            entry=origin.entry,
            session=origin.session or run,
            operation=UNDO,
            arguments={"id": back.original.id},
            marks=Progress(State.PLANNED),
            plan=plan_json(back.plan),
            policy=self._tools.policy().hash,
            backends={
                change.do.store: self._serving_backend(change.do.store, back.original) for change in back.plan.changes
            },
            undo_of=back.original.id,
            dry_run=dry_run,
        )
        return replace(record, digest=digest_of(record, self._tools.catalogue))

    def _serving_backend(self, store: str, original: Record) -> str:
        """Return the name of the store's backend. Raises `ProposalError` if another backend did the original action."""
        name = self._tools.backend(store).name
        then = original.backends.get(store, name)
        if then != name:
            raise ProposalError(
                f"this was done on {quoted(then)}, and {quoted(store)} is served by {quoted(name)} now",
                "undo.other_backend",
            )
        return name
