"""The memory backend of the files store: the same steps, facts and refusals as on a disk."""

import hashlib
import posixpath
from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, Settlement, unchecked
from sayso.core.ports import BackendContext
from sayso.core.quotes import quoted
from sayso.policy.paths import find_denied_name, may_be_within, normal, within
from sayso.providers.files import errors
from sayso.providers.files.imagined import MOST_DENIED
from sayso.providers.files.model import (
    TRASHED,
    CopyOf,
    FileStep,
    Free,
    NewFolders,
    NewText,
    SameContent,
    SameFolder,
    StepEffect,
    Unchanged,
    access_differs,
    facts_at,
    place_of,
    subject_of,
)
from sayso.providers.files.overlay import imagine
from sayso.providers.files.paths import bound_entries, content_of, is_like, resolve_links, show_name
from sayso.providers.files.store import Content, Files, FolderEntry, FreePlace, Gap, Item, Listing, Reach
from sayso.providers.files.tree import (
    FileNode,
    FileTree,
    Identity,
    TextLayer,
    after,
    leads_straight,
    plant,
    standing_at,
    written_bytes,
)

_SECOND = 1_000_000_000
_MODES = {"file": 0o644, "folder": 0o755, "link": 0o777}


class MemoryDisk:
    """A tree of files in memory, in which each thing has an identity as on a disk."""

    def __init__(self) -> None:
        self._inodes = 1
        self.tree = FileTree(root=FileNode(identity=Identity(1, 1, 0, 0o755)))
        self.disks_without_trash: set[int] = set()

    def get(self, place: str) -> FileNode | None:
        """Return what is at a place, or None; links on the way are not followed."""
        return standing_at(self.tree, place) if place.startswith("/") else self.tree.away.get(place)

    def folder_of(self, path: str) -> Identity:
        """Return the identity of the folder that holds a path. Raises `ProviderError`."""
        folder = self.get(posixpath.dirname(path))
        if folder is None or folder.kind != "folder" or folder.identity is None:
            raise errors.no_folder(path, posixpath.dirname(path))
        return folder.identity

    def plant(self, path: str, node: FileNode | None = None, *, device: int = 0) -> None:
        """Put a new thing, or an empty folder, at a path.

        Its device is `device`, or else that of the folder above.
        """
        self.tree = plant(self.tree, path, self.identify(node or FileNode(), device or self.folder_of(path).device))

    def execute(self, step: FileStep) -> None:
        """Do a step that was checked before."""
        effect = step.effect
        self.tree = after(self.tree, step, None)
        node = self.get(effect.puts)
        if effect.builds is not None and node is not None:
            device = self.folder_of(effect.puts).device
            self.tree = plant(self.tree, effect.puts, self.identify(node, device, effect.token))

    def identify(self, node: FileNode, device: int, token: str = "") -> FileNode:
        """Return a node with a new identity for it and for everything in it; a copy keeps times and modes."""
        self._inodes += 1
        like = node.identity
        mode, time = (like.mode, like.mtime_ns) if like else (_MODES[node.kind], self._inodes * _SECOND)
        owner = like.owner if like else (0, 0)
        if node.text is not None:
            if node.text.over is not None and node.text.over.identity is not None:
                mode, owner = node.text.over.identity.mode, node.text.over.identity.owner
            data = written_bytes(node)[0]
            node = replace(node, text=TextLayer(data, size=len(data)))
        identity = Identity(device, self._inodes, time, mode, 1, token, owner)
        children = node.children.map(
            lambda child: self.identify(child, device) if isinstance(child, FileNode) else child
        )
        return replace(node, identity=identity, children=children, copied=False, like=None)

    def resolve_links(self, path: str, said: str) -> str:
        """Return where an absolute path leads after following every link; missing names are kept as written."""
        return path if leads_straight(self.tree, path) else resolve_links(path, said, self._target)

    def _target(self, path: str) -> str | None:
        node = self.get(path)
        return None if node is None else node.link

    def fact_of(self, place: str) -> Unchanged | None:
        """Return the fact about what is at a place now, or None."""
        node = self.get(place)
        if node is None or node.identity is None:
            return None
        device, inode, access = node.identity.device, node.identity.inode, node.identity.access
        subject = subject_of(place)
        if node.kind == "folder":
            return Unchanged(subject, "folder", device, inode, tree_size(node), 0, "", node.count - 1, "", access)
        data = content_in(node)
        sha256 = hashlib.sha256(data).hexdigest()
        return Unchanged(subject, node.kind, device, inode, len(data), node.identity.mtime_ns, sha256, 0, "", access)

    def facts(self, place: str, *, whole: bool = False) -> Facts:
        """Return the facts about a place; with `whole` they also describe everything in a folder."""
        node, fact = self.get(place), self.fact_of(place)
        if node is None or fact is None:
            return (Free(subject_of(place)),)
        if whole and node.kind == "folder":
            fact = replace(fact, tree=stamp(node))
        return facts_at(fact, subject_of(place))

    def facts_left(self, effect: StepEffect) -> Facts:
        """Return the facts that are true after a completed step."""
        if effect.displaces:
            return (*self.facts(effect.puts), *self.facts(effect.displaces))
        gone: Facts = (Free(subject_of(effect.takes)),) if effect.takes else ()
        if effect.discards:
            return gone
        left = (*gone, *self.facts(effect.puts, whole=effect.leaves_tree))
        if isinstance(effect.builds, NewFolders):
            path = effect.puts
            for name in effect.builds.below:
                path = posixpath.join(path, name)
                left = (*left, *self.facts(path)[1:])
        return left

    def settle(self, effect: StepEffect, expects: Facts) -> Settlement:
        """Return whether a step was completed; a new thing counts as the step's only if it has the step's token."""
        if effect.builds is not None and not effect.displaces:
            made = self._inode(effect.puts)
            if made is None:
                return NotDone("nothing is there")
            if made.token == effect.token:
                return Applied(self.facts_left(effect))
            return CannotTell(f"something stands at {quoted(effect.puts)}, and it is not known whose it is")
        source, target = (effect.puts, effect.displaces) if effect.displaces else (effect.takes, effect.puts)
        expected = next(
            (
                fact.inode
                for fact in expects
                if isinstance(fact, Unchanged | SameFolder) and fact.about == subject_of(source)
            ),
            None,
        )
        now, then = self._inode(target), self._inode(source)
        if expected is not None and now is not None and now.inode == expected:
            return Applied(self.facts_left(effect))
        if expected is not None and then is not None and then.inode == expected:
            return NotDone("it is still where it was")
        return CannotTell("it is neither where it was nor where it should be")

    def _inode(self, place: str) -> Identity | None:
        node = self.get(place)
        return None if node is None else node.identity


