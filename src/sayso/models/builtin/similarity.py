"""Compare the spelling of two words; this module is imported only when a name is mistyped."""

from rapidfuzz.fuzz import ratio


def similarity(word: str, other: str) -> float:
    """Return the similarity of two words: 100 if they are equal, 0 if they have no letter in common."""
    return ratio(word, other)
