"""The rules that look at no path: the brake, what is switched off, the limits, and words nobody knows."""

from fnmatch import fnmatchcase
from typing import get_args

from sayso.core.arguments import Asks, Kind
from sayso.core.canonical import Json, canonical
from sayso.policy.opinions import Case, Opinion, Rules, deny
from sayso.policy.settings import Mode, Policy

_KINDS, _ASKS, _MODES = get_args(Kind), get_args(Asks), get_args(Mode)


def paused(case: Case) -> Opinion | None:
    """Refuse everything while the brake is on (T-53)."""
    if not case.policy.paused:
        return None
    return deny(
        f"everything is paused, {case.operation.id} too; “sayso resume” lets actions run again", "policy.paused"
    )


def switched_off(case: Case) -> Opinion | None:
    """Refuse what the list of allowed operations does not have (T-32, S0-79)."""
    if allows(case.policy, case.operation.id):
        return None
    return deny(
        f"{case.operation.id} is switched off; allowed_operations in the settings does not list it",
        "policy.operation_off",
    )


def allows(policy: Policy, operation: str) -> bool:
    """Say whether the settings let this operation run at all; also for what a model is told of.

    An entry is a canonical id or a glob; globs joined by `&` must all fit.
    """
    return any(all(fnmatchcase(operation, glob) for glob in entry.split("&")) for entry in policy.allowed_operations)


def too_many(case: Case) -> Opinion | None:
    """Refuse a whole run that is over the limit."""
    most = case.policy.limits.actions_per_run
    if case.at_once <= most:
        return None
    return deny(
        f"{case.at_once} actions at once are more than the {most} that actions_per_run allows; none of them runs",
        "limit.actions",
    )


def too_long(case: Case) -> Opinion | None:
    """Refuse an argument that is over the limit; it is not cut."""
    most = case.policy.limits.argument_bytes
    for name, value in case.arguments.items():
        size = _bytes(value)
        if size > most:
            return deny(
                f"“{name}” of {case.operation.id} has {size} bytes, more than the {most} that argument_bytes allows",
                "limit.argument",
            )
    return None


def _bytes(value: Json) -> int:
    return len(value.encode("utf-8", "surrogatepass") if isinstance(value, str) else canonical(value))


def known(case: Case) -> Opinion | None:
    """Refuse words that nobody knows; nothing is guessed."""
    operation = case.operation
    for word, value, words in (
        ("a kind", operation.kind, _KINDS),
        ("an approval rule", operation.asks, _ASKS),
        ("a reach", operation.reach, ("roots", "home")),
        ("a mode", case.policy.mode, _MODES),
        ("a way to go on after a failure", case.plan.on_failure, ("undo", "go on")),
    ):
        if value not in words:
            return deny(f"{operation.id} has {word} that nobody here knows: “{value}”", "policy.unknown")
    for step in case.steps:
        if not step.step or not step.store:
            return deny(f"{operation.id} has a step that nobody here knows: {type(step).__name__}", "policy.unknown")
    return None


SWITCHES: Rules = {
    "paused": paused,
    "allowed_operations": switched_off,
    "actions_per_run": too_many,
    "argument_bytes": too_long,
    "known": known,
}
