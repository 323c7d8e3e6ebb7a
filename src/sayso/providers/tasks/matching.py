"""Which items a model means by a text: the four steps by which tasks and habits are found (T-58)."""

import difflib
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

GENERIC = frozenset(
    {"task", "tasks", "todo", "habit", "habits", "item", "the", "a", "an", "my", "for", "to"}
)  # fmt: skip
"""Words that say nothing about which item is meant."""

_QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”",
    "„": "“”",
    "”": "”",
    "‘": "’",
    "\u201a": "‘’",
    "’": "’",
    "«": "»",
    "»": "«",
}


def normalised(text: str) -> str:
    """Return the text as it is compared: case folded, trimmed, spaces collapsed, outer quotes off."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    plain = " ".join(folded.split())
    while len(plain) > 1 and plain[-1] in _QUOTES.get(plain[0], ""):
        plain = plain[1:-1].strip()
    return plain


def matching(query: str, items: Sequence[T], text_of: Callable[[T], str]) -> tuple[T, ...]:
    """Return the items that match at the first of the four steps that yields any, in their order.

    (1) equal; (2) the item contains the query; (3) the query contains the whole item as words; (4)
    every significant word of the query occurs in the item as a word or the start of one. An empty
    query matches nothing.
    """
    wanted = normalised(query)
    if not wanted:
        return ()
    texts = [(item, normalised(text_of(item))) for item in items]
    for fits in (_equal, _contains, _within, fits_every_word):
        found = tuple(item for item, text in texts if text and fits(wanted, text))
        if found:
            return found
    return ()


def near(query: str, texts: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Return up to `limit` of the texts that are written most like the query, the closest first."""
    known = {normalised(text): text for text in texts}
    close = difflib.get_close_matches(normalised(query), known, n=limit, cutoff=0.5)
    return tuple(known[text] for text in close)


def words(text: str) -> tuple[str, ...]:
    """Return the words of a normalised text: runs of letters, digits, marks and underscores."""
    return tuple("".join(char if _in_word(char) else " " for char in text).split())


def significant(query: str) -> tuple[str, ...]:
    """Return the words of a normalised query without the generic ones."""
    return tuple(word for word in words(query) if word not in GENERIC)


def _equal(query: str, item: str) -> bool:
    return query == item


def _contains(query: str, item: str) -> bool:
    return query in item


def _within(query: str, item: str) -> bool:
    start = query.find(item)
    while start >= 0:
        if stands_alone(query, start, start + len(item)):
            return True
        start = query.find(item, start + 1)
    return False


def stands_alone(text: str, start: int, end: int) -> bool:
    """Say whether neither end of this part of a text cuts a word in two."""
    before = start > 0 and _in_word(text[start - 1]) and _in_word(text[start])
    after = end < len(text) and _in_word(text[end - 1]) and _in_word(text[end])
    return not before and not after


def fits_every_word(query: str, item: str) -> bool:
    """Say whether every significant word of a normalised query begins a word of a normalised text."""
    wanted, there = significant(query), words(item)
    return bool(wanted) and all(any(word.startswith(start) for word in there) for start in wanted)


def _in_word(char: str) -> bool:
    # A vowel sign or accent that stands as a character of its own belongs to its word.
    return char.isalnum() or char == "_" or unicodedata.category(char).startswith("M")
