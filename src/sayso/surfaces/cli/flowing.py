"""Lay out foreign text that comes in pieces, so that no line of it can begin where ours do."""

from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.layout import BAR, WRAPPED, width_of


class Flow:
    """Text with a bar before each line, cut where the screen ends; without a width it is only made visible."""

    def __init__(self, width: int | None) -> None:
        self._room = None if width is None else max(width - len(BAR), 16)
        self._taken = 0
        self.open = False
        """Whether a line has begun and not ended."""

    def add(self, text: str) -> str:
        """Return what is to be printed for more of the text."""
        first, *rest = text.split("\n")
        out = self._more(first)
        for line in rest:
            out += ("" if self.open else self._begun()) + "\n"
            self.open = False
            out += self._more(line)
        return out

    def end(self) -> str:
        """Return what ends the line that is open."""
        was, self.open = self.open, False
        return "\n" if was else ""

    def _more(self, piece: str) -> str:
        if not piece:
            return ""
        out = "" if self.open else self._begun()
        for letter in "⇥   ".join(visible(part) for part in piece.split("\t")):
            wide = width_of(letter)
            if self._room is not None and self._taken + wide > self._room:
                out, self._taken = f"{out}\n{WRAPPED}", 0
            out += letter
            self._taken += wide
        return out

    def _begun(self) -> str:
        self.open, self._taken = True, 0
        return "" if self._room is None else BAR
