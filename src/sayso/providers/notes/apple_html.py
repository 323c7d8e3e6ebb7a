"""The HTML of a note in the application Notes: the title is its first line, and each line is a block."""

import html
from collections.abc import Sequence
from html.parser import HTMLParser

from msgspec import Struct

EMPTY = "<div><br></div>"
_VOID = frozenset({"br", "img", "hr", "input", "meta", "link", "wbr"})
_HEADINGS = frozenset({"h1", "h2", "h3"})
_LINES = frozenset({"div", "p"}) | _HEADINGS
_PLAIN = _LINES | {"b", "i", "u", "s", "strike", "span", "font", "tt", "a", "br", "em", "strong", "code", "sub", "sup"}


class Block(Struct, frozen=True):
    """One line of a note: its HTML, and its text."""

    html: str
    text: str


def lines_of(title: str, body: str) -> tuple[str, ...]:
    """Return the lines of a note; the title is the first one."""
    return (title, *(body.split("\n") if body else ()))


def write_note(title: str, body: str) -> str:
    """Return the HTML of a new note."""
    first, *rest = lines_of(title, body)
    return "".join([f"<div><h1>{_escape(first)}</h1></div>", *(_line(text) for text in rest)])


def split_text(name: str, text: str) -> tuple[str, str]:
    """Return the title and the body of a note from its name and its whole text, whose first line is the title."""
    first, _, rest = text.partition("\n")
    return (name, rest) if first.strip() == name.strip() or not name else (name, text)


def rewrite(old: str, text: str, body: str) -> str | None:
    """Return the HTML of a note with another body; lines that stay at its beginning keep their HTML.

    `text` is the whole text of the note as it is. Returns None if the note has a list, a table or a picture, which
    Notes may damage when a script writes the note, and if its HTML does not show the lines of its text.
    """
    blocks = read_blocks(old)
    if not blocks or [block.text for block in blocks] != text.split("\n"):
        return None
    wanted = lines_of(blocks[0].text, body)
    kept = _count_same(blocks, wanted)
    return "".join([*(block.html for block in blocks[:kept]), *(_line(text) for text in wanted[kept:])])


def read_blocks(text: str) -> tuple[Block, ...] | None:
    """Return the lines of a note's HTML; None if it has something other than lines of text."""
    reader = _BlockReader(text)
    reader.feed(text)
    reader.close()
    return reader.finish()


def _count_same(blocks: Sequence[Block], wanted: Sequence[str]) -> int:
    count = 0
    for block, text in zip(blocks, wanted, strict=False):
        if block.text != text:
            break
        count += 1
    return count


def _line(text: str) -> str:
    return f"<div>{_escape(text)}</div>" if text else EMPTY


def _escape(text: str) -> str:
    return html.escape(text, quote=False).replace("\r", "&#13;")


class _BlockReader(HTMLParser):
    """Splits HTML into its outermost elements."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self._starts = [0]
        for line in text.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._whole = text
        self._blocks: list[Block] = []
        self._depth = 0
        self._begin = 0
        self._words: list[str] = []
        self._broken = False
        self._plain = True

    def finish(self) -> tuple[Block, ...] | None:
        """Return the blocks that were read; None if the text is not made of whole plain blocks."""
        return tuple(self._blocks) if self._plain and self._depth == 0 else None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a block, or go deeper in the present one."""
        deep = self._depth > 0
        self._plain = self._plain and tag in _PLAIN and deep == (tag not in _LINES or (tag in _HEADINGS and deep))
        if tag in _VOID:
            self._broken = True
            return
        if self._depth == 0:
            self._begin = self._at()
            self._words = []
            self._broken = False
        self._depth += 1

    def handle_endtag(self, tag: str) -> None:
        """End the present block when its outermost element ends."""
        if tag in _VOID or self._depth == 0:
            return
        self._depth -= 1
        if self._depth == 0:
            end = self._whole.index(">", self._at()) + 1
            self._blocks.append(Block(self._whole[self._begin : end], "".join(self._words)))

    def handle_data(self, data: str) -> None:
        """Add to the text of the present block; there is none between the blocks."""
        if self._depth:
            # A break in the middle of a block makes two lines of it.
            self._plain = self._plain and not self._broken
            self._words.append(data)
        else:
            self._plain = self._plain and not data.strip()

    def _at(self) -> int:
        line, column = self.getpos()
        return self._starts[line - 1] + column
