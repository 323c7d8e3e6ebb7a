"""Talk with the person at the terminal: sentences under one word, typed lines, long lists by the page."""

from collections.abc import Callable, Iterable

from sayso.core.values import dataclass
from sayso.surfaces.cli.layout import sentence
from sayso.surfaces.cli.preview import Block
from sayso.surfaces.cli.style import Style
from sayso.surfaces.cli.terminal import Terminal

STOP = frozenset({"q", "quit"})
_KEPT_FREE = 2
"""Lines of a page that stay free for its prompt."""
_LEAST = 5


class Unanswered(Exception):
    """The process was asked to end before the person answered; that is no answer."""


@dataclass(frozen=True)
class Talk:
    """`word` marks which lines are sayso's own in this run."""

    terminal: Terminal
    word: str
    style: Style
    interrupted: Callable[[], int]
    """Returns a descriptor that becomes readable when the person presses Ctrl-C, or the process is to end."""
    ended: Callable[[], bool]
    """Says whether the process is to end."""

    def say(self, text: str) -> None:
        """Say something in sayso's own name; foreign parts of it were made visible before."""
        self._write(self.said(text))

    def said(self, text: str) -> list[str]:
        """Return the lines that `say` writes."""
        return sentence(f"{self.word}: {text}", self.terminal.width, "", " " * (len(self.word) + 2))

    def gap(self) -> None:
        """Leave a line empty."""
        self._write([""])

    def line(self, prompt: str) -> str | None:
        """Return what is typed after the prompt; None at the end of input or after Ctrl-C.

        Raises `Unanswered` when the process is to end.
        """
        line = self.terminal.fresh_line(self.style.bold(f"{self.word}: {prompt} "), self.interrupted())
        if line is None:
            self._write([""])
            if self.ended():
                raise Unanswered
        return line

    def show(self, blocks: Iterable[Block], above: int = 0, below: int = 0) -> frozenset[int]:
        """Show blocks, a page at a time where they are longer than the screen; return the cards shown whole.

        `above` and `below` count the lines that go with them on one screen.
        """
        shown: set[int] = set()
        height = self.terminal.height
        room = max(height - _KEPT_FREE - below, _LEAST) if height else 0
        used = min(above, room)
        waiting = list(blocks)
        for number, block in enumerate(waiting):
            lines = list(block.lines)
            while room and used + len(lines) > room:
                fits, lines = lines[: room - used], lines[room - used :]
                self._write(fits)
                more = len(lines) + sum(len(later.lines) for later in waiting[number + 1 :])
                if self._stops(more):
                    return frozenset(shown)
                used = 0
            self._write(lines)
            used += len(lines)
            shown |= block.shows
        return frozenset(shown)

    def _stops(self, more: int) -> bool:
        lines = "1 more line" if more == 1 else f"{more:,} more lines"
        line = self.line(f"{lines}; Enter shows them, q stops here")
        return line is None or line.strip().lower() in STOP

    def _write(self, lines: Iterable[str]) -> None:
        self.terminal.write("".join(f"{line}\n" for line in lines))
