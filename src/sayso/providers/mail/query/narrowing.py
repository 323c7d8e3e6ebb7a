"""What a server is asked, as values: search keys with what is always and what is never so folded away."""

from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Literal:
    """Bytes that go to the server as they are, announced by their length and never quoted."""

    data: bytes


Key = tuple[str | Literal, ...]
"""Words and texts in the order in which they are said; brackets are words."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What the server can say of a term: a search key that every message fulfils for which the term holds.

    `exact` says that the term holds for every message that fulfils the key, too.
    """

    key: Key
    """(ALL) is every message and (NOT ALL) is none."""
    exact: bool


ALL: Key = ("ALL",)
NONE: Key = ("NOT", "ALL")
ALWAYS, NEVER, OPEN = Narrowed(ALL, exact=True), Narrowed(NONE, exact=True), Narrowed(ALL, exact=False)


def no(term: Narrowed) -> Narrowed:
    """Return what the server can say of the opposite."""
    if not term.exact:
        return OPEN
    if term.key in {ALL, NONE}:
        return NEVER if term.key == ALL else ALWAYS
    return Narrowed(("NOT", *grouped(term.key)), exact=True)


def both(terms: tuple[Narrowed, ...]) -> Narrowed:
    """Return what the server can say of all of these together."""
    exact = all(term.exact for term in terms)
    keys = tuple(dict.fromkeys(term.key for term in terms if term.key != ALL))
    if NONE in keys:
        return NEVER
    if not keys:
        return Narrowed(ALL, exact)
    return Narrowed(tuple(piece for key in keys for piece in key), exact)


def either(terms: tuple[Narrowed, ...]) -> Narrowed:
    """Return what the server can say of any one of these."""
    there = tuple(term for term in terms if term.key != NONE)
    if not there:
        return NEVER
    exact = all(term.exact for term in there)
    if any(term.key == ALL for term in there):
        return ALWAYS if any(term == ALWAYS for term in there) else OPEN
    return Narrowed(_or(tuple(dict.fromkeys(term.key for term in there))), exact)


def _or(keys: tuple[Key, ...]) -> Key:
    if len(keys) == 1:
        return keys[0]
    middle = len(keys) // 2  # halves, so that a hundred stand seven deep and not a hundred
    return ("OR", *grouped(_or(keys[:middle])), *grouped(_or(keys[middle:])))


def grouped(key: Key) -> Key:
    """Return a key as one, in brackets."""
    return ("(", *key, ")")
