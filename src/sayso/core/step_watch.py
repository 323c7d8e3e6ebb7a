"""What a backend may ask and tell while it does a step that takes long: whether to stop, and how far it has come."""

from contextvars import ContextVar
from typing import Protocol

from msgspec import Struct


class StepProgress(Struct, frozen=True):
    """How far a step has come."""

    done: float
    whole: float | None = None
    says: str = ""
    """What whoever does the work says of it: words of a stranger."""


class StepWatch(Protocol):
    """Is told of the step that is being done, and may want it to stop."""

    @property
    def listens(self) -> bool:
        """Return whether anybody wants to know how far the step has come."""
        ...

    def stops(self) -> str | None:
        """Return why the step is to stop now, as the end of a sentence with "because"; None if it may go on."""
        ...

    async def tell(self, progress: StepProgress) -> None:
        """Tell how far the step has come."""
        ...


class Unwatched(Struct, frozen=True):
    """Wants to know nothing, and stops nothing."""

    listens: bool = False

    def stops(self) -> str | None:
        """Return None."""

    async def tell(self, progress: StepProgress) -> None:
        """Tell nobody."""


_UNWATCHED = Unwatched()
WATCH: ContextVar[StepWatch] = ContextVar("WATCH", default=_UNWATCHED)
"""Watches the step that this task does."""
