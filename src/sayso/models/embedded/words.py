"""Cut what a person wrote into words, each with its place, so that a slot gets the text as it was written."""

import re
import unicodedata
from collections.abc import Sequence
from types import MappingProxyType

from sayso.core.values import dataclass

_QUOTED = re.compile(
    r"""(?<![^\s(])(?:"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|`([^`]+)`|[‘']([^‘’']+)[’'])(?![\w])"""
)
_WORD = re.compile(r"\S+")
_BEFORE, _AFTER = "([{<…,;:!?*", ")]}>…,;:!?.*"
_SHORTENED = frozenset({"a.m.", "p.m.", "e.g.", "i.e."})
"""Words that end with a full stop of their own."""
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
"""Short forms as they are typed in haste."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or what stands between quotes, as it is compared, and where it stands in the text."""

    text: str
    """Case folded, without punctuation around it; empty where there is nothing else."""
    start: int
    end: int
    quoted: bool = False
    pause: str = ""
    """The punctuation right behind it."""


def words_of(text: str) -> tuple[Word, ...]:
    """Return the words of a text; what stands between quotes is one word."""
    found: list[Word] = []
    at = 0
    for quote in _QUOTED.finditer(text):
        found += _plain(text, at, quote.start())
        inner = next(group for group in range(1, 7) if quote[group] is not None)
        after = text[quote.end() : quote.end() + 1]
        pause = after if after in _PAUSES else ""
        found.append(Word(folded(quote[inner]), quote.start(inner), quote.end(inner), quoted=True, pause=pause))
        at = quote.end()
    return (*found, *_plain(text, at, len(text)))


def each(text: str) -> tuple[str, ...]:
    """Return the words of a list that is written as one text."""
    return tuple(text.split())


def folded(text: str) -> str:
    """Return a text as it is compared: composed, case folded, spaces collapsed, with plain apostrophes."""
    plain = unicodedata.normalize("NFC", text).casefold().replace("’", "'").replace("‘", "'")
    return " ".join(unicodedata.normalize("NFC", plain).split())


def between(text: str, words: Sequence[Word]) -> str:
    """Return the part of a text from the first of these words to the last, as it was written."""
    if not words:
        return ""
    start, end = words[0].start, words[-1].end
    if len(words) > 1:  # quotes around some of several words belong to the text
        start -= words[0].quoted
        end += words[-1].quoted
    return " ".join(text[start:end].split())


def joined(words: Sequence[Word]) -> str:
    """Return words as they are compared, a space between each."""
    return " ".join(word.text for word in words)


def _plain(text: str, start: int, end: int) -> list[Word]:
    found: list[Word] = []
    for match in _WORD.finditer(text, start, end):
        core = match.group().lstrip(_BEFORE)
        begin = match.end() - len(core)
        bare = core.rstrip(_AFTER)
        if core[: len(bare) + 1].casefold() in _SHORTENED:
            bare = core[: len(bare) + 1]
        pause = core[len(bare) :][:1]
        if not bare.strip("-–—"):
            if found:
                found[-1] = Word(found[-1].text, found[-1].start, found[-1].end, pause=match.group()[:1])
            continue
        said = folded(bare)
        found.append(
            Word(_WITHOUT_APOSTROPHE.get(said, said), begin, begin + len(bare), pause=pause if pause in _PAUSES else "")
        )
    return found
