"""Cut one line into words, and find out whether it opens a heredoc; each in one pass over the text."""

import re
from typing import NamedTuple

from sayso.core.values import dataclass
from sayso.dialects.lines.openers import Opener, find, find_after_open_quote, find_in_comment, shifts

MOST_WORDS = 64
"""Words beyond these are counted and not kept; no command takes as many."""

# A line of which one look is enough: words in quotes without an escape, words that neither hold nor begin with a sign
# of any meaning, and a proper opener behind them.
_PLAIN_WORDS = re.compile(r'"[^"\\]*+"|[^ \t"<]++')
_PLAIN_WORD = r'(?:[^ \t"#<“„”][^ \t"<]*+|"[^"\\]*+")'
_PLAIN = re.compile(rf"{_PLAIN_WORD}(?:[ \t]++{_PLAIN_WORD})*+(?:[ \t]++<<([A-Z][A-Z0-9_]*+))?")

# Possessive quantifiers (`*+`, `++`) never go back, so no line costs more than its length.
_BETWEEN = re.compile(r"[ \t]*+")
_WORD = re.compile(r'(?:[^ \t"]++|"(?:[^"\\]++|\\.)*+")*+("(?:[^"\\]++|\\.)*+\\?)?', re.DOTALL)
_PIECE = re.compile(r'"((?:[^"\\]++|\\.)*+\\?)"?|([^"]++)', re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\nt])')
_ESCAPED = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}

# Typographic quotes count only around a whole word: the last one stands before a blank or the end (T-02).
# English ones may hold one pair of their own. Where they end inside a word, they are text like any other;
# where none that closes comes at all, a quote is open.
_INSIDE = r'\\["\\nt]?+|[{closing}](?![ \t]|\Z)'
_TYPOGRAPHIC = {
    "“": re.compile(rf"“((?:[^“”\\]++|“[^“”]*+”|{_INSIDE.format(closing='”')})*+)(”)?"),
    "„": re.compile(rf"„((?:[^„“”\\]++|{_INSIDE.format(closing='“”')})*+)([“”])?"),
    "”": re.compile(rf"”((?:[^”\\]++|{_INSIDE.format(closing='”')})*+)(”)?"),
}
_CLOSING = {"“": re.compile("”"), "„": re.compile("[“”]"), "”": re.compile("”")}
_MOST_LOOSE = 16
"""With more words that begin with a typographic quote and are not enclosed, a line counts as left open."""


class Word(NamedTuple):
    """One argument: what it means, as it was written, and whether it began with a quote."""

    text: str
    raw: str
    quoted: bool


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
    plain = _PLAIN.fullmatch(line)
    raws = [] if plain is None else _PLAIN_WORDS.findall(line, 0, plain.start(1) if plain[1] else len(line))
    if plain is None or len(raws) >= MOST_WORDS:
        return scan_with_care(line)
    words = tuple([Word(raw[1:-1] if quoted else raw, raw, quoted) for raw in raws for quoted in [raw[0] == '"']])
    opener = Opener(f"<<{plain[1]}", plain[1], proper=True) if plain[1] else None
    return Line(line, words, len(words), closed=True, opener=opener)


def scan_with_care(line: str) -> Line:
    """Return the same of any line, sign by sign."""
    words: list[Word] = []
    places: list[int] = []
    count, loose, at, closed = 0, 0, _matched(_BETWEEN, line, 0).end(), True
    end = at
    while closed and at < len(line) and line[at] != "#":
        match = _enclosed(line, at)
        if match is not None:
            word = Word(_unescaped(match[1]), match[0], quoted=True)
        else:
            match = _matched(_WORD, line, at)
            word = _word(match[0])
            places += _shifts(match[0], at)
            loose += line[at] in _TYPOGRAPHIC
            closed = match[1] is None and loose <= _MOST_LOOSE and _may_be_text(line, at)
        end = match.end()
        count += 1
        if count <= MOST_WORDS:
            words.append(word)
        at = _matched(_BETWEEN, line, end).end()
    opener = find(line[:end], places) if closed else find_after_open_quote(line, outside=bool(places))
    if opener is None:
        opener = find_in_comment(line, at)
    if opener is not None and opener.proper:
        count -= 1
        words = words[:count]
    return Line(line, tuple(words), count, closed, opener)


def _enclosed(line: str, at: int) -> re.Match[str] | None:
    typographic = _TYPOGRAPHIC.get(line[at])
    match = None if typographic is None else typographic.match(line, at)
    return match if match is not None and match[2] is not None else None


def _may_be_text(line: str, at: int) -> bool:
    closing = _CLOSING.get(line[at])
    return closing is None or closing.search(line, at + 1) is not None


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


def _shifts(raw: str, start: int) -> list[int]:
    if "<<" not in raw:
        return []
    bare = [piece for piece in _PIECE.finditer(raw) if piece[2] is not None]
    return [place for piece in bare for place in shifts(piece[2], start + piece.start())]
