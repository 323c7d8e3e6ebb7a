"""Plan proposals: an operation reads the world, and policy judges the plan it returns."""

import dataclasses
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol

from msgspec.structs import replace

from sayso.core.codec import plan_json
from sayso.core.decision import Verdict
from sayso.core.grant import Grant
from sayso.core.operation import Operation
from sayso.core.plan import ChangeRef, Facts, Plan
from sayso.core.ports import CountGrantUse, ExactNames, Ids, InSession, NumberedItems, UsesUserText, offers
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import Progress, Record, State, action_id, run_key
from sayso.policy.grants import NONE_STANDING, Standing
from sayso.policy.rules import admit, judge
from sayso.policy.settings import Policy
from sayso.runtime.proposal_state import (
    CandidateAction,
    FailedTargets,
    JudgementBasis,
    Targets,
    aim,
    end,
    fail,
    refuse,
    skip,
)
from sayso.runtime.questions import raise_to_question
from sayso.runtime.services import Services, digest_of, stamp

MOST = 200
"""Of more sessions or runs the ones not heard of for longest are forgotten; their numbers mean what is there then."""

_ByStore = Mapping[str, Facts]


class ShownItems:
    """The last thing of each store that each session was shown; it lives as long as its process."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _ByStore] = OrderedDict()
        self._runs: OrderedDict[str, _ByStore] = OrderedDict()

    def keep(self, session: str, stores: Iterable[str], facts: Facts) -> None:
        """Remember what the numbers stand for that a session was shown; this takes the place of what was before."""
        _put(self._sessions, session, {**self._sessions.get(session, {}), **dict.fromkeys(stores, facts)})

    def to(self, session: str, run: str) -> _ByStore:
        """Return, by store, what a session had been shown as this run of it began: what it is written upon."""
        if run not in self._runs:
            _put(self._runs, run, self._sessions.get(session, {}))
        return self._runs[run]


def _put(held: OrderedDict[str, _ByStore], key: str, value: _ByStore) -> None:
    held[key] = value
    held.move_to_end(key)
    if len(held) > MOST:
        held.popitem(last=False)


BY_GRANT = "grant:"
"""What stands before a permission's id where it is told who approved."""


class BatchGrants:
    """Hands permissions to judging, and counts what their verdicts use."""

    def __init__(self, tools: Services, grants: Sequence[Grant]) -> None:
        self._tools = tools
        self._grants = list(grants)

    def standing(self, plan: Plan, handler: str | None = None) -> Standing:
        """Return what a plan is held against at this moment."""
        if not self._grants:
            return NONE_STANDING
        stores = {change.do.store for change in plan.changes}
        backends = {store: self._tools.backend(store).name for store in stores}
        return Standing(tuple(self._grants), self._tools.now(), backends, handler)

    def took(self, verdict: Verdict) -> None:
        """Count the use of a permission that this verdict stands on."""
        used = permission_of(verdict.approved_by)
        self._grants = [replace(grant, uses=grant.uses + 1) if grant.id == used else grant for grant in self._grants]


def permission_of(approved_by: str | None) -> str | None:
    """Return the id of the permission that approved something; None when somebody else did, or nobody."""
    if approved_by is None or not approved_by.startswith(BY_GRANT):
        return None
    return approved_by.removeprefix(BY_GRANT)


def uses_of(records: Sequence[Record], now: str) -> list[CountGrantUse]:
    """Return the uses to be counted when these actions begin."""
    found = [permission_of(record.marks.approved_by) for record in records]
    return [CountGrantUse(grant, now) for grant in found if grant is not None]


RAW_KEPT = 4096
"""Characters of a text that could not be read that the journal keeps."""


class RunState(Protocol):
    """What planning needs to know of a run."""

    id: str
    origin: Origin
    policy: Policy
    """The settings as the run begins."""
    failures: FailedTargets


@dataclass
class Batch:
    """What is shared while the proposals of one batch are planned."""

    run: str
    origin: Origin
    policy: Policy
    at_once: int
    exposed: tuple[str, ...]
    """Where the words of strangers came from that the proposer has seen."""
    permits: BatchGrants
    failures: FailedTargets
    shown: Mapping[str, Facts]
    """By store: what the session's model had been shown of it as the run began."""
    dry_run: bool = False
    seen: dict[str, Any] = field(default_factory=dict[str, Any])
    """The reads of stores, as earlier plans of the batch would leave them."""
    acted: set[str] = field(default_factory=set[str])
    """Stores on which an earlier action of the batch would act."""
    planned: list[tuple[Plan, int]] = field(default_factory=list[tuple[Plan, int]])
    """Plans that `seen` does not show yet, each with its action's index; nobody looks after a batch's last one."""
    opens: bool = False
    """Its first action is the run's first, and so has the run's own number."""

    def key(self, ids: Ids) -> int:
        """Return the number of the next action."""
        first, self.opens = self.opens, False
        return run_key(self.run) if first else ids.key()


