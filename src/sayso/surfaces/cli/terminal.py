"""The person's terminal: questions are asked and answered on it, even if the standard streams are redirected."""

import os
import select
import termios
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from msgspec import Struct

from sayso.core.errors import Refused
from sayso.core.quotes import visible
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.progress import stopping
from sayso.surfaces.cli.text import BAR, Block, Style, columns, cut, pack, sentence, visible_lines, without_codes

MOST_ANSWER = 1000
NARROWEST, USUAL = 20, 80
"""The minimum width that is believed, and the width assumed if the terminal reports less."""


class NoTerminal(Struct, frozen=True):
    """No person can answer at a terminal; `why` is the reason."""

    why: str


class Terminal:
    """An open terminal, on which one question is asked at a time."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.alone = threading.RLock()
        """Lock that is held from the first line of a question until its answer."""

    def close(self) -> None:
        """Close the terminal's descriptor."""
        os.close(self.descriptor)

    @property
    def width(self) -> int:
        """Return the number of columns."""
        try:
            columns = os.get_terminal_size(self.descriptor).columns
        except OSError:
            columns = 0
        return columns if columns >= NARROWEST else USUAL

    @property
    def height(self) -> int:
        """Return the number of lines; 0 if the terminal does not report it."""
        try:
            return os.get_terminal_size(self.descriptor).lines
        except OSError:
            return 0

    @property
    def wrong(self) -> str | None:
        """Return why a person cannot answer at this terminal now; None if they can."""
        return why_not(self.descriptor)

    def write(self, text: str) -> None:
        """Write a text; the caller has already escaped untrusted text in it."""
        data = text.encode("utf-8", "backslashreplace")
        while data:
            data = data[os.write(self.descriptor, data) :]

    def fresh_line(self, prompt: str, interrupted: int) -> str | None:
        """Show `prompt` and return the line typed after it; input typed before the prompt is discarded.

        Returns None at the end of input, when the descriptor `interrupted` becomes readable, or if a person can no
        longer answer at the terminal.
        """
        # Input is discarded before the prompt is shown, so that a quick answer to the prompt is kept.
        termios.tcflush(self.descriptor, termios.TCIFLUSH)
        try:
            self.write(prompt)
            line = self._line(interrupted)
        except OSError:
            return None  # the terminal was closed
        return None if self.wrong else line

    def hidden_line(self, prompt: str, interrupted: int) -> str | None:
        """Do the same as `fresh_line` with echo off; afterwards the terminal's settings are restored."""
        try:
            before = termios.tcgetattr(self.descriptor)
        except termios.error:
            return None
        hidden = [*before]
        hidden[3] = (before[3] & ~termios.ECHO) | termios.ECHONL
        # TCSAFLUSH discards input that was typed before echo was turned off.
        termios.tcsetattr(self.descriptor, termios.TCSAFLUSH, hidden)
        try:
            self.write(prompt)
            line = self._line(interrupted)
        except OSError:
            return None  # the terminal was closed
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
    """Return the controlling terminal of this process, or the reason why no person can answer at it now."""
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
    """Return why no person can answer at this terminal (AV-06); None if one can."""
    try:
        if os.tcgetpgrp(descriptor) != os.getpgrp():
            return "sayso runs in the background of this terminal; bring it to the front with `fg`"
        flags = termios.tcgetattr(descriptor)[3]
    except (OSError, termios.error):
        return "there is no terminal here"
    if not (flags & termios.ICANON and flags & termios.ECHO):
        return "this terminal is in a mode in which a program reads the keys; leave that program, or type `stty sane`"
    return None


def needs_person(what: str) -> Terminal:
    """Return the person's terminal. Raises `Refused` with the reason if there is none."""
    found = find_terminal()
    if isinstance(found, NoTerminal):
        raise Refused(f"{what} is for you alone: type it on your terminal ({found.why})", "terminal.needed", "terminal")
    return found


