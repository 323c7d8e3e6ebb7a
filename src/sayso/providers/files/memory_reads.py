"""The reads of the file store over a world in memory, with the confinement of the real ones."""

import posixpath
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from sayso.core.canonical import Json
from sayso.core.ports import Ground
from sayso.policy.paths import denied_name, may_be_within, normal, within
from sayso.providers.files import trouble
from sayso.providers.files.carrying import TRASHED
from sayso.providers.files.describing import MOST_DENIED, cut
from sayso.providers.files.facts import Free, SameFolder
from sayso.providers.files.known import shown
from sayso.providers.files.listing import bounded, is_like
from sayso.providers.files.memory_world import Thing, World, denied_within, weight
from sayso.providers.files.store import Content, Entry, Gap, Item, Listing, Place, Reach

Entries = tuple[list[Entry], int]


class MemoryFiles:
    """Looks at a world in memory; changes nothing."""

    def __init__(self, world: World, ground: Ground) -> None:
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
        return [self.world.resolved(root, root) for root in self._ground.roots]

    def judged(self, real: str, said: str, reach: Reach = "roots") -> str:
        """Return a resolved path if it may be reached. Raises `Refused`."""
        home = [self._ground.home] if reach == "home" else []
        if not within(real, [*self.roots, *home]):
            raise trouble.outside(said)
        if may_be_within(real, self._own):
            raise trouble.own(said)
        name = denied_name(real)
        if name is not None:
            raise trouble.denied(said, name)
        return real

    def _followed(self, path: str, reach: Reach = "roots") -> str:
        """Return where a path leads; a last name that is a link to nothing is refused (FS-03)."""
        real = self._to_end(path, reach)
        if real != self._to_name(path, reach) and self.world.get(real) is None:
            raise trouble.dangling(path)
        return real

    def _leads_nowhere(self, path: str) -> bool:
        here = "/"
        for name in normal(path, self._ground.home).strip("/").split("/"):
            here = posixpath.join(here, name)
            thing = self.world.get(here)
            if thing is None:
                return False
            if thing.kind == "link":
                here = self.world.resolved(here, path)
                if self.world.get(here) is None:
                    return True
        return False

    def _to_name(self, path: str, reach: Reach = "roots") -> str:
        folder, name = posixpath.split(normal(path, self._ground.home))
        whole = posixpath.join(self.world.resolved(folder, path), name)
        # A root may itself be a link that stands outside of every root.
        return self.judged(whole if within(whole, self.roots) else self.world.resolved(whole, path), path, reach)

    def _to_end(self, path: str, reach: Reach = "roots") -> str:
        return self.judged(self.world.resolved(normal(path, self._ground.home), path), path, reach)

    async def look(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what stands at `path`; a link itself is described, a folder with its whole tree."""
        item = self._item(self._to_name(path, reach), path)
        return item if item.kind != "folder" or reach == "home" else self._with_tree(item, path)

    async def opened(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what stands at `path` with links followed; a folder's tree is not counted."""
        return self._item(self._followed(path, reach), path)

    def _item(self, real: str, said: str) -> Item:
        thing, fact = self.world.get(real), self.world.unchanged(real)
        if thing is None or fact is None:
            raise trouble.missing(said)
        if thing.kind == "folder":
            same = SameFolder(real, thing.device, thing.inode)
            return Item(real, "folder", thing.device, 0, 0, thing.mtime_ns, thing.mode, 1, same)
        size, target = thing.size, thing.target
        return Item(real, thing.kind, thing.device, size, 0, thing.mtime_ns, thing.mode, thing.names, fact, target)

    def _with_tree(self, item: Item, said: str) -> Item:
        thing, fact = self._thing(item.path, said), self.world.unchanged(item.path)
        if any(within(own, [item.path]) and self.world.get(own) is not None for own in self._own):
            raise trouble.own(said)
        entries, size = weight(thing)
        denied = tuple(shown(name) for name in denied_within(thing, item.path, MOST_DENIED))
        return replace(item, entries=entries, size=size, denied=denied, fact=fact or item.fact)

    async def exists(self, path: str) -> bool:
        """Say whether something stands at `path`."""
        return self.world.get(self._to_name(path)) is not None

    async def free(self, path: str) -> Place:
        """Return the free place `path`."""
        real = self._to_name(path)
        if self.world.get(real) is not None:
            self._followed(path)
            raise trouble.taken(path)
        folder = self.world.get(posixpath.dirname(real))
        if folder is None or folder.kind != "folder":
            raise trouble.no_folder(path, posixpath.dirname(path.rstrip("/")))
        return self._place(real, folder)

    def _place(self, real: str, folder: Thing) -> Place:
        same = SameFolder(posixpath.dirname(real), folder.device, folder.inode)
        return Place(real, folder.device, same, Free(real))

    async def gap(self, path: str) -> Gap | Item:
        """Return what is missing on the way to the folder `path`, or the folder when it is there."""
        real = self._followed(path)
        if self._leads_nowhere(path):
            raise trouble.dangling(path)
        if self.world.get(real) is not None:
            item = self._item(real, path)
            if item.kind != "folder":
                raise trouble.not_a_folder(path)
            return item
        below: list[str] = []
        top = real
        while self.world.get(posixpath.dirname(top)) is None:
            below.insert(0, posixpath.basename(top))
            top = posixpath.dirname(top)
        folder = self.world.get(posixpath.dirname(top))
        if folder is None or folder.kind != "folder":
            raise trouble.not_a_folder(self.said(posixpath.dirname(top)))
        return Gap(self._place(self.judged(top, path), folder), tuple(below))

    async def read(self, path: str, limit: int) -> Content:
        """Return at most `limit` bytes of a file's start as text."""
        thing = self._thing(self._followed(path), path)
        if thing.kind != "file":
            raise trouble.not_a_file(path)
        return cut(thing.data, limit)

    def _thing(self, real: str, said: str) -> Thing:
        thing = self.world.get(real)
        if thing is None:
            raise trouble.missing(said)
        return thing

    async def list(self, path: str, limit: int) -> Listing:
        """Return what a folder holds, one level."""
        entries, omitted = self._entries(path, deep=False)
        return bounded(entries, omitted, limit)

    async def find(self, path: str, pattern: str, limit: int) -> Listing:
        """Return what in the folder's tree has a name like the glob `pattern`."""
        entries, omitted = self._entries(path, deep=True)
        return bounded([entry for entry in entries if is_like(entry.name, pattern)], omitted, limit)

    def _entries(self, path: str, *, deep: bool) -> Entries:
        real = self._followed(path)
        folder = self._thing(real, path)
        if folder.kind != "folder":
            raise trouble.not_a_folder(path)
        entries: list[Entry] = []
        waiting = [(real, folder)]
        omitted = 0
        while waiting:
            above, inside = waiting.pop()
            for name, thing in inside.children.items():
                here = posixpath.join(above, name)
                if denied_name(here) is not None or may_be_within(here, self._own):
                    omitted += 1
                    continue
                size = thing.size if thing.kind == "file" else 0
                entries.append(Entry(shown(here), shown(name), thing.kind, size, thing.mtime_ns, shown(name) != name))
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
