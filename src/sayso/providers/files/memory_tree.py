"""A file system in memory, and the reads over it with the confinement of the real ones."""

import hashlib
import posixpath
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Literal

from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.plan import Facts
from sayso.core.ports import BackendContext
from sayso.policy.paths import find_denied_name, may_be_within, normal, within
from sayso.providers.files import errors
from sayso.providers.files.model import KEPT, TRASHED, Free, SameFolder, Unchanged, about
from sayso.providers.files.overlay import bound_entries, is_like
from sayso.providers.files.store import Content, Entry, Gap, Item, Listing, Place, Reach
from sayso.providers.files.tree import MOST_DENIED, cut, show_name

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
            raise errors.no_folder(path, posixpath.dirname(path))
        return folder

    def resolve_links(self, path: str, said: str) -> str:
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
                raise errors.link_circle(said)
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


def find_denied_within(folder: Thing, path: str, most: int) -> tuple[str, ...]:
    """Return the topmost protected names in the tree of the folder at `path`, relative to it."""
    found: list[str] = []
    for inner, _ in folder.tree():
        if len(found) == most:
            break
        if (
            not any(inner.startswith(known + "/") for known in found)
            and find_denied_name(f"{path}/{inner}") is not None
        ):
            found.append(inner)
    return tuple(found)


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name and name != "."]


Entries = tuple[list[Entry], int]