def only_on_terminal(what: str) -> None:
    """Raise `Refused` if no person can answer at a terminal."""
    needs_person(what).close()


def no_questions_in_json(what: str, here: CommandContext) -> None:
    """Raise `Refused` if the output is JSON, because a program reads it and cannot answer a question."""
    if here.json:
        raise Refused(
            f"{what} asks, and with --json nothing is asked: type it without --json", "terminal.json", "terminal"
        )


STOP = frozenset({"q", "quit"})
_KEPT_FREE = 2
"""Number of lines on each screen that stay free for the prompt."""
_LEAST = 5


class QuestionUnanswered(Exception):
    """The process was told to end before the person answered; the question stays open."""


class PromptTerminal(Struct, frozen=True):
    """Asks the person questions: sayso's own lines start at the left edge, and quoted text stands behind a bar.

    Text from a model, a file or another program therefore cannot look like a question of sayso's.
    """

    terminal: Terminal
    word: str
    """The word that begins each prompt.

    It is chosen at random for each question, so that no quoted text can imitate a prompt.
    """
    style: Style
    interrupted: Callable[[], int]
    """Returns a descriptor that becomes readable when the person presses Ctrl-C or the process is told to end."""
    ended: Callable[[], bool]
    """Says whether the process was told to end."""

    @property
    def width(self) -> int:
        """Return the number of columns to the right of the bar."""
        return self.terminal.width - len(BAR)

    def say(self, text: str) -> None:
        """Write a text as sayso's own; the caller has already escaped untrusted text in it."""
        self._write(self.wrap(text))

    def wrap(self, text: str) -> list[str]:
        """Return the lines that `say` would write."""
        return sentence(text, self.terminal.width, "", "  ")

    def say_keys(self, keys: Sequence[str]) -> None:
        """Write the keys that may be typed, each with what it does."""
        self._write(self.wrap_keys(keys))

    def wrap_keys(self, keys: Sequence[str]) -> list[str]:
        """Return the lines that `say_keys` would write."""
        return pack(keys, " · ", self.terminal.width, "  ")

    def gap(self) -> None:
        """Write an empty line."""
        self._write([""])

    def quote(self, lines: Iterable[str]) -> None:
        """Write lines behind the bar; lines that are too long are wrapped."""
        self._write(self._behind_bar(lines))

    def _behind_bar(self, lines: Iterable[str]) -> list[str]:
        return [(self.style.faint(BAR.rstrip()) + " " + piece).rstrip() for line in lines for piece in self._fit(line)]

    def _fit(self, line: str) -> list[str]:
        plain = without_codes(line)
        return [line] if columns(plain) <= self.width else cut(plain, self.width)

    def line(self, prompt: str) -> str | None:
        """Return the line typed after the prompt; None at the end of input or after Ctrl-C.

        Raises `QuestionUnanswered` if the process was told to end.
        """
        line = self.terminal.fresh_line(self.style.bold(f"{self.word}: {prompt} "), self.interrupted())
        if line is None:
            self._write([""])
            if self.ended():
                raise QuestionUnanswered
        return line

    def show(self, blocks: Iterable[Block], above: int = 0, below: int = 0) -> frozenset[int]:
        """Show blocks behind the bar, one page at a time if they do not fit on the screen.

        Returns the indices of the cards that were shown in full. `above` and `below` are the numbers of other lines on
        the same screen.
        """
        shown: set[int] = set()
        height = self.terminal.height
        room = max(height - _KEPT_FREE - below, _LEAST) if height else 0
        used = min(above, room)
        waiting = list(blocks)
        for number, block in enumerate(waiting):
            lines = self._behind_bar(block.lines)
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


USUAL_NEAR = "Say more exactly what you want."


