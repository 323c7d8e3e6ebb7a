"""Judge a plan: the strictest opinion of all rules, and whether a standing permission answers it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sayso.core.canonical import Json
from sayso.core.operation import Operation
from sayso.core.plan import Plan
from sayso.core.record import Grant
from sayso.core.verdict import Verdict
from sayso.policy.grants import covers
from sayso.policy.opinions import Case, guarded, is_stricter, opinions, stricter, strictest
from sayso.policy.rules import ADMITTED, RULES
from sayso.policy.settings import Policy

__all__ = ["RULES", "is_stricter", "judge", "stricter"]


def judge(  # noqa: PLR0913 - what judgement stands on, each named by its caller
    policy: Policy,
    operation: Operation,
    plan: Plan,
    *,
    arguments: Mapping[str, Json],
    tainted: bool,
    grants: Sequence[Grant] = (),
    now: str = "",
) -> Verdict:
    """Return allow, ask or deny for a plan, with the rule's name and a reason.

    The admission is asked again, so that judging at the claim sees a brake, a switch or a root that
    changed meanwhile. A grant turns a mode question into a yes, and no other.
    """
    case = Case(policy, operation, arguments, plan, tainted)
    verdict = strictest(opinions(RULES, case), ADMITTED)
    if verdict.ruling != "ask" or verdict.level != "mode":
        return verdict
    return guarded("grants", lambda: _granted(verdict, case, grants, now))


def _granted(verdict: Verdict, case: Case, grants: Sequence[Grant], now: str) -> Verdict:
    for grant in grants:
        # Whoever turns to “always” wants to be asked again, unless the permission was given under it.
        counts = case.policy.mode != "always" or grant.policy == case.policy.hash
        if counts and covers(grant, case.operation.id, case.arguments, now):
            because = f"your standing permission {grant.id} covers it: {case.plan.summary}"
            return replace(
                verdict, ruling="allow", because=because, rule="grants", level="none", approved_by=f"grant:{grant.id}"
            )
    return verdict
