"""Take what the person typed as a command of their own down the one path: it is its own approval, and recorded."""

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
    yes: bool = False

    async def ask(self, question: Question) -> Decision | None:
        """Return the yes that typing it was."""
        if self.yes:
            return question.yes("flag")
        if any(card.plan.warns and card.plan.loses for card in question.cards):
            return await self.otherwise.ask(question)
        return question.yes("command")


def carry_out(
    here: Here, operation: str, arguments: dict[str, Json], *, yes: bool = False, dry_run: bool = False
) -> int:
    """Do one operation in the person's own name, print what came of it, and return the exit code."""
    destroys = operation.endswith(".delete") and not yes and not dry_run
    terminal = _terminal(here) if destroys else NoTerminal("nothing is asked")

    async def work(home: Home, approver: Approver):
        proposal = Proposal(0, "", operation, arguments)
        return await home.take([proposal], Origin("", "command"), Typed(approver, yes), dry_run=dry_run)

    report = carry(here, work, terminal)
    why = terminal.why if isinstance(terminal, NoTerminal) else "nobody answered"
    return show(here, report, why_waiting=why)


def _terminal(here: Here) -> Terminal | NoTerminal:
    return NoTerminal("with --json nothing is asked") if here.json else find_terminal()
