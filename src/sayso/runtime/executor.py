"""Execute approved actions in order, and delay those that the person may still cancel before they begin."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Protocol

from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.errors import ProviderError, SetupError, Spent
from sayso.core.plan import Plan
from sayso.core.ports import Approver, DelaysSending, offers
from sayso.core.proposal import Origin
from sayso.core.record import SUCCESS, Record, State
from sayso.policy.case import is_stricter
from sayso.policy.rules import admit, judge
from sayso.policy.settings import Policy
from sayso.runtime.apply import JournalWriter, StepRunner, owners_of, untrue_in
from sayso.runtime.planner import BatchGrants, Planner, uses_of
from sayso.runtime.proposal_state import CandidateAction, FailedTargets, aim, close, end, fail, hold_back, refuse, skip
from sayso.runtime.questions import WISHED, stands_on
from sayso.runtime.recovery import Recovery
from sayso.runtime.results import Outcome, Report, journaled_outcome, with_reply
from sayso.runtime.services import DelayedActions, Services, SilentDelay, digest_of


class Run:
    """The state of one run: who is asked, who said yes, the outcomes so far, and the facts after each change."""

    def __init__(self, tools: Services, id: str, origin: Origin, approver: Approver) -> None:  # noqa: A002 - as in the interface
        self._tools = tools
        self.id = id
        self.origin = origin
        self.approver = approver
        self.by: str | None = None
        self.pen = JournalWriter(tools.journal)
        self.actor = StepRunner(tools, self.pen)
        self.policy = tools.policy()
        """The settings that were in force when the run began."""
        self.failures = FailedTargets(self.policy.home)
        self.waits = FailedTargets(self.policy.home)
        self.outcomes: dict[int, Outcome] = {}
        self.edits: list[Report] = []
        self.warnings: list[str] = []
        """What the person is told beside the outcomes."""

    def ended(self, *items: CandidateAction) -> None:
        """Store the outcomes of these actions, and the targets of those that did not succeed."""
        for item in items:
            self.outcomes[item.record.index] = with_reply(_outcome(item), self._tools.codec)
            if item.record.state not in SUCCESS | {State.WAITING}:
                self.failures.add(item.record.index + 1, item.aim, item.record.state)

    def found(self, item: CandidateAction) -> None:
        """Store the outcome that the journal holds of an action; if it is not this run's own, it is from elsewhere."""
        kept = self.outcomes.get(item.record.index)
        now, was = item.record, kept.record if kept else None
        own = was is not None and (was.state, was.marks.ended_at) == (now.state, now.marks.ended_at)
        self.ended(item)
        if not own and now.state not in {State.WAITING, State.EXPIRED}:
            self.outcomes[item.record.index] = replace(self.outcomes[item.record.index], elsewhere=True)

    def remember_waiting(self, items: Iterable[CandidateAction]) -> None:
        """Remember the targets of actions that are still waiting."""
        for item in items:
            self.waits.add(item.record.index + 1, item.aim)

    async def recall(self, mine: Collection[int]) -> None:
        """Load the run's outcomes from the journal, and the targets of failed actions whose index is not in `mine`."""
        for record in await self._tools.journal.of_run(self.id):
            self.outcomes[record.index] = with_reply(journaled_outcome(record), self._tools.codec)
            if record.index not in mine and record.state not in SUCCESS - {State.UNDONE}:
                operation = self._tools.catalogue.get(record.operation or "")
                missed = aim(operation, record.arguments, record.said, self.policy.home)
                self.failures.add(record.index + 1, missed, record.state)


