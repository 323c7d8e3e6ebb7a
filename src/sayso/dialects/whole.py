"""Gather a reply that is one document: bare, or in one code fence."""

import re

_FENCED = re.compile(r"\s*(`{3,}|~{3,})[^\n`]*\n")


class Whole:
    """Text put together from its pieces; nothing of it is told before its end."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def add(self, piece: str) -> None:
        """Take the next piece."""
        if piece:
            self._pieces.append(piece)

    def take(self) -> str:
        """Return the whole text."""
        return "".join(self._pieces)


def unfenced(text: str) -> tuple[str, int]:
    """Return the document inside the one code fence around it, or the whole text; and on which line it begins."""
    opening = _FENCED.match(text)
    if opening is None:
        return text, 1
    rest = text[opening.end() :].rstrip()
    fence = opening.group(1)
    lines, newline, last = rest.rpartition("\n")
    if not last.strip().startswith(fence) or last.strip().strip(fence[0]):
        return text, 1
    body = lines + newline
    return body, text.count("\n", 0, opening.end()) + 1
