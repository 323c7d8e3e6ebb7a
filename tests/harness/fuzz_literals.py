"""Whether every literal of a proposal stands in the text it was read from, which is decoded here and not by sayso."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, cast

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_OF_WORDS = re.compile(r'\\([nrt"\\“”„])')
"""What a backslash stands before in the line dialect; before anything else it is itself."""
_NUMBER = re.compile(r"(-?[0-9]+)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_QUOTES = re.compile(r'["\\“”„«»]')


class Literals:
    """The texts and numbers that a text can be said to hold: as it stands, and with escapes undone once or twice."""

    def __init__(self, text: str, *, words: bool = False) -> None:
        """Take a text; with `words`, quotes may stand within what a text of it is made of, as in the line dialect."""
        self._text = text
        self._words = words

    def invented(self, value: Any) -> Iterator[str]:
        """Yield each text and number of a value that does not stand in the text."""
        if isinstance(value, Mapping):
            members = cast("Mapping[str, Any]", value)
            value = [*members, *members.values()]
        if isinstance(value, list | tuple):
            for item in cast("list[Any]", value):
                yield from self.invented(item)
        elif not self._holds(value):
            yield repr(value)

    def _holds(self, value: Any) -> bool:
        if isinstance(value, str):
            return any(value in level for level in self._levels) or (self._words and self._unquoted(value))
        return value is None or isinstance(value, bool) or value in self._numbers

    def _unquoted(self, value: str) -> bool:
        """Say whether a value stands in the text but for quotes, within which a backslash means something else."""
        ways = [_QUOTES.sub("", way) for way in (value, _OF_WORDS.sub(_character, value))]
        return any(way in _QUOTES.sub("", level) for way in ways for level in self._levels)

    @cached_property
    def _levels(self) -> tuple[str, ...]:
        """As it stands; with one kind of line end; as JSON; as JSON in a text of JSON; as words, and JSON in them."""
        text = self._text
        plain = text.replace("\r\n", "\n").replace("\r", "\n")
        levels = {text: 0, plain: 0}
        if "\\" in text:
            once = unescaped(text)
            levels |= {once: 0, unescaped(once): 0}
            if self._words:
                glued = "\n".join(_glued(line) for line in plain.split("\n"))
                levels |= {_OF_WORDS.sub(_character, plain): 0, glued: 0, unescaped(glued): 0}
        return tuple(levels)

    @cached_property
    def _numbers(self) -> frozenset[float]:
        found = (number for level in self._levels for number in _NUMBER.findall(level))
        return frozenset(float(whole + rest) if rest else int(whole) for whole, rest in found)


def _glued(line: str) -> str:
    """Undo the escapes of a line within its quotes alone, and leave the quotes out, so that pieces of a word meet."""
    found: list[str] = []
    within = escaped = False
    for char in line:
        if escaped:
            found.append({"n": "\n", "t": "\t"}.get(char, char) if char in 'nt"\\' else f"\\{char}")
            escaped = False
        elif char == '"':
            within = not within
        elif within and char == "\\":
            escaped = True
        else:
            found.append(char)
    return "".join(found)


def unescaped(text: str) -> str:
    """Undo the escapes of JSON wherever they stand, and put the halves of character pairs together."""
    undone = _ESCAPE.sub(_character, text)
    return undone.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _character(escape: re.Match[str]) -> str:
    said = escape[1]
    return chr(int(said[1:], 16)) if len(said) > 1 else _SHORT.get(said, said)
