"""Hold what is proposed of the person's own actions against what each of them takes (T-77)."""

from collections.abc import Mapping, Sequence
from typing import cast

from sayso.core.errors import Candidate
from sayso.core.proposal import Proposal
from sayso.core.replacing import replace
from sayso.providers.talk.parameters import checked
from sayso.providers.talk.store import Talk, Template
from sayso.runtime.tools import Tools


async def held(proposals: Sequence[Proposal], tools: Tools) -> Sequence[Proposal]:
    """Return the proposals, each with its problem where its action is not there, or does not take what it is given."""
    known = await _known(tools)
    return [_held(proposal, known) for proposal in proposals]


async def _known(tools: Tools) -> Mapping[str, Template]:
    if "talk" not in tools.backends:
        return {}
    talk = cast("Talk", tools.backend("talk").reads)
    return {template.id: template for template in await talk.templates()}


def _held(proposal: Proposal, known: Mapping[str, Template]) -> Proposal:
    if proposal.template_id is None or proposal.problem is not None:
        return proposal
    template = known.get(proposal.template_id)
    if template is None:
        there = ", ".join(known) or "none"
        return replace(
            proposal,
            problem=f'Template "{proposal.template_id}" not found. Available templates: {there}',
            code="template.not_found",
            candidates=tuple(Candidate(id_) for id_ in known),
        )
    if template.parameters is None:
        return proposal
    arguments, problems = checked(template.parameters, proposal.arguments)
    if not problems:
        return replace(proposal, arguments=arguments)
    reasons = ", ".join(problem.sentence for problem in problems)
    return replace(proposal, problem=f"Invalid parameters: {reasons}", code=problems[0].code)
