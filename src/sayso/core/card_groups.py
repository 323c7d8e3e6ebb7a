"""Which actions of a question are alike, so that one entry stands for all of them, and their numbers in words."""

from collections.abc import Callable, Collection, Hashable, Sequence
from itertools import groupby

from msgspec import Struct

from sayso.core.card_contents import argument_rows, because, called, notes, way_back
from sayso.core.decision import Card
from sayso.core.quotes import QUOTED, quoted, unquoted

LEAST = 3
"""Minimum number of similar cards that share one entry."""


class ListEntry(Struct, frozen=True):
    """One entry of the list: a single card, or several similar cards.

    Its texts come from plans and are not escaped yet.
    """

    cards: tuple[Card, ...]
    summary: str
    members: tuple[str, ...] = ()
    """For several cards, in their order: the part of the summary in which each card differs from the others."""


class _Like(Struct, frozen=True):
    """How one card can be combined with other cards that have the same `key`."""

    key: Hashable
    differs: str
    say: Callable[[int], str]
    """Returns the summary for a given number of combined cards."""


def entries(cards: Sequence[Card], alone: Callable[[Card], bool], apart: Callable[[Card], Hashable]) -> list[ListEntry]:
    """Return the entries of the list; adjacent similar cards share one entry.

    Cards for which `alone` returns True get their own entry, and cards of one entry have the same value of `apart`.
    """
    out: list[ListEntry] = []
    likes = [(card, None if alone(card) else _like(card)) for card in cards]
    for _, run in groupby(likes, lambda pair: (apart(pair[0]), _key(pair))):
        pairs = list(run)
        like = pairs[0][1]
        if like is None or len(pairs) < LEAST:
            out += [ListEntry((card,), card.plan.summary) for card, _ in pairs]
            continue
        members = tuple(one.differs for _, one in pairs if one is not None)
        out.append(ListEntry(tuple(card for card, _ in pairs), like.say(len(pairs)), members))
    return out


def stands_alone(card: Card) -> bool:
    """Return whether something must be read below a card's summary, so that it shares no entry."""
    return bool(called(card) or card.plan.preview or next(notes(card), None))


def says_below(card: Card) -> tuple[Hashable, ...]:
    """Return what the cards of one entry must have in common, because it is said once for all of them."""
    asks = card.verdict.ruling == "ask"
    return (asks, because(card) if asks else "", way_back(card.plan), len(card.plan.changes) > 1, card.plan.on_failure)


def _key(pair: tuple[Card, _Like | None]) -> Hashable:
    card, like = pair
    return card.index if like is None else (card.operation, like.key)


def _like(card: Card) -> _Like | None:
    known = _KNOWN.get(card.operation)
    found = known(card) if known else None
    return found or _by_its_quotes(card)


_MOVED = ("source", "destination")


def _is_path(said: str, argument: object) -> bool:
    """Say whether a summary's path is the argument; it may show `~` where the argument names the person's home."""
    in_home = said.startswith("~/") and isinstance(argument, str) and argument.startswith("/")
    return said == argument or (in_home and str(argument).endswith(said[1:]))


def _match_moved(verb: str) -> Callable[[Card], _Like | None]:
    def like(card: Card) -> _Like | None:
        named = [unquoted(found.group()) for found in QUOTED.finditer(card.plan.summary)]
        if len(named) != len(_MOVED) or not all(map(_is_path, named, (card.arguments.get(name) for name in _MOVED))):
            return None
        source, destination = named
        (folder, name), (into, called) = _split(source), _split(destination)
        as_said = card.plan.summary == f"{verb} {quoted(source)} to {quoted(destination)}"
        if not (as_said and name and called and len(card.arguments) == len(_MOVED)):
            return None
        differs = quoted(name) if name == called else f"{quoted(name)} as {quoted(called)}"
        return _Like(
            (folder, into), differs, lambda count: f"{verb} {count} files from {quoted(folder)} to {quoted(into)}"
        )

    return like


def _in_a_folder(one: str, many: str) -> Callable[[Card], _Like | None]:
    def like(card: Card) -> _Like | None:
        found = QUOTED.search(card.plan.summary)
        path = unquoted(found.group()) if found else ""
        folder, name = _split(path)
        if (
            not _is_path(path, card.arguments.get("path"))
            or card.plan.summary != one.format(quoted(path))
            or not name
            or len(card.arguments) > 1
        ):
            return None
        return _Like((folder, one), quoted(name), lambda count: many.format(count, quoted(folder)))

    return like


def _match_deleted(card: Card) -> _Like | None:
    ways = (
        ("Delete {}; it goes to the Trash", "Delete {} files in {}; they go to the Trash"),
        (
            "Delete {}; it is kept aside by sayso for a while",
            "Delete {} files in {}; they are kept aside by sayso for a while",
        ),
    )
    return next((like for one, many in ways if (like := _in_a_folder(one, many)(card)) is not None), None)


_KNOWN: dict[str, Callable[[Card], _Like | None]] = {
    "file.move": _match_moved("Move"),
    "file.copy": _match_moved("Copy"),
    "file.delete": _match_deleted,
    "file.mkdir": _in_a_folder("Create folder {}", "Create {} folders in {}"),
}


def _split(path: str) -> tuple[str, str]:
    folder, slash, name = path.rpartition("/")
    return (folder or slash, name)


LONGEST_MEMBER = 60
"""Maximum number of characters of an argument that is named in the entry of a group."""


def _by_its_quotes(card: Card) -> _Like | None:
    """Group summaries that contain one quoted text and differ only in that text and in the only argument."""
    said, rows = card.plan.summary, tuple(argument_rows(card.arguments))
    found = QUOTED.search(said)
    if found is None or len(rows) > 1 or any(len(row.value) > LONGEST_MEMBER for row in rows):
        return None
    before, after = said[: found.start()], said[found.end() :]
    if any(quote in before + after for quote in "“”"):
        return None
    frame, differs = f"{before}“…”{after}", found.group()
    for row in rows:
        differs += "" if row.value == differs else f" ({row.name} {row.value})"
    return _Like((frame, *(row.name for row in rows)), differs, lambda count: f"{frame}, {count} times")


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
