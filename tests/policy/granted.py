"""What the tests of standing permissions start from: one move that was done, and what was learnt from it."""

from typing import Any

from msgspec.structs import replace

from sayso.core.grant import Grant
from sayso.core.plan import Fact, Plan
from sayso.policy.case import Case
from sayso.policy.grants import Standing, derive_grant
from sayso.policy.settings import Policy
from tests.policy.given import MOVE, NOW, POLICY, Rename, a_plan

FROM, TO = "/data/ana/Documents/a.txt", "/data/ana/Downloads/b.txt"
ARGUMENTS: dict[str, Any] = {"source": "~/Documents/a.txt", "destination": "~/Downloads/b.txt"}
SERVED = Standing((), NOW, {"files": "local"})


def a_move(source: str = FROM, destination: str = TO, *facts: Fact, **words: Any) -> Plan:
    """Return the plan of a move between resolved paths."""
    plan = a_plan(Rename(source, destination), summary=f"Move “{source}” to “{destination}”")
    (change,) = plan.changes
    return replace(plan, changes=(replace(change, expects=facts),), **words)


def a_case(policy: Policy | None = None, plan: Plan | None = None, **arguments: Any) -> Case:
    """Return a move as rules see it, its arguments as they were done but for those named."""
    return Case(policy or POLICY, MOVE, {**ARGUMENTS, **arguments}, a_move() if plan is None else plan)


def learnt(*vary: str, case: Case | None = None, **members: Any) -> Grant:
    """Return the permission learnt from the move, with these arguments varying."""
    grant = derive_grant(case or a_case(), SERVED, vary=vary, seconds=None, uses=None)
    return replace(grant, **{"id": "g1", **members})


def standing(*grants: Grant, **members: Any) -> Standing:
    """Return these permissions as they stand."""
    return replace(SERVED, grants=grants, **members)
