"""A home with a root in it, the backend on it, and what `find`, `stat` and `sha256sum` say of it."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from sayso.core.plan import Applied, Facts
from sayso.core.ports import BackendContext, KillPoint, no_kill_point
from sayso.providers.disk.syscalls import Beneath, openat2
from sayso.providers.files.local.backend import LocalBackend
from sayso.providers.files.model import Free, SameFolder, Steps
from sayso.testing.fakes import FakeClock, NumberedIds

TOKEN = "abcdefghij" + "0123456789"


@dataclass
class Desk:
    """One person's folders, and sayso on top of them."""

    base: Path
    way: Beneath = openat2
    clock: FakeClock = field(default_factory=FakeClock)
    ids: NumberedIds = field(default_factory=NumberedIds)
    options: dict[str, object] = field(default_factory=dict[str, object])
    kill: KillPoint = no_kill_point
    more_roots: tuple[Path, ...] = ()
    also_own: tuple[str, ...] = ()
    own_name: str = "own"

    def __post_init__(self) -> None:
        self.home = self.base / "home"
        self.documents = self.home / "Documents"
        self.own = self.base / self.own_name
        self.outside = self.base / "outside"
        for folder in (self.documents, self.outside):
            folder.mkdir(parents=True, exist_ok=True)
        self.own.mkdir(mode=0o700, exist_ok=True)
        self.open()

    def open(self) -> None:
        """Build the backend anew, as another process would."""
        roots = (str(self.documents), *map(str, self.more_roots))
        own, options = str(self.own), self.options
        ground = BackendContext({}, str(self.home), own, roots, self.clock, self.ids, self.kill, options, self.also_own)
        self.backend = LocalBackend(ground, self.way)
        self.reads = self.backend.reads

    def file(self, name: str, content: bytes | str = "old\n") -> Path:
        """Put a file into the root."""
        path = self.documents / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    async def facts(self, path: Path) -> Facts:
        """Return what an operation would expect of what it saw at `path`."""
        return ((await self.reads.look(str(path))).fact,)

    async def room(self, path: Path) -> Facts:
        """Return what an operation would expect of a free path."""
        place = await self.reads.free(str(path))
        return (place.parent, place.free)

    async def do(self, step: Steps, *expects: Facts) -> Applied:
        """Do a step."""
        return await self.backend.apply(step, tuple(fact for facts in expects for fact in facts))


def free(path: Path) -> Facts:
    """Return the fact that nothing stands at `path`, with its folder as `stat` knows it."""
    found = path.parent.stat()
    return (SameFolder(str(path.parent), found.st_dev, found.st_ino), Free(str(path)))


def names(folder: Path) -> list[str]:
    """Return what stands in a folder, by name."""
    return sorted(entry.name for entry in folder.iterdir())


def said_by(*words: str | Path) -> str:
    """Return what a program says."""
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def tree(folder: Path) -> str:
    """Return every name, kind, mode, size, time, inode and link target below `folder`, and every hash."""
    look = ["find", str(folder), "-mindepth", "1", "-printf", r"%P %y %m %s %T@ %i %l\n"]
    names = subprocess.run(look, capture_output=True, check=True).stdout
    sums = ["find", str(folder), "-type", "f", "-exec", "sha256sum", "{}", "+"]
    hashes = subprocess.run(sums, capture_output=True, check=True).stdout
    return "\n".join(sorted((names + hashes).decode("utf-8", "surrogateescape").splitlines()))


def content(folder: Path) -> str:
    """Return the same without what only says when a folder's entries came and went, and without inodes."""
    look = ["find", str(folder), "-mindepth", "1", "-printf", r"%P %y %m %l\n"]
    names = subprocess.run(look, capture_output=True, check=True).stdout
    files = ["find", str(folder), "-type", "f", "-printf", r"%P %s %T@\n"]
    times = subprocess.run(files, capture_output=True, check=True).stdout
    sums = ["find", ".", "-type", "f", "-exec", "sha256sum", "{}", "+"]
    hashes = subprocess.run(sums, capture_output=True, check=True, cwd=folder).stdout
    return "\n".join(sorted((names + times + hashes).decode("utf-8", "surrogateescape").splitlines()))
