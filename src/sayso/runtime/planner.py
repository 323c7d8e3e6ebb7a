"""Plan proposals: call the operation, which reads stores and returns a plan, and judge the plan by policy."""

import dataclasses
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Any, Protocol

from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.errors import SaysoError, SetupError
from sayso.core.grant import Grant
from sayso.core.operation import Operation
from sayso.core.plan import ChangeRef, Facts, NotKept, Plan, plan_json
from sayso.core.ports import CountGrantUse, ExactNames, Ids, InSession, NumberedItems, RecordQuery, UsesUserText, offers
from sayso.core.proposal import Origin, Proposal, principal_of
from sayso.core.quotes import quoted
from sayso.core.record import Progress, Record, State, StepOutcome, action_id, run_key
from sayso.policy.grants import NONE_STANDING, Standing
from sayso.policy.rules import admit, judge, show_path
from sayso.policy.settings import Policy
from sayso.policy.trail import handed_over, hands_over, written_by
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
"""How many sessions, and how many runs, are remembered; those unused for longest are forgotten first.

In a forgotten session, a number means the item that has this number now.
"""

_ByStore = Mapping[str, Facts]


class ShownItems:
    """The items that each session was last shown, by store; they are kept in memory only."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _ByStore] = OrderedDict()
        self._runs: OrderedDict[str, _ByStore] = OrderedDict()

    def keep(self, session: str, stores: Iterable[str], facts: Facts) -> None:
        """Remember the numbered items that a session was shown, in place of the earlier items of these stores."""
        _put(self._sessions, session, {**self._sessions.get(session, {}), **dict.fromkeys(stores, facts)})

    def to(self, session: str, run: str) -> _ByStore:
        """Return, by store, the items that the session had been shown when this run began.

        Numbers in the proposals of the run mean these items.
        """
        if run not in self._runs:
            _put(self._runs, run, self._sessions.get(session, {}))
        return self._runs[run]


def _put(held: OrderedDict[str, _ByStore], key: str, value: _ByStore) -> None:
    held[key] = value
    held.move_to_end(key)
    if len(held) > MOST:
        held.popitem(last=False)


BY_GRANT = "grant:"
"""Prefix of a grant's id in the field that says who approved an action."""


class BatchGrants:
    """Provides the grants that plans are judged by, and counts the uses that verdicts make of them."""

    def __init__(self, tools: Services, grants: Sequence[Grant]) -> None:
        self._tools = tools
        self._grants = list(grants)

    def standing(self, plan: Plan, handler: str | None = None) -> Standing:
        """Return the grants that a plan is judged by, with the current time and the names of the plan's backends."""
        if not self._grants:
            return NONE_STANDING
        stores = {change.do.store for change in plan.changes}
        backends = {store: self._tools.backend(store).name for store in stores}
        return Standing(tuple(self._grants), self._tools.now(), backends, handler)

    def took(self, verdict: Verdict) -> None:
        """Count one use of the grant that this verdict relies on, if it relies on one."""
        used = permission_of(verdict.approved_by)
        self._grants = [replace(grant, uses=grant.uses + 1) if grant.id == used else grant for grant in self._grants]


def permission_of(approved_by: str | None) -> str | None:
    """Return the id of the grant that approved an action; None if a person, a flag or nobody did."""
    if approved_by is None or not approved_by.startswith(BY_GRANT):
        return None
    return approved_by.removeprefix(BY_GRANT)


def uses_of(records: Sequence[Record], now: str) -> list[CountGrantUse]:
    """Return the grant uses that must be counted when these actions begin."""
    found = [permission_of(record.marks.approved_by) for record in records]
    return [CountGrantUse(grant, now) for grant in found if grant is not None]


_NEVER = "9999-12-31T00:00:00.000Z"
RAW_KEPT = 4096
"""Number of characters that the journal keeps of a text that could not be parsed."""


