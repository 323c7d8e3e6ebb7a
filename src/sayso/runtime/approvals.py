"""What waits: found again after a restart, approved in the process where the yes falls, declined, or expired."""

from collections.abc import Sequence

from sayso.core.errors import ProposalError, SaysoError, Stale
from sayso.core.ports import Approver
from sayso.core.proposal import Origin
from sayso.core.record import Record, State
from sayso.core.replacing import replace
from sayso.core.verdict import Question
from sayso.runtime.asking import is_over, question_about
from sayso.runtime.leaving_out import needs_of
from sayso.runtime.outcome import Report, journaled
from sayso.runtime.path import Path
from sayso.runtime.pen import Pen
from sayso.runtime.prepared import Prepared, closed, ended
from sayso.runtime.targets import aim
from sayso.runtime.tools import Tools


class Approvals:
    """Decides about what waits in the journal."""

    def __init__(self, tools: Tools, path: Path) -> None:
        self._tools = tools
        self._path = path

    async def waiting(self) -> list[Record]:
        """Return what waits, newest first, after letting expire what is over."""
        records = await self._tools.journal.in_state(State.WAITING)
        over = [record for record in records if is_over(record, self._tools)]
        await self._expire(over)
        gone = {record.id for record in over}
        return [record for record in reversed(records) if record.id not in gone]

    async def _expire(self, records: list[Record]) -> None:
        for record in records:
            sentence = "nobody answered in time; propose it again"
            marks = record.marked(state=State.EXPIRED, error=sentence, code="expired", ended_at=self._tools.now())
            try:
                await Pen(self._tools.journal).now(marks, event="expired")
            except Stale:
                continue  # somebody decided about it at this very moment

    async def question(self, ref: str) -> Question:
        """Return what a person must be shown before approving `ref` (an action or a run)."""
        return question_about([self._prepared(record) for record in await self._waiting_under(ref)], self._tools)

    async def approve(self, ref: str, approver: Approver) -> Report:
        """Ask about what waits under `ref`; a yes is carried out here, in order.

        What has expired is told as that. Raises `ProposalError` when nothing waits there, or when the action
        stands on another that still waits.
        """
        return await self._approve(await self._find(ref), approver)

    async def approve_all(self, refs: Sequence[str], approver: Approver) -> list[Report]:
        """Ask about what waits under these actions and runs: one question for each run, about all that is named of it.

        Raises `ProposalError`, before anything is asked, when nothing waits under one of them.
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
            return Report(first.run, first.dialect, tuple(journaled(record) for record in records))
        items = [self._prepared(record) for record in records]
        await self._stands_alone(items)
        run = self._path.begin(Origin(first.dialect, first.entry, first.session, first.exposed), approver, first.run)
        await self._path.resume(run, items)
        outcomes = [run.outcomes.get(record.index, journaled(record)) for record in records]
        return Report(first.run, first.dialect, tuple(outcomes), edits=tuple(run.edits))

    async def decline(self, ref: str, by: str) -> Report:
        """Say no to what waits under `ref`. Raises `ProposalError` when nothing waits there."""
        records = await self._waiting_under(ref)
        now = self._tools.now()
        items = [ended(self._prepared(record), State.DECLINED, "you said no", "declined") for record in records]
        over = [closed(item, now, by).record for item in items]
        await Pen(self._tools.journal).now(*over, event="declined")
        return Report(records[0].run, records[0].dialect, tuple(journaled(record) for record in over))

    async def _waiting_under(self, ref: str) -> list[Record]:
        records = [record for record in await self._find(ref) if record.state is State.WAITING]
        if not records:
            raise ProposalError(f"nothing waits under “{ref}”: its time is over", "action.not_waiting")
        return records

    async def _find(self, ref: str) -> list[Record]:
        await self.waiting()
        found = (
            await self._tools.journal.of_run(ref) if ref.startswith("run_") else [await self._tools.journal.get(ref)]
        )
        records = [record for record in found if record is not None]
        if not records:
            raise ProposalError(f"there is no action or run “{ref}”", "action.unknown")
        waiting = [record for record in records if record.state is State.WAITING]
        expired = [record for record in records if record.state is State.EXPIRED]
        if expired and not waiting:
            return expired
        if not waiting:
            state = records[0].state
            raise ProposalError(f"nothing waits under “{ref}”: it is {state} already", "action.not_waiting")
        return waiting

    def _prepared(self, record: Record) -> Prepared:
        operation = self._tools.catalogue.get(record.operation or "")
        aimed = aim(operation, record.arguments, record.said, self._tools.policy().home)
        try:
            plan = self._tools.codec.plan(record.plan) if record.plan is not None else None
        except SaysoError as damaged:
            return ended(Prepared(record, aimed, operation), State.REFUSED, str(damaged), damaged.code)
        return replace(Prepared(record, aimed, operation), plan=plan, later=plan is None)

    async def _stands_alone(self, items: list[Prepared]) -> None:
        """Refuse what needs a waiting action that is not approved with it: its effect, or that it came first (T-18)."""
        mine = {item.record.index for item in items}
        whole = await self._tools.journal.of_run(items[0].record.run)
        waiting = [record for record in whole if record.state is State.WAITING]
        needs = needs_of([self._prepared(record) for record in waiting])
        for item in items:
            needed = set(needs.get(item.record.index, ())) - mine
            if needed:
                step = min(needed) + 1
                raise ProposalError(
                    f"“{item.record.id}” stands on step {step} of its run, which still waits; "
                    f"approve {item.record.run}",
                    "action.stands_on_waiting",
                )
