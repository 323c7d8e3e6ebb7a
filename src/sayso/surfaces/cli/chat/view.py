"""Show a turn of the conversation at the terminal: the reply as it arrives, and what came of its proposals."""

import threading
from collections.abc import Callable, Iterable

from anyio import wait_readable

from sayso.core.quotes import visible
from sayso.runtime.results import Report
from sayso.surfaces.cli.chat.markdown import Look, MarkdownFlow
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.progress import PATIENCE
from sayso.surfaces.cli.render import lines_of
from sayso.surfaces.cli.terminal import Terminal
from sayso.surfaces.cli.text import BAR, WRAPPED, sentence, understands_codes

PLAIN_BAR = "| "
"""What stands before each line of quoted text."""


class PlainTerminal(Terminal):
    """Writes the bars at the beginnings of lines in ASCII; quoted text stands behind them, and is not changed."""

    def write(self, text: str) -> None:
        """Write a text; the caller has already escaped untrusted text in it."""
        super().write("\n".join(in_ascii(line) for line in text.split("\n")))


def in_ascii(line: str) -> str:
    """Return a line with its bar, which may be indented, in ASCII."""
    text = line.lstrip(" ")
    if not text.startswith((BAR.strip(), WRAPPED.strip())):
        return line
    return f"{line[: len(line) - len(text)]}{PLAIN_BAR.strip()}{text[1:]}"


class Thinking:
    """Says that the model is waited for, on a line without anything else; the line goes before anything is shown.

    It is written once and does not move. Where it could not be erased, or is to be `quiet`, it is not written.
    """

    def __init__(self, here: CommandContext, *, quiet: bool) -> None:
        self._here = here
        self._writes = not quiet and here.out.isatty() and understands_codes(here.environ)
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._shown = False

    def begin(self) -> None:
        """Write the line in a moment, unless `end` is called before."""
        if self._writes:
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        """Erase the line, and write it no more."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._shown:
                self._shown = False
                self._write("\r\x1b[K")

    def _show(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._shown = True
                self._write("Thinking…")

    def _write(self, text: str) -> None:
        self._here.write(text)
        self._here.out.flush()


class ChatView:
    """Shows a reply as Markdown; `stop` returns a descriptor that becomes readable at Ctrl-C."""

    def __init__(self, here: CommandContext, look: Look, stop: Callable[[], int], *, quiet: bool = True) -> None:
        self.thinking = Thinking(here, quiet=quiet)
        self._here = here
        self._look = look
        self._stop = stop
        self._flow = MarkdownFlow(look)
        self._progress = ""
        """The line about progress that was shown last; several like calls in a row are told once."""
        self._shown: set[str] = set()
        """The ids of the runs whose outcomes were shown."""
        self.any = False
        """Whether any text or outcome was shown."""

    def show_text(self, text: str) -> None:
        """Print the next piece of the reply."""
        self.any |= bool(text.strip())
        self._print(self._flow.add(text))

    def show_progress(self, line: str) -> None:
        """Print a line about what is done meanwhile."""
        self.end_reply()
        if line != self._progress:
            self._progress = line
            self._print_lines(sentence(visible(line), self._width, "… "), self._look.style.faint)

    def show_outcomes(self, report: Report) -> None:
        """Print what came of the proposals of one turn; the outcomes of one run are printed once."""
        self.end_reply()
        if report.run in self._shown or not (report.outcomes or report.needs_clarification or report.warnings):
            return
        self._shown.add(report.run)
        self.any = True
        lines = lines_of(report, self._width, self._look.style, undo="/undo")
        self._print_lines(map(in_ascii, lines) if self._look.bar == PLAIN_BAR else lines)

    def say(self, text: str, first: str = "") -> None:
        """Print a sentence of sayso's own; it is escaped here."""
        self._print_lines(sentence(visible(text), self._width, first))

    def end_reply(self) -> None:
        """End the incomplete line, if there is one."""
        self.thinking.end()
        self._print(self._flow.end())

    async def wait_for_stop(self) -> None:
        """Return when the person presses Ctrl-C."""
        await wait_readable(self._stop())

    @property
    def _width(self) -> int:
        return min(terminal_width(self._here), self._look.width)

    def _print_lines(self, lines: Iterable[str], paint: Callable[[str], str] = str) -> None:
        self._print("".join(f"{paint(line)}\n" for line in lines))

    def _print(self, text: str) -> None:
        if text:
            self.thinking.end()
            self._here.write(text)
            self._here.out.flush()