class RunState(Protocol):
    """What the planner needs to know about a run."""

    id: str
    origin: Origin
    policy: Policy
    """The settings that were in force when the run began."""
    failures: FailedTargets


@dataclass
class Batch:
    """What the proposals of one batch share while they are planned."""

    run: str
    origin: Origin
    policy: Policy
    at_once: int
    exposed: tuple[str, ...]
    """The sources of outside text that the proposer has seen."""
    permits: BatchGrants
    failures: FailedTargets
    shown: Mapping[str, Facts]
    """By store, the items that the session's model had been shown when the run began."""
    dry_run: bool = False
    seen: dict[str, Any] = field(default_factory=dict[str, Any])
    """For each store, the object that operations read it through, as it would be after the batch's earlier plans."""
    acted: set[str] = field(default_factory=set[str])
    """The stores that earlier actions of the batch would change."""
    planned: list[tuple[Plan, int]] = field(default_factory=list[tuple[Plan, int]])
    """Plans that are not yet applied to `seen`, each with its action's index; applied when the next action is planned.
    """
    trail: list[str] = field(default_factory=list[str])
    """The paths at which earlier plans of the batch write."""
    opens: bool = False
    """Whether the next action is the first of the run; if so, it gets the key of the run's id."""

    def key(self, ids: Ids) -> int:
        """Return the journal key of the next action."""
        first, self.opens = self.opens, False
        return run_key(self.run) if first else ids.key()


