"""The spans of one line of Markdown: emphasis, code and links, found in linear time."""

import re
from typing import NamedTuple

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
