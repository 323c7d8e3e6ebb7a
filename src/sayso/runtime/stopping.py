"""Whether the person stopped what goes on now, in a program that does several things for them at once."""

from collections.abc import Callable
from contextvars import ContextVar

from sayso.runtime.services import never

STOPPING: ContextVar[Callable[[], bool]] = ContextVar("STOPPING", default=never)
"""Returns, in the task that sets it and those that it starts, whether the person stopped it."""


def is_stopping() -> bool:
    """Return whether the person stopped what this task does; a home is opened with it as `stopping`."""
    return STOPPING.get()()
