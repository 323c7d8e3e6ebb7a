"""Tasks as a Markdown checklist: nested `- [ ]` and `- [x]`."""

import re
from collections.abc import Iterable

from sayso.providers.tasks.exchange.entries import Entry, Imported

_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[(?P<mark>[ xX])\](?:[ \t]+(?P<text>.*))?")
_TAB = 4


def written(entries: Iterable[Entry]) -> str:
    """Return the checklist, each level two spaces deeper."""
    return "".join(f"{'  ' * entry.level}- [{'x' if entry.completed else ' '}] {entry.text}\n" for entry in entries)


def read(text: str) -> Imported:
    """Return the items of every checklist in a text; other lines are left out and told, blank ones and headings not.

    An item that stands deeper than the one before it is below that one, however deep it is.
    """
    entries: list[Entry] = []
    left_out: list[str] = []
    indents: list[int] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        found = _ITEM.fullmatch(line.rstrip())
        words = (found["text"] or "").strip() if found else ""
        if found is None or not words:
            if line.strip() and not line.lstrip().startswith("#"):
                left_out.append(f"line {number} is no checklist item: {line.strip()[:60]}")
            continue
        indent = len(found["indent"].expandtabs(_TAB))
        while indents and indents[-1] >= indent:
            indents.pop()
        entries.append(Entry(words, len(indents), found["mark"] != " "))
        indents.append(indent)
    return Imported(tuple(entries), tuple(left_out))
