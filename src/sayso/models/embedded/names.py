"""Find the things that a few words name: by the whole name, by words of it, or by words with a slip in them.

What is found by a step ends the search, so that a whole name never competes with a part of another one. A word with a
slip must be like a word of the name by at least `ALIKE` of 100, and a thing named with slips must be `MARGIN` ahead of
every other, or there are several.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from sayso.core.loading import load
from sayso.core.values import dataclass
from sayso.models.embedded.forms import same
from sayso.models.embedded.words import folded

ALIKE = 85.0
"""How like a word of a name, of 100, a mistyped word must be."""
MARGIN = 8.0
"""How much better than the next the best must be when words are mistyped."""
LEAST_FOR_SLIPS = 4
"""A shorter word means another word when a letter of it changes."""
LONG = 8
"""A word of so many letters is still known with another letter in it."""
WHOLE, BY_WORDS, BY_PARTS, BY_SLIPS = 1.0, 0.9, 0.83, 0.8

_PARTS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Named:
    """What was found, in the order of the world, and how surely: by its whole name, words, parts of words, or slips."""

    at: tuple[int, ...]
    sureness: float


def parts(text: str) -> tuple[str, ...]:
    """Return the runs of letters and digits of a text, folded and without accents.

    What an apostrophe ends with is no word of its own.
    """
    plain = folded(text).replace("'s ", " ").removesuffix("'s").replace("'", "")
    bare = "".join(one for one in unicodedata.normalize("NFD", plain) if not unicodedata.combining(one))
    return tuple(_PARTS.findall(bare))


def named(said: str, names: Sequence[Iterable[str]], *, forms: bool = False) -> Named:
    """Return which of the things, each given with all that it is called, the words name.

    With `forms`, a word may stand in another form than in the name: “watered” for “water”.
    """
    wanted = parts(said)
    if not wanted:
        return Named((), 0.0)
    called = [[parts(name) for name in known] for known in names]
    steps: list[tuple[Callable[[tuple[str, ...], tuple[str, ...]], bool], float]] = [
        (_is_whole, WHOLE),
        (_has_every_word, BY_WORDS),
        *([(_every(_is_form), BY_WORDS)] if forms else []),
        (_every(_begins), BY_PARTS),
    ]
    for fits, sureness in steps:
        found = tuple(at for at, known in enumerate(called) if any(fits(wanted, name) for name in known))
        if found:
            return Named(found, sureness)
    return Named(_by_slips(wanted, called), BY_SLIPS)


def alike(said: str, names: Sequence[str]) -> list[float]:
    """Return how like each of the names is to what was said, of 100: what none is called may be one misheard."""
    ratio: Callable[[str, str], float] = load("sayso.models.embedded.likeness:likeness")
    wanted = parts(said)
    return [max((ratio(word, part) for word in wanted for part in parts(name)), default=0.0) for name in names]


def _is_whole(wanted: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return wanted == name


def _has_every_word(wanted: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Say whether every word is in a name, or all of them are it when blanks do not count: “whats app”."""
    return _every(_is_word)(wanted, name) or "".join(wanted) == "".join(name)


def _every(like: Callable[[str, str], bool]) -> Callable[[tuple[str, ...], tuple[str, ...]], bool]:
    """Return what says whether every word has one in a name that it is like."""
    return lambda wanted, name: all(any(like(word, part) for part in name) for word in wanted)


def _is_word(word: str, part: str) -> bool:
    return part in (word, f"{word}s") or word == f"{part}s"


def _is_form(word: str, part: str) -> bool:
    return _is_word(word, part) or same(word, part)


def _begins(word: str, part: str) -> bool:
    """Say whether a word is the first half of another, or more; of very few letters it must be all of it."""
    if len(word) < LEAST_FOR_SLIPS - 1:
        return word == part
    return (part.startswith(word) and 2 * len(word) >= len(part)) or (word.endswith("s") and part == word[:-1])


def _by_slips(wanted: tuple[str, ...], called: Sequence[Sequence[tuple[str, ...]]]) -> tuple[int, ...]:
    ratio: Callable[[str, str], float] = load("sayso.models.embedded.likeness:likeness")
    scores = {
        at: max((_likeness(wanted, name, ratio) for name in known), default=0.0) for at, known in enumerate(called)
    }
    best = max(scores.values(), default=0.0)
    if best < ALIKE:
        return ()
    return tuple(at for at, score in scores.items() if score >= ALIKE and score > best - MARGIN)


def _likeness(wanted: tuple[str, ...], name: tuple[str, ...], ratio: Callable[[str, str], float]) -> float:
    """Return how like its counterpart the least alike of the words is."""
    return min((max((_alike(word, part, ratio) for part in name), default=0.0) for word in wanted), default=0.0)


def _alike(word: str, part: str, ratio: Callable[[str, str], float]) -> float:
    if _begins(word, part):
        return 100.0
    if min(len(word), len(part)) < LEAST_FOR_SLIPS or word[0] != part[0]:
        return 0.0
    if len(word) == len(part) < LONG and sorted(word) != sorted(part):
        return 0.0  # with another letter a short name is another: “Carlo”, “Carla”
    return ratio(word, part)