class Planner:
    """Plans and judges proposals one after another; it never carries them out."""

    def __init__(self, tools: Services) -> None:
        self._tools = tools
        self.shown = ShownItems()
        """The items that models were shown and may refer to by number."""

    async def batch(self, run: RunState, at_once: int = 1, *, dry_run: bool = False, first: bool = False) -> Batch:
        """Return a new batch with the current settings and grants; `first` says that it is the first of a new run."""
        policy = run.policy if first else self._tools.policy()
        exposed = await self.exposed(run.origin, policy=policy)
        permits = BatchGrants(self._tools, await self._tools.journal.grants())
        shown = self.shown.to(run.origin.session, run.id)
        return Batch(run.id, run.origin, policy, at_once, exposed, permits, run.failures, shown, dry_run, opens=first)

    async def exposed(self, origin: Origin, *, elsewhere: bool = True, policy: Policy | None = None) -> tuple[str, ...]:
        """Return the sources of outside text: parts of the prompt, and what the principal read in this or another run.

        What it read in another session counts for as long as `[policy] exposure_lasts` says; without `elsewhere`, only
        this session counts.
        """
        tools = self._tools
        since = _NEVER
        if elsewhere:
            since = stamp(tools.clock.now() - timedelta(seconds=(policy or tools.policy()).exposure_lasts))
        read = await tools.journal.exposed(principal_of(origin.entry, origin.principal), origin.session, since)
        known = tools.catalogue
        # A journal of an older version lists all operations. One that is no longer known may have read outside text.
        return tuple(dict.fromkeys((*origin.exposed, *(id_ for id_ in read if id_ not in known or known[id_].outside))))

    async def prepare(self, proposal: Proposal, batch: Batch) -> CandidateAction:
        """Check, admit, plan and judge one proposal; if it does not succeed, remember its targets for the run."""
        prepared = await self._prepare(proposal, batch)
        if prepared.missed:
            batch.failures.add(prepared.record.index + 1, prepared.aim, prepared.record.state)
        elif prepared.record.outside:
            # What comes after it in the batch is judged as if it had been answered, which it may be by then.
            batch.exposed = tuple(dict.fromkeys((*batch.exposed, prepared.record.operation or "")))
        return prepared

    def unread(self, proposal: Proposal, batch: Batch) -> CandidateAction:
        """Return the action of a proposal that was neither checked nor planned."""
        return CandidateAction(self._record(proposal, None, batch), Targets())

    async def _prepare(self, proposal: Proposal, batch: Batch) -> CandidateAction:
        operation = self._tools.catalogue.get(proposal.operation or "")
        record = self._record(proposal, operation, batch)
        aimed = aim(operation, proposal.arguments, proposal.said, batch.policy.home)
        prepared = CandidateAction(record, aimed, operation)
        if operation is None or proposal.problem is not None:
            sentence = proposal.problem or f"there is no operation {quoted(proposal.operation)}"
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
            return skip(prepared, step, batch.failures.states[step])
        waits_its_turn = operation.answers or self._cannot_imagine(operation, batch)
        if waits_its_turn and not batch.dry_run:
            return self._later(prepared, operation, batch)
        return await self.look(prepared, batch)

    def _later(self, prepared: CandidateAction, operation: Operation, batch: Batch) -> CandidateAction:
        verdict = self._judge(
            prepared, operation, Plan(operation.summary, asks=batch.origin.asks and operation.kind != "read"), batch
        )
        if verdict.ruling == "deny":
            return refuse(prepared, verdict)
        # The plan is dropped: when the turn comes, the operation may find something else.
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
        """Call the operation, and judge the plan that it returns; an operation that only reads ends with its answer."""
        operation = prepared.operation
        if operation is None:
            return end(prepared, State.REFUSED, "this operation is no longer available here", "operation.unknown")
        found = await self._plan(prepared, operation, batch)
        if not isinstance(found, Plan):
            return found
        found = await self._with_trail(found, batch)
        document = plan_json(found)
        record = replace(prepared.record, plan=document, policy=batch.policy.hash, exposed=batch.exposed)
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
            return skip(prepared, step, batch.failures.states[step])
        batch.permits.took(verdict)
        stores = {change.do.store for change in found.changes}
        batch.acted |= stores
        batch.planned.append((found, record.index))
        batch.trail += written_by(found)
        record = replace(record, backends={store: self._tools.backends[store].name for store in stores})
        return replace(prepared, record=record, plan=found, later=False)

    async def _with_trail(self, plan: Plan, batch: Batch) -> Plan:
        """Return the plan; it asks in every mode if it hands a program what an earlier action wrote.

        Earlier are the actions before it in its batch, and those of its session.
        """
        if not hands_over(plan):
            return plan
        written = (*batch.trail, *await written_in_session(self._tools, batch.origin.session))
        found = handed_over(plan, written, batch.policy)
        if not found:
            return plan
        shown = ", ".join(quoted(show_path(path, batch.policy)) for path in found)
        why = f"an earlier action here wrote {shown}, and this hands it to another program"
        return replace(plan, asks=True, warns=(why, *plan.warns))

    async def ask_again(self, run: RunState, items: Sequence[CandidateAction]) -> list[CandidateAction]:
        """Return the actions of one run, and those refused that their operations would refuse if proposed now.

        Each operation is called as when it was planned: as if the earlier actions were done. Its new plan is dropped.
        """
        batch = await self.batch(run, dry_run=True)
        asked: list[CandidateAction] = []
        for item in items:
            if item.plan is None or item.operation is None:
                asked.append(item)
                continue
            found = await self._plan(item, item.operation, batch)
            if isinstance(found, CandidateAction) and found.record.state is State.REFUSED:
                asked.append(found)
                continue
            asked.append(item)
            batch.planned.append((item.plan, item.record.index))
        return asked

    async def _only_imagined(self, prepared: CandidateAction, operation: Operation, batch: Batch) -> bool:
        """Return whether an action would have something to do if the batch's earlier steps were not imagined as done.

        If so, it is planned again in its turn, when the real effect of those steps can be seen.
        """
        if not batch.acted.intersection(operation.stores):
            return False
        as_it_is = dataclasses.replace(batch, seen={})
        found = await self._plan(prepared, operation, as_it_is)
        return not isinstance(found, Plan) or bool(found.changes)

    async def _plan(self, prepared: CandidateAction, operation: Operation, batch: Batch) -> Plan | CandidateAction:
        try:
            reads = self._reads(operation, batch)
            found = await operation.call(reads, prepared.record.arguments)
            if isinstance(found, Plan):
                for change in found.changes:
                    self._tools.backend(change.do.store)
        except Exception as problem:  # noqa: BLE001 - every problem of one action is that action's outcome (S0-62)
            if isinstance(problem, SetupError):  # what it quotes are settings and commands
                prepared = replace(prepared, record=replace(prepared.record, near_outside=False))
            return fail(prepared, problem)
        if isinstance(found, Plan):
            return self._as_its_origin_says(found, batch.origin)
        if found.shown and not batch.dry_run:
            self.shown.keep(batch.origin.session, operation.stores, found.shown)
        marks = replace(prepared.record.marks, state=State.DONE, message=found.summary)
        return replace(prepared, record=replace(prepared.record, marks=marks), answer=found, later=False)

    def _as_its_origin_says(self, plan: Plan, origin: Origin) -> Plan:
        if not (origin.warns or origin.asks):
            return plan
        return replace(plan, warns=(*plan.warns, *origin.warns), asks=plan.asks or (origin.asks and bool(plan.changes)))

    @cached_property
    def _outside_stores(self) -> frozenset[str]:
        """Return the stores that hold text of strangers: those from which some operation returns it."""
        if self._tools.outside_stores is not None:
            return self._tools.outside_stores()
        known = self._tools.catalogue.values()
        return frozenset(store for operation in known if operation.outside for store in operation.stores)

    def _reads(self, operation: Operation, batch: Batch) -> dict[str, Any]:
        while batch.planned:
            self._imagine(*batch.planned[0], batch)
            del batch.planned[0]
        return {
            store: self._as_meant(self._reads_for(store, batch), store, operation, batch) for store in operation.stores
        }

    def _as_meant(self, reads: Any, store: str, operation: Operation, batch: Batch) -> Any:
        """Return the object through which operations read a store, adapted to the proposal's origin.

        It matches names as exactly as the dialect demands, and knows the session, the person's own words, and the
        numbered items that the model was shown.
        """
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
            warns=batch.origin.warns,
            edit_of=proposal.edit_of,
            exposed=batch.exposed,
            principal=batch.origin.principal,
            outside=operation is not None and operation.outside,
            near_outside=operation is not None and not self._outside_stores.isdisjoint(operation.stores),
        )


