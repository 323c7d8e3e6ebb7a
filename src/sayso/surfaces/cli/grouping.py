"""Say like steps that follow each other in one sentence, with what differs between them; for showing only (T-37)."""

import re
from collections.abc import Callable, Hashable, Sequence
from itertools import groupby

from sayso.core.values import dataclass
from sayso.core.verdict import Card

LEAST = 3
"""Fewer like steps are shown one by one."""


@dataclass(frozen=True)
class Entry:
    """One line of the list: a card, or several like ones. Its texts are the plans', not yet made visible."""

    cards: tuple[Card, ...]
    summary: str
    members: tuple[str, ...] = ()
    """Of several: what differs, in their order."""


@dataclass(frozen=True)
class _Like:
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


def _moved(verb: str) -> Callable[[Card], _Like | None]:
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


def _deleted(card: Card) -> _Like | None:
    ways = (
        ("Delete “{}”; it goes to the Trash", "Delete {} files in “{}”; they go to the Trash"),
        (
            "Delete “{}”; it is kept aside by sayso for a while",
            "Delete {} files in “{}”; they are kept aside by sayso for a while",
        ),
    )
    return next((like for one, many in ways if (like := _in_a_folder(one, many)(card)) is not None), None)


_KNOWN: dict[str, Callable[[Card], _Like | None]] = {
    "file.move": _moved("Move"),
    "file.copy": _moved("Copy"),
    "file.delete": _deleted,
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
