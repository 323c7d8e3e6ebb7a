"""A map that never changes: adding to it gives a new one and copies only a small part."""

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Generic, TypeVar

from sayso.core.values import dataclass

V = TypeVar("V")
_PARTS = 64


@dataclass(frozen=True, slots=True)
class Shards(Generic[V]):
    """Texts to values, in parts, so that a folder with thousands of changes is cheap to change once more."""

    parts: tuple[dict[str, V], ...] = field(default=())

    def get(self, name: str) -> V | None:
        """Return what stands under `name`, or None."""
        return self.parts[hash(name) % _PARTS].get(name) if self.parts else None

    def set(self, name: str, value: V) -> "Shards[V]":
        """Return a map in which `value` stands under `name`."""
        place = hash(name) % _PARTS
        # No part is ever changed, so that all may begin as one.
        parts: list[dict[str, V]] = list(self.parts) or [{}] * _PARTS
        parts[place] = {**parts[place], name: value}
        return Shards(tuple(parts))

    def map(self, change: Callable[[V], V]) -> "Shards[V]":
        """Return a map with every value changed."""
        return Shards(
            tuple({name: change(value) for name, value in part.items()} if part else part for part in self.parts)
        )

    def items(self) -> Iterator[tuple[str, V]]:
        """Yield names and values, in no particular order."""
        for part in self.parts:
            yield from part.items()