class AsksBack(Struct, frozen=True):
    """Puts a question of the model to the person; the question is quoted behind the bar."""

    talk: PromptTerminal

    def answer(self, reason: str | None, who: str = "the model asks") -> str:
        """Return the person's answer; empty if they typed nothing or nobody can answer now."""
        terminal = self.talk.terminal
        with terminal.alone:
            if terminal.wrong or self.talk.ended():
                return ""
            self.talk.say(f"{who} back; nothing is done yet")
            lines = visible_lines(reason or USUAL_NEAR)
            self.talk.quote(piece for line in lines for piece in sentence(line, self.talk.width))
            try:
                return (self.talk.line("Your answer (Enter leaves it):") or "").strip()
            except QuestionUnanswered:
                return ""


YES, NO = frozenset({"y", "yes"}), frozenset({"n", "no"})


class InterviewLeft(Exception):
    """The person ended the interview before its last question."""


class Interview(Struct, frozen=True):
    """Messages and questions at one terminal."""

    terminal: Terminal
    style: Style

    def say(self, *sentences: str) -> None:
        """Write sentences, each on its own lines; untrusted text in them is escaped."""
        for one in sentences:
            self._write(sentence(visible(one), self.terminal.width))

    def show(self, *lines: str) -> None:
        """Write indented lines."""
        for one in lines:
            self._write(sentence(visible(one), self.terminal.width, "  ", "      "))

    def below(self, text: str) -> None:
        """Write text that explains the line above, indented further."""
        self._write(sentence(visible(text), self.terminal.width, "      "))

    def note(self, text: str) -> None:
        """Write a neutral message."""
        self._write(sentence(visible(text), self.terminal.width, "· "))

    def good(self, text: str) -> None:
        """Write a message about a success."""
        self._write([self.style.good(line) for line in sentence(visible(text), self.terminal.width, "✓ ")])

    def bad(self, text: str) -> None:
        """Write a message about a failure."""
        self._write([self.style.bad(line) for line in sentence(visible(text), self.terminal.width, "✗ ")])

    def ask(self, prompt: str, usual: str = "") -> str:
        """Return the typed line, or `usual` if it is empty. Raises `InterviewLeft`."""
        shown = f"{prompt} [{visible(usual)}]: " if usual else f"{prompt}: "
        while True:
            typed = self._line(shown).strip()
            if typed.isprintable():
                return typed or usual
            self.say("That has characters in it that cannot be seen; type it once more.")

    def ask_for_text(self, prompt: str, usual: str = "") -> str:
        """Return the typed line; asks again while it is empty. Raises `InterviewLeft`."""
        while not (typed := self.ask(prompt, usual)):
            pass
        return typed

    def hidden(self, prompt: str) -> str:
        """Return a line typed without echo, with all its spaces. Raises `InterviewLeft`."""
        with stopping(self.say) as stop:
            line = self.terminal.hidden_line(self.style.bold(f"{prompt}: "), stop.descriptor())
            left = stop.asked()
        if line is None or left:
            raise InterviewLeft
        return line.removesuffix("\n").removesuffix("\r")

    def yes(self, prompt: str, *, usual: bool) -> bool:
        """Return whether the answer is yes; an empty answer counts as `usual`. Raises `InterviewLeft`."""
        while True:
            typed = self._line(f"{prompt} {'[Y/n]' if usual else '[y/N]'} ").strip().lower()
            if typed in YES or typed in NO or not typed:
                return typed in YES or (usual and not typed)
            self.say("Type y or n.")

    def choose(self, prompt: str, words: Sequence[str], usual: str) -> str:
        """Return the typed word; asks again if it is not in `words`. Raises `InterviewLeft`."""
        while True:
            typed = self.ask(prompt, usual).lower()
            if typed in words:
                return typed
            self.say(f"Type one of {', '.join(words)}.")

    def _line(self, prompt: str) -> str:
        with stopping(self.say) as stop:
            line = self.terminal.fresh_line(self.style.bold(prompt), stop.descriptor())
            left = stop.asked()
        if line is None or left:
            self._write([""])
            raise InterviewLeft
        return line

    def _write(self, lines: Sequence[str]) -> None:
        self.terminal.write("".join(f"{line}\n" for line in lines))
