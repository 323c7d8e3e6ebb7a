"""Where the person's words come from: a terminal without line editing of sayso's own, or standard input."""

import os
import select
import termios
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, Protocol

from msgspec import Struct

from sayso.surfaces.cli.progress import stopping
from sayso.surfaces.cli.terminal import Terminal

MOST_LINE = 1 << 20
"""Maximum number of bytes of one line of standard input; what is longer ends the reading."""
TOGETHER = 0.03
"""Seconds within which nobody types a key after the end of a line; what comes so soon was pasted with it."""
CONTINUES = "\\"
"""At the end of a line: the next line belongs to the same words."""


class Typed(Struct, frozen=True):
    """What the person typed, and the texts that they pasted into it, by the names that stand for them in `text`."""

    text: str
    pasted: dict[str, str] = {}


class Interrupted(Exception):
    """Ctrl-C was pressed; `empty` says whether nothing had been typed."""

    def __init__(self, *, empty: bool) -> None:
        super().__init__()
        self.empty = empty


class Left(Exception):
    """There are no more words: Ctrl-D, the end of the input, or a closed terminal."""


class ReadsWords(Protocol):
    """Reads the person's words."""

    async def read(self) -> Typed:
        """Return the next words. Raises `Interrupted` and `Left`."""
        ...


class PlainLines:
    """Reads lines from a terminal as the system edits them; prompts are lines, and no cursor is moved."""

    def __init__(self, terminal: Terminal, prompt: str, say: Callable[[str], None]) -> None:
        self._terminal = terminal
        self._prompt = prompt
        self._say = say
        self._ahead = b""
        """What was read of a line that has not ended."""
        self._pasted: dict[str, str] = {}
        """Texts that came as several lines at once, for the next words."""

    async def read(self) -> Typed:
        """Return the next words; a line that ends with a backslash is continued.

        Lines that come at once were pasted: they are data for the words that follow, and none of them is a wish.
        """
        self._pasted = {}
        with stopping(self._say) as stop:
            lines: list[str] = []
            self._terminal.write(self._prompt)
            while True:
                line = self._line(stop.descriptor())
                if stop.ended():
                    raise Left
                if stop.asked():
                    self._terminal.write("\n")
                    raise Interrupted(empty=not lines)
                if line is None:
                    self._terminal.write("\n")
                    raise Left
                more = self._rest_of_paste()
                if more:
                    self._keep(f"{line}\n{more}")
                    continue
                lines.append(line.removesuffix(CONTINUES))
                if not line.endswith(CONTINUES):
                    return self._with_pasted("\n".join(lines))

    def _keep(self, text: str) -> None:
        name = f"@pasted-{len(self._pasted) + 1}"
        self._pasted[name] = text
        self._say(
            f"{text.rstrip().count(chr(10)) + 1} lines came at once, so they are data and no wish: {name}. "
            "Say what you want with them; an empty line drops them."
        )
        self._terminal.write(self._prompt)

    def _with_pasted(self, text: str) -> Typed:
        if not text.strip() or text.startswith("/"):
            return Typed(text)
        missing = [name for name in self._pasted if name not in text]
        return Typed(" ".join((text, *missing)), dict(self._pasted))

    def _rest_of_paste(self) -> str:
        """Return what came together with a line, also a last line that has not ended; empty if nobody pasted it."""
        descriptor, data = self._terminal.descriptor, self._ahead
        self._ahead = b""
        with suppress(termios.error, OSError):
            before = termios.tcgetattr(descriptor)
            raw = [*before]
            raw[3] = before[3] & ~termios.ICANON
            termios.tcsetattr(descriptor, termios.TCSANOW, raw)
            try:
                while select.select([descriptor], [], [], TOGETHER)[0] and len(data) < MOST_LINE:
                    if not (some := os.read(descriptor, 1 << 16)):
                        break
                    data += some
            finally:
                termios.tcsetattr(descriptor, termios.TCSANOW, before)
        return data.decode("utf-8", "replace")

    def _line(self, interrupted: int) -> str | None:
        """Return one line without its end; None at the end of input and after an interruption."""
        descriptor = self._terminal.descriptor
        while b"\n" not in self._ahead:
            ready, _, _ = select.select([descriptor, interrupted], [], [])
            if interrupted in ready:
                self._ahead = b""
                return None
            try:
                more = os.read(descriptor, 1 << 16)
            except OSError:
                return None  # the terminal was closed
            if not more:
                return None
            self._ahead += more
        line, _, self._ahead = self._ahead.partition(b"\n")
        return line.decode("utf-8", "replace")


class PipedLines:
    """Reads one wish from each line of standard input, and shows it, since nobody typed it at the terminal."""

    def __init__(self, stdin: BinaryIO | None, show: Callable[[str], None]) -> None:
        self._stdin = stdin
        self._show = show

    async def read(self) -> Typed:
        """Return the next line that is not empty."""
        while self._stdin is not None:
            line = self._stdin.readline(MOST_LINE)
            text = line.decode("utf-8", "replace").strip()
            if not line:
                break
            if text:
                self._show(text)
                return Typed(text)
        raise Left