def _in_the_way(prepared: CandidateAction, batch: Batch) -> int | None:
    return batch.failures.in_the_way(prepared.aim, prepared.record.index + 1)


_PAGE = 200
_ACTED = frozenset({State.RUNNING, State.DONE, State.UNKNOWN, State.FAILED})

EVERYWHERE = ("/",)
"""The trail of a session of which the journal no longer tells what it wrote; it contains every path."""


async def written_in_session(tools: Services, session: str) -> tuple[str, ...]:
    """Return the paths at which earlier actions of a session made something appear or changed content."""
    found: dict[str, None] = {}
    before: int | None = None
    while True:
        query = RecordQuery(limit=_PAGE, before=before, states=_ACTED, session=session)
        records = await tools.journal.query(query)
        for record in records:
            found |= dict.fromkeys(_written_by(record, tools))
        if len(records) < _PAGE:
            return tuple(found)
        before = records[-1].key


def _written_by(record: Record, tools: Services) -> tuple[str, ...]:
    did_nothing = record.state is State.FAILED and all(
        step.outcome is not StepOutcome.DONE for step in record.marks.changes
    )
    if record.plan is None or did_nothing:
        return ()
    try:
        plan = tools.codec.plan(record.plan)
    except SaysoError:
        return EVERYWHERE
    # A path that the settings name as secret is no longer in the journal.
    paths = written_by(plan)
    whole = not any(isinstance(change.do, NotKept) for change in plan.changes)
    return paths if whole and all(path.startswith("/") for path in paths) else EVERYWHERE
