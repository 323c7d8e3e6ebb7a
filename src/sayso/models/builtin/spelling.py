"""Correct typing errors in words with which people wish for something; names of things are left as they were typed."""

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from sayso.models.builtin.classify import kin_words
from sayso.models.builtin.learned import cues
from sayso.models.builtin.learned import known as known_words
from sayso.models.builtin.match import is_near_miss, name_parts
from sayso.models.builtin.times import number
from sayso.models.builtin.tokens import Token, vocabulary
from sayso.models.builtin.world import ContextWorld

_SHORTEST = 4
_WORDS_OF_THEIR_OWN = frozenset({"lunch", "stat", "clos", "lose", "closed", "opened", "switched", "posed", "pens"})
"""Correct words that look like a misspelled word."""


def corrected(words: Sequence[Token], world: ContextWorld) -> tuple[Token, ...]:
    """Return the words with typing errors corrected, but those of quotes and of names that are known here."""
    named = _named(world)
    return tuple(word if word.quoted or word.text in named else replace(word, text=_right(word.text)) for word in words)


@lru_cache(maxsize=8)
def _named(world: ContextWorld) -> frozenset[str]:
    names = [
        *(name for tab in world.tabs for name in (tab.title, tab.url)),
        *world.apps, *world.presets, *world.tasks, *world.completed, *world.habits, *world.reminders,
        *(one.path for one in world.files), *(one.title for one in world.events),
    ]  # fmt: skip
    return frozenset(part for name in names for part in name_parts(name))


@lru_cache(maxsize=1)
def _known() -> dict[tuple[str, int], list[str]]:
    """Return the words that are corrected to, by their first letter and length."""
    found: dict[tuple[str, int], list[str]] = {}
    lists = ("asks", "closes", "often_mistyped", "orders", "verbs")
    for word in sorted(kin_words() | cues() | frozenset(one for name in lists for one in vocabulary(name))):
        if len(word) >= _SHORTEST:
            found.setdefault((word[0], len(word)), []).append(word)
    return found


@lru_cache(maxsize=1024)
def _right(word: str) -> str:
    known = _known()
    if len(word) < _SHORTEST or word in _WORDS_OF_THEIR_OWN or not word.isalpha():
        return word
    if word in known.get((word[0], len(word)), ()) or word in known_words() or number(word) is not None:
        return word
    near = [one for length in (-1, 0, 1) for one in known.get((word[0], len(word) + length), ())]
    meant = [one for one in near if is_near_miss(word, one)]
    return meant[0] if len(meant) == 1 else word
