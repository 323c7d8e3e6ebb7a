"""Match words to the names of existing things: to a whole name, to parts of it, or to a similar spelling."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.lazy import load
from sayso.core.normal_forms import normal_form
from sayso.models.builtin.grammar import intents, literals_of
from sayso.models.builtin.tokens import (
    Token,
    fold,
    is_past,
    is_same_word,
    join_words,
    source_text,
    vocabulary,
    word_list,
)
from sayso.models.builtin.world import Utterance

MOST_CHOICES = 8


class SlotValue(Struct, frozen=True):
    """The value that the words of a slot mean, and the confidence that they mean it.

    `free_words` is the number of words that were copied into the value without being understood.
    """

    value: Json
    confidence: float = 1.0
    free_words: int = 0
    pointed: str = ""
    """The words by which the thing was named before, if a word such as “it” points back at it."""


class Choice(Struct, frozen=True):
    """One of several possible values of a slot, with the label that the person sees."""

    label: str
    value: Json


class Ambiguous(Struct, frozen=True):
    """Words that match several things although only one may be meant; `question` asks the person which one it is."""

    question: str
    choices: tuple[Choice, ...]
    confidence: float = 1.0


class Unresolved(Struct, frozen=True):
    """Words that match nothing known, or are unclear; `why` is a sentence that tells the person so."""

    why: str
    sure: bool = False
    """True if the words certainly belong to this slot; if False, any other match of the clause is preferred."""
    kind: str = ""
    """The kind of thing whose name was not found, such as “task”; empty if a name is not the problem."""
    quoted: str = ""
    """The words that were not found, in quotes."""
    name: str = ""
    """The words that were not found, without fillers such as “the” and without nouns for the kind."""
    known: tuple[Choice, ...] = ()
    """All known things of this kind."""


Resolution = SlotValue | Ambiguous | Unresolved


def list_choices(choices: Sequence[Choice]) -> str:
    """Return the labels of the choices as part of a sentence; only `MOST_CHOICES` are listed, others are counted."""
    labels = [choice.label for choice in choices[:MOST_CHOICES]]
    if len(choices) > MOST_CHOICES:
        return f"{', '.join(labels)}, and {len(choices) - MOST_CHOICES} more"
    return f"{', '.join(labels[:-1])} or {labels[-1]}" if len(labels) > 1 else labels[0]


def quote_words(text: str) -> str:
    """Return a text in quotes, on one line, and shortened if it is long; double quotes in it become straight ones."""
    line = " ".join(text.split()).translate(_PLAIN_QUOTES)
    return f"“{line}”" if len(line) <= _LONGEST else f"“{line[:_LONGEST]}…”"


_PLAIN_QUOTES = str.maketrans("“”„‟", '""""')
_LONGEST = 120

SIMILAR = 85.0
"""The least similarity, out of 100, at which a word is taken for a mistyped word of a name."""
MARGIN = 8.0
"""For mistyped words, every name is a possible match whose similarity is less than this below that of the best one."""
LEAST_FOR_SLIPS = 4
"""Words with fewer letters must be spelled correctly, because with another letter they are another word."""
LONG = 8
"""Words with at least this many letters are recognised even if one letter is wrong."""
WHOLE, BY_WORDS, BY_PARTS, BY_SLIPS = 1.0, 0.9, 0.83, 0.8

_PARTS = re.compile(r"[^\W_]+")


class NameMatch(Struct, frozen=True):
    """The things that a name may mean, by their index in the list, and the confidence."""

    at: tuple[int, ...]
    confidence: float


@lru_cache(maxsize=4096)
def name_parts(text: str) -> tuple[str, ...]:
    """Return the sequences of letters and digits in a text, folded and without accents.

    A possessive “'s” is left out.
    """
    plain = fold(text).replace("'s ", " ").removesuffix("'s").replace("'", "")
    bare = "".join(one for one in normal_form(plain, "NFD") if not unicodedata.combining(one))
    return tuple(_PARTS.findall(bare))