class MemoryFiles:
    """Looks at a world in memory; changes nothing."""

    def __init__(self, world: World, ground: BackendContext) -> None:
        self.world = world
        self._ground = ground

    def said(self, path: str) -> str:
        """Return a path as a person would write it."""
        home = self._ground.home
        return "~" + path[len(home) :] if within(path, [home]) else path

    @property
    def _own(self) -> Sequence[str]:
        return [self._ground.own, *self._ground.also_own]

    @property
    def roots(self) -> Sequence[str]:
        """Return the folders that may be reached, resolved."""
        return [self.world.resolve_links(root, root) for root in self._ground.roots]

    def judged(self, real: str, said: str, reach: Reach = "roots") -> str:
        """Return a resolved path if it may be reached. Raises `Refused`."""
        home = [self._ground.home] if reach == "home" else []
        if not within(real, [*self.roots, *home]):
            raise errors.outside(said)
        if may_be_within(real, self._own):
            raise errors.own(said)
        name = find_denied_name(real)
        if name is not None:
            raise errors.name_denied_error(said, name)
        return real

    def _follow_links(self, path: str, reach: Reach = "roots") -> str:
        """Return where a path leads; a last name that is a link to nothing is refused (FS-03)."""
        real = self._to_end(path, reach)
        if real != self._to_name(path, reach) and self.world.get(real) is None:
            raise errors.dangling(path)
        return real

    def _leads_nowhere(self, path: str) -> bool:
        here = "/"
        for name in normal(path, self._ground.home).strip("/").split("/"):
            here = posixpath.join(here, name)
            thing = self.world.get(here)
            if thing is None:
                return False
            if thing.kind == "link":
                here = self.world.resolve_links(here, path)
                if self.world.get(here) is None:
                    return True
        return False

    def _to_name(self, path: str, reach: Reach = "roots") -> str:
        folder, name = posixpath.split(normal(path, self._ground.home))
        whole = posixpath.join(self.world.resolve_links(folder, path), name)
        # A root may itself be a link that stands outside of every root.
        return self.judged(whole if within(whole, self.roots) else self.world.resolve_links(whole, path), path, reach)

    def _to_end(self, path: str, reach: Reach = "roots") -> str:
        return self.judged(self.world.resolve_links(normal(path, self._ground.home), path), path, reach)

    async def look(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what stands at `path`; a link itself is described, a folder with its whole tree."""
        item = self._item(self._to_name(path, reach), path)
        return item if item.kind != "folder" or reach == "home" else self._with_tree(item, path)

    async def opened(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what stands at `path` with links followed; a folder's tree is not counted."""
        return self._item(self._follow_links(path, reach), path)

    def _item(self, real: str, said: str) -> Item:
        thing, fact = self.world.get(real), self.world.unchanged(real)
        if thing is None or fact is None:
            raise errors.missing(said)
        if thing.kind == "folder":
            same = SameFolder(real, thing.device, thing.inode)
            return Item(real, "folder", thing.device, 0, 0, thing.mtime_ns, thing.mode, 1, same)
        size, target = thing.size, thing.target
        return Item(real, thing.kind, thing.device, size, 0, thing.mtime_ns, thing.mode, thing.names, fact, target)

    def _with_tree(self, item: Item, said: str) -> Item:
        thing, fact = self._thing(item.path, said), self.world.unchanged(item.path)
        if any(within(own, [item.path]) and self.world.get(own) is not None for own in self._own):
            raise errors.own(said)
        entries, size = weight(thing)
        denied = tuple(show_name(name) for name in find_denied_within(thing, item.path, MOST_DENIED))
        return replace(item, entries=entries, size=size, denied=denied, fact=fact or item.fact)

    async def exists(self, path: str) -> bool:
        """Say whether something stands at `path`."""
        return self.world.get(self._to_name(path)) is not None

    async def free(self, path: str) -> Place:
        """Return the free place `path`."""
        real = self._to_name(path)
        if self.world.get(real) is not None:
            self._follow_links(path)
            raise errors.path_taken_error(path)
        folder = self.world.get(posixpath.dirname(real))
        if folder is None or folder.kind != "folder":
            raise errors.no_folder(path, posixpath.dirname(path.rstrip("/")))
        return self._place(real, folder)

    def _place(self, real: str, folder: Thing) -> Place:
        same = SameFolder(posixpath.dirname(real), folder.device, folder.inode)
        return Place(real, folder.device, same, Free(real))

    async def gap(self, path: str) -> Gap | Item:
        """Return what is missing on the way to the folder `path`, or the folder when it is there."""
        real = self._follow_links(path)
        if self._leads_nowhere(path):
            raise errors.dangling(path)
        if self.world.get(real) is not None:
            item = self._item(real, path)
            if item.kind != "folder":
                raise errors.not_a_folder(path)
            return item
        below: list[str] = []
        top = real
        while self.world.get(posixpath.dirname(top)) is None:
            below.insert(0, posixpath.basename(top))
            top = posixpath.dirname(top)
        folder = self.world.get(posixpath.dirname(top))
        if folder is None or folder.kind != "folder":
            raise errors.not_a_folder(self.said(posixpath.dirname(top)))
        return Gap(self._place(self.judged(top, path), folder), tuple(below))

    async def read(self, path: str, limit: int) -> Content:
        """Return at most `limit` bytes of a file's start as text."""
        thing = self._thing(self._follow_links(path), path)
        if thing.kind != "file":
            raise errors.not_a_file(path)
        return cut(thing.data, limit)

    def _thing(self, real: str, said: str) -> Thing:
        thing = self.world.get(real)
        if thing is None:
            raise errors.missing(said)
        return thing

    async def list(self, path: str, limit: int) -> Listing:
        """Return what a folder holds, one level."""
        entries, omitted = self._entries(path, deep=False)
        return bound_entries(entries, omitted, limit)

    async def find(self, path: str, pattern: str, limit: int) -> Listing:
        """Return what in the folder's tree has a name like the glob `pattern`."""
        entries, omitted = self._entries(path, deep=True)
        return bound_entries([entry for entry in entries if is_like(entry.name, pattern)], omitted, limit)

    def _entries(self, path: str, *, deep: bool) -> Entries:
        real = self._follow_links(path)
        folder = self._thing(real, path)
        if folder.kind != "folder":
            raise errors.not_a_folder(path)
        entries: list[Entry] = []
        waiting = [(real, folder)]
        omitted = 0
        while waiting:
            above, inside = waiting.pop()
            for name, thing in inside.children.items():
                here = posixpath.join(above, name)
                if find_denied_name(here) is not None or may_be_within(here, self._own):
                    omitted += 1
                    continue
                size = thing.size if thing.kind == "file" else 0
                entries.append(
                    Entry(show_name(here), show_name(name), thing.kind, size, thing.mtime_ns, show_name(name) != name)
                )
                if deep and thing.kind == "folder":
                    waiting.append((here, thing))
        return entries, omitted

    async def trash_entry(self, item: Item) -> str | None:
        """Return the name under which the Trash would take `item`; None where no Trash serves its disk."""
        if item.device in self.world.disks_without_trash:
            return None
        name = posixpath.basename(item.path)
        stem, ending = posixpath.splitext(name)
        number = 1
        while self.world.get(TRASHED + name) is not None:
            number += 1
            name = f"{stem}.{number}{ending}"
        return name

    def token(self) -> str:
        """Return a new name for a kept place."""
        return self._ground.ids.token()

    async def append_missing(self) -> Literal["create", "error"]:
        """Return the setting of T-19."""
        chosen: Json = self._ground.options.get("append_missing", "create")
        return "error" if chosen == "error" else "create"
