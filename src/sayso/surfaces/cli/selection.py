"""Select actions of a batch: groups, numbers, and what is unticked."""

import re
from collections.abc import Callable, Collection, Hashable, Sequence
from enum import Enum
from itertools import groupby

from msgspec import Struct

from sayso.core.decision import Card

LEAST = 3
"""Fewer like steps are shown one by one."""


class Entry(Struct, frozen=True):
    """One line of the list: a card, or several like ones. Its texts are the plans', not yet made visible."""

    cards: tuple[Card, ...]
    summary: str
    members: tuple[str, ...] = ()
    """Of several: what differs, in their order."""


class _Like(Struct, frozen=True):
    """How one card can be said together with others: those with the same `key`."""

    key: Hashable
    differs: str
    say: Callable[[int], str]
    """Says how many of them do what."""


def entries(cards: Sequence[Card], alone: Callable[[Card], bool], apart: Callable[[Card], Hashable]) -> list[Entry]:
    """Return the list. Who is `alone` is never said together with others; nor are those kept `apart`."""
    out: list[Entry] = []
    likes = [(card, None if alone(card) else _like(card)) for card in cards]
    for _, run in groupby(likes, lambda pair: (apart(pair[0]), _key(pair))):
        pairs = list(run)
        like = pairs[0][1]
        if like is None or len(pairs) < LEAST:
            out += [Entry((card,), card.plan.summary) for card, _ in pairs]
            continue
        members = tuple(one.differs for _, one in pairs if one is not None)
        out.append(Entry(tuple(card for card, _ in pairs), like.say(len(pairs)), members))
    return out


def _key(pair: tuple[Card, _Like | None]) -> Hashable:
    card, like = pair
    return card.index if like is None else (card.operation, like.key)


def _like(card: Card) -> _Like | None:
    known = _KNOWN.get(card.operation)
    found = known(card) if known else None
    return found or _by_its_quotes(card.plan.summary)


def _match_moved(verb: str) -> Callable[[Card], _Like | None]:
    def like(card: Card) -> _Like | None:
        source, destination = str(card.arguments.get("source")), str(card.arguments.get("destination"))
        (folder, name), (into, called) = _split(source), _split(destination)
        if card.plan.summary != f"{verb} “{source}” to “{destination}”" or not (name and called):
            return None
        differs = f"“{name}”" if name == called else f"“{name}” as “{called}”"
        return _Like((folder, into), differs, lambda count: f"{verb} {count} files from “{folder}” to “{into}”")

    return like


def _in_a_folder(one: str, many: str) -> Callable[[Card], _Like | None]:
    def like(card: Card) -> _Like | None:
        path = str(card.arguments.get("path"))
        folder, name = _split(path)
        if card.plan.summary != one.format(path) or not name:
            return None
        return _Like((folder, one), f"“{name}”", lambda count: many.format(count, folder))

    return like


def _match_deleted(card: Card) -> _Like | None:
    ways = (
        ("Delete “{}”; it goes to the Trash", "Delete {} files in “{}”; they go to the Trash"),
        (
            "Delete “{}”; it is kept aside by sayso for a while",
            "Delete {} files in “{}”; they are kept aside by sayso for a while",
        ),
    )
    return next((like for one, many in ways if (like := _in_a_folder(one, many)(card)) is not None), None)


_KNOWN: dict[str, Callable[[Card], _Like | None]] = {
    "file.move": _match_moved("Move"),
    "file.copy": _match_moved("Copy"),
    "file.delete": _match_deleted,
    "file.mkdir": _in_a_folder("Create folder “{}”", "Create {} folders in “{}”"),
}


def _split(path: str) -> tuple[str, str]:
    folder, slash, name = path.rpartition("/")
    return (folder or slash, name)


_QUOTED = re.compile(r"“([^“”]*)”")


def _by_its_quotes(summary: str) -> _Like | None:
    """Take a sentence with one quoted text in it: those that differ in that text alone are like it."""
    quoted = _QUOTED.findall(summary)
    if len(quoted) != 1 or summary.count("“") != 1 or summary.count("”") != 1:
        return None
    frame = summary.replace(f"“{quoted[0]}”", "“…”")
    return _Like(frame, f"“{quoted[0]}”", lambda count: f"{frame}, {count} times")


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


class Turn(Struct, frozen=True):
    """Take these numbers out of the list, or in again."""

    numbers: frozenset[int]


class More(Struct, frozen=True):
    """Show these numbers whole."""

    numbers: frozenset[int]


class Unclear(Struct, frozen=True):
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
