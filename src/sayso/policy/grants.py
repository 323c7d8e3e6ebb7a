"""Standing permissions: what one covers, and what one would say before it is given."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta

from sayso.core.canonical import Json, canonical
from sayso.core.errors import SetupError
from sayso.core.operation import Operation
from sayso.core.record import Grant
from sayso.policy.settings import Policy


def covers(grant: Grant, operation: str, arguments: Mapping[str, Json], now: str) -> bool:
    """Say whether a permission is for this: the operation, each fixed argument, and no others but the free ones.

    Values are compared as JSON, so that `true` is not 1. What cannot be read covers nothing.
    """
    if grant.revoked or grant.operation != operation or not _holds(grant.expires, now):
        return False
    for name, value in grant.fixed.items():
        if name not in arguments or canonical(arguments[name]) != canonical(value):
            return False
    return all(name in grant.fixed or name in grant.free for name in arguments)


def proposed(
    operation: Operation, arguments: Mapping[str, Json], policy: Policy, now: str, free: Collection[str] = ()
) -> Grant:
    """Return the permission as it would be given, its id still empty: everything fixed but what `free` names.

    Raises `SetupError` where no permission can stand: floor and click questions, and free names that
    the operation does not take.
    """
    if operation.asks in {"floor", "click"}:
        raise SetupError(f"{operation.id} always asks; no standing permission answers it", "grant.not_possible")
    taken = [parameter.name for parameter in operation.parameters]
    odd = [name for name in free if name not in taken]
    if odd:
        sentence = f"{operation.id} does not take “{odd[0]}”; it takes {', '.join(taken)}"
        raise SetupError(sentence, "grant.unknown_argument")
    return Grant(
        id="",
        operation=operation.id,
        fixed={name: value for name, value in arguments.items() if name not in free},
        free=tuple(name for name in taken if name in free),
        expires=_written(_read(now) + timedelta(seconds=policy.grant_expires)),
        created=now,
        policy=policy.hash,
    )


def said(grant: Grant) -> str:
    """Return in one sentence what the permission would let happen, to be shown before it is given."""
    fixed = ", ".join(f"{name} = {_short(value)}" for name, value in grant.fixed.items())
    words = f"{grant.operation} without asking" + (f" where {fixed}" if fixed else "")
    free = f"; {', '.join(grant.free)} may be anything" if grant.free else ""
    return f"{words}{free}, until {grant.expires}"


def _short(value: Json) -> str:
    text = canonical(value).decode()
    most = 200
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"


def _holds(expires: str, now: str) -> bool:
    try:
        return _read(now) < _read(expires)
    except (ValueError, TypeError):
        return False


def _read(moment: str) -> datetime:
    read = datetime.fromisoformat(moment)
    if read.tzinfo is None:
        raise ValueError("a moment has a time zone")
    return read


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
