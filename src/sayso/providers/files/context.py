"""What a model is shown about files before it answers: recent files, folders and projects."""

import posixpath
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from heapq import heappop, heappush

import anyio
from msgspec import Struct

from sayso.core.conversation import ContextLimits, ContextPiece
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.providers.files.store import Files, FolderEntry, Glance, Glancing

MOST_FILES, MOST_TOLD_FOLDERS, MOST_PROJECTS = 40, 60, 20
"""How many files, folders and projects a model is shown at most, the newest first."""
MOST_FOLDERS = 200
"""Maximum number of folders looked into, the most recently changed first."""
MOST_ENTRIES = 200
"""Maximum number of files, and separately of folders, taken from one folder, the most recently changed first."""
MOST_NAMED, SHORTEST_NAME = 20, 3
"""How many files that the person named are told first, and the fewest letters of a word that names one."""
_WORDS = re.compile(r"[^\W_]+")
RECENT = "The files that were changed last, newest first; before them, those whose names the person said."
DEEPEST = 8
SECONDS = 0.5
"""Time limit in seconds for looking into folders; what is not reached by then is left out."""
GRACE = 0.3
"""Further seconds to wait for a disk that does not respond."""
PROJECT = frozenset(
    {"pyproject.toml", "setup.py", "package.json", "deno.json", "cargo.toml", "go.mod", "pom.xml", "build.gradle"}
    | {"build.gradle.kts", "gemfile", "composer.json", "mix.exs", "cmakelists.txt", "meson.build", "makefile"}
    | {"dockerfile", ".git", ".gitignore", ".editorconfig", ".hg"}
)
"""Names that make the folder holding them a project; case does not matter."""
MADE = frozenset({"node_modules", "__pycache__", "target", "dist", "build", "out", "venv", "vendor"})
"""Names of folders that programs fill; nothing in them is a person's recent work."""
LEFT_OUT = "only some folders were looked into, those changed last first: all of them take too long before each answer"


class _RecentThing(Struct, frozen=True):
    path: str
    changed: int


class _Walk:
    """A walk through the roots, most recently changed folders first, limited in folders and time."""

    def __init__(self, files: Files, roots: Iterable[str]) -> None:
        self.files: dict[str, _RecentThing] = {}
        self.folders: dict[str, _RecentThing] = {}
        self.projects: list[_RecentThing] = []
        self.whole = True
        self._store = files
        self._ahead: list[tuple[int, str, int, bool]] = []
        self._known: set[str] = set()
        for root in roots:
            self._put(root, -(2**63), 0, within=False)

    async def go(self) -> None:
        """Look into one folder after another until a limit is reached or none is left."""
        self._ends = anyio.current_time() + SECONDS
        with anyio.move_on_after(SECONDS + GRACE) as limit:
            for _ in range(MOST_FOLDERS):
                if not self._ahead or anyio.current_time() > self._ends:
                    break
                _, path, depth, within = heappop(self._ahead)
                await self._look(path, depth, within=within)
        self.whole = self.whole and not self._ahead and not limit.cancelled_caught

    async def _look(self, path: str, depth: int, *, within: bool) -> None:
        seen = await self._glance_at(path)
        if depth and seen.marked and not within:
            within = True
            self.folders.pop(path, None)
            self.projects.append(_RecentThing(path, max((entry.mtime_ns for entry in seen.entries), default=0)))
        self.whole = self.whole and seen.whole
        for entry in seen.entries:
            self._take(entry, depth + 1, within=within)

    def _take(self, entry: FolderEntry, depth: int, *, within: bool) -> None:
        if entry.flagged or entry.name.startswith("."):
            return
        if entry.kind == "file":
            self.files[entry.path] = _RecentThing(entry.path, entry.mtime_ns)
        elif entry.kind == "folder" and depth <= DEEPEST and entry.name.casefold() not in MADE:
            self._put(entry.path, -entry.mtime_ns, depth, within=within)

    def _put(self, path: str, turn: int, depth: int, *, within: bool) -> None:
        if path in self._known:
            return
        self._known.add(path)
        heappush(self._ahead, (turn, path, depth, within))
        if depth and not within:
            self.folders[path] = _RecentThing(path, -turn)

    async def _glance_at(self, path: str) -> Glance:
        """Return the newest entries of a folder, none if it cannot be read."""
        try:
            if isinstance(self._store, Glancing):
                left = max(0.0, self._ends - anyio.current_time())
                return await self._store.glance(path, PROJECT, MOST_ENTRIES, left)
            listed = await self._store.list(path, MOST_ENTRIES)
        except SaysoError:
            return Glance((), marked=False, whole=True)  # the folder is gone or may not be read
        marked = any(entry.name.casefold() in PROJECT for entry in listed.entries)
        return Glance(listed.entries, marked, whole=len(listed.entries) < MOST_ENTRIES)


async def recent(files: Files, around: ContextLimits) -> tuple[ContextPiece, ...]:
    """Return recent files, folders and projects below the roots, each newest first."""
    walk = _Walk(files, around.roots)
    await walk.go()
    why = "" if walk.whole else LEFT_OUT
    said = around.words.casefold()
    words = frozenset(_WORDS.findall(said))
    named = {path for path in walk.files if said and _is_named(posixpath.basename(path), said, words)}
    first = _newest((walk.files[path] for path in named), MOST_NAMED)
    others = _newest((one for one in walk.files.values() if one not in first), MOST_FILES - len(first))
    told = _rows([*first, *others])
    folders = _rows(_newest(walk.folders.values(), MOST_TOLD_FOLDERS))
    projects = _rows(_newest(walk.projects, MOST_PROJECTS))
    return (
        ContextPiece("roots", "The folders that file actions reach, and all below them.", [*around.roots], ours=True),
        ContextPiece("recent_files", RECENT, told, left_out=why),
        ContextPiece("folders", "The folders that hold the person's files.", folders),
        ContextPiece("projects", "The projects there are, the one worked on last first.", projects),
    )


def _is_named(name: str, said: str, told: frozenset[str]) -> bool:
    """Say whether a text contains the name of a file, or every word of its name without the ending."""
    if len(name) >= SHORTEST_NAME and name.casefold() in said:
        return True
    parts = _WORDS.findall(posixpath.splitext(name)[0].casefold())
    return any(len(part) >= SHORTEST_NAME for part in parts) and all(part in told for part in parts)


def _newest(found: Iterable[_RecentThing], most: int) -> list[_RecentThing]:
    return sorted(found, key=lambda one: (-one.changed, one.path))[:most]


def _rows(found: Iterable[_RecentThing]) -> list[Json]:
    return [{"name": posixpath.basename(one.path), "path": one.path, "changed": _when(one.changed)} for one in found]


def _when(nanoseconds: int) -> str:
    return datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
