"""Worlds that file tests plant and inspect without sayso's own code: one in memory, one on a disk."""

import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from sayso.core.ports import Backend, BackendContext
from sayso.providers.files.memory import MemoryDisk, MemoryFilesBackend, content_in, file_node
from sayso.providers.files.tree import FileNode, plant
from sayso.testing.fakes import FakeClock, NumberedIds

HOME = "/home/ana"


@dataclass
class MemoryStage:
    """A world in memory: `Documents` in the home of Ana is the root."""

    root: str = f"{HOME}/Documents"
    options: dict[str, object] = field(default_factory=dict[str, object])
    disk: MemoryDisk = field(default_factory=MemoryDisk)
    ids: NumberedIds = field(default_factory=NumberedIds)

    def __post_init__(self) -> None:
        for folder in ("/home", HOME, self.root, f"{HOME}/.sayso"):
            self.folder(folder)
        self.context = BackendContext(
            {}, HOME, f"{HOME}/.sayso", (self.root,), FakeClock(), self.ids, options=self.options
        )
        self.backend: Callable[[], Backend] = lambda: MemoryFilesBackend(self.disk, self.context)

    def file(self, path: str, data: bytes) -> None:
        self.disk.plant(path, file_node(data))

    def folder(self, path: str, device: int = 0) -> None:
        self.disk.plant(path, device=device)

    def link(self, path: str, target: str) -> None:
        self.disk.plant(path, FileNode(link=target))

    def remove(self, path: str) -> None:
        self.disk.tree = plant(self.disk.tree, path, None)

    def tree(self) -> Mapping[str, object]:
        return {path: _described(node) for path, node in self.node(self.root).nodes()}

    def node(self, path: str) -> FileNode:
        """Return what stands at a path."""
        node = self.disk.get(path)
        assert node is not None
        return node

    def change(self, path: str, data: bytes | None = None, **identity: int) -> None:
        """Change what stands at a path in place, as another program would: it stays the same thing."""
        node = self.node(path)
        text = node.text if data is None else file_node(data).text
        assert node.identity is not None
        changed = replace(node, text=text, identity=replace(node.identity, **identity))
        self.disk.tree = plant(self.disk.tree, path, changed)

    def content(self, path: str) -> bytes:
        """Return what a file holds."""
        return content_in(self.node(path))


def _described(node: FileNode) -> object:
    of = node.identity
    assert of is not None
    time, content = (0, None) if node.kind == "folder" else (of.mtime_ns, content_in(node))
    return node.kind, of.inode, of.mode, time, content


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
