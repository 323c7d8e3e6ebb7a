"""Match words to names of things that there are: exactly, by parts, or by similar spelling."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.lazy import load
from sayso.models.builtin.grammar import Either, Literal, Part, intents
from sayso.models.builtin.tokens import Word, between, each, fold, is_past, join_words, same
from sayso.models.builtin.world import Scene

MOST_CHOICES = 8


class Found(Struct, frozen=True):
    """What the words mean, how surely, and how many of them were taken as they are."""

    value: Json
    sureness: float = 1.0
    free: int = 0


class Choice(Struct, frozen=True):
    """One of several things that may be meant: how a person is told of it, and what it stands for."""

    said: str
    value: Json


class Several(Struct, frozen=True):
    """Words that mean several things, where one is wanted."""

    said: str
    choices: tuple[Choice, ...]
    sureness: float = 1.0


class Missing(Struct, frozen=True):
    """Words for a thing of the right kind that is not there, or that leave open which it is: a sentence says so."""

    why: str
    sure: bool = False
    """The words are certainly about such a thing, so that nothing else is looked for."""
    what: str = ""
    """The kind of thing that goes by names, such as “task”; empty where it is no name that was not found."""
    said: str = ""
    """The words that name none, as they are told."""
    telling: str = ""
    """Those of them that may tell things apart."""
    there: tuple[Choice, ...] = ()
    """The things of this kind that there are."""


Reading = Found | Several | Missing


def list_choices(choices: Sequence[Choice]) -> str:
    """Return choices as a part of a sentence, at most so many of them."""
    said = [choice.said for choice in choices[:MOST_CHOICES]]
    if len(choices) > MOST_CHOICES:
        return f"{', '.join(said)}, and {len(choices) - MOST_CHOICES} more"
    return f"{', '.join(said[:-1])} or {said[-1]}" if len(said) > 1 else said[0]


def quote_words(text: str) -> str:
    """Return somebody's words in quotes that nothing in them can close, on one line and not too long."""
    line = " ".join(text.split()).translate(_PLAIN_QUOTES)
    return f"“{line}”" if len(line) <= _LONGEST else f"“{line[:_LONGEST]}…”"


_PLAIN_QUOTES = str.maketrans("“”„‟", '""""')
_LONGEST = 120

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


class Named(Struct, frozen=True):
    """What was found, in the order of the world, and how surely: by its whole name, words, parts of words, or slips."""

    at: tuple[int, ...]
    sureness: float


@lru_cache(maxsize=4096)
def parts(text: str) -> tuple[str, ...]:
    """Return the runs of letters and digits of a text, folded and without accents.

    What an apostrophe ends with is no word of its own.
    """
    plain = fold(text).replace("'s ", " ").removesuffix("'s").replace("'", "")
    bare = "".join(one for one in unicodedata.normalize("NFD", plain) if not unicodedata.combining(one))
    return tuple(_PARTS.findall(bare))


def match_name(said: str, names: Sequence[Iterable[str]], *, forms: bool = False) -> Named:
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
    ratio: Callable[[str, str], float] = load("sayso.models.builtin.similarity:likeness")
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
    scores = {at: max((_likeness(wanted, name) for name in known), default=0.0) for at, known in enumerate(called)}
    best = max(scores.values(), default=0.0)
    if best < ALIKE:
        return ()
    return tuple(at for at, score in scores.items() if score >= ALIKE and score > best - MARGIN)


def _likeness(wanted: tuple[str, ...], name: tuple[str, ...]) -> float:
    """Return how like its counterpart the least alike of the words is."""
    return min((max((_alike(word, part) for part in name), default=0.0) for word in wanted), default=0.0)


@lru_cache(maxsize=4096)
def _alike(word: str, part: str) -> float:
    if _begins(word, part):
        return 100.0
    if min(len(word), len(part)) < LEAST_FOR_SLIPS or word[0] != part[0]:
        return 0.0
    if len(word) == len(part) < LONG and sorted(word) != sorted(part):
        return 0.0  # with another letter a short name is another: “Carlo”, “Carla”
    ratio: Callable[[str, str], float] = load("sayso.models.builtin.similarity:likeness")
    return ratio(word, part)


FILLING = frozenset(
    {"the", "my", "a", "an", "that", "this", "our", "called", "named", "one", "about", "for", "to", "with"}
)
"""Words around a name that tell nothing apart (T-58)."""
NOT_ALL = "Nothing is done to everything at once: name what you mean."
EVERYTHING = frozenset({"all", "everything", "every", "each", "anything", "any", "entire", "whole"})
CHANGING = frozenset(
    each(
        "all everything every each anything any entire whole both not never no except but without nothing "
        "don't it them those these other others"
    )
)
"""Words that change what is meant: no name is found by them, unless they are all of it that was said."""


class Thing(Struct, frozen=True):
    """Something with its names, what a person is told of it, and what stands for it in an argument."""

    value: Json
    said: str
    names: tuple[str, ...]
    is_deed: bool = False
    """It is named by a deed, the words of which may be said in another form: “watering the ficus”."""


def by_name(name: str, *more: str, is_deed: bool = False) -> Thing:
    """Return a thing that is its name, and may go by others."""
    return Thing(name, quote_words(name), (name, *more), is_deed)


def bare(words: Sequence[Word], nouns: Iterable[str] = ()) -> list[Word]:
    """Return the words that may tell things apart."""
    passed_over = FILLING.union(nouns)
    return [word for word in words if word.text not in passed_over]


