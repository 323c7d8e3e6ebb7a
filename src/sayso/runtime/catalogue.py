"""One catalogue of operations, steps and facts, from whatever providers there are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from sayso.core.codec import Codec
from sayso.core.errors import SetupError
from sayso.core.later import ByName, Later
from sayso.core.operation import Operation
from sayso.core.plan import AsLeft, Fact, Step
from sayso.core.provider import Provider

T = TypeVar("T")


def catalogue(providers: Iterable[Provider]) -> Mapping[str, Operation]:
    """Return all operations by id, each imported when it is asked for.

    Raises `SetupError` when two providers declare the same one.
    """
    known: ByName[Operation] = ByName()
    for provider in providers:
        ids = _names(provider.operations, lambda operation: operation.id)
        twice = next((id_ for id_ in ids if id_ in known or ids.count(id_) > 1), None)
        if twice is not None:
            raise SetupError(f"two providers declare the operation “{twice}”; remove one", "provider.twice")
        known.add(provider.operations, ids)
    return known


def codec(providers: Iterable[Provider]) -> Codec:
    """Return what reads back every step and fact of these providers, each imported when one is read."""
    steps: ByName[type[Step]] = ByName()
    facts: ByName[type[Fact]] = ByName()
    for provider in providers:
        steps.add(provider.steps, _names(provider.steps, lambda step: step.step))
        facts.add(provider.facts, _names(provider.facts, lambda fact: fact.fact))
    facts.add((AsLeft,), (AsLeft.fact,))
    return Codec.by_name(steps, facts)


def _names(items: Sequence[T], name: Callable[[T], str]) -> Sequence[str]:
    return items.names if isinstance(items, Later) else [name(item) for item in items]
