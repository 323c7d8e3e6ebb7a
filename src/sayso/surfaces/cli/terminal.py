"""The person's terminal: found only where a person really sits at it, and read one fresh line at a time."""

import os
import select
import termios
import threading
from contextlib import suppress

from sayso.core.values import dataclass

MOST_ANSWER = 1000
NARROWEST, USUAL = 20, 80
"""A terminal that says it has fewer columns does not know, and is taken for a usual one."""


@dataclass(frozen=True)
class NoTerminal:
    """Nobody can be asked here, and this is why."""

    why: str


class Terminal:
    """An open terminal, on which one question is put at a time."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.alone = threading.RLock()
        """Held from the first line of a question to its answer."""

    def close(self) -> None:
        """Let go of it."""
        os.close(self.descriptor)

    @property
    def width(self) -> int:
        """Return its columns."""
        try:
            columns = os.get_terminal_size(self.descriptor).columns
        except OSError:
            columns = 0
        return columns if columns >= NARROWEST else USUAL

    @property
    def height(self) -> int:
        """Return its lines; 0 when it does not know."""
        try:
            return os.get_terminal_size(self.descriptor).lines
        except OSError:
            return 0

    @property
    def wrong(self) -> str | None:
        """Say why it is no terminal that a person types at now; None when it is."""
        return why_not(self.descriptor)

    def write(self, text: str) -> None:
        """Show a text; foreign parts of it were made visible before."""
        data = text.encode("utf-8", "backslashreplace")
        while data:
            data = data[os.write(self.descriptor, data) :]

    def fresh_line(self, prompt: str, interrupted: int) -> str | None:
        """Show `prompt` and return the line typed after it, without what was typed before it could be seen.

        None at the end of input, when `interrupted` (a descriptor) becomes readable, or when the
        terminal is no longer one that a person types at.
        """
        # Forgotten before the prompt is shown: a quick answer to it must not be.
        termios.tcflush(self.descriptor, termios.TCIFLUSH)
        try:
            self.write(prompt)
            line = self._line(interrupted)
        except OSError:
            return None  # it hung up
        return None if self.wrong else line

    def hidden_line(self, prompt: str, interrupted: int) -> str | None:
        """Do as `fresh_line` does, without showing what is typed; afterwards the terminal is as it was."""
        try:
            before = termios.tcgetattr(self.descriptor)
        except termios.error:
            return None
        hidden = [*before]
        hidden[3] = (before[3] & ~termios.ECHO) | termios.ECHONL
        # Nothing is typed ahead into the open, and nothing that was is taken for the answer.
        termios.tcsetattr(self.descriptor, termios.TCSAFLUSH, hidden)
        try:
            self.write(prompt)
            line = self._line(interrupted)
        except OSError:
            return None  # it hung up
        finally:
            with suppress(termios.error):
                termios.tcsetattr(self.descriptor, termios.TCSAFLUSH, before)
        return None if self.wrong else line

    def _line(self, interrupted: int) -> str | None:
        data = b""
        while not data.endswith(b"\n"):
            ready, _, _ = select.select([self.descriptor, interrupted], [], [])
            if interrupted in ready:
                return None
            more = os.read(self.descriptor, MOST_ANSWER)
            if not more:
                return None
            data += more
        return data.decode("utf-8", "replace")


def find_terminal(path: str = "/dev/tty") -> Terminal | NoTerminal:
    """Return the terminal that controls this process, if a person can answer at it now."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return NoTerminal("there is no terminal here")
    why = why_not(descriptor)
    if why is None:
        return Terminal(descriptor)
    os.close(descriptor)
    return NoTerminal(why)


def why_not(descriptor: int) -> str | None:
    """Say why nobody may be asked at this terminal (AV-06); None when somebody may."""
    try:
        if os.tcgetpgrp(descriptor) != os.getpgrp():
            return "sayso runs in the background of this terminal; bring it to the front with `fg`"
        flags = termios.tcgetattr(descriptor)[3]
    except (OSError, termios.error):
        return "there is no terminal here"
    if not (flags & termios.ICANON and flags & termios.ECHO):
        return "this terminal is in a mode in which a program reads the keys; leave that program, or type `stty sane`"
    return None
