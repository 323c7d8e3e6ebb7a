"""What an operation may look at among lamps: the reads of the lamps store."""

from typing import Protocol

from sayso.core.plan import Fact


class Lamps(Protocol):
    """The reads; they change nothing."""

    async def brightness(self, name: str) -> int:
        """Return how bright a lamp shines. Raises `ProviderError` when there is none of this name."""
        ...

    async def shines(self, name: str) -> Fact:
        """Return that as a fact, to be expected by a change."""
        ...
