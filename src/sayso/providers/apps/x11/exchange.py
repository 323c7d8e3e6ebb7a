"""Make a call that blocks, beside the event loop and bounded in time; one that never returns holds nothing up."""

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

import anyio

T = TypeVar("T")


class Late(Exception):
    """The call did not return in time; it may still be running."""


class _Call(Generic[T]):
    """One call in a thread of its own."""

    def __init__(self, call: Callable[[], T], too_late: Callable[[T], object], done: int) -> None:
        self._call = call
        self._too_late = too_late
        self._done = done
        self._lock = threading.Lock()
        self._given_up = False
        self.found: list[T] = []
        self.odd: BaseException | None = None

    def run(self) -> None:
        """Make the call, and say that it is over by closing the pipe."""
        try:
            # What it raises is raised again where it is waited for.
            with suppress(BaseException):
                try:
                    found = self._call()
                    with self._lock:
                        self.found.append(found)
                        given_up = self._given_up
                    if given_up:
                        self._too_late(found)
                finally:
                    self.odd = sys.exception()
        finally:
            os.close(self._done)

    def give_up(self) -> None:
        """Let what comes late be put away; what came meanwhile is put away now."""
        with self._lock:
            self._given_up = True
            found = list(self.found)
        for one in found:
            self._too_late(one)


def nothing(found: object) -> None:
    """Put nothing away."""


async def in_time(call: Callable[[], T], seconds: float, too_late: Callable[[T], object] = nothing) -> T:
    """Return what a call returns. Raises what it raises, and `Late` when it does not return in time.

    Whoever waits may give up meanwhile; the call is waited for all the same, within its time, so that the next one
    does not meet it on the same connection. What a late call returns is given to `too_late`. The thread does not
    keep the process from ending.
    """
    reading, writing = os.pipe()
    made = _Call(call, too_late, writing)
    threading.Thread(target=made.run, daemon=True, name="x11").start()
    try:
        with anyio.move_on_after(seconds, shield=True):
            await anyio.wait_readable(reading)
            if made.odd is not None:
                raise made.odd
            return made.found[0]
    finally:
        os.close(reading)
    made.give_up()
    raise Late