def file_node(data: bytes) -> FileNode:
    """Return a node for a file with this content."""
    return FileNode(text=TextLayer(data, size=len(data)))


def content_in(node: FileNode) -> bytes:
    """Return the bytes of a file, or of a link's target."""
    return written_bytes(node)[0] if node.link is None else node.link.encode("utf-8", "surrogateescape")


def tree_size(folder: FileNode) -> int:
    """Return the number of bytes of all files in a tree."""
    return sum(len(content_in(node)) for _, node in folder.nodes() if node.kind == "file")


def stamp(folder: FileNode) -> str:
    """Return a hash that changes when a file in the tree is written to, or a name appears or disappears."""
    digest = hashlib.sha256()
    for path, node in sorted(folder.nodes(), key=lambda inner: inner[0]):
        inode, time = (node.identity.inode, node.identity.mtime_ns) if node.identity else (0, 0)
        touched = "" if node.kind == "folder" else f",{len(content_in(node))},{time}"
        digest.update(f"{path}\0{inode}{touched}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def find_denied_within(folder: FileNode, path: str, most: int) -> tuple[str, ...]:
    """Return at most `most` topmost protected names in the tree of the folder at `path`, relative to that folder."""
    found: list[str] = []
    for inner, _ in folder.nodes():
        if len(found) == most:
            break
        if any(inner.startswith(known + "/") for known in found):
            continue
        if find_denied_name(f"{path}/{inner}") is not None:
            found.append(inner)
    return tuple(found)


Entries = tuple[list[FolderEntry], int]
"""Entries that may be shown, and the number of things that may not."""


class MemoryFiles:
    """Looks at a tree in memory, with the same confinement as on a disk."""

    def __init__(self, disk: MemoryDisk, context: BackendContext) -> None:
        self.disk = disk
        self._context = context

    def show_path(self, path: str) -> str:
        """Return a path with `~` for the person's home."""
        home = self._context.home
        return "~" + path[len(home) :] if within(path, [home]) else path

    @property
    def _own(self) -> Sequence[str]:
        return [self._context.own, *self._context.also_own]

    @property
    def roots(self) -> Sequence[str]:
        """Return the folders that may be reached, resolved."""
        return [self.disk.resolve_links(root, root) for root in self._context.roots]

    def admit(self, real: str, said: str, reach: Reach = "roots") -> str:
        """Return a resolved path if it may be reached. Raises `Refused`."""
        home = [self._context.home] if reach == "home" else []
        if not within(real, [*self.roots, *home]):
            raise errors.outside(said)
        if may_be_within(real, self._own):
            raise errors.own(said)
        name = find_denied_name(real)
        if name is not None:
            raise errors.name_denied_error(said, name)
        return real

    def _follow_links(self, path: str, reach: Reach = "roots") -> str:
        """Return where a path leads. Raises `Refused` if its last name is a link to nothing (FS-03)."""
        real = self.admit(self.disk.resolve_links(normal(path, self._context.home), path), path, reach)
        if real != self._resolve_to_name(path, reach) and self.disk.get(real) is None:
            raise errors.dangling(path)
        return real

    def _leads_nowhere(self, path: str) -> bool:
        at = "/"
        for name in normal(path, self._context.home).strip("/").split("/"):
            at = posixpath.join(at, name)
            node = self.disk.get(at)
            if node is None:
                return False
            if node.kind == "link":
                at = self.disk.resolve_links(at, path)
                if self.disk.get(at) is None:
                    return True
        return False

    def _resolve_to_name(self, path: str, reach: Reach = "roots") -> str:
        folder, name = posixpath.split(normal(path, self._context.home))
        whole = posixpath.join(self.disk.resolve_links(folder, path), name)
        # A root can be a link whose own path is outside every root.
        return self.admit(whole if within(whole, self.roots) else self.disk.resolve_links(whole, path), path, reach)

    def literal_path(self, path: str) -> str:
        """Return `path` as absolute, with no link followed."""
        return normal(path, self._context.home)

    async def look(self, path: str, *, reach: Reach = "roots") -> Item:
        item = self._item(self._resolve_to_name(path, reach), path)
        return item if item.kind != "folder" or reach == "home" else self._with_tree(item, path)

    async def opened(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what is at `path` with links followed; a folder's tree is not counted."""
        return self._item(self._follow_links(path, reach), path)

    def _item(self, real: str, said: str) -> Item:
        node, fact = self.disk.get(real), self.disk.fact_of(real)
        if node is None or fact is None or node.identity is None:
            raise errors.missing(said)
        of = node.identity
        if node.kind == "folder":
            same = SameFolder(real, of.device, of.inode, of.access)
            return Item(real, "folder", of.device, 0, 0, of.mtime_ns, of.mode, 1, same)
        return Item(
            real, node.kind, of.device, fact.size, 0, of.mtime_ns, of.mode, of.names, fact, node.link or ""
        )  # fmt: skip

    def _with_tree(self, item: Item, said: str) -> Item:
        node, fact = self._node(item.path, said), next(iter(self.disk.facts(item.path, whole=True)))
        if any(within(own, [item.path]) and self.disk.get(own) is not None for own in self._own):
            raise errors.own(said)
        denied = tuple(show_name(name) for name in find_denied_within(node, item.path, MOST_DENIED))
        return replace(item, entries=node.count - 1, size=tree_size(node), denied=denied, fact=fact)

    async def exists(self, path: str) -> bool:
        """Return whether something exists at `path`."""
        return self.disk.get(self._resolve_to_name(path)) is not None

    async def free(self, path: str) -> FreePlace:
        """Return the free place `path`."""
        real = self._resolve_to_name(path)
        if self.disk.get(real) is not None:
            self._follow_links(path)
            raise errors.path_taken_error(path)
        folder = self.disk.get(posixpath.dirname(real))
        if folder is None or folder.kind != "folder":
            raise errors.no_folder(path, posixpath.dirname(path.rstrip("/")))
        return self._place(real)

    def _place(self, real: str) -> FreePlace:
        folder = self.disk.folder_of(real)
        same = SameFolder(posixpath.dirname(real), folder.device, folder.inode, folder.access)
        return FreePlace(real, folder.device, same, Free(real))

    async def gap(self, path: str) -> Gap | Item:
        real = self._follow_links(path)
        if self._leads_nowhere(path):
            raise errors.dangling(path)
        if self.disk.get(real) is not None:
            item = self._item(real, path)
            if item.kind != "folder":
                raise errors.not_a_folder(path)
            return item
        below: list[str] = []
        top = real
        while self.disk.get(posixpath.dirname(top)) is None:
            below.insert(0, posixpath.basename(top))
            top = posixpath.dirname(top)
        above = posixpath.dirname(top)
        if self._node(above, path).kind != "folder":
            raise errors.not_a_folder(self.show_path(above))
        return Gap(self._place(self.admit(top, path)), tuple(below))

    async def read(self, path: str, limit: int) -> Content:
        node = self._node(self._follow_links(path), path)
        if node.kind != "file":
            raise errors.not_a_file(path)
        data = content_in(node)
        return content_of(data[:limit], len(data))

    def _node(self, real: str, said: str) -> FileNode:
        node = self.disk.get(real)
        if node is None:
            raise errors.missing(said)
        return node

    async def list(self, path: str, limit: int) -> Listing:
        entries, omitted = self._entries(path, deep=False)
        return bound_entries(entries, omitted, limit)

    async def find(self, path: str, pattern: str, limit: int) -> Listing:
        entries, omitted = self._entries(path, deep=True)
        return bound_entries([entry for entry in entries if is_like(entry.name, pattern)], omitted, limit)

    def _entries(self, path: str, *, deep: bool) -> Entries:
        real = self._follow_links(path)
        folder = self._node(real, path)
        if folder.kind != "folder":
            raise errors.not_a_folder(path)
        entries: list[FolderEntry] = []
        waiting = [(real, folder)]
        omitted = 0
        while waiting:
            above, inside = waiting.pop()
            for name, node in inside.children.items():
                at, shown = posixpath.join(above, name), show_name(name)
                if not isinstance(node, FileNode) or find_denied_name(at) is not None or may_be_within(at, self._own):
                    omitted += 1
                    continue
                size = len(content_in(node)) if node.kind == "file" else 0
                time = node.identity.mtime_ns if node.identity else 0
                entries.append(FolderEntry(show_name(at), shown, node.kind, size, time, flagged=shown != name))
                if deep and node.kind == "folder":
                    waiting.append((at, node))
        return entries, omitted

    async def trash_entry(self, item: Item) -> str | None:
        if item.device in self.disk.disks_without_trash:
            return None
        name = posixpath.basename(item.path)
        stem, ending = posixpath.splitext(name)
        number = 1
        while self.disk.get(TRASHED + name) is not None:
            number += 1
            name = f"{stem}.{number}{ending}"
        return name

    def token(self) -> str:
        return self._context.ids.token()

    async def append_missing(self) -> Literal["create", "error"]:
        """Return the setting for appending to a missing file (T-19)."""
        chosen: Json = self._context.options.get("append_missing", "create")
        return "error" if chosen == "error" else "create"


def build(context: BackendContext) -> "MemoryFilesBackend":
    """Return a backend over a new tree that holds only the home and the roots."""
    disk = MemoryDisk()
    for folder in (context.home, *context.roots):
        path = ""
        for name in folder.strip("/").split("/"):
            path = f"{path}/{name}"
            if disk.get(path) is None:
                disk.plant(path)
    return MemoryFilesBackend(disk, context)


class MemoryFilesBackend:
    """Does steps on a tree in memory."""

    name = "memory"
    imagines = True
    note = ""
    private = True

    def __init__(self, disk: MemoryDisk, context: BackendContext) -> None:
        self.disk = disk
        self.reads = MemoryFiles(disk, context)
        self._kill = context.kill

    async def apply(self, step: FileStep, expects: Facts) -> Applied:
        """Do `step` if its expectations hold."""
        for path in (getattr(step, name) for name in step.paths):
            self._must_lead_there(path)
        for fact in expects:
            self._must_hold(fact)
        self._kill(f"files.{step.step.removeprefix('file.')}.begun")
        effect = step.effect
        self._must_be_possible(effect)
        self.disk.execute(step)
        return Applied(self.disk.facts_left(effect))

    async def check(self, expects: Facts) -> None:
        for fact in expects:
            self._must_lead_there(fact.about, "home")
            self._must_hold(fact)

    async def settle(self, step: FileStep, expects: Facts) -> Settlement:
        """After a crash, find out whether a step that had begun was completed."""
        return self.disk.settle(step.effect, expects)

    def imagine(self, seen: Files, step: FileStep, ref: ChangeRef) -> Files:
        """Return a view of the files as they would be after `step`."""
        return imagine(seen, step, ref)

    def _must_lead_there(self, path: str, reach: Reach = "roots") -> None:
        said = self.reads.show_path(path)
        folder = posixpath.dirname(path)
        if self.disk.resolve_links(folder, said) != folder:
            raise errors.path_changed_error(said)
        self.reads.admit(path, said, reach)

    def _must_hold(self, fact: Fact) -> None:
        match fact:
            case Unchanged(subject):
                now = next(iter(self.disk.facts(place_of(subject), whole=bool(fact.tree))))
                holds = isinstance(now, Unchanged) and now == fact and now.tree == fact.tree
                how = access_differs(fact.access, now.access) if isinstance(now, Unchanged) else ""
            case SameFolder(subject, device, inode):
                now = self.disk.fact_of(place_of(subject))
                holds = now is not None and (now.kind, now.device, now.inode) == ("folder", device, inode)
                how = access_differs(fact.access, now.access) if now is not None else ""
            case Free(subject):
                how = ""
                holds = self.disk.get(place_of(subject)) is None
            case SameContent(subject, size, sha256):
                now, how = self.disk.fact_of(place_of(subject)), ""
                holds = now is not None and (now.kind, now.size, now.sha256) == ("file", size, sha256)
            case _:
                raise unchecked(fact)
        if how and holds:
            raise errors.path_changed_error(self.reads.show_path(subject), how)
        if not holds:
            raise errors.path_changed_error(self.reads.show_path(subject))

    def _must_be_possible(self, effect: StepEffect) -> None:
        """Raise an error for what a real disk would not do, whatever the plan expected."""
        said = self.reads.show_path(subject_of(effect.puts))
        if effect.displaces:
            self._must_be_there(effect.displaces if effect.takes else effect.puts)
            if self._must_be_there(effect.puts).kind != "file" and isinstance(effect.builds, NewText):
                raise errors.path_changed_error(said)
            return
        if effect.takes:
            self._must_be_movable(effect)
        elif isinstance(effect.builds, CopyOf):
            self._must_be_there(effect.builds.source)
        if self.disk.get(effect.puts) is not None:
            raise errors.path_changed_error(said)
        if effect.puts.startswith("/"):
            self.disk.folder_of(effect.puts)

    def _must_be_there(self, place: str) -> FileNode:
        node = self.disk.get(place)
        if node is None:
            raise errors.path_changed_error(self.reads.show_path(subject_of(place)))
        return node

    def _must_be_movable(self, effect: StepEffect) -> None:
        node = self._must_be_there(effect.takes)
        said = self.reads.show_path(subject_of(effect.takes))
        if effect.takes.startswith("/") and any(within(root, [effect.takes]) for root in self.reads.roots):
            raise errors.is_root(said)
        if effect.discards and not all(inner.kind == "folder" for inner in (node, *[one for _, one in node.nodes()])):
            raise errors.path_changed_error(said)
        if not effect.puts.startswith("/"):
            return
        target = self.reads.show_path(effect.puts)
        if within(effect.puts, [effect.takes]):
            raise errors.inside_itself(said, target)
        if node.identity is not None and self.disk.folder_of(effect.puts).device != node.identity.device:
            raise ProviderError(f"{quoted(target)} lies on another disk and cannot be moved to in one go", "disk.other")
