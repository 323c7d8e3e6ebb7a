"""Choose as if by chance, but the same each time."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

_Thing = TypeVar("_Thing")
_WHOLE = 2**32


class Chance:
    """A row of numbers that depends only on its seed."""

    def __init__(self, seed: str) -> None:
        """Begin the row."""
        self._seed = seed
        self._drawn = 0

    def share(self) -> float:
        """Return the next number, from 0 up to 1."""
        self._drawn += 1
        return int.from_bytes(hashlib.sha256(f"{self._seed} {self._drawn}".encode()).digest()[:4]) / _WHOLE

    def choice(self, things: Sequence[_Thing]) -> _Thing:
        """Return one of some things."""
        return things[int(self.share() * len(things))]

    def shuffled(self, things: Sequence[_Thing]) -> list[_Thing]:
        """Return the things in another order."""
        return [thing for _, thing in sorted(((self.share(), at), thing) for at, thing in enumerate(things))]