def _happened(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.record.state in SUCCESS - {State.UNDONE}


def _outcome(item: CandidateAction) -> Outcome:
    """Return the outcome of an action, including what is not journaled: what it read, and candidates."""
    if item.answer is not None:
        return Outcome(item.record, item.answer.data, item.answer.text)
    return replace(journaled_outcome(item.record), candidates=item.candidates)


STOPPED = "stopped while it was held back; nothing left this machine"
TAKEN_BACK = "taken back while it was held back; nothing left this machine"


class DelayGate:
    """Delays actions before they begin, so that the person can still stop them."""

    def __init__(self, tools: Services) -> None:
        self._tools = tools

    def seconds(self, *items: CandidateAction) -> float:
        """Return for how many seconds these actions are delayed together; 0 if none is delayed."""
        return max((seconds_of(self._tools, item.plan) for item in items if item.plan is not None), default=0.0)

    async def wait(self, items: Sequence[CandidateAction]) -> None:
        """Wait until the delay is over, sayso is stopped or paused, or all delayed actions were taken back."""
        held = {
            item.record.id: item.plan.summary
            for item in items
            if item.plan is not None and seconds_of(self._tools, item.plan)
        }
        if not held:
            return

        async def over() -> bool:
            running = await self._tools.journal.in_state(State.RUNNING)
            return self._tools.brake() is not None or held.keys().isdisjoint(row.id for row in running)

        waits = self._tools.waits or SilentDelay(self._tools.clock)
        self._tools.kill("path.holding")
        await waits.wait(DelayedActions(tuple(held.values()), tuple(held), self.seconds(*items)), over)
        self._tools.kill("path.held")

    async def after(self, run: Run, item: CandidateAction) -> CandidateAction:
        """Return the action after its delay: unchanged, taken back, or declined because the run was stopped.

        The end of an action that was taken back is already in the journal.
        """
        if not self.seconds(item):
            return item
        (now,) = [row for row in await self._tools.journal.of_run(run.id) if row.id == item.record.id]
        if not is_held(now):
            return replace(item, record=now, plan=None)
        if not self._tools.stopping():
            return item
        by = item.record.marks.approved_by
        stopped = close(end(item, State.DECLINED, STOPPED, "held.stopped"), self._tools.now(), by)
        run.pen.later(stopped.record)
        return stopped


def seconds_of(tools: Services, plan: Plan) -> float:
    """Return the delay of a plan in seconds, which is the longest delay of its steps; 0 if none is delayed."""
    found = 0.0
    for step in (change.do for change in plan.changes):
        try:
            backend = tools.backend(step.store)
        except ProviderError:
            continue  # the error is reported when the action is carried out
        if offers(backend, DelaysSending):
            found = max(found, backend.holds(step))
    return found


def is_held(record: Record) -> bool:
    """Return whether an action is marked as running in the journal, but none of its changes has begun."""
    marks = record.marks
    untouched = marks.begun is None and marks.undoing is None and not marks.changes
    return marks.state is State.RUNNING and untouched and record.plan is not None


class DecisionPort(Protocol):
    """Asks the person about waiting actions, and carries out the decision."""

    async def decide(self, run: Run, items: list[CandidateAction]) -> None:
        """Ask about these actions, which wait in the journal, and do what the answer says."""
        ...


class NeedsQuestion(Exception):
    """Raised when a grant that allowed an action no longer does, so the person must be asked; nothing has begun."""

    def __init__(self, items: list[CandidateAction]) -> None:
        self.items = items


class Executor:
    """Carries out approved actions, and journals each change before and after it."""

    def __init__(self, tools: Services, planner: Planner, decides: DecisionPort) -> None:
        self._tools = tools
        self._planner = planner
        self._decides = decides
        self._recovery = Recovery(tools)
        self._gate = DelayGate(tools)

    async def execute(
        self, run: Run, alive: list[CandidateAction], over: list[CandidateAction], *, fresh: bool
    ) -> None:
        """Claim the actions `alive` in one commit, then do them in order.

        The ended actions `over` are written in the same commit. If `fresh` is true, none of these actions is in the
        journal yet.
        """
        claimed: list[CandidateAction] = []
        first = 0
        try:
            for stretch in _stretches(alive, self._gate.seconds):
                begins, first = first, first + len(stretch)
                held = self._gate.seconds(*stretch)
                if held:
                    # No lock is held during the delay, so that other runs can use these stores.
                    claimed = claimed or await self._claim(run, alive, over, fresh=fresh)
                    await self._gate.wait(claimed[begins:first])
                async with self._recovery.holding({store for item in stretch for store in _stores(item.plan)}):
                    claimed = claimed or await self._claim(run, alive, over, fresh=fresh)
                    for mine in claimed[begins:first]:
                        run.ended(await self._turn(run, await self._gate.after(run, mine) if held else mine))
                    # Write the final states before the locks are released, so that the next holder finds no unfinished
                    # action.
                    await run.pen.end_surely()
        except SetupError as fault:
            if not claimed:
                raise
            ended = [run.outcomes[item.record.index] for item in claimed if item.record.index in run.outcomes]
            done = sum(outcome.record.state is State.DONE for outcome in ended)
            sentence = f"{fault}; {done} of {len(claimed)} actions of {run.id} had been done by then"
            raise SetupError(
                f"{sentence}; how the rest ended is found out when sayso is opened again", fault.code
            ) from fault

    async def _claim(
        self, run: Run, alive: list[CandidateAction], over: list[CandidateAction], *, fresh: bool
    ) -> list[CandidateAction]:
        """Ask again what refused the proposals, check the facts of other stores, and judge by the current policy.

        Decision, owner and the first *begun* mark are written in one commit.
        """
        if not fresh:  # the person was asked, and meanwhile the world went on
            alive = await self._planner.ask_again(run, alive)
        alive = [await self._check_facts(item) for item in alive]
        # What the principal has read elsewhere since then did not influence what was proposed.
        seen = await self._planner.exposed(run.origin, elsewhere=False)
        at_once = not (self._tools.stopping() or self._gate.seconds(alive[0])) and self._missing(run, alive[0]) is None
        while True:
            policy, void = self._tools.policy(), self._of_other_code(alive[0])
            if void is not None:
                judged = [refuse(item, void) for item in alive]
            elif all(not item.alive or _judged(item, policy, seen) for item in alive):
                judged = alive  # judging again would give the same verdict
            else:
                permits = BatchGrants(self._tools, await self._tools.journal.grants())
                policy = self._tools.policy()  # no `await` from here to the commit
                judged = [self._judge_again(item, policy, permits, seen=seen, fresh=fresh) for item in alive]
            if fresh and any(item.alive and item.asks for item in judged):
                raise NeedsQuestion(judged)
            claimed = [self._claim_item(run, item, first=at_once and number == 0) for number, item in enumerate(judged)]
            self._tools.kill("path.before_claim")
            try:
                await self._begin_records(run, [item.record for item in claimed], over, fresh=fresh)
            except Spent:
                continue  # the grant was used up or revoked in the meantime: judge again
            self._tools.kill("path.claimed")
            return claimed

    async def _check_facts(self, item: CandidateAction) -> CandidateAction:
        """Return the action, ended if something that it expects of a store that does not act is no longer true."""
        untrue = await untrue_in(self._tools, *item.plan.changes) if item.plan is not None else None
        return item if untrue is None else fail(item, untrue)

    def _of_other_code(self, item: CandidateAction) -> Verdict | None:
        """Return a denial if the person's own code that requested the action has changed since; else None (TP-04)."""
        code = item.record.code_hash
        if code is None or self._tools.knows_code(code):
            return None
        because = "the code of your action that asked for this has changed since; run it again"
        return Verdict("deny", because, "template", code="template.changed")

    async def _begin_records(
        self, run: Run, records: list[Record], over: list[CandidateAction], *, fresh: bool
    ) -> None:
        run.pen.using(uses_of(records, self._tools.now()))
        if fresh:
            await run.pen.new(*records, *(item.record for item in over), event="begun")
        else:
            await run.pen.now(*records, *(item.record for item in over), event="approved")

    def _judge_again(
        self, item: CandidateAction, policy: Policy, permits: BatchGrants, *, seen: tuple[str, ...], fresh: bool
    ) -> CandidateAction:
        record, operation = item.record, item.operation
        if not item.alive:
            return item
        if operation is None or record.verdict is None:
            return end(item, State.REFUSED, "this operation is no longer available here", "operation.unknown")
        if _judged(item, policy, seen):
            return item  # judging again would give the same verdict
        # `judge` includes the checks of `admit`, so an action with a plan needs only `judge`.
        verdict = None if item.plan is not None else admit(policy, operation, record.arguments)
        if item.plan is not None:
            if record.digest != digest_of(record, self._tools.catalogue):
                because = "what waits in the journal is not what was shown"
                return refuse(item, Verdict("deny", because, "digest", code="digest.changed"))
            standing, exposed = permits.standing(item.plan, record.code_hash), _exposed(item, seen)
            verdict = judge(
                policy, operation, item.plan, arguments=record.arguments, exposed=exposed, standing=standing
            )
            if record.verdict.approved_by is not None:
                permits.took(verdict)
            if on_other_grounds(verdict, record.verdict, fresh=fresh):
                return replace(item, record=replace(record, verdict=verdict))
            verdict = verdict if is_stricter(verdict, record.verdict) else None
        if verdict is None:
            return item
        because = f"judged again now, more strictly than before: {verdict.because}"
        return refuse(item, replace(verdict, because=because, code=verdict.code or "policy.stricter"))

    def _claim_item(self, run: Run, item: CandidateAction, *, first: bool) -> CandidateAction:
        if not item.alive:
            return close(item, self._tools.now(), run.by)
        verdict = item.record.verdict
        by = run.by if item.asks else verdict.approved_by if verdict else None
        record = item.record.marked(
            state=State.RUNNING,
            owner=self._tools.owner,
            approved_by=by,
            decided_at=self._tools.now() if item.asks else None,
            begun=0 if first and item.plan is not None else None,
        )
        return replace(item, record=record)

    async def _turn(self, run: Run, item: CandidateAction) -> CandidateAction:
        """Carry out one claimed action, or end it if sayso was stopped or an earlier step that it needs is not done."""
        if not item.alive:
            return item
        begun = item.record.marks.begun is not None
        kept = None if begun else self._hold_back(run, item)
        if kept is not None:
            kept = close(kept, self._tools.now(), kept.record.marks.approved_by)
            run.pen.later(kept.record)
            return kept
        if item.plan is None:
            return await self._in_turn(run, item)
        return replace(item, record=await run.actor.carry_out(item.record, item.plan, begun=begun))

    def _hold_back(self, run: Run, item: CandidateAction) -> CandidateAction | None:
        why = self._tools.brake()
        if why is not None:
            return end(item, State.SKIPPED, f"skipped because {why}", "stopped")
        step = self._missing(run, item)
        stops = self._tools.policy().stop_on_error or item.record.code_hash is not None
        if step is None and stops:
            earlier = [outcome.record for index, outcome in run.outcomes.items() if index < item.record.index]
            missed = [one.index for one in earlier if one.state not in SUCCESS and one.marks.code not in WISHED]
            step = min(missed) + 1 if missed else None
        if step is None:
            return None
        before = run.outcomes.get(step - 1)
        state = before.record.state if before is not None else State.FAILED
        return hold_back(item, step) if state is State.WAITING else skip(item, step, state)

    def _missing(self, run: Run, item: CandidateAction) -> int | None:
        """Return the number (from 1) of an earlier step that this action needs and that did not happen; else None."""
        for step in stands_on(item.plan):
            if step not in run.outcomes or run.outcomes[step].record.state is not State.DONE:
                return step + 1
        if item.record.reports:
            first = min(
                run.outcomes, default=item.record.index
            )  # the numbers of a run may begin after those of another
            before = range(first, item.record.index)
            return next((at + 1 for at in before if not _happened(run.outcomes.get(at))), None)
        if not item.destroys:
            return None
        number = item.record.index + 1
        failed = run.failures.in_the_way(item.aim, number)
        return failed if failed is not None else run.waits.in_the_way(item.aim, number)

    async def _in_turn(self, run: Run, item: CandidateAction) -> CandidateAction:
        """Plan and carry out an action that could not be planned before its turn.

        Such an action only reads, or earlier actions of the run change the store that it reads.
        """
        batch = await self._planner.batch(run)
        looked = await self._planner.look(item, batch)
        plan = looked.plan
        if plan is None:
            looked = close(looked, self._tools.now(), looked.record.marks.approved_by)
            run.pen.later(looked.record)
            return looked
        if looked.asks:
            return await self._ask_in_turn(run, looked)
        stores = set(_stores(plan))
        if held := self._gate.seconds(looked):
            # Write the plan to the journal, so that another process can take the action back during the delay.
            await run.pen.now(looked.record, event="held")
            await self._gate.wait([looked])
        async with self._recovery.holding(stores):
            looked = await self._gate.after(run, looked) if held else looked
            if not looked.alive:
                return looked
            record = await self._count_grant_use(run, looked.record)
            if record is not None:
                record = await run.actor.carry_out(record, plan, begun=False)
                await run.pen.end_surely()
                return replace(looked, record=record)
        return await self._in_turn(run, item)

    async def _count_grant_use(self, run: Run, record: Record) -> Record | None:
        """Count a use of the grant before an action planned in its turn begins; return None if the grant has ended."""
        by = record.verdict.approved_by if record.verdict else None
        if by is None:
            return record
        record = record.marked(approved_by=by)
        run.pen.using(uses_of([record], self._tools.now()))
        try:
            await run.pen.now(record, event="permitted")
        except Spent:
            return None
        return record

    async def _ask_in_turn(self, run: Run, item: CandidateAction) -> CandidateAction:
        waiting = replace(item, record=item.record.marked(state=State.WAITING, owner=None))
        await run.pen.now(waiting.record, event="asked")
        run.ended(waiting)
        await self._decides.decide(run, [waiting])
        return replace(waiting, record=run.outcomes[item.record.index].record)


def _exposed(item: CandidateAction, seen: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*item.record.exposed, *seen)))


