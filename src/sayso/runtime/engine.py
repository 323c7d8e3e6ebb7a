"""The engine takes each proposal from planning to its outcome; `Approvals` handles the actions that wait for a yes."""

import dataclasses
from collections.abc import Sequence

from msgspec.structs import replace

from sayso.core.decision import Question, Verdict
from sayso.core.errors import ProposalError, Refused, SaysoError, Stale
from sayso.core.lazy import load
from sayso.core.ports import Approver, NoteExposure
from sayso.core.proposal import Origin, Proposal, principal_of
from sayso.core.quotes import quoted
from sayso.core.record import Record, State, run_id
from sayso.runtime.apply import JournalWriter
from sayso.runtime.executor import Executor, NeedsQuestion, Run
from sayso.runtime.planner import Batch, Planner
from sayso.runtime.proposal_state import CandidateAction, aim, close, end, refuse, skip
from sayso.runtime.questions import (
    AnswerKind,
    Nobody,
    PersonReply,
    ask,
    edit_of,
    is_over,
    needs_of,
    no_words,
    over_in,
    question_about,
    split_by_selection,
)
from sayso.runtime.recovery import lefts_of_run
from sayso.runtime.results import Report, journaled_outcome
from sayso.runtime.services import Services


class Engine:
    """Plans, judges, asks about and carries out proposals, and returns their outcomes (house, section 4)."""

    def __init__(self, tools: Services) -> None:
        self._tools = tools
        self._planner = Planner(tools)
        self.shown = self._planner.shown
        self._executor = Executor(tools, self._planner, self)

    def begin(self, origin: Origin, approver: Approver, run: str | None = None) -> Run:
        """Return a new run; if `run` is given, return the state in which the run with this id goes on.

        Without a session in `origin`, the id of the run becomes its session.
        """
        run = run or run_id(self._tools.ids.key())
        return Run(self._tools, run, origin if origin.session else replace(origin, session=run), approver)

    async def take(  # noqa: PLR0913 - each is a choice of the caller
        self,
        proposals: Sequence[Proposal],
        origin: Origin,
        approver: Approver,
        *,
        dry_run: bool = False,
        whole_or_none: bool = False,
        as_run: str | None = None,
    ) -> Report:
        """Plan, judge and carry out proposals, which are shown and decided together; return one outcome for each.

        With `whole_or_none`, none of them runs if planning or judging fails for one (T-103). With `dry_run`, nothing is
        carried out, and the report says what would happen. `as_run` is the id of the new run, if the caller has written
        it down before.
        """
        # A caller cannot mark a proposal as an edit: only `_take_edited` does, after the person has edited a question.
        fresh = [proposal if proposal.edit_of is None else replace(proposal, edit_of=None) for proposal in proposals]
        run = self.begin(origin, approver, as_run)
        if origin.exposed:
            principal = principal_of(origin.entry, origin.principal)
            run.pen.exposing(NoteExposure(principal, origin.session, origin.exposed))
        report = await self._take_run(run, fresh, dry_run=dry_run, whole_or_none=whole_or_none)
        await run.pen.end("exposed")
        return report

    async def _take_run(self, run: Run, proposals: Sequence[Proposal], *, dry_run: bool, whole_or_none: bool) -> Report:
        most = run.policy.limits.actions_per_run
        if len(proposals) > most:
            return await self._too_many(run, proposals, most)
        if proposals:
            batch = await self._planner.batch(run, len(proposals), dry_run=dry_run, first=True)
            await self._take_batch(run, proposals, batch, whole_or_none=whole_or_none)
        outcomes = tuple(run.outcomes[proposal.index] for proposal in proposals)
        warnings = tuple(run.warnings)
        return Report(run.id, run.origin.dialect, outcomes, dry_run, warnings=warnings, edits=tuple(run.edits))

    async def _too_many(self, run: Run, proposals: Sequence[Proposal], most: int) -> Report:
        """Refuse a run that has more actions than `[limits] actions_per_run` allows.

        The journal gets one row, and every proposal gets the same outcome.
        """
        because = f"{len(proposals):,} actions at once are more than {most:,}, the most (`[limits] actions_per_run`)"
        report = await self._refuse_run(run, because, "limit.actions")
        (outcome,) = report.outcomes
        outcomes = [
            replace(outcome, record=replace(outcome.record, index=proposal.index, operation=proposal.operation))
            for proposal in proposals
        ]
        return replace(report, outcomes=tuple(outcomes))

    async def refuse(self, origin: Origin, because: str, code: str) -> Report:
        """Refuse a whole text before any of it is parsed into proposals; the journal gets one row."""
        return await self._refuse_run(self.begin(origin, Nobody()), because, code)

    async def _refuse_run(self, run: Run, because: str, code: str) -> Report:
        batch = await self._planner.batch(run, first=True)
        item = self._planner.unread(Proposal(0, ""), batch)
        await self._over(run, [refuse(item, Verdict("deny", because, "limits", code=code))], "refused")
        return Report(run.id, run.origin.dialect, (run.outcomes[0],))

    async def _take_batch(self, run: Run, proposals: Sequence[Proposal], batch: Batch, *, whole_or_none: bool) -> None:
        """Plan and judge each proposal in order; then carry out the batch, or ask about it if an action needs a yes."""
        items: list[CandidateAction] = []
        stopped: CandidateAction | None = None
        for proposal in proposals:
            item = await self._planner.prepare(proposal, batch)
            if stopped is not None and item.alive:
                item = skip(item, stopped.record.index + 1, stopped.record.state)
            elif stopped is None and batch.policy.stop_on_error and item.missed:
                stopped = item
            items.append(item)
        if whole_or_none and any(item.missed for item in items):
            items = [_with_the_batch(item) for item in items]
        if batch.dry_run:
            return await self._over(run, [_would(item) for item in items], "dry run")
        others = [item for item in items if item.alive and (item.asks or not _only_reads(item))]
        if not others or any(item.asks for item in others):
            items = await self._look_first(items, batch)
        alive = [item for item in items if item.alive]
        over = [item for item in items if not item.alive]
        if not alive:
            return await self._over(run, over, "ended")
        run.ended(*over)
        if not any(item.asks for item in alive):
            try:
                return await self._executor.execute(run, alive, over, fresh=True)
            except NeedsQuestion as now:
                gone = [close(item, self._tools.now(), None) for item in now.items if not item.alive]
                run.ended(*gone)
                alive, over = [item for item in now.items if item.alive], [*over, *gone]
        return await self._ask(run, alive, over, batch)

    async def _look_first(self, items: list[CandidateAction], batch: Batch) -> list[CandidateAction]:
        """Answer the reads that come before every change; they need no decision, so no question delays them."""
        looked, as_it_is = list(items), dataclasses.replace(batch, seen={}, planned=[])  # nothing of it was done yet
        for number, item in enumerate(items):
            if not item.alive:
                continue
            if item.asks or not _only_reads(item):
                break
            looked[number] = await self._planner.look(item, as_it_is)
        return looked

    async def _over(self, run: Run, items: list[CandidateAction], event: str) -> None:
        await run.pen.new(*(item.record for item in items), event=event)
        run.ended(*items)

    async def _ask(self, run: Run, alive: list[CandidateAction], over: list[CandidateAction], batch: Batch) -> None:
        """Write the actions to the journal as waiting, then ask the person; refuse them if too many wait already."""
        most, waiting = batch.policy.limits.waiting, await self._tools.journal.count(State.WAITING)
        if waiting and waiting + len(alive) > most:
            because = f"{waiting} actions wait for you already, and at most {most} may; decide those first"
            verdict = Verdict("deny", because, "limits", code="limit.waiting")
            return await self._over(run, [*over, *(refuse(item, verdict) for item in alive)], "refused")
        alive = [replace(item, record=item.record.marked(state=State.WAITING)) for item in alive]
        await run.pen.new(*(item.record for item in (*alive, *over)), event="asked")
        run.ended(*alive)
        try:
            return await self.decide(run, alive)
        except Refused as paused:
            if paused.code != "policy.paused":
                raise
            run.warnings.append(f"the yes did not count, and what was asked still waits: {paused}")
            return run.remember_waiting(alive)

    async def decide(self, run: Run, items: list[CandidateAction]) -> None:
        """Ask about actions that wait in the journal, and do what the answer says.

        If another process has decided them first, their outcomes are read from the journal. Raises `Refused` for a yes
        or an edit while everything is paused: what waits then goes on waiting.
        """
        try:
            question = question_about(items, self._tools)
            reply = await ask(run.approver, question, [item.record for item in items], self._tools)
            if reply.kind in {AnswerKind.YES, AnswerKind.EDITED}:
                self._tools.policy().must_go_on()
            if reply.kind is AnswerKind.NOBODY:
                run.remember_waiting(items)
            elif reply.kind is AnswerKind.YES:
                run.by = reply.by
                going, left_out = split_by_selection(items, question, reply.ticked)
                await self._go(run, going, [close(item, self._tools.now(), reply.by) for item in left_out])
                if reply.permits:
                    give = load("sayso.runtime.grants:give_after")
                    run.warnings += await give(self._tools, reply.permits, reply.by, run.origin.entry)
            elif reply.kind is AnswerKind.EDITED:
                await self._take_edited(run, items, reply)
            else:
                state = State.EXPIRED if reply.kind is AnswerKind.LATE else State.DECLINED
                now = self._tools.now()
                over = [close(end(item, state, reply.sentence, reply.code), now, reply.by) for item in items]
                await self._move_on(run, over, state.value)
        except Stale:
            for item in items:
                record = await self._tools.journal.get(item.record.id)
                run.found(replace(item, record=record or item.record))

    async def _go(self, run: Run, going: list[CandidateAction], left_out: list[CandidateAction]) -> None:
        """Carry out the approved actions; those that the person left out are ended in the same commit."""
        if not going:
            return await self._move_on(run, left_out, State.DECLINED.value)
        run.ended(*left_out)
        return await self._executor.execute(run, going, left_out, fresh=False)

    async def _move_on(self, run: Run, over: list[CandidateAction], event: str) -> None:
        await run.pen.now(*(item.record for item in over), event=event)
        run.ended(*over)

    async def _take_edited(self, run: Run, items: list[CandidateAction], reply: PersonReply) -> None:
        """End the actions that were shown, and start a new run with the person's edited version of them.

        The old actions end first: if another process has decided or expired them meanwhile, `Stale` is raised and the
        edit does not run.
        """
        new, now = self.begin(run.origin, run.approver), self._tools.now()
        edit = edit_of([item.record for item in items], reply.edit, run.id, new.id)
        over = [
            close(end(item, State.DECLINED, sentence, "edit.replaced"), now, reply.by)
            for item, sentence in zip(items, edit.sentences, strict=True)
        ]
        await self._move_on(run, over, "edited")
        run.edits.append(await self._take_run(new, edit.proposals, dry_run=False, whole_or_none=False))

    async def resume(self, run: Run, items: list[CandidateAction]) -> None:
        """Ask about actions that have waited in the journal, and carry them out in this process after a yes.

        Actions whose plan can no longer be read are refused first.
        """
        broken = [close(item, self._tools.now(), None) for item in items if not item.alive]
        if broken:
            await run.pen.now(*(item.record for item in broken), event="refused")
            items = [item for item in items if item.alive]
        run.actor.lefts.update(await lefts_of_run(self._tools, run.id))
        await run.recall({item.record.index for item in items})
        if items:
            await self.decide(run, items)


