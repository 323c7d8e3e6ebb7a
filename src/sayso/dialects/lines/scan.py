"""Cut one line into words, and find out whether it opens a heredoc; each in one pass over the text."""

import re
from dataclasses import dataclass

MOST_WORDS = 64
"""Words beyond these are counted and not kept; no command takes as many."""

_BLANKS = " \t"

# Possessive quantifiers (`*+`, `++`) never go back, so no line costs more than its length.
_BETWEEN = re.compile(r"[ \t]*+")
_WORD = re.compile(r'(?:[^ \t"]++|"(?:[^"\\]++|\\.)*+")*+("(?:[^"\\]++|\\.)*+\\?)?', re.DOTALL)
_PIECE = re.compile(r'"((?:[^"\\]++|\\.)*+\\?)"?|([^"]++)', re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\nt])')
_ESCAPED = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}

# Typographic quotes count only around a whole word: the last one stands before a blank or the end (T-02).
# English ones may hold one pair of their own; what is nested deeper, or not in pairs, is not closed.
_INSIDE = r'\\["\\nt]?+|[{closing}](?![ \t]|\Z)'
_TYPOGRAPHIC = {
    "“": re.compile(rf"“((?:[^“”\\]++|“[^“”]*+”|{_INSIDE.format(closing='”')})*+)(”)?"),
    "„": re.compile(rf"„((?:[^„“”\\]++|{_INSIDE.format(closing='“”')})*+)([“”])?"),
    "”": re.compile(rf"”((?:[^”\\]++|{_INSIDE.format(closing='”')})*+)(”)?"),
}

_NAME = r"[A-Za-z_][A-Za-z0-9_]*+"
_OPENER = re.compile(rf"""<<(-?)([ \t]*+)(?:({_NAME})|'({_NAME})'|"({_NAME})")""")
_OPENER_BEFORE_COMMENT = re.compile(rf"{_OPENER.pattern}(?=[ \t]*+(?:\Z|(?<=[ \t])#))")
_UPPER = re.compile(r"[A-Z][A-Z0-9_]*+")


@dataclass(frozen=True, slots=True)
class Word:
    """One argument: what it means, as it was written, and whether it began with a quote."""

    text: str
    raw: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Opener:
    """The end of a line that opens a heredoc, up to a line equal to `tag`."""

    written: str
    tag: str
    proper: bool
    """False for near forms (`x<<END`, `<<-END`, `<< END`, `<<end`): their body is no command either."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line, cut into words; a proper opener is not among them."""

    written: str
    words: tuple[Word, ...]
    count: int
    """How many words there are, the ones not kept included."""
    closed: bool
    """False when a quote is still open at the end of the line."""
    opener: Opener | None = None


def scan(line: str) -> Line:
    """Cut a line at its blanks (T-16), minding quotes (T-02, T-03) and comments (T-01)."""
    words: list[Word] = []
    count, at, closed = 0, _matched(_BETWEEN, line, 0).end(), True
    end = at
    while closed and at < len(line) and line[at] != "#":
        typographic = _TYPOGRAPHIC.get(line[at])
        match = _matched(typographic or _WORD, line, at)
        closed = (match[2] is not None) if typographic else (match[1] is None)
        end = match.end()
        count += 1
        if count <= MOST_WORDS:
            words.append(Word(_unescaped(match[1]), match[0], quoted=True) if typographic else _word(match[0]))
        at = _matched(_BETWEEN, line, end).end()
    opener = _opener(line[:end]) if closed else _opener_after_open_quote(line)
    if closed and opener is not None and opener.proper:
        count -= 1
        words = words[:count]
    return Line(line, tuple(words), count, closed, opener)


def _matched(pattern: re.Pattern[str], line: str, at: int) -> re.Match[str]:
    match = pattern.match(line, at)
    if match is None:
        raise AssertionError(f"{pattern.pattern} must match any text")
    return match


def _word(raw: str) -> Word:
    if '"' not in raw:
        return Word(raw, raw, quoted=False)
    text = "".join([_unescaped(quoted) if quoted else bare for quoted, bare in _PIECE.findall(raw)])
    return Word(text, raw, raw.startswith('"'))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda escape: _ESCAPED[escape[1]], text) if "\\" in text else text


def _opener(code: str) -> Opener | None:
    # In a line whose quotes are all closed, an ending of this form cannot stand inside quotes.
    start = code.rfind("<<")
    match = _OPENER.fullmatch(code, start) if start >= 0 else None
    return None if match is None else _judged(match, alone=start == 0 or code[start - 1] in _BLANKS)


def _opener_after_open_quote(line: str) -> Opener | None:
    # Where a quote is open nobody can tell a comment from text; any reading of it as an opener counts.
    found = _opener(line.rstrip(_BLANKS))
    for match in _OPENER_BEFORE_COMMENT.finditer(line):
        found = found or _judged(match, alone=match.start() == 0 or line[match.start() - 1] in _BLANKS)
    return found


def _judged(match: re.Match[str], *, alone: bool) -> Opener | None:
    dash, blanks, bare, single, double = match.groups()
    tag = bare or single or double
    if _UPPER.fullmatch(tag):
        return Opener(match[0], tag, alone and not dash and not blanks)
    return Opener(match[0], tag, proper=False) if alone and not blanks else None
