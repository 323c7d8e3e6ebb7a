"""Suggestions for unknown names: which operations the model probably meant."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from itertools import product
from types import MappingProxyType

from sayso.dialects.vocabulary import KEYED, LINES

_SYNONYMS = """
add: create
create: add
new: add create
make: create add
insert: add
get: read list
show: read list reveal
view: read list
display: read list
cat: read
fetch: get read list
retrieve: get read
load: read
list: inbox
ls: list
enumerate: list
search: find
find: search
lookup: find search
delete: trash remove
remove: delete trash
trash: delete
erase: delete
destroy: delete
discard: delete trash
rm: delete
del: delete
done: complete log
finish: complete log
tick: complete log
complete: log
track: log
record: log
undone: reopen
uncomplete: reopen
untick: reopen
uncheck: reopen
edit: update
update: edit
change: edit update
modify: edit update
rename: move edit
reword: edit
move: place
position: place
arrange: place
resize: place
launch: open
start: open
goto: open
navigate: open
close: quit
quit: close
exit: quit close
stop: quit
terminate: quit
focus: activate switch
switch: activate
front: activate
duplicate: copy
clone: copy
save: write
overwrite: write
set: write
write: compose
draft: compose
execute: run
eval: run
evaluate: run
press: click
tap: click
type: fill
capture: screenshot
say: speak
speak: say
alert: notify
notification: notify
folder: file
directory: folder file
dir: folder file
document: file
doc: file
application: app
program: app
email: mail
website: url
site: url
link: url
address: url
page: url
todo: task
appointment: event
meeting: event
javascript: js
"""

MEANS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {word: tuple(rest.split()) for word, _, rest in (line.partition(": ") for line in _SYNONYMS.split("\n") if line)}
)
"""For each word, the words that it may mean, the likeliest first."""

_OTHERS = """
api cancel check clear clock count deselect disable enable export hide import lock merge node pause pin post print
recover remote restore resume select sent share sort split sync tag test undelete undo unlock upload
"""

OTHERS = frozenset(_OTHERS.split())
"""Words for things that no operation does; they are never taken for typing errors."""

ALSO: Mapping[str, str] = MappingProxyType(
    {
        "mkdir": "file.mkdir",
        "file_create_folder": "file.mkdir",
        "task_mark_complete": "task.complete",
        "task_complete_off": "task.complete",
        "task_check_off": "task.complete",
        "clipboard_copy": "clipboard.write",
        "calendar_create": "calendar.create_event",
        "calendar_update": "calendar.update_event",
        "calendar_delete": "calendar.delete_event",
        "send_notify": "notify.show",
    }
)
"""Other names that models are likely to write, each with the operation that it means."""

MOST_SEARCHES = 100
"""How many unknown names in one reply are looked up at most; further ones get no suggestion."""

_LONGEST = 60
_MOST_WORDS = 5
_SHORT = 4
"""A word of at most this length with another letter is another word: `tag` is not a mistyped `tab`."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z](?:[A-Z](?![a-z]))*|[0-9]+")

Words = tuple[str, ...]


def words(name: str) -> Words:
    """Return the words of a name such as `deleteFile` or `list_apps`, in lower case and in the singular."""
    if not name.isascii() or len(name) > _LONGEST:
        return ()
    return tuple(_singular(word.lower()) for word in _WORD.findall(name))


class NameMeanings:
    """Finds the operations that an unknown name may mean, from all names that the dialects give to them."""

    def __init__(self, operations: Collection[str]) -> None:
        self._operations = operations
        self._found: dict[str, tuple[str, ...]] = {}

    def of(self, name: str) -> tuple[str, ...]:
        """Return the ids of the operations that a name may mean, the likeliest first.

        Returns nothing for a name that means the opposite of an operation (`undelete`), or something that no operation
        does (`select`).
        """
        if name not in self._found and len(self._found) < MOST_SEARCHES:
            said = words(name)
            known = _names_of(tuple(self._operations)) if 0 < len(said) <= _MOST_WORDS else None
            self._found[name] = () if known is None else tuple(dict.fromkeys(known.find(said)))
        return self._found.get(name, ())

    def hint(self, name: str, called: Callable[[str], str]) -> str:
        """Return the end of a message about an unknown name: the names that it may mean.

        If there are none, it lists the names for the kind of thing that the unknown name mentions, or is empty.
        `called` returns the name of an operation; empty if the operation has none.
        """
        meant = [named for id_ in self.of(name) if (named := called(id_))]
        if meant:
            return f"; did you mean {' or '.join(meant)}?"
        there = [named for id_ in self._about(name) if (named := called(id_))]
        return f"; of that kind there are: {', '.join(there)}" if there else ""

    def _about(self, name: str) -> list[str]:
        """Return the ids of the operations on a kind of thing that the name mentions."""
        things = {thing for word in words(name) for thing in (word, *MEANS.get(word, ()))}
        return [id_ for id_ in self._operations if id_.partition(".")[0] in things]


class _Names:
    """All names of some operations, which are found by the words in the names."""

    def __init__(self, operations: Collection[str]) -> None:
        self._names: dict[Words, list[str]] = {}
        self._in_any_order: dict[Words, list[str]] = {}
        for name, id_ in dict.fromkeys(_all_names(operations)):
            said = words(name)
            self._names.setdefault(said, []).append(id_)
            self._in_any_order.setdefault(tuple(sorted(said)), []).append(id_)
        self._words = frozenset(word for said in self._names for word in said) | MEANS.keys() | OTHERS

    def find(self, said: Words) -> list[str]:
        """Return the operations with these words in any order, or else with synonyms, or else with typing errors."""
        exactly = self._of(said)
        if exactly:
            return exactly
        by_meaning = [id_ for one in product(*(_alternatives(word) for word in said)) for id_ in self._of(one)]
        return by_meaning or [id_ for known, ids in self._names.items() if self._is_slip_of(said, known) for id_ in ids]

    def _of(self, said: Words) -> list[str]:
        return self._in_any_order.get(tuple(sorted(said)), [])

    def _is_slip_of(self, said: Words, known: Words) -> bool:
        if len(said) != len(known):
            return "".join(said) == "".join(known)
        differ = [(wrong, right) for wrong, right in zip(said, known, strict=True) if wrong != right]
        return all(wrong not in self._words and is_slip(wrong, right) for wrong, right in differ)


@lru_cache(maxsize=8)
def _names_of(operations: tuple[str, ...]) -> _Names:
    return _Names(operations)


def is_slip(wrong: str, right: str) -> bool:
    """Say whether one word is the other with a single typing error.

    The error is a letter that is missing, added or wrong, or two letters that are exchanged. A word that contains the
    other as a whole (`undelete`, `deleted`), or begins with another letter, is a different word.
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


def _all_names(operations: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield every name of these operations: their names in all dialects, other likely names, and their ids."""
    yield from ((given.name, given.operation) for given in (*LINES, *KEYED) if given.operation in operations)
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