def one(
    what: str, words: Sequence[Word], scene: Scene, things: Sequence[Thing], nouns: Iterable[str] = ()
) -> Reading | None:
    """Return the one of these things that is meant; `nouns` are words for their kind, which tell none apart."""
    found = some(words, things, nouns)
    if found is None:
        return None
    meant, sureness = found
    said = quote_words(between(scene.text, words))
    if len(meant) > 1:
        return Several(
            f"Which {what} is meant by {said}?", tuple(Choice(thing.said, thing.value) for thing in meant), sureness
        )
    if not meant:
        there = tuple(Choice(thing.said, thing.value) for thing in things)
        why = none_of(f"No {what} here is called {said}.", words)
        return Missing(why, what=what, said=said, telling=join_words(bare(words, nouns)), there=there)
    return Found(meant[0].value, sureness)


def none_of(why: str, words: Sequence[Word]) -> str:
    """Return why nothing is meant, with what to do where it was too much that was meant."""
    if any(word.text in EVERYTHING for word in words):
        return f"{why} {NOT_ALL}"
    return why


def some(words: Sequence[Word], things: Sequence[Thing], nouns: Iterable[str] = ()) -> tuple[list[Thing], float] | None:
    """Return all of these things that are meant, and how surely; None where the words name nothing at all."""
    forms = any(thing.is_deed for thing in things)
    names = [thing.names for thing in things]
    whole = match_name(join_words(words), names)
    if whole.sureness == WHOLE:
        return [things[at] for at in whole.at], WHOLE
    telling = bare(words)
    if any(word.text in CHANGING for word in telling):
        return [], 0.0
    # Words for the kind of thing tell nothing apart, unless nothing is found without them: “wine task”, “Task force”.
    for told in (bare(telling, nouns), telling):
        if told:
            found = match_name(join_words(told), names, forms=forms)
            if found.at:
                return [things[at] for at in found.at], found.sureness
    return ([], 0.0) if bare(telling, nouns) else None


_ASKING = frozenset(each("is are was were has have had"))
"""Words with which a statement begins when it is a question."""
_HELPING = _ASKING | frozenset(each("been got get just already finally today again"))
_PASSED_OVER = FILLING | frozenset(each("up down out off on in of at from today now"))


def task(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the task that these words say is done."""
    return _find_done(words, scene.world.tasks)


def find_ticked_task(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the task that these words say is done where it is also said to tick it off: a part of its name will do."""
    found = task(words, scene)
    if isinstance(found, Several) and len(found.choices) == 1:
        return Found(found.choices[0].value, BY_WORDS)
    return found


def habit(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the habit that these words say was done."""
    return _find_done(words, scene.world.habits)


def _find_done(words: Sequence[Word], names: Sequence[str]) -> Reading | None:
    """Return the one whose verb is said as done; what is said in part is asked about."""
    said = [word for word in bare(words) if word.text not in _HELPING]
    if words[0].text in _ASKING or any(word.quoted or word.text in CHANGING for word in words):
        return None
    told = parts(" ".join(word.text for word in said))
    fitting = [name for name in names if _is_done(told, parts(name))]
    whole = [name for name in fitting if _says_all(told, parts(name))]
    if len(whole) == 1:
        return Found(whole[0], BY_WORDS)
    if not fitting:
        return None
    return Several("Which one is done?", tuple(Choice(quote_words(name), name) for name in fitting), BY_WORDS)


def _is_done(told: Sequence[str], name: Sequence[str]) -> bool:
    """Say whether what was told has the verb of a name as past, and nothing that is not in the name."""
    verb = next((word for word in told if is_past(word) and same(word, name[0])), None) if name else None
    telling = [word for word in told if word != verb]
    told_enough = bool(telling) or len(name) == 1
    return verb is not None and told_enough and all(any(same(word, part) for part in name) for word in telling)


def _says_all(told: Sequence[str], name: Sequence[str]) -> bool:
    return all(part in _PASSED_OVER or any(same(word, part) for word in told) for part in name)


_SHORTEST = 4
_WORDS_OF_THEIR_OWN = frozenset({"lunch", "stat", "clos", "lose", "closed", "opened", "switched", "posed", "pens"})
"""Words that are a slip away from one of a pattern, and are meant."""


def correct_words(words: Sequence[Word]) -> tuple[str, ...]:
    """Return words as patterns spell them: one with a letter too few or too many, or two exchanged, is set right."""
    return tuple(word.text if word.quoted else _correct_word(word.text) for word in words)


@lru_cache(maxsize=256)
def _correct_word(word: str) -> str:
    known = vocabulary()
    if len(word) < _SHORTEST or word in known or word in _WORDS_OF_THEIR_OWN or not word.isalpha():
        return word
    meant = [one for one in known if len(one) >= _SHORTEST and _is_near_miss(word, one)]
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


def _is_near_miss(wrong: str, right: str) -> bool:
    """Say whether one is the other with a letter too few or too many, or two exchanged.

    With another letter in it, a short word is another word.
    """
    if wrong[0] != right[0]:
        return False
    if len(wrong) == len(right) >= LONG and sum(one != other for one, other in zip(wrong, right, strict=True)) == 1:
        return True
    if len(wrong) == len(right):
        return any(_swap_letters(wrong, at) == right for at in range(len(wrong) - 1))
    longer, shorter = (wrong, right) if len(wrong) > len(right) else (right, wrong)
    if longer[:-1] == shorter:
        return False  # another form of the word, and so another thing
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))


def _swap_letters(word: str, at: int) -> str:
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
