"""Show streamed Markdown at a terminal: every character inert, wrapped, and nothing shown is ever changed again."""

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from sayso.core.quotes import FSI, PDI, visible
from sayso.surfaces.cli.text import BAR, WRAPPED, Style, columns, cut, width_of

LOOK = 400
"""How many characters after the beginning of a span its end is looked for."""
_MOST_TRIES = 8
"""How many possible ends of one emphasis are looked at."""
_DEEPEST = 3
_MARK = re.compile(r"[`*_\[!\\]")
_TICKS = re.compile("`+")
_ESCAPABLE = frozenset("\\`*_[]()#!>-+.")


class Span(NamedTuple):
    """A piece of text and the names of its styles."""

    text: str
    styles: frozenset[str] = frozenset()


class Spans:
    """Splits a text into spans; unless it is `final`, what may still become a span is left for later."""

    def __init__(self, text: str, *, final: bool, styles: frozenset[str] = frozenset(), depth: int = 0) -> None:
        self.found: list[Span] = []
        self.at = 0
        """Up to where the text was split."""
        self._text = text
        self._final = final
        self._styles = styles
        self._depth = depth
        self._plain: list[str] = []

    def split(self) -> list[Span]:
        """Return the spans; `at` is then the beginning of what is left."""
        text = self._text
        while self.at < len(text):
            mark = _MARK.search(text, self.at)
            if mark is None:
                self._end_plain()
                break
            self._plain.append(text[self.at : mark.start()])
            self.at = mark.start()
            if not self._at_mark(mark.group()):
                break
        self._flush()
        return self.found

    def _end_plain(self) -> None:
        """Take the rest of the text; unless it is final, only up to the last blank, so that no word is cut."""
        rest = self._text[self.at :]
        kept = len(rest) if self._final or len(rest) > LOOK else rest.rfind(" ") + 1
        self._plain.append(rest[:kept])
        self.at += kept

    def _at_mark(self, mark: str) -> bool:
        """Take the span that begins here, or its mark as text; return False if more text is needed to know."""
        ended = {"`": self._code, "\\": self._escape, "[": self._link, "!": self._image}.get(mark, self._emphasis)()
        if ended is not None:
            return ended
        width = self._run_of(mark) if mark in "`*_" else 1
        if not self._final and len(self._text) - self.at <= LOOK:
            return False
        self._plain.append(self._text[self.at : self.at + width])
        self.at += width
        return True

    def _run_of(self, mark: str) -> int:
        at = self.at
        while at < len(self._text) and self._text[at] == mark:
            at += 1
        return at - self.at

    def _escape(self) -> bool | None:
        after = self._text[self.at + 1 : self.at + 2]
        if after not in _ESCAPABLE:
            return None
        self._plain.append(after)
        self.at += 2
        return True

    def _code(self) -> bool | None:
        ticks = self._run_of("`")
        begin = self.at + ticks
        end = self._text.find("`" * ticks, begin, begin + LOOK) if ticks <= _DEEPEST else -1
        if end < 0:
            return None
        self._add(self._text[begin:end], "code")
        self.at = end + ticks
        return True

    def _emphasis(self) -> bool | None:
        mark = self._text[self.at]
        run = self._run_of(mark)
        before, after = self._text[self.at - 1 : self.at], self._text[self.at + run : self.at + run + 1]
        if run > _DEEPEST or not after.strip() or (mark == "_" and before.isalnum()) or self._depth >= _DEEPEST:
            return None
        begin = self.at + run
        end = self._end_of(mark, run, begin)
        if end < 0:
            return None
        styles = {1: {"emphasis"}, 2: {"strong"}}.get(run, {"emphasis", "strong"})
        self._flush()
        inside = Spans(
            self._text[begin:end], final=True, styles=self._styles | frozenset(styles), depth=self._depth + 1
        )
        self.found += inside.split()
        self.at = end + run
        return True

    def _end_of(self, mark: str, run: int, begin: int) -> int:
        text, at = self._text, begin
        for _ in range(_MOST_TRIES):
            at = text.find(mark * run, at, begin + LOOK)
            if at < 0:
                return -1
            after = text[at + run : at + run + 1]
            if not text[at - 1].isspace() and after != mark and not (mark == "_" and after.isalnum()):
                return at
            at += run
        return -1

    def _image(self) -> bool | None:
        if self._text[self.at + 1 : self.at + 2] != "[":
            return None
        self.at += 1
        done = self._link("image: ")
        if done is None:
            self.at -= 1
        return done

    def _link(self, what: str = "") -> bool | None:
        """Take a link; its target always stands behind its words, so that the words cannot hide it."""
        text, begin = self._text, self.at + 1
        middle = text.find("](", begin, begin + LOOK)
        end = text.find(")", middle, middle + 5 * LOOK) if middle >= 0 else -1
        if end < 0 or "[" in text[begin:middle]:
            return None
        words, target = text[begin:middle], text[middle + 2 : end].strip()
        self._flush()
        if words and words != target:
            self._add(f"{what}{words}", "link")
            self._plain.append(f" ({target})")
        else:
            self._add(f"{what}{target}", "link")
        self.at = end + 1
        return True

    def _add(self, text: str, style: str) -> None:
        self._flush()
        self.found.append(Span(text, self._styles | {style}))

    def _flush(self) -> None:
        text = "".join(self._plain)
        self._plain.clear()
        if text:
            self.found.append(Span(text, self._styles))


