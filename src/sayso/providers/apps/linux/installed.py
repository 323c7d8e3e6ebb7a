"""Find the installed applications in every application folder; the person's own folder wins."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from sayso.core.values import dataclass
from sayso.providers.apps.linux.entries import Entry, languages, read
from sayso.providers.programs.environment import found

SUFFIX = ".desktop"


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

    def _there(self, entry: Entry) -> bool:
        return not entry.try_exec or found(entry.try_exec, self.environ) is not None

    def within_reach(self, entry: Entry) -> str | None:
        """Return which part of an entry file actions could have written, None where none is (AP-01)."""
        program = found(entry.command[0], self.environ) if entry.command else None
        for path in (entry.path, program):
            if path and any(_beneath(os.path.realpath(path), os.path.realpath(root)) for root in self.roots):
                return path
        return None


def installed(environ: Mapping[str, str], home: str, roots: tuple[str, ...] = ()) -> Installed:
    """Look at every application folder."""
    words, desktops = languages(environ), environ.get("XDG_CURRENT_DESKTOP", "").split(":")
    entries: dict[str, Entry | None] = {}
    for folder in folders(environ, home):
        for path, id_ in _files(folder):
            if id_ not in entries:
                entries[id_] = read(path, id_, words, desktops)
    return Installed(tuple(entry for entry in entries.values() if entry is not None), environ, roots)


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
