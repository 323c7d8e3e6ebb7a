"""How like another word a mistyped word is; a module of its own, since it is needed only when a name has slips."""

from rapidfuzz.fuzz import ratio


def similarity(word: str, other: str) -> float:
    """Return how like two words are: 100 when they are the same, 0 when they have no letter in common."""
    return ratio(word, other)
