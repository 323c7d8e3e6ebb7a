"""Find out which operation a name means that no dialect gave: by what its words mean, then by a slip of the pen."""

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from itertools import product

from sayso.dialects import names
from sayso.dialects.words import ALSO, MEANS, OTHERS

MOST_SEARCHES = 100
"""A reply of a million wrong names is not worth a million searches; later ones mean nothing."""

_LONGEST = 60
_MOST_WORDS = 5
_SHORT = 4
"""In words of so few letters another letter makes another word: `tag` is no slip for `tab`."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

Words = tuple[str, ...]


def words(name: str) -> Words:
    """Return the words of a name in lower case and the singular: `deleteFile`, `FILE_DELETE`, `list_apps`."""
    if not name.isascii() or len(name) > _LONGEST:
        return ()
    return tuple(_singular(word.lower()) for word in _WORD.findall(name))


class Meaning:
    """Knows every name that a source or a dialect gave to these operations, and what other names mean."""

    def __init__(self, operations: Collection[str]) -> None:
        self._operations = operations
        self._found: dict[str, tuple[str, ...]] = {}

    def of(self, name: str) -> tuple[str, ...]:
        """Return the ids of the operations that a name may mean, the likeliest first; most names mean none.

        What means the opposite, or something that nothing here does, is none: `undelete`, `select`.
        """
        if name not in self._found and len(self._found) < MOST_SEARCHES:
            said = words(name)
            known = _known(tuple(self._operations)) if 0 < len(said) <= _MOST_WORDS else None
            self._found[name] = () if known is None else tuple(dict.fromkeys(known.meant(said)))
        return self._found.get(name, ())

    def hint(self, name: str, called: Callable[[str], str]) -> str:
        """Return the end of a sentence on a name that there is not: what may be meant, else what there is of the kind.

        `called` says what an operation is called, empty where it has no name.
        """
        meant = [named for id_ in self.of(name) if (named := called(id_))]
        if meant:
            return f"; did you mean {' or '.join(meant)}?"
        there = [named for id_ in self._about(name) if (named := called(id_))]
        return f"; of that kind there are: {', '.join(there)}" if there else ""

    def _about(self, name: str) -> list[str]:
        """Return the ids of the operations on the thing that a name names; none where it names no such thing."""
        things = {thing for word in words(name) for thing in (word, *MEANS.get(word, ()))}
        return [id_ for id_ in self._operations if id_.partition(".")[0] in things]


class _Names:
    """The names of some operations by their words."""

    def __init__(self, operations: Collection[str]) -> None:
        self._names: dict[Words, list[str]] = {}
        self._in_any_order: dict[Words, list[str]] = {}
        for name, id_ in dict.fromkeys(_given(operations)):
            said = words(name)
            self._names.setdefault(said, []).append(id_)
            self._in_any_order.setdefault(tuple(sorted(said)), []).append(id_)
        self._words = frozenset(word for said in self._names for word in said) | MEANS.keys() | OTHERS

    def meant(self, said: Words) -> list[str]:
        """Return what these words mean, in any order; else by words of like meaning; else by a slip in one of them."""
        exactly = self._of(said)
        if exactly:
            return exactly
        by_meaning = [id_ for one in product(*(_alternatives(word) for word in said)) for id_ in self._of(one)]
        return by_meaning or [id_ for known, ids in self._names.items() if self._slipped(said, known) for id_ in ids]

    def _of(self, said: Words) -> list[str]:
        return self._in_any_order.get(tuple(sorted(said)), [])

    def _slipped(self, said: Words, known: Words) -> bool:
        if len(said) != len(known):
            return "".join(said) == "".join(known)
        differ = [(wrong, right) for wrong, right in zip(said, known, strict=True) if wrong != right]
        return all(wrong not in self._words and is_slip(wrong, right) for wrong, right in differ)


@lru_cache(maxsize=8)
def _known(operations: tuple[str, ...]) -> _Names:
    return _Names(operations)


def is_slip(wrong: str, right: str) -> bool:
    """Say whether a word is another one with a single slip: a letter too few, too many, another, or two exchanged.

    What holds the other whole is a word of its own (`undelete`, `deleted`), and so is what begins otherwise.
    """
    if wrong[0] != right[0] or right in wrong:
        return False
    begin = next((at for at, (one, two) in enumerate(zip(wrong, right, strict=False)) if one != two), len(wrong))
    rest, wanted = _without_common_end(wrong[begin:], right[begin:])
    long = len(right) > _SHORT
    match len(rest), len(wanted):
        case 0, 1:
            return True
        case (1, 0) | (1, 1):
            return long
        case 2, 2:
            return rest == wanted[::-1]
        case _:
            return False


def _without_common_end(one: str, two: str) -> tuple[str, str]:
    while one and two and one[-1] == two[-1]:
        one, two = one[:-1], two[:-1]
    return one, two


def _given(operations: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield every name of these operations that the sources gave, that is derived, or that stands to reason."""
    tables = (*names.LINES, *names.MACOS_AUTO, *names.BROWSER, *names.BLOCKS, *names.COMMANDS)
    yield from ((given.name, given.operation) for given in tables if given.operation in operations)
    yield from ((name, id_) for name, id_ in ALSO.items() if id_ in operations)
    for id_ in operations:
        yield id_, id_
        _, _, deed = id_.partition(".")
        if "_" in deed:
            yield deed, id_


def _alternatives(word: str) -> Words:
    return word, *MEANS.get(word, ())


def _singular(word: str) -> str:
    return word[:-1] if len(word) > _SHORT - 1 and word.endswith("s") and not word.endswith("ss") else word
