"""Set right the words of patterns that were typed with a slip; names are looked up otherwise."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from sayso.models.embedded.intents import intents
from sayso.models.embedded.names import LONG
from sayso.models.embedded.patterns import Either, Literal, Part
from sayso.models.embedded.words import Word

_SHORTEST = 4
_WORDS_OF_THEIR_OWN = frozenset({"lunch", "stat", "clos", "lose", "closed", "opened", "switched", "posed", "pens"})
"""Words that are a slip away from one of a pattern, and are meant."""


def corrected(words: Sequence[Word]) -> tuple[str, ...]:
    """Return words as patterns spell them: one with a letter too few or too many, or two exchanged, is set right."""
    return tuple(word.text if word.quoted else _corrected(word.text) for word in words)


@lru_cache(maxsize=256)
def _corrected(word: str) -> str:
    known = vocabulary()
    if len(word) < _SHORTEST or word in known or word in _WORDS_OF_THEIR_OWN or not word.isalpha():
        return word
    meant = [one for one in known if len(one) >= _SHORTEST and _slipped(word, one)]
    return meant[0] if len(meant) == 1 else word


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """Return every word of the patterns."""
    return frozenset(word for intent in intents() for pattern in intent.patterns for word in _literals(pattern.parts))


def _literals(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        match part:
            case Literal(word):
                yield word
            case Either(ways):
                for way in ways:
                    yield from _literals(way)
            case _:
                pass


def _slipped(wrong: str, right: str) -> bool:
    """Say whether one is the other with a letter too few or too many, or two exchanged.

    With another letter in it, a short word is another word.
    """
    if wrong[0] != right[0]:
        return False
    if len(wrong) == len(right) >= LONG and sum(one != other for one, other in zip(wrong, right, strict=True)) == 1:
        return True
    if len(wrong) == len(right):
        return any(_exchanged(wrong, at) == right for at in range(len(wrong) - 1))
    longer, shorter = (wrong, right) if len(wrong) > len(right) else (right, wrong)
    if longer[:-1] == shorter:
        return False  # another form of the word, and so another thing
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))


def _exchanged(word: str, at: int) -> str:
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
