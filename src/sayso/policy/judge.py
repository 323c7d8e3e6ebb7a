"""Judge a plan: the strictest opinion of all rules, and whether a standing permission answers it."""

from collections.abc import Mapping
from dataclasses import replace

from sayso.core.canonical import Json
from sayso.core.operation import Operation
from sayso.core.plan import Plan
from sayso.core.verdict import Verdict
from sayso.policy.grants import NONE_STANDING, Standing, covering
from sayso.policy.opinions import Case, guarded, opinions, strictest
from sayso.policy.rules import ADMITTED, RULES
from sayso.policy.settings import Policy


def judge(  # noqa: PLR0913 - what judgement stands on, each named by its caller
    policy: Policy,
    operation: Operation,
    plan: Plan,
    *,
    arguments: Mapping[str, Json],
    exposed: tuple[str, ...] = (),
    standing: Standing = NONE_STANDING,
) -> Verdict:
    """Return allow, ask or deny for a plan, with the rule's name and a reason.

    The admission is asked again, so that judging at the claim sees a brake, a switch or a root that
    changed meanwhile. A grant turns a mode question into a yes, and no other.
    """
    case = Case(policy, operation, arguments, plan, exposed)
    verdict = strictest(opinions(RULES, case), ADMITTED)
    if verdict.ruling != "ask" or verdict.level != "mode":
        return verdict
    return guarded("grants", lambda grants: _granted(verdict, case, grants), standing)


def _granted(verdict: Verdict, case: Case, standing: Standing) -> Verdict:
    grant = covering(case, standing)
    if grant is None:
        return verdict
    because = f"your standing permission {grant.id} covers it: {case.plan.summary}"
    return replace(
        verdict, ruling="allow", because=because, rule="grants", level="none", approved_by=f"grant:{grant.id}"
    )
