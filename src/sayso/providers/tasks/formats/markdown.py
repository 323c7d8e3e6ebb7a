"""Tasks as a Markdown checklist: nested `- [ ]` and `- [x]`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sayso.providers.tasks.formats.entries import Entry, Imported

_BULLET = r"(?:[-*+]|[0-9]{1,9}[.)])"
_ITEM = re.compile(rf"[ \t]*{_BULLET}[ \t]+\[(?P<mark>[ xX])\](?:[ \t]+(?P<text>.*))?")
_FENCE = re.compile(rf"[ \t]*(?P<item>{_BULLET}[ \t]+)?(?P<fence>`{{3,}}(?=[^`]*$)|~{{3,}})")
_HEADING = re.compile(r"[ \t]*#")
_BEGINS = re.compile(rf"[ \t]*(?:{_BULLET}(?:[ \t]|$)|#|`{{3}}|~{{3}}|[-*_]{{3,}}$)")
"""What is never the rest of the item before it: another item, a heading, code or a rule."""
_TAB = 4
_SHOWN = 60


def written(entries: Iterable[Entry]) -> str:
    """Return the checklist, each level two spaces deeper."""
    return "".join(f"{'  ' * entry.level}- [{'x' if entry.completed else ' '}] {entry.text}\n" for entry in entries)


def read(text: str) -> Imported:
    """Return the items of every checklist in a text; other lines are left out and told, blank ones and headings not.

    An item that stands deeper than the one before it is below that one, however deep it is; where a line that is
    left out stands between them and no deeper than the first, it is not. What stands in a code block is no item.
    """
    reader = _Reader()
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        reader.feed(number, line.rstrip())
    reader.end_code()
    return Imported(tuple(reader.entries), tuple(reader.left_out))


@dataclass(frozen=True, slots=True)
class _Code:
    """A code block: how it is fenced, on which line it begins, and how deep the item around it stands (-1: none)."""

    fence: str
    first: int
    around: int

    def has(self, line: str) -> bool:
        """Say whether a line still belongs to it: what stands no deeper than the item around it does not."""
        return not line or _indent(line) > self.around

    def is_closed_by(self, line: str) -> bool:
        """Say whether this is the fence at its end."""
        mark = line.strip()
        return len(mark) >= len(self.fence) and not mark.strip(self.fence[0])


class _Reader:
    """Takes one line after the other."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.left_out: list[str] = []
        self._indents: list[int] = []
        """How deep the items stand that the next one may be below, the innermost last."""
        self._code: _Code | None = None
        self._after_blank = False
        self._last = 0
        """The number of the last line that was not blank."""

    def feed(self, number: int, line: str) -> None:
        """Take a line without the blanks at its end."""
        if self._code is not None and not self._code.has(line):
            self.end_code()
        self._last = number if line else self._last
        if self._code is None:
            self._outside(number, line)
            self._after_blank = not line
        elif self._code.is_closed_by(line):
            self.end_code()

    def end_code(self) -> None:
        """Tell of the code block that ends here, if there is one."""
        if self._code is not None:
            self.left_out.append(f"lines {self._code.first} to {self._last} are a code block")
            self._code = None

    def _outside(self, number: int, line: str) -> None:
        item, fence = _ITEM.fullmatch(line), _FENCE.match(line)
        words = (item["text"] or "").strip() if item else ""
        if self._after_blank or _BEGINS.match(line):
            self._leave(line)
        if item and words:
            self.entries.append(Entry(words, len(self._indents), item["mark"] != " "))
            self._indents.append(_indent(line))
        elif fence:
            self._code = _Code(
                fence["fence"], number, _indent(line) if fence["item"] else max(self._indents, default=-1)
            )
        elif line and not _HEADING.match(line):
            self.left_out.append(f"line {number} is no checklist item: {line.strip()[:_SHOWN]}")

    def _leave(self, line: str) -> None:
        """Leave the items that a line is not below."""
        while line and self._indents and self._indents[-1] >= _indent(line):
            self._indents.pop()


def _indent(line: str) -> int:
    wide = line.expandtabs(_TAB)
    return len(wide) - len(wide.lstrip(" "))
