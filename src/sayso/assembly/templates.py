"""Hold what a model proposes of the person's own actions against the actions there are (T-77, T-78)."""

from collections.abc import Sequence

from sayso.core.loading import load
from sayso.core.ports import Approver
from sayso.core.proposal import Proposal
from sayso.core.replacing import replace
from sayso.core.values import dataclass
from sayso.core.verdict import Decision, Question
from sayso.runtime.tools import Tools


@dataclass(frozen=True)
class HoldsEdits:
    """Asks, and holds what the person edited against the actions there are."""

    approver: Approver
    tools: Tools

    async def ask(self, question: Question) -> Decision | None:
        """Return the decision; an edit that names an action there is not has the problem on it."""
        decision = await self.approver.ask(question)
        if decision is None or not decision.edit:
            return decision
        return replace(decision, edit=tuple(await of_templates(decision.edit, self.tools)))


async def of_templates(proposals: Sequence[Proposal], tools: Tools) -> Sequence[Proposal]:
    """Return the proposals, with the problem on each one that names an action there is not, or what it does not take.

    What was left out has its default on it (T-77), so that a person sees what will be used.
    """
    if all(proposal.template_id is None for proposal in proposals):
        return proposals
    return await load("sayso.assembly.parameters:held")(proposals, tools)
