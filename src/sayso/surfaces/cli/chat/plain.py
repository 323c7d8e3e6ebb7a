"""A terminal for a screen reader: the bars before quoted text are ASCII, so that nothing draws boxes."""

from sayso.surfaces.cli.terminal import Terminal
from sayso.surfaces.cli.text import BAR, WRAPPED

PLAIN_BAR = "| "
"""What stands before each line of quoted text."""


class PlainTerminal(Terminal):
    """Writes the bars at the beginnings of lines in ASCII; quoted text stands behind them, and is not changed."""

    def write(self, text: str) -> None:
        """Write a text; the caller has already escaped untrusted text in it."""
        super().write("\n".join(_plain(line) for line in text.split("\n")))


def _plain(line: str) -> str:
    return f"{PLAIN_BAR.strip()}{line[1:]}" if line.startswith((BAR.strip(), WRAPPED.strip())) else line
