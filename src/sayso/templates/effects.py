"""What a handler asked to be done: collected in order, and put together where one step can be many."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from sayso.core.canonical import Json, canonical
from sayso.core.operation import Operation
from sayso.core.values import dataclass

MOST_IDS = 5000
"""Ids that one action takes."""


@dataclass(frozen=True)
class Effect:
    """One thing that a handler asked for; `calls` are the numbers of the calls it came from."""

    operation: str
    arguments: Mapping[str, Json]
    calls: tuple[int, ...]


def together(effects: Iterable[Effect], operations: Mapping[str, Operation]) -> list[Effect]:
    """Return them with those of one kind that follow each other as one, where the operation takes a list of ids.

    Everything but the ids must be the same. An id that came twice is there once.
    """
    out: list[tuple[Effect, dict[Json, None], bytes]] = []
    for effect in effects:
        ids = _ids(effect, operations)
        rest = canonical({name: value for name, value in effect.arguments.items() if name != "ids"})
        if ids is not None and out:
            before, known, same = out[-1]
            alike = bool(known) and before.operation == effect.operation and same == rest
            if alike and len({**known, **dict.fromkeys(ids)} if len(known) + len(ids) > MOST_IDS else ()) <= MOST_IDS:
                known.update(dict.fromkeys(ids))
                out[-1] = (Effect(before.operation, before.arguments, (*before.calls, *effect.calls)), known, same)
                continue
        out.append((effect, dict.fromkeys(ids or ()), rest))
    return [
        Effect(one.operation, {**one.arguments, "ids": list(known)}, one.calls) if known else one
        for one, known, _ in out
    ]


def _ids(effect: Effect, operations: Mapping[str, Operation]) -> Sequence[Json] | None:
    """Return the ids that this is about; None where its operation takes no list of them."""
    operation = operations.get(effect.operation)
    given = effect.arguments.get("ids")
    if operation is None or not isinstance(given, list | tuple):
        return None
    if all(parameter.name != "ids" or "array" not in str(parameter.schema) for parameter in operation.parameters):
        return None
    return cast("Sequence[Json]", given)
