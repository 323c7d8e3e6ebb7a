"""Where the person's words come from: a terminal without line editing of sayso's own, or standard input."""

import os
import select
from collections.abc import Callable
from typing import BinaryIO, Protocol

from msgspec import Struct

from sayso.surfaces.cli.progress import stopping
from sayso.surfaces.cli.terminal import Terminal

MOST_LINE = 1 << 20
"""Maximum number of bytes of one line of standard input; what is longer ends the reading."""
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
        """Typed lines that are not read yet."""

    async def read(self) -> Typed:
        """Return the next words; a line that ends with a backslash is continued."""
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
                lines.append(line.removesuffix(CONTINUES))
                if not line.endswith(CONTINUES):
                    return Typed("\n".join(lines))

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
