"""Read texts and spans of time from the words of a wish."""

import re
from collections.abc import Sequence

from sayso.models.builtin import times
from sayso.models.builtin.match import Resolution, SlotValue, Unresolved, quote_words
from sayso.models.builtin.times import parse_time
from sayso.models.builtin.tokens import Token, join_words, source_text, word_list
from sayso.models.builtin.world import Utterance

_ON_CONDITION = re.compile(r"\b(?:when|whenever|if|once|unless|until|(?<!the )till|while|before|after|as soon as)\b")
_REPEATS = re.compile(r"\b(?:every|each|daily|weekly|monthly|hourly|yearly)\b")
_A_TIME = re.compile(
    r"\d:\d\d|\d ?[ap]\.?m\b|\b(?:at|by|from|until) (?:\d|noon|midnight)|\bo'clock\b|"
    r"\b(?:today|tonight|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b(?!')|"
    r"\b(?:next|last) (?:week|month|year)\b|\bin (?:a|an|\d+) \w*(?:minute|hour|day|week)|"
    r"\b(?:some ?times?|some ?day|one day|soon|later|eventually|at some point|in a (?:bit|while))\b"
)
_BEGINS_A_TIME = frozenset(
    word_list(
        "at in on by after today tonight tomorrow monday tuesday wednesday thursday friday saturday sunday next "
        "later soon"
    )
)
_NOTHING_SAID = frozenset(
    word_list("it this that these those them something anything stuff things thing a an the task todo item do")
)
_BEFORE_A_TIME = frozenset(word_list("for on at by in"))
_NO_TITLE = frozenset(word_list("that to about for saying from with at in on of and by is"))
_NO_TERM = frozenset(
    word_list(
        "from sent since before after last next this today yesterday tomorrow week month year monday tuesday wednesday "
        "thursday friday saturday sunday not without except and or that all what what's which me everything anything"
    )
)
_NO_PERSON = _NO_TERM | frozenset(
    word_list("about regarding with in to on for subject containing mentioning from who every all any my the")
)
_NAMING = frozenset(word_list("entitled titled called title named saying says text name reading words"))
_CALENDAR = frozenset(word_list("calendar schedule agenda diary planner"))
_ARTICLES = frozenset(word_list("a an the my our"))
_LONGEST_PERSON, _LONGEST_TIME = 4, 6
_REQUESTING = tuple(
    word_list(closing) for closing in ("can you", "could you", "would you", "will you", "please", "pls")
)
_REMEMBERING = tuple(
    word_list(opening)
    for opening in ("remember to", "not forget to", "don't forget to", "make sure to", "for me to", "for me")
)


