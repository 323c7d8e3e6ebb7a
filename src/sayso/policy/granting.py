"""Derive the standing permission that an action would teach: everything fixed but what the person lets vary."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

from sayso.core.canonical import Json, canonical, digest
from sayso.core.errors import Refused, SetupError
from sayso.core.grant import Grant, Varies
from sayso.core.operation import Operation
from sayso.core.verdict import Verdict
from sayso.policy.definition import definition
from sayso.policy.grants import ALWAYS_ASKS, Standing, by_part_of_name
from sayso.policy.opinions import Case
from sayso.policy.paths import normal
from sayso.policy.reach import loosened, scope_of
from sayso.policy.varying import variable

LONGEST_FIXED = 65_536
"""Bytes of one argument that a permission keeps."""


def never(case: Case, verdict: Verdict | None) -> Refused | None:
    """Return why no standing permission can ever answer the question about such an action; None when one can."""
    operation = case.operation
    if operation.asks in ALWAYS_ASKS:
        sentence = f"{operation.id} always asks; no standing permission answers it"
        return Refused(sentence, "grant.not_possible", "grants")
    if verdict is None or verdict.level != "mode":
        because = verdict.because if verdict is not None and verdict.ruling == "ask" else "nothing was asked about it"
        sentence = f"no standing permission answers what was asked there: {because}"
        return Refused(sentence, "grant.not_possible", "grants")
    if by_part_of_name(case):
        sentence = f"{operation.id} takes away what was found by a part of its name, and that is always asked"
        return Refused(sentence, "grant.not_possible", "grants")
    return None


def derived(case: Case, standing: Standing, *, vary: Sequence[str], seconds: int | None, uses: int | None) -> Grant:
    """Return the permission as it would be given, its id still empty. Raises `SetupError` for what cannot vary.

    `seconds` is how long it holds, at most what the settings say; `uses` how often, None for as often as need be.
    """
    arguments, policy, operation = case.arguments, case.policy, case.operation
    varies = _varies(operation, arguments, policy.home, vary)
    fixed = {name: value for name, value in arguments.items() if name not in varies}
    _must_be_short(fixed)
    paths = [
        normal(cast("str", arguments[one.argument]), policy.home) for one in varies.values() if one.within == "folder"
    ]
    begin = datetime.fromisoformat(standing.now)
    return Grant(
        id="",
        operation=operation.id,
        fixed=fixed,
        expires=_written(begin + timedelta(seconds=_length(seconds, policy.grant_expires))),
        created=standing.now,
        varies=tuple(varies.values()),
        scope=loosened(scope_of(case.plan, standing.backends), paths),
        definition=definition(operation),
        handler=standing.handler,
        home=policy.real_own,
        policy=policy.hash,
        most_uses=uses,
    )


def could_vary(case: Case) -> tuple[Varies, ...]:
    """Return what the person could let vary of an action, each within its bound."""
    parameters = {parameter.name: parameter for parameter in case.operation.parameters}
    return tuple(variable(parameters, case.arguments, case.policy.home).values())


def offer_digest(grant: Grant, seconds: int | None) -> str:
    """Return the digest that a yes to a permission is bound to: all of it but its id and the time it begins."""
    scope = grant.scope
    return digest(
        [
            grant.operation, dict(grant.fixed),
            [[one.argument, one.within, one.of, one.ending] for one in grant.varies],
            list(scope.steps), [[one.step, one.field, one.path, one.ending] for one in scope.places],
            list(scope.apps), list(scope.sends), list(scope.kinds), scope.loses, scope.changes, dict(scope.backends),
            grant.definition, grant.handler, grant.home, grant.policy, grant.learnt_from, seconds, grant.most_uses,
        ]
    )  # fmt: skip


def _varies(operation: Operation, arguments: Mapping[str, Json], home: str, vary: Sequence[str]) -> dict[str, Varies]:
    parameters = {parameter.name: parameter for parameter in operation.parameters}
    can = variable(parameters, arguments, home)
    for name in vary:
        if name not in parameters:
            sentence = f"{operation.id} does not take “{name}”; it takes {', '.join(parameters)}"
            raise SetupError(sentence, "grant.unknown_argument")
        if name not in can:
            rest = f"; what may vary is {', '.join(can)}" if can else ""
            raise SetupError(f"“{name}” stays as it was: it says what or whom this is about{rest}", "grant.fixed")
    return {name: varies for name, varies in can.items() if name in vary}


def _must_be_short(fixed: Mapping[str, Json]) -> None:
    for name, value in fixed.items():
        size = len(canonical(value))
        if size > LONGEST_FIXED:
            sentence = f"“{name}” has {size:,} bytes, too much to be kept in a permission; let it vary (--vary {name})"
            raise SetupError(sentence, "grant.too_long")


def _length(seconds: int | None, most: int) -> int:
    if seconds is None:
        return most
    if not 0 < seconds <= most:
        days = f"{most // 86400} days" if most % 86400 == 0 else f"{most} seconds"
        sentence = f"a permission holds for at most {days} here (policy.grant_expires)"
        raise SetupError(sentence, "grant.too_long_for")
    return seconds


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
