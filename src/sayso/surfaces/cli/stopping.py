"""Ctrl-C while something is carried out: what has begun is finished, the rest is not begun."""

import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

AT_ONCE = 3
"""How often Ctrl-C must be pressed to leave in the middle of a change."""

LEFT_AT_ONCE = 4
"""The exit code for that: how the change ended is found out when sayso runs next."""


class Stopping:
    """Whether the person has asked to stop."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._pressed = 0
        self._ended = False
        self._deaf = False
        self._readable, self._writable = os.pipe()

    def asked(self) -> bool:
        """Say whether they have."""
        return self._pressed > 0

    def ended(self) -> bool:
        """Say whether the process was asked to end, which no person at the terminal said."""
        return self._ended

    def descriptor(self) -> int:
        """Return what becomes readable, and stays so, once they have."""
        return self._readable

    def press(self, number: int, frame: FrameType | None = None) -> None:
        """Take one Ctrl-C (or a polite request to end)."""
        if self._deaf and number == signal.SIGINT:
            return
        self._pressed += 1
        self._ended |= number == signal.SIGTERM
        if self._pressed == 1:
            os.write(self._writable, b"!")
        elif number == signal.SIGINT and self._pressed < AT_ONCE:
            self._say("finishing the change that has begun; press Ctrl-C once more to leave in the middle of it")
        elif number == signal.SIGINT:
            self._say("left in the middle of a change; “sayso log” finds out how it ended")
            os._exit(LEFT_AT_ONCE)

    @contextmanager
    def deaf(self) -> Generator[None]:
        """Leave Ctrl-C to another program on this terminal while this lasts."""
        self._deaf = True
        try:
            yield
        finally:
            self._deaf = False

    def close(self) -> None:
        """Let go of the pipe."""
        os.close(self._readable)
        os.close(self._writable)


@contextmanager
def stopping(say: Callable[[str], None]) -> Generator[Stopping]:
    """Take Ctrl-C and requests to end as a wish to stop, while this lasts."""
    wish = Stopping(say)
    before = {number: signal.signal(number, wish.press) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield wish
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        wish.close()