def match_name(said: str, names: Sequence[Iterable[str]], *, forms: bool = False) -> NameMatch:
    """Return the things that the words mean; `names` has, for each thing, all its names.

    A match with a whole name is tried first, then looser kinds of match; the first kind that finds anything is used.
    With `forms`, a word may have another form than the word in the name: “watered” for “water”.
    """
    wanted = name_parts(said)
    if not wanted:
        return NameMatch((), 0.0)
    called = [[name_parts(name) for name in known] for known in names]
    steps: list[tuple[Callable[[tuple[str, ...], tuple[str, ...]], bool], float]] = [
        (_is_whole, WHOLE),
        (_has_every_word, BY_WORDS),
        *([(_every_word(_is_form), BY_WORDS)] if forms else []),
        (_every_word(_begins), BY_PARTS),
    ]
    for fits, confidence in steps:
        found = tuple(at for at, known in enumerate(called) if any(fits(wanted, name) for name in known))
        if found:
            return NameMatch(found, confidence)
    return NameMatch(_names_with_slips(wanted, called), BY_SLIPS)


def similarities(said: str, names: Sequence[str], *, every: bool = False) -> list[float]:
    """Return the similarity of each name to the text, out of 100; the most similar pair of words decides.

    With `every`, the word of the text that is least similar to the name decides.
    """
    ratio: Callable[[str, str], float] = load("sayso.models.builtin.similarity:similarity")
    wanted = name_parts(said)
    each = min if every else max
    return [
        each((max((ratio(word, part) for part in name_parts(name)), default=0.0) for word in wanted), default=0.0)
        for name in names
    ]


