"""The progress line, the countdown of delayed actions, and Ctrl-C."""

import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

from sayso.runtime.services import DelayedActions, SilentDelay
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.text import understands_codes

PATIENCE = 0.5
"""Seconds until the progress line first appears, and between its updates."""


class ProgressLine:
    """A line that shows how long the work has lasted; it is erased at the end and during questions."""

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
        """Start the thread that updates the line."""
        self._thread.start()

    def end(self) -> None:
        """Stop the thread and erase the line."""
        self._over.set()
        self._thread.join()
        self._wipe()

    @contextmanager
    def quiet(self) -> Generator[None]:
        """Hide the line inside the `with` block."""
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
    """Show on `stream` that `what` is running, if `stream` is a terminal that understands control codes."""
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
    """Waits for the delay of actions and shows a countdown, or only a message if the terminal cannot show one."""

    def __init__(self, here: CommandContext, progress: ProgressLine, waits: SilentDelay) -> None:
        self._here = here
        self._progress = progress
        self._waits = waits

    async def wait(self, held: DelayedActions, over: Callable[[], Awaitable[bool]]) -> None:
        """Wait until the delay is over; Ctrl-C stops the actions."""
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
"""Number of times Ctrl-C must be pressed to end the process in the middle of a change."""

LEFT_AT_ONCE = 4
"""The exit code if Ctrl-C ended the process in this way; the next sayso process finds out how the change ended."""


WHILE_READING = "stopped while the text was read; nothing of it was done"


class StopSignals:
    """Records requests to stop, by Ctrl-C or SIGTERM."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._pressed = 0
        self._ended = False
        self._deaf = False
        self._leaves = False
        self._readable, self._writable = os.pipe()
        os.set_blocking(self._writable, False)
        self._woken_before = -1

    def asked(self) -> bool:
        """Return whether a stop was requested."""
        return self._pressed > 0

    def ended(self) -> bool:
        """Return whether SIGTERM was received, which no person at the terminal sends."""
        return self._ended

    def descriptor(self) -> int:
        """Return a descriptor that is readable once a stop was requested."""
        return self._readable

    def begin_waking(self) -> None:
        """Let the arrival of a signal make the descriptor readable, before `press` is called.

        Python calls `press` only when its main thread next runs Python code. A signal that arrives just before that
        thread begins to wait for the descriptor, or that another thread receives, would otherwise not end the wait.
        """
        self._woken_before = signal.set_wakeup_fd(self._writable, warn_on_full_buffer=False)

    def end_waking(self) -> None:
        """Undo `begin_waking`."""
        signal.set_wakeup_fd(self._woken_before)

    def press(self, number: int, frame: FrameType | None = None) -> None:
        """Handle Ctrl-C (SIGINT) or SIGTERM: request a stop; if Ctrl-C is pressed `AT_ONCE` times, end the process."""
        if self._deaf and number == signal.SIGINT:
            return
        self._pressed += 1
        self._ended |= number == signal.SIGTERM
        if self._leaves:
            raise KeyboardInterrupt(WHILE_READING)
        if self._pressed == 1:
            os.write(self._writable, b"!")
        elif number == signal.SIGINT and self._pressed < AT_ONCE:
            self._say("finishing the change that has begun; press Ctrl-C once more to leave in the middle of it")
        elif number == signal.SIGINT:
            self._say("left in the middle of a change; “sayso log” finds out how it ended")
            os._exit(LEFT_AT_ONCE)

    @contextmanager
    def leaving(self) -> Generator[None]:
        """Raise `KeyboardInterrupt` at once if a stop is requested inside the `with` block, where nothing has begun."""
        if self.asked():
            raise KeyboardInterrupt(WHILE_READING)
        self._leaves = True
        try:
            yield
        finally:
            self._leaves = False

    @contextmanager
    def deaf(self) -> Generator[None]:
        """Ignore Ctrl-C inside the `with` block, because another program uses the terminal."""
        self._deaf = True
        self.end_waking()
        try:
            yield
        finally:
            self.begin_waking()
            self._deaf = False

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._readable)
        os.close(self._writable)


@contextmanager
def stopping(say: Callable[[str], None]) -> Generator[StopSignals]:
    """Treat SIGINT and SIGTERM as requests to stop inside the `with` block."""
    wish = StopSignals(say)
    before = {number: signal.signal(number, wish.press) for number in (signal.SIGINT, signal.SIGTERM)}
    wish.begin_waking()
    try:
        yield wish
    finally:
        wish.end_waking()
        for number, handler in before.items():
            signal.signal(number, handler)
        wish.close()


@contextmanager
def nothing_to_stop() -> Generator[None]:
    """Let Ctrl-C do nothing inside the `with` block, because what it was meant for has just ended."""
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
