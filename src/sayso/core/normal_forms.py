"""Unicode's normal forms of a text, in time that grows with the text and no faster."""

import re
import unicodedata
from typing import Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

_MOST = 30
"""How many combining marks may follow one another, as in the stream-safe text format of Unicode (UAX #15)."""
_JOINER = "\u034f"
_LONG = re.compile(r"[^\w\x00-\x7f\u034f]{31,}")


def normal_form(text: str, form: Form = "NFC") -> str:
    """Return the text in a normal form; an invisible joiner divides more than 30 combining marks in a row.

    Without that, the time would grow with the square of their number.
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, _LONG.sub(_divided, text))


def _divided(found: re.Match[str]) -> str:
    run = found.group()
    if not any(map(unicodedata.combining, run)):
        return run
    return _JOINER.join(run[at : at + _MOST] for at in range(0, len(run), _MOST))