_HEAD = re.compile(r"(?P<blanks> {0,40})(?P<mark>#{1,6} |[-*+] |[0-9]{1,9}[.)] |> ?|(?P<fence>`{3,40}|~{3,40}))?")
_ENOUGH, _ALWAYS = 12, 64
"""How many characters of an incomplete line decide its kind, and with how many it is decided in any case."""
_NARROWEST = 16
_STYLES: Mapping[str, Callable[[Style, str], str]] = MappingProxyType(
    {"strong": Style.bold, "emphasis": Style.emphasis, "code": Style.literal, "link": Style.link}
)


class Look(Struct, frozen=True):
    """How Markdown is shown."""

    width: int
    style: Style = Style()
    bar: str = BAR
    wrapped: str = WRAPPED
    """What stands before the continuation of a line of code that is too long."""
    marks: bool = False
    """Whether the marks of emphasis stay, because nothing else would show it."""


class MarkdownFlow:
    """Formats streamed Markdown behind a bar; a line is shown as soon as its words are known."""

    def __init__(self, look: Look) -> None:
        self._keeps_marks = look.marks
        self._pending = ""
        self._begun = False
        """Whether the head of the current line was shown."""
        self._fence = ""
        """The fence that began the code that is being shown; empty outside of code."""
        self._line = _Line(look)

    @property
    def open(self) -> bool:
        """Return whether the last line on the terminal is incomplete."""
        return self._begun

    def add(self, text: str) -> str:
        """Return the output for the next piece of the text."""
        first, *rest = text.split("\n")
        self._add(first)
        for line in rest:
            self._end_line()
            self._add(line)
        return self._line.taken()

    def end(self) -> str:
        """Return the output that ends an incomplete line; code ends here, too."""
        if self._pending or self._begun:
            self._end_line()
        self._fence = ""
        return self._line.taken()

    def _add(self, text: str) -> None:
        self._pending += text
        begin = self._pending[:_ALWAYS].lstrip(" ")
        if self._begun or len(self._pending) >= _ALWAYS or (len(begin) >= _ENOUGH and begin[0] not in "`~"):
            self._show(final=False)

    def _end_line(self) -> None:
        self._show(final=True)
        self._line.end()
        self._begun = False

    def _show(self, *, final: bool) -> None:
        if not self._begun:
            self._begun = True
            self._begin(final=final)
        if self._line.code:
            self._line.put_code(self._pending)
            self._pending = ""
        elif self._keeps_marks:
            kept = len(self._pending) if final or len(self._pending) > LOOK else self._pending.rfind(" ") + 1
            self._line.put([Span(self._pending[:kept])])
            self._pending = self._pending[kept:]
        else:
            spans = Spans(self._pending, final=final, styles=self._line.styles)
            self._line.put(spans.split())
            self._pending = self._pending[spans.at :]

    def _begin(self, *, final: bool) -> None:
        """Show the head of a line: what stands before its text."""
        head = _HEAD.match(self._pending)
        blanks, mark, fence = (head[name] or "" if head else "" for name in ("blanks", "mark", "fence"))
        if self._fence:
            ends = final and self._pending.strip().startswith(self._fence) and not self._pending.strip(f" {fence[:1]}")
            self._fence = "" if ends else self._fence
            self._line.begin(code=True)
        elif fence:
            self._fence = fence
            self._line.begin(code=True)
        else:
            begin = blanks + mark
            self._pending = self._pending[len(begin) :]
            is_heading = mark.startswith("#")
            drops = is_heading and not self._keeps_marks
            hang = len(blanks) if is_heading else len(begin)
            self._line.begin(blanks if drops else begin, hang=hang, styles={"strong"} if is_heading else ())


