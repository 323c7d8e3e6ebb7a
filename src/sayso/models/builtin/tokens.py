"""Split a wish into tokens, and remove the polite phrases around it."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.normal_forms import normal_form

_QUOTED = re.compile(
    r"""(?<![^\s(])(?:"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|`([^`]+)`|[‘']([^‘’']+)[’'])(?![\w])"""
)
_WORD = re.compile(r"\S+")
_BEFORE, _AFTER = "([{<…,;:!?*", ")]}>…,;:!?.*"
_SHORTENED = frozenset({"a.m.", "p.m.", "e.g.", "i.e."})
"""Abbreviations that end with a full stop."""
_PAUSES = frozenset(",;:.!?…—–-")
_WITHOUT_APOSTROPHE = MappingProxyType(
    {
        "im": "i'm",
        "ive": "i've",
        "id": "i'd",
        "dont": "don't",
        "doesnt": "doesn't",
        "didnt": "didn't",
        "cant": "can't",
        "wont": "won't",
        "shouldnt": "shouldn't",
        "havent": "haven't",
        "isnt": "isn't",
        "whats": "what's",
        "wheres": "where's",
        "whens": "when's",
        "lets": "let's",
        "weve": "we've",
        "thats": "that's",
    }
)
"""Contractions typed without an apostrophe, each with its correct spelling."""


class Token(Struct, frozen=True):
    """A word or a quoted text, in the form in which it is compared, with its position in the utterance."""

    text: str
    """The folded text; a word has no punctuation around it."""
    start: int
    end: int
    quoted: bool = False
    pause: str = ""
    """The punctuation mark right after the token; empty if there is none."""


def tokenize(text: str) -> tuple[Token, ...]:
    """Return the tokens of a text; a quoted text is one token."""
    found: list[Token] = []
    at = 0
    for quote in _QUOTED.finditer(text):
        _tokenize_unquoted(text, at, quote.start(), found)
        inner = next(group for group in range(1, 7) if quote[group] is not None)
        after = text[quote.end() : quote.end() + 1]
        pause = after if after in _PAUSES else ""
        found.append(Token(fold(quote[inner]), quote.start(inner), quote.end(inner), quoted=True, pause=pause))
        at = quote.end()
    _tokenize_unquoted(text, at, len(text), found)
    return tuple(found)


def word_list(text: str) -> tuple[str, ...]:
    """Return the words of a text, separated by blanks."""
    return tuple(text.split())


def fold(text: str) -> str:
    """Return a text in its form for comparison: composed, case-folded, spaces collapsed, with straight apostrophes."""
    plain = normal_form(text).casefold().replace("’", "'").replace("‘", "'")
    return " ".join(normal_form(plain).split())


def source_text(text: str, words: Sequence[Token]) -> str:
    """Return the part of a text from the first of these words to the last, as it was written."""
    if not words:
        return ""
    start, end = words[0].start, words[-1].end
    if len(words) > 1:  # if only some of the words are quoted, their quotes are kept
        start -= words[0].quoted
        end += words[-1].quoted
    return " ".join(text[start:end].split())


def join_words(words: Sequence[Token]) -> str:
    """Return the words in their form for comparison, separated by spaces."""
    return " ".join(word.text for word in words)


def _tokenize_unquoted(text: str, start: int, end: int, found: list[Token]) -> None:
    for match in _WORD.finditer(text, start, end):
        core = match.group().lstrip(_BEFORE)
        begin = match.end() - len(core)
        bare = core.rstrip(_AFTER)
        if core[: len(bare) + 1].casefold() in _SHORTENED:
            bare = core[: len(bare) + 1]
        pause = core[len(bare) :][:1]
        if not bare.strip("-–—"):
            if found:
                found[-1] = replace(found[-1], pause=match.group()[:1])
            continue
        said = fold(bare)
        found.append(
            Token(
                _WITHOUT_APOSTROPHE.get(said, said), begin, begin + len(bare), pause=pause if pause in _PAUSES else ""
            )
        )


_IRREGULAR: Mapping[str, str] = MappingProxyType(
    {
        form: pair.partition("/")[0]
        for pair in word_list(
            "be/been begin/began,begun bite/bit break/broke,broken bring/brought build/built buy/bought "
            "catch/caught choose/chose,chosen come/came cut/cut dig/dug do/did,done draw/drew,drawn "
            "drink/drank,drunk drive/drove,driven eat/ate,eaten feed/fed fight/fought find/found fly/flew,flown "
            "forget/forgot,forgotten get/got,gotten give/gave,given go/went,gone grow/grew,grown hang/hung "
            "hear/heard hide/hid,hidden hold/held keep/kept lay/laid learn/learnt leave/left lend/lent light/lit "
            "lose/lost make/made mean/meant meet/met mow/mown pay/paid put/put read/read ride/rode,ridden "
            "ring/rang,rung run/ran say/said see/saw,seen sell/sold send/sent set/set sew/sewn shake/shook "
            "shut/shut sing/sang,sung sit/sat sleep/slept speak/spoke,spoken spend/spent stand/stood steal/stole "
            "stick/stuck sweep/swept swim/swam,swum take/took,taken teach/taught tear/tore,torn tell/told "
            "think/thought throw/threw,thrown understand/understood wake/woke,woken wear/wore,worn win/won "
            "wind/wound write/wrote,written"
        )
        for form in pair.partition("/")[2].split(",")
    }
)
"""The base form of each irregular form of a verb."""
_VOWELS = frozenset("aeiouy")
_LEAST = 3
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("ss", "ss"), ("s", ""))
"""Endings of inflected forms, each with the ending of the base form."""


