"""Keeps a fault in one part of the page's server from ending all of it."""

from types import TracebackType
from typing import Self

from sayso.core.errors import SaysoError
from sayso.runtime.services import log_fault


def sentence(problem: Exception | None) -> str:
    """Return what the person is told of an error."""
    return str(problem) if isinstance(problem, SaysoError) else "a fault in sayso ended this; its log says more"


class Guarded:
    """A block whose error is kept in `problem`, so that what follows goes on; a fault in sayso is logged."""

    def __init__(self) -> None:
        self.problem: Exception | None = None

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, _: TracebackType | None
    ) -> bool:
        """Return whether there was an error, which ends here; a cancellation does not."""
        if not isinstance(problem, Exception):
            return False
        self.problem = problem
        if not isinstance(problem, SaysoError):
            log_fault(problem)
        return True
