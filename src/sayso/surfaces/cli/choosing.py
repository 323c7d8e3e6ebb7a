"""Read what a person types at a list of actions: a word for all of it, or numbers and ranges of it."""

import re
from collections.abc import Collection
from enum import Enum

from sayso.core.values import dataclass


class Wish(Enum):
    """What is wanted of the whole list."""

    EXECUTE = "execute"
    ALWAYS = "always"
    EDIT = "edit"
    CANCEL = "cancel"
    HELP = "help"
    LIST = "list"
    VIEW = "view"
    """See all of it whole."""
    ALL = "all"
    NONE = "none"


@dataclass(frozen=True)
class Turn:
    """Take these numbers out of the list, or in again."""

    numbers: frozenset[int]


@dataclass(frozen=True)
class More:
    """Show these numbers whole."""

    numbers: frozenset[int]


@dataclass(frozen=True)
class Unclear:
    """What was typed means nothing here, and this says why."""

    why: str


Choice = Wish | Turn | More | Unclear

_WORDS = {
    "y": Wish.EXECUTE, "yes": Wish.EXECUTE, "execute": Wish.EXECUTE,
    "a": Wish.ALWAYS, "always": Wish.ALWAYS,
    "e": Wish.EDIT, "edit": Wish.EDIT,
    "": Wish.CANCEL, "n": Wish.CANCEL, "no": Wish.CANCEL, "c": Wish.CANCEL, "cancel": Wish.CANCEL,
    "?": Wish.HELP, "h": Wish.HELP, "help": Wish.HELP,
    "l": Wish.LIST, "list": Wish.LIST,
    "v": Wish.VIEW, "view": Wish.VIEW, "m": Wish.VIEW, "more": Wish.VIEW,
    "all": Wish.ALL, "none": Wish.NONE,
}  # fmt: skip
_MORE = re.compile(r"(?:m|more|\?|v|view)\s*(?=[0-9])")
_RANGE = re.compile(r"([0-9]{1,9})(?:\s*(?:-|–|\.\.)\s*([0-9]{1,9}))?")
_BETWEEN = re.compile(r"[\s,]+")
_SHOWN = 20
"""Characters of what was typed that are said again."""


def choice(typed: str | None, numbers: Collection[int]) -> Choice:
    """Return what is wanted; `numbers` are those of the list. No line at all (the input has ended) is a no."""
    if typed is None:
        return Wish.CANCEL
    text = typed.strip(" \t\r\n").lower()
    if text in _WORDS:
        return _WORDS[text]
    more = _MORE.match(text)
    found = _numbers(text[more.end() :] if more else text, numbers)
    if isinstance(found, Unclear):
        return found
    return More(found) if more else Turn(found)


def _numbers(text: str, numbers: Collection[int]) -> frozenset[int] | Unclear:
    text = re.sub(r"\s*(-|–|\.\.)\s*", r"\1", text)
    found: set[int] = set()
    for part in _BETWEEN.split(text.strip(" ,")):
        match = _RANGE.fullmatch(part)
        if match is None:
            return Unclear(f"“{text[:_SHOWN]}” is no choice here")
        first, last = int(match[1]), int(match[2] or match[1])
        here = {number for number in numbers if first <= number <= last}
        if not here:
            return Unclear(f"there is no {part[:_SHOWN]} in the list")
        found |= here
    return frozenset(found)


def ranges(numbers: Collection[int]) -> str:
    """Write numbers as a person would: `1, 3–5`."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else _span(part) for part in parts)


def _span(part: list[int]) -> str:
    return f"{part[0]}–{part[-1]}" if part[1:-1] else f"{part[0]}, {part[-1]}"