def is_same_word(word: str, other: str) -> bool:
    """Say whether two folded words are forms of the same word."""
    return _stem(word) == _stem(other)


def is_past(word: str) -> bool:
    """Say whether a folded word is the past form of a verb."""
    return word in _IRREGULAR or (word.endswith("ed") and _stem(word) != word)


def _stem(word: str) -> str:
    """Return the stem that all regular forms of a word share."""
    word = _IRREGULAR.get(word, word)
    for ending, instead in _ENDINGS:
        stem = word.removesuffix(ending) + instead
        if word.endswith(ending) and len(stem) >= _LEAST and _VOWELS & set(stem):
            return _without_doubling(stem)
    return _without_doubling(word)


def _without_doubling(stem: str) -> str:
    """Return a stem without its final “e”; a doubled last letter becomes single.

    Examples: `wip` for `wipe`, `stop` for `stopp`.
    """
    stem = stem.removesuffix("e")
    return stem[:-1] if len(stem) > _LEAST and stem[-1:] == stem[-2:-1] else stem


_COURTESY_BEFORE = tuple(
    tuple(opening.split())
    for opening in (
        "please", "pls", "plz", "kindly", "hey", "hi", "hello", "ok", "okay", "so", "well", "um", "uh", "oh", "sayso",
        "alright", "right", "now", "quick", "quickly", "just", "maybe", "perhaps", "computer", "also", "then", "and",
        "can you", "could you", "would you", "will you", "can u", "could u", "can we",
        "i want you to", "i'd like you to", "i would like you to", "i need you to", "i want to", "i'd like to",
        "i would like to", "i wanna", "let's", "lets", "let us", "go ahead and", "would you mind", "be so kind and",
        "do me a favor and", "do me a favour and", "help me", "i'd like", "good morning", "good evening", "yo",
        "real quick", "first", "next", "finally", "after that", "and then", "can you please", "time to",
        "if you could", "it would be great if you could", "it'd be great if you could",
    )
)  # fmt: skip

_COURTESY_AFTER = tuple(
    tuple(closing.split())
    for closing in (
        "please", "pls", "plz", "thanks", "thank you", "thx", "for me", "now", "right now", "real quick", "quickly",
        "ok", "okay", "asap", "right away", "at once", "immediately", "if you can", "if possible", "if you could",
        "would you", "will you", "could you", "can you", "mate", "buddy", "thanks a lot", "thank you very much",
        "if you don't mind", "when you can", "when you have a moment", "when you get a chance", "cheers", "sayso",
        "too", "as well", "many thanks", "straight away", "first",
    )
)  # fmt: skip
_THINKING_ALOUD = frozenset({"maybe", "perhaps"})
_REQUESTS = frozenset({"can", "could", "would", "will", "please", "mind", "may"})


class BareWish(Struct, frozen=True):
    """A wish without the polite phrases around it."""

    words: tuple[Token, ...]
    asked: bool
    """True if the wish ends with a question mark, and no word such as “could” makes it a request."""


def strip_courtesy(words: Sequence[Token]) -> BareWish:
    """Return the words without the polite phrases before and after them."""
    left = list(words)
    asks = bool(left) and left[-1].pause == "?"
    requested = any(word.text in _REQUESTS for word in left[:4])
    begun = False
    while (opening := _longest_opening(left, _COURTESY_BEFORE)) and len(left) > len(opening):
        if not begun and opening[0] in _THINKING_ALOUD:
            break  # “maybe I'll …” is no wish; “could you maybe …” is one
        begun, left = True, left[len(opening) :]
    while (closing := _longest_closing(left)) and len(left) > len(closing):
        left = left[: -len(closing)]
    return BareWish(tuple(left), asks and not requested)


def _longest_opening(words: Sequence[Token], phrases: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    found = [one for one in phrases if tuple(word.text for word in words[: len(one)]) == one]
    return max(found, key=len, default=())


def _longest_closing(words: Sequence[Token]) -> tuple[str, ...]:
    found = [one for one in _COURTESY_AFTER if tuple(word.text for word in words[-len(one) :]) == one]
    return max(found, key=len, default=())
