"""Lazy imports: an object is named as `module:name`, and its module is imported at the first use."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TypeVar, cast, overload


def load(place: str):
    """Import the module of `module:name` now and return the object."""
    module, _, name = place.partition(":")
    known = sys.modules.get(module)  # much faster than asking for an import that was done before
    return getattr(known if hasattr(known, name) else import_module(module), name)


T = TypeVar("T")


class LazySequence(Sequence[T]):
    """A sequence whose items are imported at the first access.

    `places` maps the name of each item to its `module:attribute`.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places
        self.names: tuple[str, ...] = tuple(places)
        """The names of the items, in order."""

    def named(self, name: str) -> T:
        """Return the item of this name; only its own module is imported. Raises `KeyError` if there is no such item."""
        return cast("T", load(self._places[name]))

    def __iter__(self) -> Iterator[T]:
        """Iterate over all items; this imports each of them."""
        return map(self.named, self.names)

    def __len__(self) -> int:
        """Return the number of items, without importing any."""
        return len(self.names)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        """Return the item at an index, or a list of the items of a slice."""
        return self.named(self.names[at]) if isinstance(at, int) else [self.named(name) for name in self.names[at]]


class LazyMapping(Mapping[str, T]):
    """The items of several sequences by name; items of a `LazySequence` are imported at the first access."""

    def __init__(self) -> None:
        self._known: dict[str, T | LazySequence[T]] = {}

    def add(self, items: Sequence[T], names: Sequence[str]) -> None:
        """Add a sequence; its items replace earlier items of the same names."""
        if isinstance(items, LazySequence):
            self._known.update(dict.fromkeys(names, items))
        else:
            self._known.update(zip(names, items, strict=True))

    def __getitem__(self, name: str) -> T:
        """Return the item of this name."""
        found = self._known[name]
        return cast("LazySequence[T]", found).named(name) if isinstance(found, LazySequence) else found

    def __contains__(self, name: object) -> bool:
        """Return whether there is an item of this name, without importing it."""
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, without importing anything."""
        return iter(self._known)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._known)