def on_other_grounds(now: Verdict, then: Verdict, *, fresh: bool) -> bool:
    """Return whether a different verdict must be recorded, because the grant that allowed the action no longer does.

    If another grant, or policy without a grant, allows the action now, that verdict is recorded. If the person must be
    asked: with `fresh`, they are asked now; without it, they have seen the action with the others and said yes.
    """
    if then.approved_by is None or now.approved_by == then.approved_by:
        return False
    return now.ruling == "allow" or (now.ruling == "ask" and (fresh or now.level == "mode"))


def _stretches(
    items: list[CandidateAction], held: Callable[[CandidateAction], float]
) -> Iterator[list[CandidateAction]]:
    """Split the actions into groups, each of which is carried out while its stores are locked.

    An action that is planned in its turn is a group of its own, because no lock is held while the person might be
    asked. A new group also begins at a delayed action, so that the actions before it are not delayed.
    """
    stretch: list[CandidateAction] = []
    for item in items:
        if stretch and held(item) and not held(stretch[-1]):
            yield stretch
            stretch = []
        if item.later:
            yield from ([stretch] if stretch else [])
            yield [item]
            stretch = []
        else:
            stretch.append(item)
    yield from ([stretch] if stretch else [])


def _judged(item: CandidateAction, policy: Policy, seen: tuple[str, ...]) -> bool:
    return item.basis is not None and item.basis.holds(item, policy, exposed=_exposed(item, seen))


def _stores(plan: Plan | None) -> set[str]:
    """Return the stores that are locked for a plan: those that act, and those that own what its steps expect."""
    return {change.do.store for change in plan.changes} | owners_of(plan) if plan else set()
