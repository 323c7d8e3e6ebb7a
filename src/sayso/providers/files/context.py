"""What a model is told of files when it answers a question: those changed last, and the projects there are (S4-44)."""

import posixpath
from collections.abc import Iterable
from datetime import UTC, datetime
from heapq import heappop, heappush

from sayso.core.canonical import Json
from sayso.core.context import Around, Piece
from sayso.core.errors import SaysoError
from sayso.core.values import dataclass
from sayso.providers.files.store import Entry, Files

MOST = 20
"""So many files, and as many projects, are told."""
MOST_FOLDERS = 200
"""Folders that are looked into, those changed last first; what lies elsewhere is left out."""
MOST_ENTRIES = 1000
"""Entries that are looked at in one folder."""
DEEPEST = 8
PROJECT = frozenset(
    {"pyproject.toml", "setup.py", "package.json", "deno.json", "cargo.toml", "go.mod", "pom.xml", "build.gradle"}
    | {"build.gradle.kts", "gemfile", "composer.json", "mix.exs", "cmakelists.txt", "meson.build", "makefile"}
    | {"dockerfile", ".gitignore", ".editorconfig"}
)
"""A folder with one of these in it is somebody's project; which letters are capitals does not matter."""
MADE = frozenset({"node_modules", "__pycache__", "target", "dist", "build", "out", "venv", "vendor"})
"""Folders that programs fill; nothing in them is anybody's recent work."""


@dataclass(frozen=True)
class _Found:
    path: str
    changed: int


class _Walk:
    """A walk through the roots, into folders changed last first; it ends after so many of them."""

    def __init__(self, files: Files, roots: Iterable[str]) -> None:
        self.files: dict[str, _Found] = {}
        self.projects: list[_Found] = []
        self._store = files
        self._ahead: list[tuple[int, str, int, bool]] = []
        self._known: set[str] = set()
        for root in roots:
            self._put(root, -(2**63), 0, within=False)

    async def go(self) -> None:
        """Look into one folder after the other."""
        for _ in range(MOST_FOLDERS):
            if not self._ahead:
                return
            _, path, depth, within = heappop(self._ahead)
            entries = await self._entries(path)
            if depth and not within and any(entry.name.casefold() in PROJECT for entry in entries):
                within = True
                self.projects.append(_Found(path, max(entry.mtime_ns for entry in entries)))
            for entry in entries:
                self._take(entry, depth + 1, within=within)

    def _take(self, entry: Entry, depth: int, *, within: bool) -> None:
        if entry.flagged or entry.name.startswith("."):
            return
        if entry.kind == "file":
            self.files[entry.path] = _Found(entry.path, entry.mtime_ns)
        elif entry.kind == "folder" and depth <= DEEPEST and entry.name.casefold() not in MADE:
            self._put(entry.path, -entry.mtime_ns, depth, within=within)

    def _put(self, path: str, turn: int, depth: int, *, within: bool) -> None:
        if path not in self._known:
            self._known.add(path)
            heappush(self._ahead, (turn, path, depth, within))

    async def _entries(self, path: str) -> tuple[Entry, ...]:
        try:
            return (await self._store.list(path, MOST_ENTRIES)).entries
        except SaysoError:
            return ()  # it has gone, or may not be looked into: then nothing of it is told


async def recent(files: Files, around: Around) -> tuple[Piece, ...]:
    """Return the files changed last beneath the roots, and the projects there, each newest first; for questions."""
    if not around.query:
        return ()
    walk = _Walk(files, around.roots)
    await walk.go()
    told = _rows(walk.files.values())
    projects = _rows(walk.projects)
    return (
        Piece("recent_files", "The files that were changed last, newest first.", told, for_queries=True),
        Piece("projects", "The projects there are, the one worked on last first.", projects, for_queries=True),
    )


def _rows(found: Iterable[_Found]) -> list[Json]:
    newest = sorted(found, key=lambda one: (-one.changed, one.path))[:MOST]
    return [{"name": posixpath.basename(one.path), "path": one.path, "changed": _when(one.changed)} for one in newest]


def _when(nanoseconds: int) -> str:
    return datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
