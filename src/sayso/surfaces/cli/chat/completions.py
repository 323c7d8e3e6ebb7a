"""What Tab completes in `sayso chat`: commands, sessions, models, and paths of files."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from sayso.core.quotes import visible

MOST = 200
"""Maximum number of entries of a folder that are offered."""


class Completions(Struct, frozen=True):
    """Finds completions. `arguments` has, for each command, what its argument may be."""

    commands: Sequence[str]
    arguments: Mapping[str, Callable[[], Sequence[str]]]
    person: Path
    """The person's home folder, which `~` means."""

    def find(self, before: str) -> Iterator[tuple[str, str]]:
        """Yield the whole word and what is shown of it, for each completion of the last word of a text."""
        line = before.rpartition("\n")[2]
        earlier, _, word = line.rpartition(" ")
        if before.startswith("/") and not earlier:
            yield from ((name, name) for name in self.commands if name.startswith(word))
        elif before.startswith("/") and (offers := self.arguments.get(earlier.strip())):
            yield from ((name, visible(name)) for name in offers() if name.startswith(word))
        elif word.startswith("@"):
            yield from (("@" + path, shown) for path, shown in self._paths(word[1:]))
        elif "/" in word:
            yield from self._paths(word)

    def _paths(self, begin: str) -> Iterator[tuple[str, str]]:
        folder, _, name = begin.rpartition("/")
        place = f"{folder}/" if "/" in begin else ""
        found = 0
        for entry in _entries(self._folder(place)):
            hidden = entry.name.startswith(".") and not name.startswith(".")
            typable = entry.name.isprintable() and not any(letter.isspace() for letter in entry.name)
            if entry.name.startswith(name) and typable and not hidden:
                end = "/" if entry.is_dir(follow_symlinks=False) else ""
                yield f"{place}{entry.name}{end}", visible(f"{entry.name}{end}")
                found += 1
            if found >= MOST:
                return

    def _folder(self, place: str) -> Path:
        if place.startswith("~/"):
            return self.person / place[2:]
        return Path(place or ".")


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
