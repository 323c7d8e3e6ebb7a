"""Take what the person typed as a command of their own down the one path: it is its own approval, and recorded.

What deletes needs the person's terminal: a command that somebody's program runs is no word of the person.
"""

from dataclasses import dataclass

from sayso.assembly import Home
from sayso.core.canonical import Json
from sayso.core.ports import Approver
from sayso.core.proposal import Origin, Proposal
from sayso.core.verdict import Decision, Question
from sayso.surfaces.cli.carrying import carry, show
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.terminal import NoTerminal, Terminal, find_terminal


@dataclass(frozen=True)
class Typed:
    """The person typed this very command, which is a yes; what names a thing only in part and destroys it is asked."""

    otherwise: Approver
    at_terminal: bool

    async def ask(self, question: Question) -> Decision | None:
        """Return the yes that typing it was; None, so that it waits, for what deletes and was typed by nobody."""
        losing = [card.plan for card in question.cards if card.plan.loses]
        if not losing:
            return question.yes("command")
        if any(plan.warns for plan in losing):
            return await self.otherwise.ask(question)
        return question.yes("command") if self.at_terminal else None


def carry_out(here: Here, operation: str, arguments: dict[str, Json], *, dry_run: bool = False) -> int:
    """Do one operation in the person's own name, print what came of it, and return the exit code."""
    deletes = operation.endswith(".delete") and not dry_run
    terminal = find_terminal() if deletes else NoTerminal("nothing is asked")
    at_terminal = isinstance(terminal, Terminal)
    if here.json and isinstance(terminal, Terminal):
        terminal.close()
        terminal = NoTerminal("with --json nothing is asked")

    async def work(home: Home, approver: Approver):
        proposal = Proposal(0, "", operation, arguments)
        return await home.take([proposal], Origin("", "command"), Typed(approver, at_terminal), dry_run=dry_run)

    report = carry(here, work, terminal)
    why = terminal.why if isinstance(terminal, NoTerminal) else "nobody answered"
    return show(here, report, why_waiting=why)
