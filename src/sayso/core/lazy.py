"""Lazy imports: a thing is named as `module:name`, and its module is imported when it is first needed."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TypeVar, cast, overload


def load(place: str):
    """Return what stands at `module:name`; the module is imported now."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


T = TypeVar("T")


class LazySequence(Sequence[T]):
    """A sequence whose items are imported when they are first looked at.

    `places` says of each item, by its name, at which `module:attribute` it stands.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places
        self.names: tuple[str, ...] = tuple(places)
        """What the items are called."""

    def named(self, name: str) -> T:
        """Return the item of this name; only its own module is imported. Raises `KeyError`."""
        return cast("T", load(self._places[name]))

    def __iter__(self) -> Iterator[T]:
        """Iterate over all items; everything is imported."""
        return map(self.named, self.names)

    def __len__(self) -> int:
        """Return how many there are, without importing anything."""
        return len(self.names)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        """Return the item at this place, or some of them."""
        return self.named(self.names[at]) if isinstance(at, int) else [self.named(name) for name in self.names[at]]


class LazyMapping(Mapping[str, T]):
    """Every item of several sequences by its name; what stands in a `LazySequence` is imported when it is asked for."""

    def __init__(self) -> None:
        self._known: dict[str, T | LazySequence[T]] = {}

    def add(self, items: Sequence[T], names: Sequence[str]) -> None:
        """Add a sequence; a name that is known already gives the new item from now on."""
        if isinstance(items, LazySequence):
            self._known.update(dict.fromkeys(names, items))
        else:
            self._known.update(zip(names, items, strict=True))

    def __getitem__(self, name: str) -> T:
        """Return the item of this name."""
        found = self._known[name]
        return cast("LazySequence[T]", found).named(name) if isinstance(found, LazySequence) else found

    def __contains__(self, name: object) -> bool:
        """Say whether there is one, without importing it."""
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, without importing anything."""
        return iter(self._known)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._known)
