"""The mutants that may survive, each with its reason; for a file that was gone through, the list only gets shorter."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from tests.harness.mutants_made import Name, mutants_of
from tests.house import earlier_texts

FILE = "tests/mutants.toml"


class Listed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One change that no test can notice, or need not."""

    file: str
    function: str
    was: str
    becomes: str
    why: str
    nth: int = 1

    @property
    def name(self) -> Name:
        """Return the mutant that is meant."""
        return Name(self.file, self.function, self.was, self.becomes, self.nth)


class Mutants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole list."""

    through: tuple[str, ...] = ()
    """The files that were gone through: every mutant of theirs is killed or listed, and no more may be listed."""
    listed: tuple[Listed, ...] = ()
    moved: dict[str, str] = {}
    """Files that were gone through under another name, and where they stand now."""


def read(root: Path) -> Mutants:
    """Read the list of a project; none is an empty one."""
    file = root / FILE
    return _decoded(file.read_text(encoding="utf-8")) if file.is_file() else Mutants()


def _decoded(text: str) -> Mutants:
    return msgspec.toml.decode(text, type=Mutants)


def problems(root: Path) -> list[str]:
    """Return a sentence for everything that keeps the list from holding."""
    now = read(root)
    found = [f"{entry.name}: say why it may live" for entry in now.listed if not entry.why.strip()]
    found += [f"{name} is listed twice" for name, count in Counter(e.name for e in now.listed).items() if count > 1]
    found += [f"no such change can be made any more, take it from the list: {name}" for name in _gone(root, now)]
    return found + risen(root)


def risen(root: Path) -> list[str]:
    """Return a sentence for each file that has more entries than when the list was last committed, or is missing."""
    now = read(root)
    return [rise for text in earlier_texts(root, FILE) for rise in rises(_decoded(text), now)]


def rises(before: Mutants, after: Mutants) -> list[str]:
    """Return a sentence for each file that was gone through and has more entries, or is to be gone through again."""
    then, now = _counts(before.listed), _counts(after.listed)
    places = [(file, after.moved.get(file, file)) for file in before.through]
    return [
        *(
            f"{place} has {now[place]} listed mutants; it had {then[file]}"
            for file, place in places
            if now[place] > then[file]
        ),
        *(f"{file} was gone through" for file, place in places if place not in after.through),
    ]


def _counts(listed: Iterable[Listed]) -> Counter[str]:
    return Counter(entry.file for entry in listed)


def _gone(root: Path, listed: Mutants) -> list[Name]:
    files = dict.fromkeys(entry.file for entry in listed.listed)
    there = {mutant.name for file in files if (root / file).is_file() for mutant in mutants_of(root, file)}
    return [entry.name for entry in listed.listed if entry.name not in there]
