"""Lists of UIDs as they are written in commands and answers (`1:3,7`)."""

from collections.abc import Iterator, Sequence
from imaplib import IMAP4

_MOST_UIDS = 1_000_000
"""No honest list is as long."""
_LONGEST_SET = 7000
"""Characters of a list of UIDs in one command; some servers take no line of 8,192."""


def sets(uids: Sequence[int]) -> Iterator[str]:
    """Yield UIDs as sets (`1:3,7`), each short enough for one line."""
    parts: list[str] = []
    for first, last in _runs(sorted(set(uids))):
        part = str(first) if first == last else f"{first}:{last}"
        if parts and sum(map(len, parts)) + len(parts) + len(part) > _LONGEST_SET:
            yield ",".join(parts)
            parts = []
        parts.append(part)
    if parts:
        yield ",".join(parts)


def numbers(said: str) -> list[int]:
    """Return the UIDs of a set, in its order."""
    found: list[int] = []
    for part in said.split(","):
        first, _, last = part.partition(":")
        if not (first.isdecimal() and (last or first).isdecimal()):
            raise IMAP4.error("a list of UIDs cannot be read")
        low, high = sorted((int(first), int(last or first)))
        if high - low > _MOST_UIDS:
            raise IMAP4.error("a list of UIDs is too long")
        found += range(low, high + 1)
    return found


def _runs(uids: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = last = None
    for uid in uids:
        if start is None or last is None or uid != last + 1:
            if start is not None and last is not None:
                yield start, last
            start = uid
        last = uid
    if start is not None and last is not None:
        yield start, last
