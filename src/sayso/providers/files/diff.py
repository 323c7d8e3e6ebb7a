"""Previews of text changes: a bounded unified diff, or sizes and hashes where lines cannot be compared."""

import difflib
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate

from sayso.providers.files.model import Unchanged
from sayso.providers.files.operations import size_in_words
from sayso.providers.files.store import Files, Item

MOST_LINES = 200
MOST_BYTES = 20_000
COMPARED = 100_000
"""Texts with more bytes are not compared line by line: that takes time that grows with the square of the size."""
COMPARED_LINES = 2_000
BUDGET = 100_000
"""Maximum number of pairs of equal lines compared for one preview.

It limits the time, since a batch can have many previews, and equal lines can repeat often.
"""

_LONG = 200


class _TooDifferent(Exception):
    """Raised when comparing takes more steps than one preview may use."""


class _Matcher(difflib.SequenceMatcher[str]):
    """Compares lines, and gives up early when so many lines repeat that comparing them would take minutes."""

    def __init__(self, before: list[str], after: list[str]) -> None:
        super().__init__(None, before, after)
        count = Counter(after)
        # difflib ignores lines that a long text repeats very often.
        most = len(after) // 100 + 1 if len(after) >= _LONG else len(after)
        alike = [1 + (count[line] if count[line] <= most else 0) for line in before]
        self._pairs = list(accumulate(alike, initial=0))
        self._left = BUDGET

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> difflib.Match:
        """Return the longest block that both texts have. Raises `_TooDifferent`."""
        self._left -= self._pairs[len(self._pairs) - 1 if ahi is None else ahi] - self._pairs[alo]
        if self._left < 0:
            raise _TooDifferent
        return super().find_longest_match(alo, ahi, blo, bhi)


async def difference(files: Files, path: str, found: Item, content: str) -> str:
    """Return a bounded unified diff from the file at `path` to `content`.

    If the lines cannot be compared, return sizes and hashes instead.
    """
    new = content.encode()
    if max(found.size, len(new)) > COMPARED:
        return _by_hash(found, new, "too long to compare line by line")
    old = await files.read(path, COMPARED)
    if not old.exact or "\0" in old.text:
        return _by_hash(found, new, "not a text file")
    before, after = _lines(old.text), _lines(content)
    if max(len(before), len(after)) > COMPARED_LINES:
        return _by_hash(found, new, "too long to compare line by line")
    try:
        return bound_lines(list(_unified_diff(before, after)))
    except _TooDifferent:
        return _by_hash(found, new, "too different to compare line by line")


def added_lines(content: str) -> str:
    """Return added text as the lines of a diff, bounded."""
    return bound_lines(f"+{line}" for line in _lines(content))


def bound_lines(lines: Iterable[str]) -> str:
    """Join lines, at most 200 and 20 kB, and add a line that says how many were left out."""
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


def _unified_diff(before: list[str], after: list[str]) -> Iterator[str]:
    """Yield the lines of a unified diff, as `difflib.unified_diff` would."""
    for number, group in enumerate(_Matcher(before, after).get_grouped_opcodes(3)):
        if not number:
            yield from ("--- before", "+++ after")
        yield f"@@ -{_range(group[0][1], group[-1][2])} +{_range(group[0][3], group[-1][4])} @@"
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[start:end])
                continue
            yield from (f"-{line}" for line in before[start:end])
            yield from (f"+{line}" for line in after[new_start:new_end])


def _range(start: int, end: int) -> str:
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _lines(text: str) -> list[str]:
    # Only \n ends a line; other characters at which `splitlines` splits are content.
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
