"""Hold a standing permission against an action: it covers what is like the one that was done, or says why not."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta

from sayso.core.canonical import canonical
from sayso.core.grant import Grant
from sayso.core.values import dataclass
from sayso.policy.definition import definition
from sayso.policy.opinions import Case
from sayso.policy.reach import further
from sayso.policy.settings import Policy
from sayso.policy.varying import keeps_within

CLOCK_SLACK = timedelta(minutes=5)
"""How far back the clock may have been set before a permission counts as not given yet (CR-05)."""

ALWAYS_ASKS = frozenset({"floor", "click"})


@dataclass(frozen=True)
class Standing:
    """The standing permissions of a moment, and what would serve the action that they are held against."""

    grants: Sequence[Grant] = ()
    now: str = ""
    backends: Mapping[str, str] = field(default_factory=dict[str, str])
    """Which backend and account would serve each store."""
    handler: str | None = None
    """Of an action of the person's own: hash of its code."""


NONE_STANDING = Standing()


def covering(case: Case, standing: Standing) -> Grant | None:
    """Return the first permission that holds now and covers this action."""
    for grant in standing.grants:
        if over(grant, case.policy, standing.now) is None and why_not(grant, case, standing) is None:
            return grant
    return None


def over(grant: Grant, policy: Policy, now: str) -> str | None:
    """Say why a permission holds no more, in one or two words; None while it does. What cannot be read holds never."""
    if grant.revoked:
        return "revoked"
    if grant.most_uses is not None and grant.uses >= grant.most_uses:
        return "used up"
    try:
        moment, given = _read(now), _read(grant.created)
        # A setting that was made shorter since counts at once.
        end = min(_read(grant.expires), given + timedelta(seconds=policy.grant_expires))
    except (ValueError, TypeError, OverflowError):
        return "unreadable"
    if moment < given - CLOCK_SLACK:
        return "not begun"
    return None if moment < end else "expired"


def why_not(grant: Grant, case: Case, standing: Standing) -> str | None:
    """Say why an action is not like the one that a permission was given for; None when it is."""
    for check in _CHECKS:
        why = check(grant, case, standing)
        if why is not None:
            return why
    return None


def by_part_of_name(case: Case) -> bool:
    """Say whether something would be taken away that was found by less than its whole name (house, section 7).

    Each one-line argument of what destroys must stand whole in what the plan says, in quotes, or be the id that
    it names.
    """
    if case.operation.kind != "destructive" and not case.plan.loses:
        return False
    told, ids = (case.plan.summary, *case.plan.loses), case.plan.data.values()
    names = [parameter.name for parameter in case.operation.parameters if parameter.kind == "line"]
    values = [value for name in names if isinstance(value := case.arguments.get(name), str)]
    return any(value not in ids and not any(f"“{value}”" in text for text in told) for value in values)


def _other_operation(grant: Grant, case: Case, standing: Standing) -> str | None:
    operation = case.operation
    if grant.operation != operation.id:
        return f"it is for {grant.operation}"
    if operation.asks in ALWAYS_ASKS:
        return f"{operation.id} always asks"
    if grant.definition != definition(operation) or grant.handler != standing.handler:
        return f"{operation.id} was changed since this was given"
    return None


def _other_home(grant: Grant, case: Case, _standing: Standing) -> str | None:
    policy = case.policy
    if grant.home != policy.real_own:
        return "it was given in another home"
    # Whoever turns to “always” wants to be asked again, unless the permission was given under it.
    if policy.mode == "always" and grant.policy != policy.hash:
        return "mode “always” was chosen since, or settings were changed under it"
    return None


def _other_arguments(grant: Grant, case: Case, _standing: Standing) -> str | None:
    """Compare values as JSON, so that `true` is not 1."""
    arguments = case.arguments
    varying = {varies.argument: varies for varies in grant.varies}
    for name, value in grant.fixed.items():
        if name not in arguments or canonical(arguments[name]) != canonical(value):
            return f"“{name}” is not as it was"
    for name, varies in varying.items():
        if name not in arguments or not keeps_within(varies, arguments[name], case.policy.home):
            return f"“{name}” is not within what may vary"
    more = next((name for name in arguments if name not in grant.fixed and name not in varying), None)
    return None if more is None else f"“{more}” was not said then"


def _other_reach(grant: Grant, case: Case, standing: Standing) -> str | None:
    if by_part_of_name(case):
        return "it takes away what was found by a part of its name"
    return further(grant.scope, case.plan, standing.backends)


_CHECKS: tuple[Callable[[Grant, Case, Standing], str | None], ...] = (
    _other_operation, _other_home, _other_arguments, _other_reach,
)  # fmt: skip


def _read(moment: str) -> datetime:
    read = datetime.fromisoformat(moment)
    if read.tzinfo is None:
        raise ValueError("a moment has a time zone")
    return read
