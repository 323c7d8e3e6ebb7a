"""Cut a text into the words that a query is compared by."""

import re
from unicodedata import normalize

# Scripts that are written without blanks between words: there each character is a word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003fffd"
)
_WORD = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W_])+")
_MAILBOX_BREAKS = re.compile(r"[ /]")
_SAME_PLACE = {"draft": "drafts", "junk": "spam", "bin": "trash", "all": "anywhere"}


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text: runs of letters and digits, in lower case and composed form."""
    return tuple(_WORD.findall(folded(text)))


def spaced(text: str) -> str:
    """Return the words of a text with one blank around each, so that finding words in it is finding text."""
    return f" {' '.join(words_of(text))} "


def place(name: str) -> str:
    """Return the name of a mailbox or label as Gmail compares it: any case, “-” for a blank and for “/”."""
    plain = _MAILBOX_BREAKS.sub("-", folded(name.strip()))
    return _SAME_PLACE.get(plain, plain)


def folded(text: str) -> str:
    """Return a text as it is compared: composed, in lower case."""
    return text.lower() if text.isascii() else normalize("NFC", normalize("NFC", text).lower())
