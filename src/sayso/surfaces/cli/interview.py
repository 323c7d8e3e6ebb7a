"""Ask the person at the terminal for one thing after another; leaving at any of them changes nothing."""

from collections.abc import Sequence

from sayso.core.values import dataclass
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.layout import sentence
from sayso.surfaces.cli.stopping import stopping
from sayso.surfaces.cli.style import Style
from sayso.surfaces.cli.terminal import Terminal

YES, NO = frozenset({"y", "yes"}), frozenset({"n", "no"})


class Left(Exception):
    """The person left before the end."""


@dataclass(frozen=True)
class Interview:
    """What is said and asked at one terminal."""

    terminal: Terminal
    style: Style

    def say(self, *sentences: str) -> None:
        """Say sentences, each on lines of its own; whatever is foreign in them is made visible."""
        for one in sentences:
            self._write(sentence(visible(one), self.terminal.width))

    def show(self, *lines: str) -> None:
        """Show lines that stand apart."""
        for one in lines:
            self._write(sentence(visible(one), self.terminal.width, "  ", "      "))

    def below(self, text: str) -> None:
        """Show what belongs to the line shown before it."""
        self._write(sentence(visible(text), self.terminal.width, "      "))

    def note(self, text: str) -> None:
        """Say what is neither good nor bad."""
        self._write(sentence(visible(text), self.terminal.width, "· "))

    def good(self, text: str) -> None:
        """Say that something worked."""
        self._write([self.style.good(line) for line in sentence(visible(text), self.terminal.width, "✓ ")])

    def bad(self, text: str) -> None:
        """Say that something did not."""
        self._write([self.style.bad(line) for line in sentence(visible(text), self.terminal.width, "✗ ")])

    def ask(self, prompt: str, usual: str = "") -> str:
        """Return what is typed on one line, `usual` where nothing is. Raises `Left`."""
        shown = f"{prompt} [{visible(usual)}]: " if usual else f"{prompt}: "
        while True:
            typed = self._line(shown).strip()
            if typed.isprintable():
                return typed or usual
            self.say("That has characters in it that cannot be seen; type it once more.")

    def needed(self, prompt: str, usual: str = "") -> str:
        """Return what is typed, which is not nothing. Raises `Left`."""
        while not (typed := self.ask(prompt, usual)):
            pass
        return typed

    def hidden(self, prompt: str) -> str:
        """Return what is typed without showing it, every space in it kept. Raises `Left`."""
        with stopping(self.say) as stop:
            line = self.terminal.hidden_line(self.style.bold(f"{prompt}: "), stop.descriptor())
            left = stop.asked()
        if line is None or left:
            raise Left
        return line.removesuffix("\n").removesuffix("\r")

    def yes(self, prompt: str, *, usual: bool) -> bool:
        """Return whether the answer is yes. Raises `Left`."""
        while True:
            typed = self._line(f"{prompt} {'[Y/n]' if usual else '[y/N]'} ").strip().lower()
            if typed in YES or typed in NO or not typed:
                return typed in YES or (usual and not typed)
            self.say("Type y or n.")

    def choose(self, prompt: str, words: Sequence[str], usual: str) -> str:
        """Return one of the words. Raises `Left`."""
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
            raise Left
        return line

    def _write(self, lines: Sequence[str]) -> None:
        self.terminal.write("".join(f"{line}\n" for line in lines))
