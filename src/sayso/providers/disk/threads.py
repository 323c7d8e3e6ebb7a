"""A backend over files: its steps are carried out and settled in a thread, since the disk may keep one waiting."""

from abc import ABC, abstractmethod
from functools import partial
from typing import Generic, TypeVar

import anyio.to_thread

from sayso.core.plan import Facts, Left, Settled

S = TypeVar("S")


class InThreads(ABC, Generic[S]):
    """What a folder of notes and one of calendars have in common; `S` is the union of the steps."""

    imagines = True
    note = ""

    async def apply(self, step: S, expects: Facts) -> Left:
        """Do `step` if `expects` still holds, checked in the act. Raises `ProviderError`."""
        return await anyio.to_thread.run_sync(partial(self._apply, step, expects))

    async def settle(self, step: S, expects: Facts) -> Settled:
        """Look whether `step`, which had begun when its process died, was done."""
        return await anyio.to_thread.run_sync(partial(self._settle, step, expects))

    @abstractmethod
    def _apply(self, step: S, expects: Facts) -> Left: ...

    @abstractmethod
    def _settle(self, step: S, expects: Facts) -> Settled: ...
