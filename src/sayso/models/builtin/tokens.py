"""Split a wish into tokens, and remove the polite phrases around it."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from types import MappingProxyType

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.normal_forms import normal_form


def word_list(text: str) -> tuple[str, ...]:
    """Return the words of a text, separated by blanks."""
    return tuple(text.split())


@lru_cache(maxsize=1)
def _vocabularies() -> Mapping[str, str]:
    text = files(__package__ or "").joinpath("vocabulary.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, str])


def vocabulary(name: str) -> frozenset[str]:
    """Return the words of a list in `vocabulary.toml`."""
    return frozenset(word_list(_vocabularies()[name]))


_QUOTED = re.compile(
    r"""(?<![^\s(])(?:"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|`([^`]+)`|[‘']([^‘’']+)[’'])(?![\w])"""
)
_WORD = re.compile(r"\S+")
_BEFORE, _AFTER = "([{<…,;:!?*", ")]}>…,;:!?.*"
_ARROWS = frozenset({"→", "->", "=>", "-->", "⇒", "➜"})
_AS_PAUSE = MappingProxyType({"/": ",", "|": ","})
COLON = ":"
"""The word for a colon inside a wish."""
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


SHORT: Mapping[str, str] = MappingProxyType(
    {
        typed: means.replace("_", " ")
        for pair in sorted(vocabulary("short"))
        for typed, _, means in [pair.rpartition("/")]
    }
)
"""Words typed short, each with what it stands for."""


class Token(Struct, frozen=True):
    """A word or a quoted text, in the form in which it is compared, with its position in the utterance."""

    text: str
    """The folded text; a word has no punctuation around it."""
    start: int
    end: int
    quoted: bool = False
    pause: str = ""
    """The punctuation mark right after the token; empty if there is none."""
    capital: bool = False
    """True if it is written with a capital letter."""


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
        if bare in _ARROWS:
            found.append(Token("to", begin, begin + len(bare)))
            continue
        if not bare.strip("-–—/|"):
            if found:
                found[-1] = replace(found[-1], pause=_AS_PAUSE.get(match.group()[:1], match.group()[:1]))
            continue
        said = fold(bare)
        *before, last = (_WITHOUT_APOSTROPHE.get(said) or SHORT.get(said, said)).split() or [said]
        found += [Token(one, begin, begin + len(bare)) for one in before]
        mark = pause if pause in _PAUSES else ""
        found.append(Token(last, begin, begin + len(bare), pause=mark, capital=bare[:1].isupper()))
        if pause == ":" and match.end() < end and (begin + len(bare)) < match.end():
            found.append(Token(COLON, match.end() - 1, match.end(), pause=":"))


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


def is_past(word: str) -> bool:
    """Say whether a folded word is the past form of a verb."""
    return word in _IRREGULAR or (word.endswith("ed") and stem(word) != word)


def stem(word: str) -> str:
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
    stem = stem.removesuffix("e") or stem
    return stem[:-1] if len(stem) > _LEAST and stem[-1:] == stem[-2:-1] else stem


_CALLS = vocabulary("calls")
"""Words before a wish that only call for attention or connect it with what was said before."""
_ASKS = vocabulary("asks")
"""Words of which polite requests before a wish consist, as in “I was wondering if you could”."""
_ASKING_SOMEBODY = vocabulary("asking_somebody")
_LAST_OF_ASKING = vocabulary("last_of_asking")
_CLOSES = vocabulary("closes")
"""Words of which polite phrases after a wish consist, as in “when you have a moment, many thanks”."""
_OPENS_A_CLOSE = vocabulary("opens_a_close")
_CERTAINLY_CLOSES = vocabulary("certainly_closes")
_SELVES = frozenset(word_list("i i'd we we'd would really just do only also"))
_WANTED, _HAVING = frozenset(word_list("want need like love")), frozenset(word_list("have get see"))
_MODALS = frozenset(word_list("can could may might"))
_BEFORE_E = ("s", "c", "g", "v", "at", "mov", "plac", "clos", "nam", "fil", "mut", "ut")
_LONGEST_ASKING = 30
_THINKING_ALOUD = frozenset({"maybe", "perhaps"})
_REQUESTS = frozenset({"can", "could", "would", "will", "please", "mind", "may", "possible", "chance", "want", "able"})


class BareWish(Struct, frozen=True):
    """A wish without the polite phrases around it."""

    words: tuple[Token, ...]
    asked: bool
    """True if the wish ends with a question mark, and no word such as “could” makes it a request."""


def strip_courtesy(words: Sequence[Token]) -> BareWish:
    """Return the words without the polite phrases before and after them."""
    left = _without_asides(words)
    asks = bool(left) and left[-1].pause == "?"
    requested = any(word.text in _REQUESTS for word in left[:_LONGEST_ASKING])
    if left and left[0].text in _THINKING_ALOUD:  # “maybe I'll …” is no wish; “could you maybe …” is one
        return BareWish(tuple(left), asks and not requested)
    while (begin := _asked(left) or _called(left)) and begin < len(left):
        conditional = [word.text for word in left[max(0, begin - 2) : begin]] == ["if", "you"]
        left = left[begin:]
        if conditional and is_past(left[0].text):
            left[0] = replace(left[0], text=base_of_past(left[0].text))
    while (end := _closing(left)) and end < len(left):
        left = left[:-end]
    return BareWish(tuple(left), asks and not requested)


def base_of_past(word: str) -> str:
    """Return the base form of a past form, as in “if you closed the tab”; another word is returned as it is."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    bare = word.removesuffix("ed") if word.endswith("ed") else word
    return f"{bare}e" if bare != word and bare.endswith(_BEFORE_E) else bare


def _without_asides(words: Sequence[Token]) -> list[Token]:
    """Return the words without polite phrases between two pauses, as in “look, if it is no bother, for …”."""
    left = list(words)
    pauses = [at for at, word in enumerate(left) if word.pause == ","]
    for start, end in reversed([*pairwise(pauses)]):
        aside = left[start + 1 : end + 1]
        if aside[0].text in _OPENS_A_CLOSE and all(word.text in _CLOSES and not word.quoted for word in aside):
            del left[start + 1 : end + 1]
            left[start] = replace(left[start], pause="")
    return left


def _called(words: Sequence[Token]) -> int:
    return int(len(words) > 1 and words[0].text in _CALLS and not words[0].quoted)


def _asked(words: Sequence[Token]) -> int:
    """Return how many words at the beginning are a polite request that comes before the wish itself."""
    most = next((at for at, word in enumerate(words[:_LONGEST_ASKING]) if word.text not in _ASKS or word.quoted), 0)
    for count in range(most, 0, -1):
        said = [word.text for word in words[:count]]
        wanted = words[count].text if count < len(words) else ""
        if said[-1] in _SELVES and (wanted in _WANTED or (wanted in _HAVING and said[0] in _MODALS)):
            return count
        if said[-1] in _LAST_OF_ASKING and _ASKING_SOMEBODY & set(said) and "should i" not in " ".join(said):
            return 0 if {"don't", "not"} & set(said) and "mind" not in said else count
    return 0


def _closing(words: Sequence[Token]) -> int:
    """Return how many words at the end are a polite phrase that comes after the wish itself."""
    most = 0
    for count in range(1, min(_LONGEST_ASKING, len(words) - 1) + 1):
        word = words[-count]
        if word.text not in _CLOSES or word.quoted:
            break
        after = words[-count + 1].text if count > 1 else ""
        for_us = word.text != "for" or after in {"me", "us"}
        begins = (word.text in _OPENS_A_CLOSE and for_us) or words[-count - 1].pause in _PAUSES
        if begins and any(each.text in _CERTAINLY_CLOSES for each in words[-count:]):
            most = count
    return most
