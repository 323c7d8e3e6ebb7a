"""Text for a terminal: widths, wrapping, escapes and styles."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

from msgspec import Struct

from sayso.core.encoding import code
from sayso.core.quotes import EMOJI, FSI, PDI, balance, visible

MOST_EMPTY = 3
"""Maximum number of consecutive empty lines; more are replaced by their count."""


def visible_lines(text: str) -> list[str]:
    """Return the lines of a text, each escaped by `visible`; long runs of empty lines are replaced by their count."""
    lines = ["⇥   ".join(visible(part) for part in line.split("\t")) for line in text.split("\n")]
    out: list[str] = []
    empty = 0
    for line in [*lines, None]:
        if line == "":
            empty += 1
            continue
        out += [""] * empty if empty <= MOST_EMPTY else [f"⟨{empty:,} empty lines⟩"]
        empty = 0
        out += [] if line is None else [line]
    return out


RESET = "\x1b[0m"
_CODES = re.compile(r"\x1b\[[0-9]+m")


def without_codes(text: str) -> str:
    """Return a styled text without its escape codes."""
    return _CODES.sub("", text) if "\x1b" in text else text


class Style(Struct, frozen=True):
    """Styles text that is sayso's own or already escaped; each styled text ends with a reset."""

    colour: bool = False

    def bold(self, text: str) -> str:
        """Return the text in bold."""
        return self._with("1", text)

    def faint(self, text: str) -> str:
        """Return the text in a faint style."""
        return self._with("2", text)

    def good(self, text: str) -> str:
        """Return the text in green."""
        return self._with("32", text)

    def bad(self, text: str) -> str:
        """Return the text in red."""
        return self._with("31", text)

    def careful(self, text: str) -> str:
        """Return the text in yellow."""
        return self._with("33", text)

    def emphasis(self, text: str) -> str:
        """Return the text in italics."""
        return self._with("3", text)

    def link(self, text: str) -> str:
        """Return the text underlined."""
        return self._with("4", text)

    def literal(self, text: str) -> str:
        """Return the text in cyan, for code."""
        return self._with("36", text)

    def _with(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}{RESET}" if self.colour and text else text


def understands_codes(environ: Mapping[str, str]) -> bool:
    """Say whether the terminal understands control codes: TERM is set and is not `dumb`."""
    return environ.get("TERM", "") not in {"", "dumb"}


def style_at(environ: Mapping[str, str]) -> Style:
    """Return the style for the terminal of this environment; plain with NO_COLOR or without control codes."""
    return Style(understands_codes(environ) and not environ.get("NO_COLOR"))


def style_for(stream: TextIO, environ: Mapping[str, str]) -> Style:
    """Return the style for a stream; plain unless it is a terminal."""
    return style_at(environ) if stream.isatty() else Style()


class Block(Struct, frozen=True):
    """Lines that are shown together, and the indices of the cards that they show in full."""

    lines: tuple[str, ...]
    shows: frozenset[int] = frozenset()


_WITH_BLANK = re.compile(r"[^ ]+ ?| ")
BAR, WRAPPED = "│ ", "┊ "
"""The prefix of each line of untrusted text, and the prefix of the continuation of a line that was wrapped."""

SHORT_LINES, SHORT_CHARACTERS = 12, 600


class Shown(Struct, frozen=True):
    """Lines to show, and the number of characters that were left out of them."""

    lines: tuple[str, ...]
    left_out: int = 0


_NO_WIDTH = (FSI, PDI, "\u200d")
_WIDENS = "\ufe0f"
"""Shows the narrow symbol before it as a wide one."""


def width_of(letter: str) -> int:
    """Return the number of columns that a visible character takes."""
    if letter in _NO_WIDTH or "\U000e0020" <= letter <= "\U000e007f" or unicodedata.category(letter) in {"Mn", "Me"}:
        return 0
    # Some terminals give a letter of a flag two columns where it stands alone.
    return 2 if "\U0001f1e6" <= letter <= "\U0001f1ff" or unicodedata.east_asian_width(letter) in "WF" else 1