def _is_whole(wanted: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return wanted == name


def _has_every_word(wanted: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Say whether a name contains every word, or is equal to the words without spaces (“whats app”)."""
    return _every_word(_is_word)(wanted, name) or "".join(wanted) == "".join(name)


def _every_word(like: Callable[[str, str], bool]) -> Callable[[tuple[str, ...], tuple[str, ...]], bool]:
    """Return a function that says whether each word is like at least one word of a name."""
    return lambda wanted, name: all(any(like(word, part) for part in name) for word in wanted)


def _is_word(word: str, part: str) -> bool:
    return part in (word, f"{word}s") or word == f"{part}s"


def _is_form(word: str, part: str) -> bool:
    return _is_word(word, part) or is_same_word(word, part)


def _begins(word: str, part: str) -> bool:
    """Say whether a word begins another, with its half or four letters; one of one or two letters must equal it."""
    if len(word) < LEAST_FOR_SLIPS - 1:
        return word == part
    enough = 2 * len(word) >= len(part) or len(word) >= LEAST_FOR_SLIPS
    return (part.startswith(word) and enough) or (word.endswith("s") and part == word[:-1])


def _names_with_slips(wanted: tuple[str, ...], called: Sequence[Sequence[tuple[str, ...]]]) -> tuple[int, ...]:
    scores = {
        at: max((_name_similarity(wanted, name) for name in known), default=0.0) for at, known in enumerate(called)
    }
    best = max(scores.values(), default=0.0)
    if best < SIMILAR:
        return ()
    return tuple(at for at, score in scores.items() if score >= SIMILAR and score > best - MARGIN)


def _name_similarity(wanted: tuple[str, ...], name: tuple[str, ...]) -> float:
    """Return the similarity of the words to a name, out of 100: that of the word that is least similar to the name."""
    return min((max((_word_similarity(word, part) for part in name), default=0.0) for word in wanted), default=0.0)


@lru_cache(maxsize=4096)
def _word_similarity(word: str, part: str) -> float:
    if _begins(word, part):
        return 100.0
    if min(len(word), len(part)) < LEAST_FOR_SLIPS or word[0] != part[0]:
        return 0.0
    if len(word) == len(part) < LONG and sorted(word) != sorted(part):
        return 0.0  # a short name with another letter is another name: “Carlo”, “Carla”
    ratio: Callable[[str, str], float] = load("sayso.models.builtin.similarity:similarity")
    return ratio(word, part)


FILLING = frozenset(
    {
        "the",
        "my",
        "a",
        "an",
        "that",
        "this",
        "our",
        "called",
        "named",
        "one",
        "about",
        "for",
        "to",
        "with",
        "of",
        "from",
    }
)
"""Words beside a name that do not distinguish one thing from another (T-58)."""
_ARTICLES = frozenset({"the", "my", "our", "a", "an"})
NOT_ALL = "Nothing is done to everything at once: name what you mean."
EVERYTHING = frozenset({"all", "everything", "every", "each", "anything", "any", "entire", "whole"})
CHANGING = frozenset(
    word_list(
        "all everything every each anything any entire whole both not never no except but without nothing "
        "don't it them those these other others"
    )
)
"""Words that change the meaning of a name, such as “not”; words with one of them match only a whole name."""


class Entity(Struct, frozen=True):
    """A thing that a wish may mean: its value as an argument, its label for the person, and its names."""

    value: Json
    label: str
    names: tuple[str, ...]
    is_activity: bool = False
    """True if the name is an activity; a wish may mention it in another form, as in “watering the ficus”."""


def entity_named(name: str, *more: str, is_activity: bool = False) -> Entity:
    """Return a thing whose value is its name; `more` are other names of it."""
    return Entity(name, quote_words(name), (name, *more), is_activity)


def distinguishing_words(words: Sequence[Token], nouns: Iterable[str] = ()) -> list[Token]:
    """Return the words without fillers and without nouns for the kind of thing."""
    passed_over = FILLING.union(nouns)
    return [word for word in words if word.text not in passed_over]


_DESCRIBING = frozenset(
    word_list("that which who where i i've we you he she they from lying sitting saved open opened among")
)


_JOINED, _LONGEST_DESCRIPTION = frozenset({"and", "then", "to", "on", "not"}), 9


def before_description(words: Sequence[Token]) -> list[Token]:
    """Return the words before a clause that only describes the thing, as in “the letter I wrote yesterday”."""
    end = next((at for at, word in enumerate(words) if at and word.text in _DESCRIBING and not word.quoted), len(words))
    rest = words[end:]
    only = len(rest) <= _LONGEST_DESCRIPTION and not any(word.text in _JOINED or word.quoted for word in rest)
    return [*words[:end]] if only and not any(word.pause for word in words[end - 1 : -1]) else [*words]


def match_entity(
    what: str, words: Sequence[Token], utterance: Utterance, things: Sequence[Entity], nouns: Iterable[str] = ()
) -> Resolution | None:
    """Return the value of the thing that the words mean, or the reason why there is not exactly one.

    `nouns` are words for the kind of thing, such as “task”. Returns None if the words contain no name.
    """
    found = match_entities(words, things, nouns)
    if found is None:
        return None
    meant, confidence = found
    said = quote_words(source_text(utterance.text, words))
    if len(meant) > 1:
        return Ambiguous(
            f"Which {what} is meant by {said}?", tuple(Choice(thing.label, thing.value) for thing in meant), confidence
        )
    if not meant:
        there = tuple(Choice(thing.label, thing.value) for thing in things)
        why = explain_no_match(f"No {what} here is called {said}.", words)
        return Unresolved(why, kind=what, quoted=said, name=join_words(distinguishing_words(words, nouns)), known=there)
    return SlotValue(meant[0].value, confidence)


def explain_no_match(why: str, words: Sequence[Token]) -> str:
    """Return `why`; if the words ask for everything, a sentence is added: sayso does nothing to everything at once."""
    if any(word.text in EVERYTHING for word in words):
        return f"{why} {NOT_ALL}"
    return why


def match_entities(
    words: Sequence[Token], things: Sequence[Entity], nouns: Iterable[str] = ()
) -> tuple[list[Entity], float] | None:
    """Return the things that the words mean, and the confidence; None if the words contain no name at all."""
    forms = any(thing.is_activity for thing in things)
    names = [thing.names for thing in things]
    for told in (words, words[1:] if words[0].text in _ARTICLES else ()):
        whole = match_name(join_words(told), names)
        if whole.confidence == WHOLE:
            return [things[at] for at in whole.at], WHOLE
    telling = distinguishing_words(words)
    if any(word.text in CHANGING for word in telling):
        return [], 0.0
    # The words are tried without nouns for the kind (“wine task”), and then with these nouns, as they may be part of
    # the name (“Task force”).
    short = before_description(telling)
    described = [distinguishing_words(short, nouns), short] if len(short) < len(telling) else []
    for told in (distinguishing_words(telling, nouns), telling, *described):
        if told:
            found = match_name(join_words(told), names, forms=forms)
            if found.at:
                return [things[at] for at in found.at], found.confidence
    return ([], 0.0) if distinguishing_words(telling, nouns) else None


_ASKING = frozenset(word_list("is are was were has have had"))
"""A sentence that begins with one of these words is a question."""
_HELPING = _ASKING | frozenset(word_list("been got get just already finally today again"))
_PASSED_OVER = FILLING | frozenset(word_list("up down out off on in of at from today now"))


def done_task(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the task that the words say is done, as in “I watered the ficus”."""
    return _done_entity(words, utterance.world.tasks)


def ticked_task(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the task to tick off; part of its name is enough, because the wish explicitly asks to tick it off."""
    found = done_task(words, utterance)
    if isinstance(found, Ambiguous) and len(found.choices) == 1:
        return SlotValue(found.choices[0].value, BY_WORDS)
    return found


def done_habit(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the habit that the words say is done."""
    return _done_entity(words, utterance.world.habits)


def _done_entity(words: Sequence[Token], names: Sequence[str]) -> Resolution | None:
    """Return the name whose verb is in the words in the past tense.

    If the words have only part of a name, or match several names, return a question.
    """
    said = [word for word in distinguishing_words(words) if word.text not in _HELPING]
    if words[0].text in _ASKING or any(word.quoted or word.text in CHANGING for word in words):
        return None
    told = name_parts(" ".join(word.text for word in said))
    fitting = [name for name in names if _is_done(told, name_parts(name))]
    whole = [name for name in fitting if _says_all(told, name_parts(name))]
    if len(whole) == 1:
        return SlotValue(whole[0], BY_WORDS)
    if not fitting:
        return None
    return Ambiguous("Which one is done?", tuple(Choice(quote_words(name), name) for name in fitting), BY_WORDS)


def _is_done(told: Sequence[str], name: Sequence[str]) -> bool:
    """Say whether the words contain the name's verb in the past tense, and no words that are not in the name."""
    verb = next((word for word in told if is_past(word) and is_same_word(word, name[0])), None) if name else None
    telling = [word for word in told if word != verb]
    told_enough = bool(telling) or len(name) == 1
    return verb is not None and told_enough and all(any(is_same_word(word, part) for part in name) for word in telling)


def _says_all(told: Sequence[str], name: Sequence[str]) -> bool:
    return all(part in _PASSED_OVER or any(is_same_word(word, part) for word in told) for part in name)


_SHORTEST = 4
_WORDS_OF_THEIR_OWN = frozenset({"lunch", "stat", "clos", "lose", "closed", "opened", "switched", "posed", "pens"})
"""Correct words that look like a misspelled word of a pattern."""


def correct_words(words: Sequence[Token]) -> tuple[str, ...]:
    """Return the words; a word that misspells exactly one word of the patterns is replaced by that word."""
    return tuple(word.text if word.quoted else _correct_word(word.text) for word in words)


def correct_all(words: Sequence[Token]) -> tuple[Token, ...]:
    """Return the words with typing errors corrected, also in polite phrases; copied texts keep what was written."""
    return tuple(word if word.quoted else replace(word, text=_correct_word(word.text)) for word in words)


@lru_cache(maxsize=256)
def _correct_word(word: str) -> str:
    known = pattern_words()
    if len(word) < _SHORTEST or word in known or word in _WORDS_OF_THEIR_OWN or not word.isalpha():
        return word
    meant = [one for one in known if len(one) >= _SHORTEST and is_near_miss(word, one)]
    return meant[0] if len(meant) == 1 else word


@lru_cache(maxsize=1)
def pattern_words() -> frozenset[str]:
    """Return every word of all patterns and of polite phrases."""
    literals = frozenset(word for intent in intents() for each in intent.patterns for word in literals_of(each.parts))
    return literals | vocabulary("asks") | vocabulary("closes") | vocabulary("often_mistyped")


def is_near_miss(wrong: str, right: str) -> bool:
    """Say whether two words differ by one letter that is missing, or by two neighbouring letters that are exchanged.

    In a long word, one letter may also be wrong.
    """
    if wrong[0] != right[0]:
        return False
    if len(wrong) == len(right) >= LONG and sum(one != other for one, other in zip(wrong, right, strict=True)) == 1:
        return True
    if len(wrong) == len(right):
        return any(_swap_letters(wrong, at) == right for at in range(len(wrong) - 1))
    longer, shorter = (wrong, right) if len(wrong) > len(right) else (right, wrong)
    if longer[:-1] == shorter:
        return False  # a word without its last letter is another form of it, not a typing error
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))


def _swap_letters(word: str, at: int) -> str:
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