class _Line:
    """One line of the text, which may take several lines of the terminal."""

    def __init__(self, look: Look) -> None:
        self.code = False
        self.styles: frozenset[str] = frozenset()
        self._look = look
        self._out: list[str] = []
        self._hang = ""
        self._room = max(look.width - columns(look.bar), _NARROWEST)
        self._used = 0
        """How many columns of the line on the terminal are taken."""
        self._blanks = 0
        """How many blanks come before the next word, if it stands on the same line."""
        self._isolated = False
        """Whether right-to-left text goes on in the next word."""

    def taken(self) -> str:
        """Return the output since the last call."""
        text = "".join(self._out)
        self._out.clear()
        return text

    def begin(self, head: str = "", *, hang: int = 0, code: bool = False, styles: Iterable[str] = ()) -> None:
        """Begin a line with what stands before its text; `hang` is the indentation of its continuations."""
        self.code, self.styles = code, frozenset(styles)
        self._hang = " " * min(hang, self._room // 2)
        self._used = self._blanks = 0
        self._isolated = False
        self._out.append(self._bar(self._look.bar))
        self._word(head, self.styles)

    def end(self) -> None:
        """End the line."""
        self._out.append(f"{PDI * self._isolated}\n")

    def put(self, spans: Iterable[Span]) -> None:
        """Add text, wrapped between words."""
        for span in spans:
            for place, word in enumerate(_inert(span.text).split(" ")):
                self._blanks += place > 0
                if word:
                    self._word(word, span.styles)

    def put_code(self, text: str) -> None:
        """Add code, which is wrapped at the last column, and keeps its blanks."""
        piece: list[str] = []
        for letter in _inert(text):
            wide = width_of(letter)
            if self._used + wide > self._room:
                self._out.append(self._look.style.literal("".join(piece)))
                piece.clear()
                self._wrap(self._look.wrapped)
            piece.append(letter)
            self._used += wide
            self._isolated = letter == FSI or (self._isolated and letter != PDI)
        self._out.append(self._look.style.literal("".join(piece)))

    def _word(self, word: str, styles: frozenset[str]) -> None:
        wide = columns(word)
        if self._used + self._blanks + wide > self._room and self._used > len(self._hang):
            self._wrap(self._look.bar)
        self._out.append(" " * self._blanks)
        self._used += self._blanks
        self._blanks = 0
        for place, piece in enumerate(cut(word, self._room - len(self._hang))):
            if place:
                self._wrap(self._look.bar)
            shown = piece
            for name in styles:
                shown = _STYLES[name](self._look.style, shown)
            self._out.append(shown)
            self._used += columns(piece)
        if FSI in word or PDI in word:
            self._isolated = word.rfind(FSI) > word.rfind(PDI)

    def _wrap(self, bar: str) -> None:
        """Continue on the next line of the terminal; right-to-left text ends and begins anew there."""
        self._out.append(f"{PDI * self._isolated}\n{self._bar(bar)}{self._hang}{FSI * self._isolated}")
        self._used, self._blanks = len(self._hang), 0

    def _bar(self, bar: str) -> str:
        mark = bar.rstrip()
        return self._look.style.faint(mark) + bar[len(mark) :]


def _inert(text: str) -> str:
    return "⇥   ".join(visible(part) for part in text.split("\t"))