class Planner:
    """Prepares proposals one after another; it looks, and never acts."""

    def __init__(self, tools: Services) -> None:
        self._tools = tools
        self.shown = ShownItems()
        """What the models were shown whose numbers may come back."""

    async def batch(self, run: RunState, at_once: int = 1, *, dry_run: bool = False, first: bool = False) -> Batch:
        """Begin a batch on the world as it is; `first`: the run begins with it, just now."""
        policy = run.policy if first else self._tools.policy()
        # In a session that is this run alone nothing was heard as it begins.
        alone = first and run.origin.session == run.id
        exposed = run.origin.exposed if alone else await self.exposed(run.origin)
        permits = BatchGrants(self._tools, await self._tools.journal.grants())
        shown = self.shown.to(run.origin.session, run.id)
        return Batch(run.id, run.origin, policy, at_once, exposed, permits, run.failures, shown, dry_run, opens=first)

    async def exposed(self, origin: Origin) -> tuple[str, ...]:
        """Return where words of strangers came from: the prompt, and what was read in this session."""
        known = self._tools.catalogue
        heard = sorted(await self._tools.journal.heard(origin.session))
        # What nothing here knows any more may have been text of strangers.
        return tuple(
            dict.fromkeys((*origin.exposed, *(id_ for id_ in heard if id_ not in known or known[id_].outside)))
        )

    async def prepare(self, proposal: Proposal, batch: Batch) -> CandidateAction:
        """Take one proposal through door, admission, planning and judging."""
        prepared = await self._prepare(proposal, batch)
        if prepared.missed:
            batch.failures.add(prepared.record.index + 1, prepared.aim)
        return prepared

    def unread(self, proposal: Proposal, batch: Batch) -> CandidateAction:
        """Return a proposal that nothing was done about yet."""
        return CandidateAction(self._record(proposal, None, batch), Targets())

    async def _prepare(self, proposal: Proposal, batch: Batch) -> CandidateAction:
        operation = self._tools.catalogue.get(proposal.operation or "")
        record = self._record(proposal, operation, batch)
        aimed = aim(operation, proposal.arguments, proposal.said, batch.policy.home)
        prepared = CandidateAction(record, aimed, operation)
        if operation is None or proposal.problem is not None:
            sentence = proposal.problem or f"there is no operation “{proposal.operation}”"
            prepared = replace(prepared, candidates=proposal.candidates)
            return end(prepared, State.INVALID, sentence, proposal.code or "operation.unknown")
        clean, problems = operation.check(proposal.arguments)
        if problems:
            sentences = "; ".join(dict.fromkeys(problem.sentence for problem in problems))
            return end(prepared, State.INVALID, sentences, problems[0].code)
        prepared = replace(prepared, record=replace(record, arguments=clean, said=""))
        verdict = admit(batch.policy, operation, clean, at_once=batch.at_once)
        if verdict is not None:
            return refuse(prepared, verdict)
        return await self._admit(replace(prepared, admitted=batch.policy), operation, batch)

    async def _admit(self, prepared: CandidateAction, operation: Operation, batch: Batch) -> CandidateAction:
        step = _in_the_way(prepared, batch) if operation.kind == "destructive" else None
        if step is not None:
            return skip(prepared, step)
        waits_its_turn = operation.kind == "read" or self._cannot_imagine(operation, batch)
        if waits_its_turn and not batch.dry_run:
            return self._later(prepared, operation, batch)
        return await self.look(prepared, batch)

    def _later(self, prepared: CandidateAction, operation: Operation, batch: Batch) -> CandidateAction:
        verdict = self._judge(prepared, operation, Plan(operation.summary), batch)
        if verdict.ruling == "deny":
            return refuse(prepared, verdict)
        # What was found before its turn is not what will be found then.
        record = replace(prepared.record, verdict=verdict, plan=None)
        return replace(prepared, record=replace(record, digest=digest_of(record, self._tools.catalogue)), later=True)

    def _judge(self, prepared: CandidateAction, operation: Operation, plan: Plan, batch: Batch) -> Verdict:
        record = prepared.record
        verdict = judge(
            batch.policy,
            operation,
            plan,
            arguments=record.arguments,
            exposed=batch.exposed,
            standing=batch.permits.standing(plan, record.code_hash),
            admitted=prepared.admitted is batch.policy,
        )
        return verdict if record.edit_of is None else raise_to_question(verdict)

    def _cannot_imagine(self, operation: Operation, batch: Batch) -> bool:
        return any(store in batch.acted and not self._tools.backends[store].imagines for store in operation.stores)

    async def look(self, prepared: CandidateAction, batch: Batch) -> CandidateAction:
        """Let the operation look and plan, and judge its plan; reads are answered here."""
        operation = prepared.operation
        if operation is None:
            return end(prepared, State.REFUSED, "nothing here knows this operation any more", "operation.unknown")
        found = await self._plan(prepared, operation, batch)
        if not isinstance(found, Plan):
            return found
        document = plan_json(found)
        record = replace(prepared.record, plan=document, policy=batch.policy.hash)
        verdict, digest = self._judge(prepared, operation, found, batch), digest_of(record, self._tools.catalogue)
        record = replace(record, verdict=verdict, digest=digest)
        basis = JudgementBasis(batch.policy, batch.exposed, found, document, verdict, digest)
        prepared = replace(prepared, record=record, basis=basis)
        if verdict.ruling == "deny":
            return refuse(prepared, verdict)
        if not found.changes:
            if not batch.dry_run and await self._only_imagined(prepared, operation, batch):
                return self._later(prepared, operation, batch)
            return end(prepared, State.UNCHANGED, found.summary)
        if found.loses and (step := _in_the_way(prepared, batch)) is not None:
            return skip(prepared, step)
        batch.permits.took(verdict)
        stores = {change.do.store for change in found.changes}
        batch.acted |= stores
        batch.planned.append((found, record.index))
        record = replace(record, backends={store: self._tools.backends[store].name for store in stores})
        return replace(prepared, record=record, plan=found, later=False)

    async def _only_imagined(self, prepared: CandidateAction, operation: Operation, batch: Batch) -> bool:
        """Say whether nothing is to be done only if earlier steps are: what they will be like is seen in its turn."""
        if not batch.acted.intersection(operation.stores):
            return False
        as_it_is = dataclasses.replace(batch, seen={})
        found = await self._plan(prepared, operation, as_it_is)
        return not isinstance(found, Plan) or bool(found.changes)

    async def _plan(self, prepared: CandidateAction, operation: Operation, batch: Batch) -> Plan | CandidateAction:
        try:
            reads = self._reads(operation, batch)
            found = await operation.function(**reads, **prepared.record.arguments)
            if isinstance(found, Plan):
                for change in found.changes:
                    self._tools.backend(change.do.store)
        except Exception as problem:  # noqa: BLE001 - every problem of one action is that action's outcome (S0-62)
            return fail(prepared, problem)
        if isinstance(found, Plan):
            return found
        if found.shown and not batch.dry_run:
            self.shown.keep(batch.origin.session, operation.stores, found.shown)
        marks = replace(prepared.record.marks, state=State.DONE, message=found.summary)
        return replace(prepared, record=replace(prepared.record, marks=marks), answer=found, later=False)

    def _reads(self, operation: Operation, batch: Batch) -> dict[str, Any]:
        while batch.planned:
            self._imagine(*batch.planned[0], batch)
            del batch.planned[0]
        return {
            store: self._as_meant(self._reads_for(store, batch), store, operation, batch) for store in operation.stores
        }

    def _as_meant(self, reads: Any, store: str, operation: Operation, batch: Batch) -> Any:
        """Return the reads for what was said: as exact as its dialect wants, with what its model was shown."""
        if offers(reads, ExactNames) and self._tools.takes_exact_names(batch.origin.dialect):
            reads = reads.exactly()
        if offers(reads, InSession):
            reads = reads.in_session(batch.origin.session)
        if batch.origin.wrote and offers(reads, UsesUserText):
            reads = reads.as_written(batch.origin.wrote)
        shown = batch.shown.get(store) if operation.kind != "read" else None
        return reads.as_shown(shown) if shown and offers(reads, NumberedItems) else reads

    def _reads_for(self, store: str, batch: Batch) -> Any:
        if store not in batch.seen:
            batch.seen[store] = self._tools.backend(store).reads
        return batch.seen[store]

    def _imagine(self, plan: Plan, index: int, batch: Batch) -> None:
        for number, change in enumerate(plan.changes):
            backend = self._tools.backends[change.do.store]
            if backend.imagines:
                seen = self._reads_for(change.do.store, batch)
                batch.seen[change.do.store] = backend.imagine(seen, change.do, ChangeRef(index, number))

    def _record(self, proposal: Proposal, operation: Operation | None, batch: Batch) -> Record:
        tools, policy = self._tools, batch.policy
        key, now = batch.key(tools.ids), tools.clock.now()
        return Record(
            key=key,
            id=action_id(key),
            run=batch.run,
            index=proposal.index,
            time=stamp(now),
            dialect=batch.origin.dialect,
            entry=batch.origin.entry,
            session=batch.origin.session,
            operation=operation.id if operation else None,
            arguments=dict(proposal.arguments),
            marks=Progress(State.PLANNED),
            said=proposal.said[:RAW_KEPT],
            label=proposal.label,
            label_by_us=proposal.label_by_us,
            template_id=proposal.template_id,
            policy=policy.hash,
            expires=stamp(now + timedelta(seconds=policy.waiting_expires)),
            dry_run=batch.dry_run,
            code_hash=batch.origin.code,
            edit_of=proposal.edit_of,
            exposed=batch.exposed,
        )


def _in_the_way(prepared: CandidateAction, batch: Batch) -> int | None:
    return batch.failures.in_the_way(prepared.aim, prepared.record.index + 1)
