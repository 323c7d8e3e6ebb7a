"""One run on its way: what is shared by its actions from asking to the last mark."""

from collections.abc import Collection, Iterable

from sayso.core.ports import Approver
from sayso.core.proposal import Origin
from sayso.core.record import SUCCESS, State
from sayso.core.replacing import replace
from sayso.runtime.acting import Actor
from sayso.runtime.outcome import Outcome, Report, journaled
from sayso.runtime.pen import Pen
from sayso.runtime.prepared import Prepared
from sayso.runtime.targets import Failures, aim
from sayso.runtime.tools import Tools


class Run:
    """Who may be asked, who said yes, what has ended so far, and what each change left."""

    def __init__(self, tools: Tools, id: str, origin: Origin, approver: Approver) -> None:  # noqa: A002 - as in the interface
        self._tools = tools
        self.id = id
        self.origin = origin
        self.approver = approver
        self.by: str | None = None
        self.pen = Pen(tools.journal)
        self.actor = Actor(tools, self.pen)
        self.policy = tools.policy()
        """The settings as the run begins."""
        self.failures = Failures(self.policy.home)
        self.waits = Failures(self.policy.home)
        self.outcomes: dict[int, Outcome] = {}
        self.edits: list[Report] = []

    def ended(self, *items: Prepared) -> None:
        """Keep outcomes, and remember what did not happen."""
        for item in items:
            self.outcomes[item.record.index] = _outcome(item)
            if item.record.state not in SUCCESS | {State.WAITING}:
                self.failures.add(item.record.index + 1, item.aim)

    def left_waiting(self, items: Iterable[Prepared]) -> None:
        """Remember what goes on waiting."""
        for item in items:
            self.waits.add(item.record.index + 1, item.aim)

    async def recall(self, mine: Collection[int]) -> None:
        """Take up what the journal holds of the run, and what has not happened of it beside the actions `mine`."""
        for record in await self._tools.journal.of_run(self.id):
            self.outcomes[record.index] = journaled(record)
            if record.index not in mine and record.state not in SUCCESS - {State.UNDONE}:
                operation = self._tools.catalogue.get(record.operation or "")
                missed = aim(operation, record.arguments, record.said, self.policy.home)
                self.failures.add(record.index + 1, missed)


def _outcome(item: Prepared) -> Outcome:
    """Return what this process knows of it, which is more than the journal is told."""
    if item.answer is not None:
        return Outcome(item.record, item.answer.data, item.answer.text)
    return replace(journaled(item.record), candidates=item.candidates)
