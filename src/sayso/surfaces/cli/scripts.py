"""Find words in which letters of one script pass for those of another, such as a Cyrillic r in “paypal”."""

import re
import unicodedata
from collections.abc import Iterator

_WORD = re.compile(r"[^\W\d_]+")
_LIKE_LATIN = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "FULLWIDTH", "MATHEMATICAL", "ROMAN")
_LOOKS_LATIN = frozenset("аеорсухіјѕһԁԛԝвнкмтАВЕКМНОРСТУХІЈЅ" + "αικνορυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
_DOMAIN = re.compile(r"\.[A-Za-z]{2,}(?![\w.])")


def warnings(text: str) -> list[str]:
    """Return one sentence for each word that mixes scripts which look alike, naming the odd characters."""
    words = dict.fromkeys(_WORD.findall(unicodedata.normalize("NFC", text)))
    latin_around = _DOMAIN.search(text) is not None
    return [sentence for word in words for sentence in _about(word, latin_around=latin_around)]


def _about(word: str, *, latin_around: bool) -> Iterator[str]:
    scripts = {letter: _script(letter) for letter in word}
    odd = {letter: script for letter, script in scripts.items() if script in _LIKE_LATIN}
    if not odd:
        return
    kinds = ["LATIN"] if "LATIN" in scripts.values() else []
    kinds += dict.fromkeys(odd.values())
    if len(kinds) > 1:
        named = ", ".join(f"“{letter}” (U+{ord(letter):04X} {unicodedata.name(letter)})" for letter in odd)
        yield f"“{word}” mixes {_joined(kinds)} letters that look alike: {named}"
    elif latin_around and all(letter in _LOOKS_LATIN for letter in word):
        yield f"“{word}” looks like Latin letters and is written in {_joined(kinds)} ones throughout"


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _joined(kinds: list[str]) -> str:
    return " and ".join(kind.capitalize() for kind in kinds)
