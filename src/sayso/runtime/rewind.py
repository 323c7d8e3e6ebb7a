"""Rewind to a moment: all that was done since and can be undone, last first, and what of it cannot."""

from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta

from anyio.lowlevel import checkpoint
from msgspec import Struct

from sayso.core.encoding import digest
from sayso.core.plan import CannotUndo
from sayso.core.ports import RecordQuery
from sayso.core.proposal import Origin
from sayso.core.record import NOT_KEPT, Record, State, StepOutcome
from sayso.runtime.results import Report
from sayso.runtime.services import Services, moment, stamp
from sayso.runtime.undo import Undo, UndoCandidate

MOST = 5_000
"""The largest number of actions that are taken back at once."""
_PAGE = 200
_LOOKED_AT = 50_000
_SLACK = timedelta(days=1)
_STATES = frozenset({State.DONE, State.FAILED, State.UNKNOWN, State.RUNNING})


class Rewind(Struct, frozen=True):
    """What rewinding to the moment `to` would take back, in this order, and what stays, each with the reason."""

    to: str
    backs: tuple[UndoCandidate, ...]
    stays: tuple[tuple[Record, str], ...]
    more: bool = False
    """Whether there is more than is taken back at once; the newest is taken back first."""

    @property
    def digest(self) -> str:
        """Return a digest of all that would be taken back; it is another one once anything else was done."""
        return digest([self.to, [[back.original.id, back.plan.summary] for back in self.backs]])


async def look_back(tools: Services, to: datetime) -> Rewind:
    """Return what rewinding to a moment would take back, newest first by when each action ended."""
    undo, to = Undo(tools), moment(stamp(to))  # as exact as the times of the journal
    backs: list[UndoCandidate] = []
    stays: list[tuple[Record, str]] = []
    more = False
    async for record in _done_since(tools, to):
        if record is None or len(backs) == MOST:
            more = True
            break
        back = undo.back_of(record)
        if back is not None:
            backs.append(back)
        why = await _why_it_stays(tools, record, to, in_part=back is not None)
        if why is not None:
            stays.append((record, why))
    backs.sort(key=lambda back: (_ended(back.original), back.original.key), reverse=True)
    return Rewind(stamp(to), tuple(backs), tuple(stays), more)


async def rewind(tools: Services, shown: Rewind, by: str, did: Callable[[int], None] = lambda _: None) -> Report:
    """Take back what was shown, last first; the person's request counts as approval, and each is judged and journaled.

    After a failure the others are still tried. `did` is told after each how many were tried.
    """
    return await Undo(tools).take_back(shown.backs, Origin("", "undo"), by, did=did)


async def _done_since(tools: Services, to: datetime) -> AsyncIterator[Record | None]:
    """Yield what was done since a moment, newest first by when it was proposed; None where the search is given up."""
    # An action may have waited for the person's yes before it was done.
    since = stamp(to - timedelta(seconds=tools.policy().waiting_expires) - _SLACK)
    query, looked_at = RecordQuery(limit=_PAGE, states=_STATES, since=since), 0
    while records := await tools.journal.query(query):
        await checkpoint()
        for record in records:
            if _ended(record) >= to and not record.dry_run:
                yield record
        looked_at += len(records)
        if looked_at >= _LOOKED_AT:
            yield None
            return
        query = RecordQuery(limit=_PAGE, states=_STATES, since=since, before=records[-1].key)


def _ended(record: Record) -> datetime:
    return moment(record.marks.ended_at or record.time)


async def _why_it_stays(tools: Services, record: Record, to: datetime, *, in_part: bool) -> str | None:
    """Return why something of an action stays; None if all of it can be undone, or it changed nothing."""
    if record.undo_of is not None:
        undone = await tools.journal.get(record.undo_of)
        before = undone is None or _ended_itself(undone) < to
        return "it took something back that was done before; do that anew if you want it" if before else None
    if record.state is State.UNKNOWN:
        return "it is not known whether it happened"
    if record.state is State.RUNNING:
        return None if in_part else "it is being done just now"
    if record.plan is None:
        return None
    plan = tools.codec.plan(record.plan)
    done = [
        (change, mark)
        for change, mark in zip(plan.changes, record.marks.changes, strict=False)
        if mark.outcome is StepOutcome.DONE
    ]
    whys = [change.undo.why for change, _ in done if isinstance(change.undo, CannotUndo)]
    whys += ["you said that it was done, so what it left is not known" for _, mark in done if mark.left is None]
    whys += [str(plan.data[NOT_KEPT])] if NOT_KEPT in plan.data else []
    if not whys:
        return None
    return f"a part of it: {whys[0]}" if in_part else whys[0]


def _ended_itself(record: Record) -> datetime:
    """Return when an action was done that was undone later."""
    return moment(record.marks.decided_at or record.time)
