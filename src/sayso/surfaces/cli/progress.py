"""Progress, countdown and Ctrl-C while something runs."""

import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

from sayso.runtime.send_delay import SilentDelay
from sayso.runtime.services import DelayedActions
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.text import understands_codes

PATIENCE = 0.5
"""Seconds before anything is said, and between two sayings."""


class ProgressLine:
    """Writes one line over and over, and wipes it when it is over or a question comes."""

    def __init__(self, stream: TextIO, what: str) -> None:
        self._stream = stream
        self._what = what
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._paused = 0
        self._shown = False
        self._thread = threading.Thread(target=self._tell, daemon=True)
        self._start = time.perf_counter()

    def start(self) -> None:
        """Begin to wait."""
        self._thread.start()

    def end(self) -> None:
        """Wipe the line and say nothing more."""
        self._over.set()
        self._thread.join()
        self._wipe()

    @contextmanager
    def quiet(self) -> Generator[None]:
        """Say nothing while this lasts."""
        with self._lock:
            self._paused += 1
            self._wipe()
        try:
            yield
        finally:
            with self._lock:
                self._paused -= 1

    def _tell(self) -> None:
        while not self._over.wait(PATIENCE):
            with self._lock:
                if not self._paused:
                    seconds = time.perf_counter() - self._start
                    self._stream.write(f"\r{self._what} … {seconds:.0f} s\x1b[K")
                    self._stream.flush()
                    self._shown = True

    def _wipe(self) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False


@contextmanager
def progress(stream: TextIO, what: str, environ: Mapping[str, str]) -> Generator[ProgressLine]:
    """Tell on `stream` that `what` goes on, if it is a terminal that can wipe a line and it lasts."""
    telling = ProgressLine(stream, what)
    tells = stream.isatty() and understands_codes(environ)
    if tells:
        telling.start()
    try:
        yield telling
    finally:
        if tells:
            telling.end()


class Countdown:
    """Waits, and counts down where that can be shown; else it says once what it waits for."""

    def __init__(self, here: CommandContext, progress: ProgressLine, waits: SilentDelay) -> None:
        self._here = here
        self._progress = progress
        self._waits = waits

    async def wait(self, held: DelayedActions, over: Callable[[], Awaitable[bool]]) -> None:
        """Wait; whoever presses Ctrl-C meanwhile has stopped it."""
        with self._progress.quiet():
            self._here.tell(f"sayso: held back for {held.seconds:g} s: {_name_held(held)}")
            self._here.tell(f"sayso: Ctrl-C stops it, and so does “sayso undo {held.ids[0]}” on another terminal")
            if not (self._here.err.isatty() and understands_codes(self._here.environ)):
                await self._waits.wait(held, over)
                return
            await self._count_down(held, over)

    async def _count_down(self, held: DelayedActions, over: Callable[[], Awaitable[bool]]) -> None:
        shown = 0

        def tell(left: float) -> None:
            nonlocal shown
            if shown != (shown := max(1, round(left + 0.5))):
                self._here.err.write(f"\r{shown} s … Ctrl-C stops it\x1b[K")
                self._here.err.flush()

        try:
            await self._waits.wait_counting(held, over, tell)
        finally:
            self._here.err.write("\r\x1b[K")
            self._here.err.flush()


def _name_held(held: DelayedActions) -> str:
    return held.what[0] if len(held.what) == 1 else f"{len(held.what)} actions, the first of which is: {held.what[0]}"


AT_ONCE = 3
"""How often Ctrl-C must be pressed to leave in the middle of a change."""

LEFT_AT_ONCE = 4
"""The exit code for that: how the change ended is found out when sayso runs next."""


class StopSignals:
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
def stopping(say: Callable[[str], None]) -> Generator[StopSignals]:
    """Take Ctrl-C and requests to end as a wish to stop, while this lasts."""
    wish = StopSignals(say)
    before = {number: signal.signal(number, wish.press) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield wish
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        wish.close()
