"""What a write would change, as a text for the card: a unified diff, or sizes and hashes where none can be shown."""

import difflib
import hashlib
from collections.abc import Iterable

from sayso.providers.files.facts import Unchanged
from sayso.providers.files.operations.words import size_in_words
from sayso.providers.files.store import Files, Item

MOST_LINES = 200
MOST_BYTES = 20_000
COMPARED = 100_000
"""Bytes of a text up to which lines are compared; the time for it grows with the square."""
COMPARED_LINES = 2_000


async def difference(files: Files, path: str, found: Item, content: str) -> str:
    """Return the unified diff from what stands at `path` to `content`, bounded."""
    new = content.encode()
    if max(found.size, len(new)) > COMPARED:
        return _by_hash(found, new, "too long to compare line by line")
    old = await files.read(path, COMPARED)
    if not old.exact or "\0" in old.text:
        return _by_hash(found, new, "not a text file")
    before, after = _lines(old.text), _lines(content)
    if max(len(before), len(after)) > COMPARED_LINES:
        return _by_hash(found, new, "too long to compare line by line")
    return bounded(difflib.unified_diff(before, after, "before", "after", lineterm=""))


def added(content: str) -> str:
    """Return a text that is only added as the lines of a diff, bounded."""
    return bounded(f"+{line}" for line in _lines(content))


def bounded(lines: Iterable[str]) -> str:
    """Join lines up to 200 and 20 kB, and say how many more there are."""
    kept: list[str] = []
    size = more = 0
    for line in lines:
        for part in line.split("\n"):
            size += len(part.encode()) + 1
            if more or len(kept) == MOST_LINES or size > MOST_BYTES:
                more += 1
            else:
                kept.append(part)
    return "\n".join([*kept, *([f"… {more:,} more {'line' if more == 1 else 'lines'}"] if more else [])])


def _lines(text: str) -> list[str]:
    # Only \n ends a line: what splitlines takes for line ends besides is content.
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1]:
        return [*lines[:-1], lines[-1] + "\n\\ no newline at the end"]
    return lines[:-1]


def _by_hash(found: Item, new: bytes, why: str) -> str:
    old = found.fact.sha256 if isinstance(found.fact, Unchanged) else ""
    before = f"before: {size_in_words(found.size)}" + (f", SHA-256 {old}" if old else "")
    after = f"after: {size_in_words(len(new))}, SHA-256 {hashlib.sha256(new).hexdigest()}"
    return f"{why}\n{before}\n{after}"
