"""Lay text out in the width of the screen, so that no line of foreign text can begin where ours do."""

import unicodedata

from sayso.core.loading import load
from sayso.core.values import dataclass
from sayso.surfaces.cli.escape import visible, visible_lines

BAR, WRAPPED = "│ ", "┊ "
"""What stands before each line of foreign text, and before the rest of a line too long for the screen."""

SHORT_LINES, SHORT_CHARACTERS = 12, 600


@dataclass(frozen=True)
class Shown:
    """Lines for the screen, and how many characters they leave out."""

    lines: tuple[str, ...]
    left_out: int = 0


def width_of(letter: str) -> int:
    """Return how many columns a visible character takes."""
    if unicodedata.category(letter) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def columns(text: str) -> int:
    """Return how many columns a visible text takes."""
    return len(text) if text.isascii() else sum(width_of(letter) for letter in text)


def cut(text: str, width: int) -> list[str]:
    """Cut a line where the screen ends, losing nothing."""
    if columns(text) <= width:
        return [text]
    pieces: list[str] = []
    piece, taken = "", 0
    for letter in text:
        wide = width_of(letter)
        if taken + wide > width:
            pieces.append(piece)
            piece, taken = "", 0
        piece += letter
        taken += wide
    return [*pieces, piece]


def sentence(text: str, width: int, first: str = "", rest: str | None = None) -> list[str]:
    """Wrap a sentence at its spaces; `first` stands before the first line and `rest` before the others."""
    rest = " " * columns(first) if rest is None else rest
    room = max(width - max(columns(first), columns(rest)), 16)
    if columns(text) <= room:
        return [first + text]
    lines: list[str] = []
    line, taken = "", 0
    for word in text.split(" "):
        wide = columns(word)
        if line and taken + 1 + wide > room:
            lines.append(line)
            line, taken = "", 0
        *whole, last = cut(word, room)
        lines += whole
        if line and not whole:
            line, taken = f"{line} {last}", taken + 1 + wide
        else:
            line, taken = last, columns(last)
    return [(first if number == 0 else rest) + line for number, line in enumerate([*lines, line])]


def block(text: str, width: int, indent: str) -> list[str]:
    """Return a foreign text whole, each line with a bar before it."""
    room = max(width - len(indent) - len(BAR), 16)
    out: list[str] = []
    for line in visible_lines(text):
        first, *rest = cut(line, room)
        out += [indent + BAR + first, *(indent + WRAPPED + piece for piece in rest)]
    return out


def short_block(text: str, width: int, indent: str, lines: int = SHORT_LINES, most: int = SHORT_CHARACTERS) -> Shown:
    """Return the beginning of a foreign text, and say exactly how much of it is not shown."""
    kept = "\n".join(text.split("\n")[:lines])[:most]
    left_out = len(text) - len(kept)
    if left_out <= 0:
        return Shown(tuple(block(text, width, indent)))
    more = f"{indent}… {left_out:,} more characters, sha256 {sha256(text)}"
    return Shown((*block(kept, width, indent), *cut(more, width)), left_out)


def sha256(text: str) -> str:
    """Return the hash by which a person can know a text again."""
    return load("hashlib:sha256")(text.encode("utf-8", "surrogatepass")).hexdigest()


def one_line(text: str, most: int) -> str:
    """Return a text visible on one line, shortened with an ellipsis for lists; never for a question."""
    shown = visible(text)
    if columns(shown) <= most:
        return shown
    return cut(shown, max(most - 1, 1))[0] + "…"