def columns(text: str) -> int:
    """Return the number of columns that a visible text takes at most.

    Terminals differ about joined emoji: some show one, others its parts. The parts are counted, so that no text ever
    runs on to a line of its own.
    """
    if text.isascii():
        return len(text)
    widened = sum(width_of(text[at - 1]) == 1 for at, letter in enumerate(text) if letter == _WIDENS and at)
    return widened + sum(map(width_of, text))


def _unbroken(text: str) -> Iterator[str]:
    """Yield the pieces of a visible text that stay on one line: an emoji with all its parts, or a character."""
    at = 0
    for emoji in EMOJI.finditer(text):
        yield from text[at : emoji.start()]
        yield emoji.group()
        at = emoji.end()
    yield from text[at:]


def cut(text: str, width: int) -> list[str]:
    """Split a line into pieces of at most `width` columns."""
    if columns(text) <= width:
        return [text]
    pieces: list[str] = []
    piece, taken = "", 0
    for letter in _unbroken(text):
        wide = columns(letter)
        if taken + wide > width:
            pieces.append(piece)
            piece, taken = "", 0
        piece += letter
        taken += wide
    return balance([*pieces, piece])


def cut_at_blanks(text: str, width: int) -> list[str]:
    """Split a line into pieces of at most `width` columns, after a blank where there is one; nothing is left out."""
    if columns(text) <= width:
        return [text]
    pieces: list[str] = [""]
    for word in _WITH_BLANK.findall(text):
        if columns(pieces[-1] + word) <= width:
            pieces[-1] += word
        else:
            first, *more = cut(word, width)
            pieces += [first, *more]
    return balance([piece for piece in pieces if piece])


def sentence(text: str, width: int, first: str = "", rest: str | None = None) -> list[str]:
    """Wrap a sentence at its spaces; `first` is put before the first line, and `rest` before the others."""
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
    balanced = balance([*lines, line])
    return [(first if number == 0 else rest) + line for number, line in enumerate(balanced)]


def pack(items: Sequence[str], between: str, width: int, rest: str = "") -> list[str]:
    """Return items side by side, as many as fit on each line; an item longer than a line is wrapped.

    `rest` is put before every line but the first.
    """
    lines: list[str] = []
    for item in items:
        begun = f"{lines[-1]}{between}{item}" if lines else item
        if lines and columns(begun) <= width:
            lines[-1] = begun
        else:
            lines += sentence(item, width, rest if lines else "", rest)
    return lines


def block(text: str, width: int, indent: str) -> list[str]:
    """Return the lines of an untrusted text in full, each behind a bar."""
    room = max(width - len(indent) - len(BAR), 16)
    out: list[str] = []
    for line in visible_lines(text):
        first, *rest = cut(line, room)
        out += [indent + BAR + first, *(indent + WRAPPED + piece for piece in rest)]
    return out


def short_block(text: str, width: int, indent: str, lines: int = SHORT_LINES, most: int = SHORT_CHARACTERS) -> Shown:
    """Return the beginning of an untrusted text, followed by the exact number of characters left out."""
    kept = "\n".join(text.split("\n")[:lines])[:most]
    left_out = len(text) - len(kept)
    if left_out <= 0:
        return Shown(tuple(block(text, width, indent)))
    more = f"{indent}… {left_out:,} more characters, code {code(text)}"
    return Shown((*block(kept, width, indent), *cut(more, width)), left_out)


def one_line(text: str, most: int) -> str:
    """Return a text escaped on one line, shortened with an ellipsis; for lists only, never for questions."""
    return shorten(visible(text), most)


def shorten(shown: str, most: int) -> str:
    """Return a text that is escaped already, shortened with an ellipsis if it takes more columns than `most`."""
    if columns(shown) <= most:
        return shown
    return cut(shown, max(most - 1, 1))[0] + "…"