def text(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the words as they were written; if they are only words such as “it”, return a question.

    Returns None for a quoted text that is followed by more words, because those words have another meaning.
    """
    if words[0].quoted and len(words) > 1:
        return None
    if not any(word.quoted for word in words) and all(word.text in _NOTHING_SAID for word in words):
        return Unresolved(
            f"It is not clear what {quote_words(source_text(utterance.text, words))} is: write it out.", sure=True
        )
    return SlotValue(source_text(utterance.text, words), free_words=0 if is_quote(words) else len(words))


def body(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return a text as `text` does, with a question or exclamation mark after it."""
    found = text(words, utterance)
    if isinstance(found, SlotValue) and not words[-1].quoted and words[-1].pause in {"?", "!"}:
        return SlotValue(f"{found.value}{words[-1].pause}", found.confidence, found.free_words)
    return found


def quote(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the text if the words are exactly one quoted text, else None."""
    return SlotValue(source_text(utterance.text, words)) if is_quote(words) else None


def is_quote(words: Sequence[Token]) -> bool:
    """Say whether these words are exactly one quoted text."""
    return len(words) == 1 and words[0].quoted


def wish(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the text of a reminder; for a condition, a repetition or another time in it, return a question."""
    said = join_words(words)
    if is_quote(words):
        return text(words, utterance)
    if (words[-1].quoted and words[-2].text in _NAMING) or words[0].text == "me":
        return None
    if _ON_CONDITION.search(said):
        return Unresolved("A reminder comes at a time, and not when something happens: say at what time.", sure=True)
    if _REPEATS.search(said):
        return Unresolved("A reminder comes once: say when. What is done again and again is a habit.", sure=True)
    return _without_time(words, utterance)


def todo(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the text of a task; if it begins with a time, return a question, because tasks have no time.

    “Remember to” at the beginning and polite phrases at the end, such as “can you”, are left out.
    """
    for opening in _REMEMBERING:
        if len(words) > len(opening) and tuple(word.text for word in words[: len(opening)]) == opening:
            words = words[len(opening) :]
    for closing in _REQUESTING:
        if len(words) > len(closing) and tuple(word.text for word in words[-len(closing) :]) == closing:
            words = words[: -len(closing)]
    begins = [word.text for word in words[: _LONGEST_TIME + 1]]
    if begins[0] in _BEFORE_A_TIME:
        parts = (begins[start:end] for start in (0, 1) for end in range(2, len(begins) + 1))
        if any(part and times.parse_time(part, utterance.now) is not None for part in parts):
            return Unresolved("A task has no time of its own: ask for a reminder, or leave the time out.", sure=True)
    return text(words, utterance)


def title(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return a title; if it contains a time, return a question, because it may be the time of the event."""
    words = without_article(words)
    if is_quote(words):
        return text(words, utterance)
    if words[-1].text in _CALENDAR or any(word.quoted for word in words):
        return None
    in_parts = any(word.pause == ":" for word in words[:-1])
    return None if in_parts or words[0].text in _NO_TITLE else _without_time(words, utterance)


def without_article(words: Sequence[Token]) -> Sequence[Token]:
    """Return the words without an article or a word such as “my” before them."""
    while len(words) > 1 and words[0].text in _ARTICLES and not words[0].quoted:
        words = words[1:]
    return words


def heading(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the name of a note or a subject, without an article before it; None if only part of it is quoted."""
    if len(words) > 1 and any(word.quoted for word in words):
        return None
    return text(without_article(words), utterance)


def place(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the location of an event; None for words without letters, which probably mean a time."""
    said = [word.text for word in words]
    if not any(character.isalpha() for character in join_words(words)) or parse_time(said, utterance.now) is not None:
        return None
    return title(words, utterance) if said[-1] not in times.PARTS_OF_DAY else None


def _without_time(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    if _A_TIME.search(join_words(words)):
        said = quote_words(source_text(utterance.text, words))
        return Unresolved(f"It is not clear when: put quotes around {said} if the time in it belongs to it.", sure=True)
    return text(words, utterance)


def now(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return a text to be said or shown at once.

    If it contains “to” or a condition, or begins or ends with a time, return a question.
    """
    said = [word.text for word in words]
    if is_quote(words):
        return text(words, utterance)
    if _ON_CONDITION.search(join_words(words)):
        return Unresolved("Nothing is done when something happens: ask for a reminder, or write a trigger.", sure=True)
    if "to" in said:
        return Unresolved("It is not clear to whom: put quotes around what is to be said or shown.", sure=True)
    ends = (said[at:] for at in range(max(0, len(said) - _LONGEST_TIME), len(said)))
    begins = (said[:at] for at in range(1, min(len(said), _LONGEST_TIME)))
    if any(
        part[0] in _BEGINS_A_TIME and times.parse_time(part, utterance.now) is not None for part in (*ends, *begins)
    ):
        when = quote_words(source_text(utterance.text, words))
        why = f"Nothing is done later: put quotes around the text if the time in {when}"
        return Unresolved(f"{why} belongs to it, or ask for a reminder.", sure=True)
    return text(words, utterance)


def term(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the words to search for; None if they contain other criteria, such as “since” or “from”."""
    if not is_quote(words) and any(word.text in _NO_TERM and not word.quoted for word in words):
        return None
    return text(without_article(words), utterance)


def person(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the name or address of a person; None if there are too many words, or if they contain other criteria."""
    if len(words) > _LONGEST_PERSON or any(word.text in _NO_PERSON for word in words):
        return None
    return text(words, utterance)


def several(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return several texts that are separated by commas or “and”; None for a single text."""
    found: list[str] = []
    share: list[Token] = []
    for word in words:
        if word.text in {"and", "plus"} and not word.quoted:
            found += [source_text(utterance.text, share)] if share else []
            share = []
            continue
        share.append(word)
        if word.pause in {",", ";"}:
            found.append(source_text(utterance.text, share))
            share = []
    found += [source_text(utterance.text, share)] if share else []
    return SlotValue([*found], free_words=len(words)) if len(found) > 1 else None
