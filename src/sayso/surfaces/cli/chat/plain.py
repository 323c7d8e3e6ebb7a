"""A terminal for a screen reader: the bars before quoted text are ASCII, so that nothing draws boxes."""

from sayso.surfaces.cli.terminal import Terminal
from sayso.surfaces.cli.text import BAR, WRAPPED

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
