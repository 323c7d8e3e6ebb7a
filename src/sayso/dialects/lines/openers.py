"""Find what opens a heredoc in a line, in the right form or in one that was only meant so."""

import re
import unicodedata
from collections.abc import Sequence

from sayso.core.values import dataclass

BLANKS = " \t"

_SHIFT = re.compile(r"<<++")
_TAG = r"[A-Z][A-Z0-9_]*+"
_PROPER = re.compile(rf"""<<(?:({_TAG})|'({_TAG})'|"({_TAG})")""")

_ENDS_A_COMMENT = re.compile(rf"[# \t](<<({_TAG}))[ \t]*+\Z")

_QUOTES = "\"'`“”„‟‘’«»\u201a\u201b\u2039\u203a"
_QUOTE = re.compile(f"[{_QUOTES}]")
_LEAD = re.compile(r"\A\W*+")
_AFTER_A_WORD = re.compile(r"[\s#;|&<>]")
_USUAL = "END"


@dataclass(frozen=True, slots=True)
class Opener:
    """The part of a line that opens a heredoc, up to a line equal to `tag`."""

    written: str
    tag: str
    proper: bool
    """False for what is only near to one (`x<<END`, `<<END;`, `<<end`, `<<`): its body is no command either."""
    doubtful: bool = False
    """It is inside a word, as in `a<<b`: text, if the line is valid as that."""
    quoted: bool = False
    """It stands behind a quote that is not closed."""


def shifts(text: str, start: int) -> list[int]:
    """Return where a text that stands at `start` of its line holds `<<`."""
    return [start + match.start() for match in _SHIFT.finditer(text)]


def find(code: str, places: Sequence[int]) -> Opener | None:
    """Return what opens a heredoc in a line without its comment, where all quotes are closed.

    `places` are those where `<<` stands outside quotes. One at the beginning of a word always opens.
    """
    if not places:
        return None
    heads = [place for place in places if _is_head(code, place)]
    match = _PROPER.fullmatch(code, heads[0]) if len(heads) == 1 else None
    if match is not None:
        return Opener(match[0], match[1] or match[2] or match[3], proper=True)
    place, written, tag = _near(code, heads or places)
    capitals = tag[0].isupper() and tag == tag.upper()
    doubtful = not heads and not capitals and code[place - 1] not in _QUOTES
    return Opener(written, tag, proper=False, doubtful=doubtful)


def find_after_open_quote(line: str, *, outside: bool) -> Opener | None:
    """Return what opens a heredoc in a line with an open quote; `outside` says that a `<<` stands before it.

    Nobody can tell text, code and comment apart there; any reading as an opener counts.
    """
    places = shifts(line, 0)
    if not places:
        return None
    _, written, tag = _near(line, [place for place in places if _is_head(line, place)] or places)
    return Opener(written, tag, proper=False, quoted=not outside)


def find_in_comment(line: str, at: int) -> Opener | None:
    """Return what opens a heredoc at the end of the comment that begins at a place of a line.

    What follows is meant as its body, and no command.
    A command before the comment that is valid without one has none.
    """
    match = _ENDS_A_COMMENT.search(line, at)
    return None if match is None else Opener(match[1], match[2], proper=False, doubtful=True)


def _is_head(code: str, place: int) -> bool:
    return place == 0 or code[place - 1] in BLANKS


def _near(code: str, places: Sequence[int]) -> tuple[int, str, str]:
    # Where it stands, how it is written, and its tag.
    last = len(code.rstrip(BLANKS + "<"))
    place = next((place for place in reversed(places) if place < last), places[-1])
    written = code[place:]
    return place, written, _guessed(written)


def _guessed(written: str) -> str:
    # The word inside, without quotes and punctuation; where the guess is wrong, all the rest is body.
    word = _LEAD.sub("", written)
    quoted = _QUOTE.search(written.removesuffix(word))
    closing = _QUOTE.search(word) if quoted else None
    end = closing or _AFTER_A_WORD.search(word)
    word = word[: end.start()] if end else word
    kept = len(word)
    while kept and word[kept - 1] != "_" and unicodedata.category(word[kept - 1])[0] not in "LMN":
        kept -= 1
    return word[:kept] or written.strip(BLANKS + "<") or _USUAL
