"""Hold what a model proposes of the person's own actions against the actions there are (T-78)."""

from collections.abc import Sequence
from typing import cast

from sayso.core.errors import Candidate
from sayso.core.ports import Approver
from sayso.core.proposal import Proposal
from sayso.core.replacing import replace
from sayso.core.values import dataclass
from sayso.core.verdict import Decision, Question
from sayso.providers.talk.store import Talk
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
    """Return the proposals, with the problem on each one that names an action there is not."""
    if all(proposal.template_id is None for proposal in proposals):
        return proposals
    known = await _known(tools)
    return [_held(proposal, known) for proposal in proposals]


async def _known(tools: Tools) -> tuple[str, ...]:
    if "talk" not in tools.backends:
        return ()
    talk = cast("Talk", tools.backend("talk").reads)
    return tuple(template.id for template in await talk.templates())


def _held(proposal: Proposal, known: Sequence[str]) -> Proposal:
    if proposal.template_id is None or proposal.problem is not None or proposal.template_id in known:
        return proposal
    there = ", ".join(known) or "none"
    return replace(
        proposal,
        problem=f'Template "{proposal.template_id}" not found. Available templates: {there}',
        code="template.not_found",
        candidates=tuple(Candidate(id_) for id_ in known),
    )
