"""Colour for a terminal that wants it; without colour everything still says the same."""

from collections.abc import Mapping
from typing import TextIO

from sayso.core.values import dataclass

RESET = "\x1b[0m"


@dataclass(frozen=True)
class Style:
    """Wraps whole pieces of text that are ours or were made visible before; each piece resets what it set."""

    colour: bool = False

    def bold(self, text: str) -> str:
        """Return it strong."""
        return self._with("1", text)

    def faint(self, text: str) -> str:
        """Return it faint."""
        return self._with("2", text)

    def good(self, text: str) -> str:
        """Return it green."""
        return self._with("32", text)

    def bad(self, text: str) -> str:
        """Return it red."""
        return self._with("31", text)

    def careful(self, text: str) -> str:
        """Return it yellow."""
        return self._with("33", text)

    def _with(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}{RESET}" if self.colour and text else text


def understands_codes(environ: Mapping[str, str]) -> bool:
    """Say whether the terminal of this environment takes more than plain text: TERM names it, and not as `dumb`."""
    return environ.get("TERM", "") not in {"", "dumb"}


def style_at(environ: Mapping[str, str]) -> Style:
    """Return colour for the terminal of this environment; none with NO_COLOR, or where it takes plain text alone."""
    return Style(understands_codes(environ) and not environ.get("NO_COLOR"))


def style_for(stream: TextIO, environ: Mapping[str, str]) -> Style:
    """Return the colour of the terminal for it, and none for anything else."""
    return style_at(environ) if stream.isatty() else Style()
