"""Worlds that file tests plant and inspect without sayso's own code: one in memory, one on a disk."""

import hashlib
import os
import posixpath
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sayso.core.ports import Backend, BackendContext
from sayso.providers.files.memory import MemoryBackend
from sayso.providers.files.memory_tree import Thing, World
from sayso.testing.fakes import FakeClock, NumberedIds

HOME = "/home/ana"


@dataclass
class MemoryStage:
    """A world in memory: `Documents` in the home of Ana is the root."""

    root: str = f"{HOME}/Documents"
    options: dict[str, object] = field(default_factory=dict[str, object])
    world: World = field(default_factory=World)
    ids: NumberedIds = field(default_factory=NumberedIds)

    def __post_init__(self) -> None:
        for folder in ("/home", HOME, self.root, f"{HOME}/.sayso"):
            self.folder(folder)
        ground = BackendContext({}, HOME, f"{HOME}/.sayso", (self.root,), FakeClock(), self.ids, options=self.options)
        self.backend = lambda: _backend(self.world, ground)

    def file(self, path: str, data: bytes) -> None:
        thing = self.world.make("file", self._folder(path).device)
        thing.data = data
        self._folder(path).children[posixpath.basename(path)] = thing

    def folder(self, path: str, device: int | None = None) -> None:
        above = self._folder(path)
        above.children[posixpath.basename(path)] = self.world.make("folder", device or above.device)

    def link(self, path: str, target: str) -> None:
        thing = self.world.make("link", self._folder(path).device)
        thing.target = target
        self._folder(path).children[posixpath.basename(path)] = thing

    def remove(self, path: str) -> None:
        del self._folder(path).children[posixpath.basename(path)]

    def tree(self) -> Mapping[str, object]:
        return dict(_things(self._folder(self.root + "/x"), ""))

    def thing(self, path: str) -> Thing:
        """Return what stands at a path."""
        return self._folder(path).children[posixpath.basename(path)]

    def _folder(self, path: str) -> Thing:
        thing = self.world.root
        for name in posixpath.dirname(path).split("/"):
            thing = thing.children[name] if name else thing
        return thing


def _backend(world: World, ground: BackendContext) -> Backend:
    return MemoryBackend(world, ground)


def _things(folder: Thing, above: str) -> "list[tuple[str, object]]":
    found: list[tuple[str, object]] = []
    for name, thing in folder.children.items():
        time = 0 if thing.kind == "folder" else thing.mtime_ns
        found.append((above + name, (thing.kind, thing.inode, thing.mode, time, thing.data, thing.target)))
        found += _things(thing, f"{above}{name}/")
    return found


@dataclass
class DiskStage:
    """A root on the disk, with a backend that `build` makes from a `BackendContext`."""

    base: Path

    def __post_init__(self) -> None:
        self.base = self.base.resolve()
        self.home = self.base / "home"
        self.root = str(self.home / "Documents")
        Path(self.root).mkdir(parents=True)
        (self.base / "own").mkdir(mode=0o700)
        self.ids = NumberedIds()

    def ground(self) -> BackendContext:
        """Return what a backend is built on."""
        return BackendContext({}, str(self.home), str(self.base / "own"), (self.root,), FakeClock(), self.ids)

    def file(self, path: str, data: bytes) -> None:
        Path(path).write_bytes(data)

    def folder(self, path: str) -> None:
        Path(path).mkdir()

    def link(self, path: str, target: str) -> None:
        Path(path).symlink_to(target)

    def remove(self, path: str) -> None:
        there = Path(path)
        if there.is_dir() and not there.is_symlink():
            there.rmdir()
        else:
            there.unlink()

    def tree(self) -> Mapping[str, object]:
        found: dict[str, object] = {}
        for above, folders, files in os.walk(self.root):
            for path in [Path(above, name) for name in (*folders, *files)]:
                found[str(path.relative_to(self.root))] = _seen(path)
        return found


def _seen(path: Path) -> object:
    there = path.lstat()
    time = 0 if stat.S_ISDIR(there.st_mode) else there.st_mtime_ns
    content = str(path.readlink()) if stat.S_ISLNK(there.st_mode) else ""
    if stat.S_ISREG(there.st_mode):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
    return there.st_mode, there.st_ino, time, content