def _only_reads(item: CandidateAction) -> bool:
    return item.operation is not None and item.operation.answers


def _with_the_batch(item: CandidateAction) -> CandidateAction:
    if item.missed:
        return item
    because = "skipped because another command of the same request cannot be carried out"
    return end(item, State.SKIPPED, because, "batch.invalid")


def _would(item: CandidateAction) -> CandidateAction:
    """End an action of a dry run with a sentence that says what it would do (T-29); what it read is dropped."""
    record = item.record
    if item.plan is None and item.answer is None:
        return item
    summary = item.plan.summary if item.plan else _reading(item)
    asks = " (you would be asked)" if item.asks else ""
    return end(
        replace(item, answer=None), State.PLANNED, f"Would {summary[:1].lower()}{summary[1:]}{asks}", record.marks.code
    )


def _reading(item: CandidateAction) -> str:
    """Return what a read operation would look at: its summary and the first text among its arguments."""
    if item.operation is None:
        return ""
    about = [value for value in item.record.arguments.values() if isinstance(value, str)]
    return item.operation.summary + (f": {quoted(about[0])}" if about else "")


class Approvals:
    """Lists the actions that wait in the journal, and approves or declines them."""

    def __init__(self, tools: Services, path: Engine) -> None:
        self._tools = tools
        self._path = path

    async def waiting(self) -> list[Record]:
        """Return the waiting actions, newest first, after marking those whose time is up as expired."""
        records = await self._tools.journal.in_state(State.WAITING)
        now = self._tools.clock.now()
        over = [record for record in records if is_over(record, now)]
        await self._expire(over)
        gone = {record.id for record in over}
        return [record for record in reversed(records) if record.id not in gone]

    async def _expire(self, records: list[Record]) -> None:
        for record in records:
            sentence = "nobody answered in time; propose it again"
            marks = record.marked(state=State.EXPIRED, error=sentence, code="expired", ended_at=self._tools.now())
            try:
                await JournalWriter(self._tools.journal).now(marks, event="expired")
            except Stale:
                continue  # another process decided it in the meantime

    async def question(self, ref: str) -> Question:
        """Return the question that a person must see before approving `ref`, the id of an action or a run."""
        return question_about([self._prepare_waiting(record) for record in await self._waiting_under(ref)], self._tools)

    async def approve(self, ref: str, approver: Approver) -> Report:
        """Ask about the waiting actions of `ref`, the id of an action or a run; after a yes, carry them out in order.

        If they have expired, the report says so. Raises `ProposalError` when nothing waits under `ref`, or when an
        action needs another waiting action that `ref` does not include, and `Refused` while everything is paused.
        """
        return await self._approve(await self._find(ref), approver)

    async def approve_all(self, refs: Sequence[str], approver: Approver) -> list[Report]:
        """Ask about the waiting actions under these ids of actions and runs, in one question for each run.

        Raises `ProposalError`, before any question, when nothing waits under one of the ids, and `Refused` while
        everything is paused.
        """
        named: dict[str, dict[str, Record]] = {}
        for ref in dict.fromkeys(refs):
            for record in await self._find(ref):
                named.setdefault(record.run, {})[record.id] = record
        reports: list[Report] = []
        for records in named.values():
            in_order = sorted(records.values(), key=lambda record: record.index)
            expired = [record for record in in_order if record.state is State.EXPIRED]
            waiting = [record for record in in_order if record.state is not State.EXPIRED]
            reports += [await self._approve(some, approver) for some in (expired, waiting) if some]
        return reports

    async def _approve(self, records: list[Record], approver: Approver) -> Report:
        first = records[0]
        if first.state is State.EXPIRED:
            return Report(first.run, first.dialect, tuple(journaled_outcome(record) for record in records))
        self._tools.policy().must_go_on()  # before anybody is asked
        items = [self._prepare_waiting(record) for record in records]
        await self._stands_alone(items)
        # What the person makes of it by editing still comes of the same code, and is warned of alike.
        origin = Origin(
            first.dialect,
            first.entry,
            first.session,
            first.exposed,
            principal=first.principal,
            code=first.code_hash,
            warns=first.warns,
        )
        run = self._path.begin(origin, approver, first.run)
        await self._path.resume(run, items)
        outcomes = [run.outcomes.get(record.index, journaled_outcome(record)) for record in records]
        return Report(first.run, first.dialect, tuple(outcomes), warnings=tuple(run.warnings), edits=tuple(run.edits))

    async def decline(self, ref: str, by: str, because: str = "") -> Report:
        """Decline the waiting actions of `ref`, for the reason that the person gave, if any.

        Raises `ProposalError` when there are none.
        """
        return await self._end_waiting(ref, by, *no_words(because))

    async def withdraw(self, ref: str) -> Report:
        """End the waiting actions of `ref`, because the program that proposed them took its call back.

        Raises `ProposalError` when there are none.
        """
        return await self._end_waiting(
            ref, "agent", "what asked for this took it back before anybody had decided", "call.withdrawn"
        )

    async def _end_waiting(self, ref: str, by: str, sentence: str, code: str) -> Report:
        records = await self._waiting_under(ref)
        now = self._tools.now()
        items = [end(self._prepare_waiting(record), State.DECLINED, sentence, code) for record in records]
        over = [close(item, now, by).record for item in items]
        await JournalWriter(self._tools.journal).now(*over, event="declined")
        return Report(records[0].run, records[0].dialect, tuple(journaled_outcome(record) for record in over))

    async def _waiting_under(self, ref: str) -> list[Record]:
        records = [record for record in await self._find(ref) if record.state is State.WAITING]
        if not records:
            raise ProposalError(f"nothing waits under {quoted(ref)}: its time is over", "action.not_waiting")
        return records

    async def _find(self, ref: str) -> list[Record]:
        await self._expire(await over_in(self._tools))
        found = (
            await self._tools.journal.of_run(ref) if ref.startswith("run_") else [await self._tools.journal.get(ref)]
        )
        records = [record for record in found if record is not None]
        if not records:
            raise ProposalError(f"there is no action or run {quoted(ref)}", "action.unknown")
        waiting = [record for record in records if record.state is State.WAITING]
        expired = [record for record in records if record.state is State.EXPIRED]
        if expired and not waiting:
            return expired
        if not waiting:
            state = records[0].state
            raise ProposalError(f"nothing waits under {quoted(ref)}: it is {state} already", "action.not_waiting")
        return waiting

    def _prepare_waiting(self, record: Record) -> CandidateAction:
        operation = self._tools.catalogue.get(record.operation or "")
        aimed = aim(operation, record.arguments, record.said, self._tools.policy().home)
        try:
            plan = self._tools.codec.plan(record.plan) if record.plan is not None else None
        except SaysoError as damaged:
            return end(CandidateAction(record, aimed, operation), State.REFUSED, str(damaged), damaged.code)
        return replace(CandidateAction(record, aimed, operation), plan=plan, later=plan is None)

    async def _stands_alone(self, items: list[CandidateAction]) -> None:
        """Raise `ProposalError` if an action needs another waiting action that is not approved with it (T-18).

        An action needs another one if its plan expects the result of that one, or if that one must come first.
        """
        mine = {item.record.index for item in items}
        whole = await self._tools.journal.of_run(items[0].record.run)
        waiting = [record for record in whole if record.state is State.WAITING]
        needs = needs_of([self._prepare_waiting(record) for record in waiting])
        for item in items:
            needed = set(needs.get(item.record.index, ())) - mine
            if needed:
                step = min(needed) + 1
                raise ProposalError(
                    (
                        f"{quoted(item.record.id)} needs step {step} of its run, which "
                        f"still waits; approve {item.record.run}"
                    ),
                    "action.stands_on_waiting",
                )
