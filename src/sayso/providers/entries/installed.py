"""Find the installed applications in every application folder; the person's own folder wins."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sayso.core.errors import ProviderError
from sayso.core.values import dataclass
from sayso.providers.entries.entry import Entry, languages, read
from sayso.providers.programs.environment import found

SUFFIX = ".desktop"
_PIECES = re.compile(r"[\s=;:,|&<>()'\"]+")
"""What may stand around a path in a word of a command."""
_AT_HOME = re.compile(r"\A(~|\$HOME|\$\{HOME\})/")


def folders(environ: Mapping[str, str], home: str) -> tuple[Path, ...]:
    """Return the application folders, the one that wins first; a relative one means nothing."""
    own = environ.get("XDG_DATA_HOME") or f"{home}/.local/share"
    shared = environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    places = dict.fromkeys(Path(place) for place in (own, *shared.split(":")) if place.startswith("/"))
    return tuple(place / "applications" for place in places)


@dataclass(frozen=True)
class Installed:
    """The desktop entries of this machine, each id once."""

    entries: tuple[Entry, ...]
    environ: Mapping[str, str]
    roots: tuple[str, ...] = ()
    """Folders that file actions may reach."""

    def shown(self) -> tuple[Entry, ...]:
        """Return what a person finds in their menus, and may launch."""
        return tuple(entry for entry in self.entries if not entry.hidden and entry.command and self._there(entry))

    def called(self, name: str) -> tuple[Entry, ...]:
        """Return what stands in the menus under this name, letter for letter, in the person's language or plainly."""
        return tuple(entry for entry in self.shown() if name in {entry.name, entry.plain})

    def _there(self, entry: Entry) -> bool:
        return not entry.try_exec or found(entry.try_exec, self.environ) is not None

    def within_reach(self, entry: Entry) -> str | None:
        """Return which part of an entry file actions could have written, None where none is (AP-01)."""
        for path in (entry.path, *self._named(entry.command)):
            if path and any(_beneath(os.path.realpath(path), os.path.realpath(root)) for root in self.roots):
                return path
        return None

    def _named(self, command: Sequence[str]) -> Iterator[str]:
        """Yield the program of a command, and every path that stands in it: what an interpreter is given is run too."""
        if command and (program := found(command[0], self.environ)):
            yield program
        home = self.environ.get("HOME", "")
        for word in command:
            for piece in _PIECES.split(word):
                path = _AT_HOME.sub(lambda _: f"{home}/", piece)
                if path.startswith("/"):
                    yield path

    def must_be_out_of_reach(self, entry: Entry) -> None:
        """Raise `ProviderError` when part of an entry lies where file actions may write: then it could be anything."""
        reach = self.within_reach(entry)
        if reach is not None:
            raise ProviderError(
                f"{entry.name} is started from {reach}, which file actions may change; open it by hand", "app.reachable"
            )


class Folders:
    """The application folders of an environment; an entry is read again only when its file is another one."""

    def __init__(self, environ: Mapping[str, str], home: str, roots: tuple[str, ...] = ()) -> None:
        self._environ = environ
        self._folders = folders(environ, home)
        self._roots = roots
        self._languages = languages(environ)
        self._desktops = environ.get("XDG_CURRENT_DESKTOP", "").split(":")
        self._read: dict[Path, tuple[tuple[int, ...], Entry | None]] = {}

    def look(self) -> Installed:
        """Look at every folder."""
        entries: dict[str, Entry | None] = {}
        for folder in self._folders:
            for path, id_ in _files(folder):
                if id_ not in entries:
                    entries[id_] = self._entry(path, id_)
        return Installed(tuple(entry for entry in entries.values() if entry is not None), self._environ, self._roots)

    def _entry(self, path: Path, id_: str) -> Entry | None:
        try:
            at = path.stat()
        except OSError:
            return None
        # Nobody can write into a file, or put another in its place, without a new time of change.
        version = (at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns)
        known = self._read.get(path)
        if known is None or known[0] != version:
            known = version, read(path, id_, self._languages, self._desktops)
            self._read[path] = known
        return known[1]


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the entries below a folder with their ids: the way to them, joined with dashes."""
    for at, inner, names in os.walk(folder):
        inner.sort()
        for name in sorted(names):
            if name.endswith(SUFFIX):
                path = Path(at) / name
                yield path, "-".join(path.relative_to(folder).parts)


def _beneath(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
