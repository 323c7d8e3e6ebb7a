"""A file system in memory: things with inodes, disks, links, a Trash and kept places."""

import hashlib
import posixpath
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Literal

from sayso.core.plan import Facts
from sayso.policy.paths import denied_name
from sayso.providers.files import trouble
from sayso.providers.files.carrying import KEPT, about
from sayso.providers.files.facts import Free, SameFolder, Unchanged

MOST_LINKS = 40
_SECOND = 1_000_000_000


@dataclass(slots=True, eq=False)
class Thing:
    """A file, folder or link; `names` counts how many names it has, `born` the token it was built under."""

    kind: Literal["file", "folder", "link"]
    device: int
    inode: int
    mtime_ns: int
    mode: int = 0o644
    data: bytes = b""
    target: str = ""
    children: "dict[str, Thing]" = field(default_factory=dict[str, "Thing"])
    names: int = 1
    born: str = ""

    @property
    def size(self) -> int:
        """Return the bytes of its own content."""
        return len(self.data) if self.kind == "file" else len(self.target.encode("utf-8", "surrogateescape"))

    def tree(self, above: str = "") -> "Iterator[tuple[str, Thing]]":
        """Yield everything below, with its path relative to here."""
        for name, thing in self.children.items():
            yield above + name, thing
            yield from thing.tree(f"{above}{name}/")


class World:
    """Everything there is, by place: a path, `kept:` and a token, or `trash:` and an entry."""

    def __init__(self) -> None:
        self._inodes = 1
        self.root = Thing("folder", 1, 1, 0, 0o755)
        self.away: dict[str, Thing] = {}
        self.spent: set[str] = set()
        """Tokens under which folders were taken away for good."""
        self.disks_without_trash: set[int] = set()

    def make(self, kind: Literal["file", "folder", "link"], device: int) -> Thing:
        """Return a new thing that has no place yet."""
        self._inodes += 1
        mode = {"file": 0o644, "folder": 0o755, "link": 0o777}[kind]
        return Thing(kind, device, self._inodes, self._inodes * _SECOND, mode)

    def copied(self, thing: Thing, device: int) -> Thing:
        """Return a copy: new inodes, the same content, modes and times."""
        new = copy(thing)
        self._inodes += 1
        new.inode, new.device, new.names, new.born = self._inodes, device, 1, ""
        new.children = {name: self.copied(child, device) for name, child in thing.children.items()}
        return new

    def get(self, place: str) -> Thing | None:
        """Return what is at a place; no link is followed on the way."""
        if not place.startswith("/"):
            return self.away.get(place)
        thing = self.root
        for name in _names(place):
            # Only a folder has children.
            inner = thing.children.get(name)
            if inner is None:
                return None
            thing = inner
        return thing

    def put(self, place: str, thing: Thing) -> None:
        """Put a thing at a free place."""
        if place.startswith("/"):
            self.folder_of(place).children[posixpath.basename(place)] = thing
        else:
            self.away[place] = thing

    def take(self, place: str) -> Thing:
        """Take what is at a place away from it."""
        if place.startswith("/"):
            return self.folder_of(place).children.pop(posixpath.basename(place))
        return self.away.pop(place)

    def folder_of(self, path: str) -> Thing:
        """Return the folder that holds a path."""
        folder = self.get(posixpath.dirname(path))
        if folder is None or folder.kind != "folder":
            raise trouble.no_folder(path, posixpath.dirname(path))
        return folder

    def resolved(self, path: str, said: str) -> str:
        """Return where an absolute path leads with every link followed; what is missing is taken as written."""
        ahead, links = _names(path)[::-1], 0
        names: list[str] = []
        things: list[Thing | None] = [self.root]
        while ahead:
            name = ahead.pop()
            if name == "..":
                del names[-1:], things[max(1, len(things) - 1) :]
                continue
            above = things[-1]
            thing = above.children.get(name) if above is not None and above.kind == "folder" else None
            if thing is None or thing.kind != "link":
                names.append(name)
                things.append(thing)
                continue
            links += 1
            if links > MOST_LINKS:
                raise trouble.link_circle(said)
            ahead += _names(thing.target)[::-1]
            if thing.target.startswith("/"):
                names, things = [], [self.root]
        return "/" + "/".join(names)

    def unchanged(self, place: str) -> Unchanged | None:
        """Return the fact about what is at a place now."""
        thing = self.get(place)
        if thing is None:
            return None
        if thing.kind == "folder":
            entries, size = weight(thing)
            return Unchanged(about(place), "folder", thing.device, thing.inode, size, 0, "", entries)
        content = thing.data if thing.kind == "file" else thing.target.encode("utf-8", "surrogateescape")
        sha256 = hashlib.sha256(content).hexdigest()
        return Unchanged(about(place), thing.kind, thing.device, thing.inode, len(content), thing.mtime_ns, sha256)

    def whole(self, place: str) -> Facts:
        """Return the same facts of what sayso put there, with how everything in it was left."""
        thing, there = self.get(place), self.there(place)
        if thing is None or thing.kind != "folder":
            return there
        tree = stamp(thing)
        return tuple(replace(fact, tree=tree) if isinstance(fact, Unchanged) else fact for fact in there)

    def there(self, place: str) -> Facts:
        """Return the facts that a step leaves about what is at a place now."""
        fact = self.unchanged(place)
        if fact is None:
            return (Free(about(place)),)
        if fact.kind == "folder" and not place.startswith(KEPT):
            return (fact, SameFolder(fact.about, fact.device, fact.inode))
        return (fact,)


def weight(folder: Thing) -> tuple[int, int]:
    """Return how many things a tree holds, and the bytes of the files among them."""
    entries = size = 0
    for _, thing in folder.tree():
        entries += 1
        size += thing.size if thing.kind == "file" else 0
    return entries, size


def stamp(folder: Thing) -> str:
    """Return a text that differs when a file in the tree was touched, or a name came or went."""
    whole = hashlib.sha256()
    for path, thing in sorted(folder.tree(), key=lambda inner: inner[0]):
        touched = "" if thing.kind == "folder" else f",{thing.size},{thing.mtime_ns}"
        whole.update(f"{path}\0{thing.inode}{touched}\0".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def denied_within(folder: Thing, path: str, most: int) -> tuple[str, ...]:
    """Return the topmost protected names in the tree of the folder at `path`, relative to it."""
    found: list[str] = []
    for inner, _ in folder.tree():
        if len(found) == most:
            break
        if not any(inner.startswith(known + "/") for known in found) and denied_name(f"{path}/{inner}") is not None:
            found.append(inner)
    return tuple(found)


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name and name != "."]
