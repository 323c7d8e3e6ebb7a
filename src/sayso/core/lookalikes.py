"""Warnings of words that can be mistaken for other words, because their letters look alike."""

import re
import unicodedata
from collections.abc import Iterator

from sayso.core.normal_forms import normal_form
from sayso.core.quotes import quoted

_WORD = re.compile(r"[^\W\d_]+")
_PART = re.compile(r"[^\s“”/]+")
"""What is spelled as one: a word, or a part of a path, which stands alike in an argument and in a quoted summary."""
_LIKE_LATIN = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "FULLWIDTH", "MATHEMATICAL", "ROMAN")
_LOOKS_LATIN = frozenset("аеорсухіјѕһԁԛԝвнкмтАВЕКМНОРСТУХІЈЅ" + "αικνορυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
_FEW = 3
_DOMAIN = re.compile(r"\.[A-Za-z]{2,}(?![\w.])")


def warnings(text: str) -> list[str]:
    """Return a warning for each word that can be mistaken for another one: other scripts, or marks set apart."""
    composed = normal_form(text)
    latin_around = _DOMAIN.search(text) is not None
    told = [
        sentence
        for word in dict.fromkeys(_WORD.findall(composed))
        for sentence in _about(word, latin_around=latin_around)
    ]
    if composed != text:
        words = dict.fromkeys(word for word in _PART.findall(text) if normal_form(word) != word)
        told += [
            f"{quoted(word)} is spelled in an unusual way that looks like the usual one" for word in [*words][:_FEW]
        ]
    return told


def _about(word: str, *, latin_around: bool) -> Iterator[str]:
    scripts = {letter: _script(letter) for letter in word}
    odd = {letter: script for letter, script in scripts.items() if script in _LIKE_LATIN}
    if not odd:
        return
    kinds = ["LATIN"] if "LATIN" in scripts.values() else []
    kinds += dict.fromkeys(odd.values())
    if len(kinds) > 1:
        named = ", ".join(f"{quoted(letter)} (U+{ord(letter):04X} {unicodedata.name(letter)})" for letter in odd)
        yield f"{quoted(word)} mixes {_join_kinds(kinds)} letters that look alike: {named}"
    elif latin_around and all(letter in _LOOKS_LATIN for letter in word):
        yield f"{quoted(word)} looks like Latin letters and is written in {_join_kinds(kinds)} ones throughout"


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _join_kinds(kinds: list[str]) -> str:
    return " and ".join(kind.capitalize() for kind in kinds)
