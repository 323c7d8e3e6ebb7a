"""Choose who answers questions on the command line: the flag, the person at the terminal, or nobody now."""

from dataclasses import dataclass

from sayso.core.ports import Approver
from sayso.core.verdict import Decision, Question


@dataclass(frozen=True)
class FlagFirst:
    """`--yes` is the person's yes to mode questions; anything else goes to `otherwise`."""

    otherwise: Approver

    async def ask(self, question: Question) -> Decision | None:
        """Return the flag's yes where it suffices."""
        if question.level == "mode":
            return Decision(yes=True, by="flag", digest=question.digest)
        return await self.otherwise.ask(question)


def with_flag(approver: Approver, *, yes: bool) -> Approver:
    """Return `approver`, behind the flag when it was given."""
    return FlagFirst(approver) if yes else approver
