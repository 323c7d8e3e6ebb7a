"""All rules in their order, and the admission that stands before anything is looked at."""

from collections.abc import Mapping
from types import MappingProxyType

from sayso.core.canonical import Json
from sayso.core.operation import Operation
from sayso.core.verdict import Verdict
from sayso.policy.apps import APPS
from sayso.policy.asking import ASKING
from sayso.policy.confinement import CONFINEMENT
from sayso.policy.opinions import Case, Rules, opinions, strictest
from sayso.policy.settings import Policy
from sayso.policy.switches import SWITCHES

RULES: Rules = MappingProxyType({**SWITCHES, **CONFINEMENT, **APPS, **ASKING})
"""Every rule by its name. A rule only adds strictness, so a new one can never loosen another."""

ADMITTED = Verdict("allow", "nothing stands against it", "default")


def admit(policy: Policy, operation: Operation, arguments: Mapping[str, Json], *, at_once: int = 1) -> Verdict | None:
    """Return the no that can be said before anything is looked at, or None.

    `at_once` is how many actions the run has. An operation without a plan has no steps and loses and
    sends nothing, so that all rules can be asked; only a no counts here.
    """
    verdict = strictest(opinions(RULES, Case(policy, operation, arguments, at_once=at_once)), ADMITTED)
    return verdict if verdict.ruling == "deny" else None
