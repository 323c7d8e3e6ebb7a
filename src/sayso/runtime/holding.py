"""Hold back what cannot be called back once it has gone, so that it can still be stopped before it begins.

What is held has been claimed and has not begun: whoever dies in the hold has done nothing, and recovery says so.
"""

from collections.abc import Sequence

from sayso.core.errors import ProviderError
from sayso.core.plan import Plan
from sayso.core.record import Record, State
from sayso.core.replacing import replace
from sayso.runtime.prepared import Prepared, closed, ended
from sayso.runtime.run import Run
from sayso.runtime.tools import Tools
from sayso.runtime.waiting import Held, Silently

STOPPED = "stopped while it was held back; nothing left this machine"
TAKEN_BACK = "taken back while it was held back; nothing left this machine"


class Holder:
    """Holds actions back for one home."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def seconds(self, *items: Prepared) -> float:
        """Return for how long these are held back together; 0 where none is."""
        return max((seconds_of(self._tools, item.plan) for item in items if item.plan is not None), default=0.0)

    async def wait(self, items: Sequence[Prepared]) -> None:
        """Wait until the time is up, the person stops the run, or all of it was taken back."""
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

        waits = self._tools.waits or Silently(self._tools.clock)
        self._tools.kill("path.holding")
        await waits.wait(Held(tuple(held.values()), tuple(held), self.seconds(*items)), over)
        self._tools.kill("path.held")

    async def after(self, run: Run, item: Prepared) -> Prepared:
        """Return it as it is once it was held; whoever took it back has written its end."""
        if not self.seconds(item):
            return item
        (now,) = [row for row in await self._tools.journal.of_run(run.id) if row.id == item.record.id]
        if not is_held(now):
            return replace(item, record=now, plan=None)
        if not self._tools.stopping():
            return item
        by = item.record.marks.approved_by
        stopped = closed(ended(item, State.DECLINED, STOPPED, "held.stopped"), self._tools.now(), by)
        run.pen.later(stopped.record)
        return stopped


def seconds_of(tools: Tools, plan: Plan) -> float:
    """Return for how long a plan is held back; 0 where it is not."""
    found = 0.0
    for step in (change.do for change in plan.changes):
        try:
            # What a protocol says of itself is looked up anew with each `isinstance`; this is asked at each step.
            holds = getattr(tools.backend(step.store), "holds", None)
        except ProviderError:
            continue  # it is told of when its turn comes
        if holds is not None:
            found = max(found, holds(step))
    return found


def is_held(record: Record) -> bool:
    """Say whether an action was claimed and nothing of it has begun."""
    marks = record.marks
    untouched = marks.begun is None and marks.undoing is None and not marks.changes
    return marks.state is State.RUNNING and untouched and record.plan is not None
