"""Describe, list, search and read files as they would be after a batch, based on the real files."""

import posixpath
from collections.abc import Awaitable, Callable
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused, SaysoError
from sayso.core.plan import Fact, ResultRef
from sayso.core.quotes import quoted
from sayso.policy.programs import HEAD
from sayso.providers.files import errors
from sayso.providers.files.model import Free, Unchanged
from sayso.providers.files.paths import bound_entries, content_of, is_like, show_name
from sayso.providers.files.store import Content, Files, FolderEntry, FreePlace, Item, Listing
from sayso.providers.files.tree import DEEPEST, FileNode, FileTree, Removed, TreeSpot, find, written_bytes

T = TypeVar("T")

WHOLE = 100_000
"""Maximum number of entries read from a real folder to work out what the folder would hold after the batch."""


class Weight(Struct, frozen=True):
    """How much a folder's tree holds."""

    entries: int = 0
    size: int = 0
    denied: tuple[str, ...] = ()


class CachedFiles:
    """Looks at the real files, and caches each answer by path.

    All plans of a batch are based on one view of the files. When the plans are carried out, the facts that they expect
    show whether the files are still the same.
    """

    def __init__(self, real: Files) -> None:
        self.real = real
        self.tried: dict[str, int] = {}
        """For each name of a Trash entry, the number of the last variant that was tried."""
        self.weights: dict[int, tuple[object, Weight]] = {}
        """The weight of each folder that steps touched, by the `id` of its node; the node is stored too."""
        self._name = "." + real.token()
        self._folders: dict[str, FreePlace | SaysoError] = {}
        self._items: dict[str, Item | ProviderError] = {}
        self._listings: dict[str, Listing] = {}

    async def folder(self, path: str) -> FreePlace | None:
        """Return a free place in the folder that `path` leads to; None if it leads to no folder. Raises `Refused`."""
        found = self._folders.get(path)
        if found is None:
            try:
                # No file has this name. Asking for a free place is the cheapest way to ask about a folder.
                found = await self.real.free(posixpath.join(path, self._name))
            except (ProviderError, Refused) as problem:
                found = problem
            self._folders[path] = found
        if isinstance(found, Refused):
            raise Refused(str(found), found.code, found.rule)
        return found if isinstance(found, FreePlace) else None

    async def item(self, path: str, said: str) -> Item:
        """Return what is at `path`; errors show the path as `said`."""
        found = self._items.get(path)
        if found is None:
            try:
                found = await ask_real(self.real.look, path, said)
            except ProviderError as problem:
                found = problem
            self._items[path] = found
        if isinstance(found, Item):
            return found
        raise ProviderError(str(found), found.code)

    async def item_or_none(self, path: str) -> Item | None:
        """Return what is at `path`, or None."""
        try:
            return await self.item(path, path)
        except ProviderError:
            return None

    async def listing(self, folder: str, said: str) -> Listing:
        """Return the entries of a folder; errors show it as `said`."""
        if folder not in self._listings:
            self._listings[folder] = await ask_real(lambda path: self.real.list(path, WHOLE), folder, said)
        return self._listings[folder]

    async def entry(self, path: str) -> FolderEntry | None:
        """Return the entry for `path` in the listing of its folder; None when the listing leaves it out."""
        listing = await self.listing(posixpath.dirname(path), path)
        name = show_name(posixpath.basename(path))
        return next((entry for entry in listing.entries if entry.name == name), None)


async def ask_real(read: Callable[[str], Awaitable[T]], path: str, said: str) -> T:
    """Return what `read` returns for `path`; errors show the path as `said`."""
    try:
        return await read(path)
    except SaysoError as problem:
        problem.args = (str(problem).replace(quoted(path), quoted(said)),)
        raise


MADE_FILE = 0o644
MADE_FOLDER = 0o755
MOST_DENIED = 10


class Describer:
    """Describes the files and folders that would be at spots of the tree after the batch's steps."""

    def __init__(self, known: CachedFiles, tree: FileTree) -> None:
        self._known = known
        self._tree = tree

    async def exists(self, spot: TreeSpot) -> bool:
        """Return whether something would be at the spot."""
        if spot.node is not None or spot.unseen:
            return True
        return spot.base is not None and await self._known.real.exists(spot.base)

    async def item(self, spot: TreeSpot, said: str) -> Item:
        """Return what would be at the spot. Raises `ProviderError`."""
        if spot.unseen:
            raise errors.not_yet(said)
        if spot.base is not None:
            return await self._describe_based(spot, spot.base, said)
        if spot.node is None:
            raise errors.missing(said)
        return await self._describe_made(spot, spot.node, said)

    async def open(self, spot: TreeSpot, said: str) -> Item:
        """Return what would be at the spot, without counting the tree of a folder."""
        node = spot.node
        if spot.unseen or (node is not None and node.text is not None):
            return await self.item(spot, said)
        if spot.base is None:
            if node is None:
                raise errors.missing(said)
            device = await self.device(posixpath.dirname(spot.path))
            return Item(spot.path, "folder", device, 0, 0, 0, MADE_FOLDER, 1, await self.same_folder(spot))
        if await self._known.folder(spot.base) is None:
            return await self.item(spot, said)
        real = await ask_real(self._known.real.opened, spot.base, said)
        device = await self.device(spot.path)
        return replace(real, path=spot.path, device=device, fact=await self.same_folder(spot))

    async def _describe_based(self, spot: TreeSpot, base: str, said: str) -> Item:
        real = await self._known.item(base, said)
        weight = Weight(real.entries, real.size, real.denied)
        if spot.node is not None and real.kind == "folder":
            weight = await self._changed_weight(spot, spot.node, weight)
        item = replace(real, path=spot.path, entries=weight.entries, size=weight.size, denied=weight.denied)
        if spot.copied:
            item = replace(item, links=1, device=await self.device(posixpath.dirname(spot.path)))
        return replace(item, fact=_expected_fact(spot, item))

    async def _describe_made(self, spot: TreeSpot, node: FileNode, said: str) -> Item:
        if node.text is not None and node.text.over is not None:
            old = await self.item(_spot_of(spot, node.text.bottom or node.text.over), said)
            size = node.text.size + (0 if node.text.whole else old.size)
            return replace(old, size=size, links=1, fact=_expected_fact(spot, None))
        device = await self.device(posixpath.dirname(spot.path))
        fact = _expected_fact(spot, None)
        if node.text is not None:
            size = len(node.text.text)
            return Item(spot.path, "file", device, size, 0, 0, MADE_FILE, 1, fact)
        weight = await self._changed_weight(spot, node, Weight())
        return Item(
            spot.path, "folder", device, weight.size, weight.entries, 0, MADE_FOLDER, 1, fact, denied=weight.denied
        )

    async def _changed_weight(self, spot: TreeSpot, node: FileNode, weight: Weight) -> Weight:
        """Return a folder's weight, corrected for what steps removed from it and put into it."""
        if node.depth > DEEPEST:
            raise errors.too_deep(spot.path)
        same = node.like or node
        kept = self._known.weights.get(id(same))
        if kept is not None:
            return kept[1]
        for name, child in node.children.items():
            was = None if node.base is None else await self._known.item_or_none(f"{node.base.rstrip('/')}/{name}")
            if was is not None:
                weight = _without(weight, name, was)
            if not isinstance(child, Removed):
                path = posixpath.join(spot.path, name)
                weight = _with(weight, name, await self.item(find(self._tree, path), path))
        # Keeping the node prevents another node from getting the same `id`.
        self._known.weights[id(same)] = (same, weight)
        return weight

    async def device(self, folder: str) -> int:
        """Return the device of a folder or, if the folder is not a real one, of the nearest real folder above it."""
        while True:
            spot = find(self._tree, folder)
            if spot.base is not None and not spot.copied:
                place = await self._known.folder(spot.base)
                if place is not None:
                    return place.device
            if folder == "/":
                raise errors.missing(folder)
            folder = posixpath.dirname(folder)

    async def place(self, spot: TreeSpot) -> FreePlace:
        """Return the free place at a spot whose folder exists."""
        folder = find(self._tree, posixpath.dirname(spot.path))
        return FreePlace(
            spot.path, await self.device(folder.path), await self.same_folder(folder), spot.free or Free(spot.path)
        )

    async def same_folder(self, folder: TreeSpot) -> Fact:
        """Return the fact that identifies a folder."""
        if folder.node is not None and folder.node.folder is not None and folder.node.folder.about == folder.path:
            return folder.node.folder
        if folder.base is not None and not folder.copied:
            place = await self._known.folder(folder.base)
            if place is not None:
                return replace(place.parent, about=folder.path)
        return folder.around[-1]

    async def content(self, spot: TreeSpot, said: str, limit: int) -> Content:
        """Return the first `limit` bytes of what a file would hold, as text."""
        if spot.unseen:
            raise errors.not_yet(said)
        if spot.node is not None and spot.node.text is not None:
            return await self._written_content(spot, spot.node, said, limit)
        if spot.base is None:
            raise errors.missing(said) if spot.node is None else errors.not_a_file(said)
        return await ask_real(lambda path: self._known.real.read(path, limit), spot.base, said)

    async def _written_content(self, spot: TreeSpot, node: FileNode, said: str, limit: int) -> Content:
        added, bottom = written_bytes(node)
        if bottom is None:
            return content_of(added[:limit], len(added))
        old = await self.content(_spot_of(spot, bottom), said, limit)
        if not old.exact:
            more = added[: max(0, limit - old.total)]
            text = old.text + more.decode("utf-8", "ignore")
            return Content(text, old.total + len(added), exact=False, head=(old.head + more)[:HEAD])
        whole = old.text.encode() + added
        return content_of(whole[:limit], len(whole))


def _spot_of(spot: TreeSpot, node: FileNode) -> TreeSpot:
    """Return the spot with `node` at it: the file as it was before steps wrote to it."""
    # The caller does not use the fact about the old file. A reference stands in for it, because the tree may no longer
    # know any fact about that file.
    node = replace(node, unchanged=ResultRef(spot.path, "unchanged", 0))
    return replace(spot, node=node, base=node.base, copied=node.copied, unseen=node.unseen)


def _expected_fact(spot: TreeSpot, real: Item | None) -> Fact:
    """Return the fact that a plan expects about the thing at a spot.

    It is the fact that a step left about the thing, else the present fact, else the fact that a step left about the
    nearest folder above.
    """
    node = spot.node
    if node is not None and node.unchanged is not None and node.unchanged.about == spot.path:
        return node.unchanged
    if real is not None and not spot.copied:
        if isinstance(real.fact, Unchanged):
            # The hash over a tree cannot be foretold once a step has touched something in it.
            tree = real.fact.tree if node is None else ""
            return replace(real.fact, about=spot.path, size=real.size, entries=real.entries, tree=tree)
        return real.fact
    if node is not None and node.text is None and node.folder is not None and node.folder.about == spot.path:
        return node.folder
    return spot.around[0]


def _without(weight: Weight, name: str, item: Item) -> Weight:
    denied = tuple(inner for inner in weight.denied if inner != name and not inner.startswith(name + "/"))
    return Weight(weight.entries - 1 - item.entries, weight.size - _count_of(item), denied)


def _with(weight: Weight, name: str, item: Item) -> Weight:
    denied = (*weight.denied, *[f"{name}/{inner}" for inner in item.denied])
    return Weight(weight.entries + 1 + item.entries, weight.size + _count_of(item), denied[:MOST_DENIED])


def _count_of(item: Item) -> int:
    # The size of a tree counts its files, but not its links.
    return 0 if item.kind == "link" else item.size


class Lister:
    """Lists and searches folders of the tree."""

    def __init__(self, known: CachedFiles, tree: FileTree, describer: Describer) -> None:
        self._known = known
        self._tree = tree
        self._describer = describer

    async def level(self, spot: TreeSpot, said: str, limit: int) -> Listing:
        """Return the entries that would be directly in a folder."""
        if spot.unseen:
            raise errors.not_yet(said)
        if spot.node is None or spot.node.text is not None:
            return await self._real(spot, said, limit)
        entries, omitted = await self._level(spot, spot.node, said)
        return bound_entries(entries, omitted, limit)

    async def find(self, spot: TreeSpot, said: str, pattern: str, limit: int) -> Listing:
        """Return what in a folder's tree would have a name that matches the glob `pattern`."""
        if spot.node is None or spot.node.text is not None or spot.unseen:
            base = _base(spot, said)
            listing = await ask_real(lambda path: self._known.real.find(path, pattern, limit), base, said)
            return _move_listing(listing, base, spot.path)
        level, omitted = await self._level(spot, spot.node, said)
        entries = [entry for entry in level if is_like(entry.name, pattern)]
        for entry in level:
            if entry.kind == "folder" and not entry.flagged:
                inner = await self.find(find(self._tree, entry.path), entry.path, pattern, WHOLE)
                entries += inner.entries
                omitted += inner.omitted
        return bound_entries(entries, omitted, limit)

    async def _real(self, spot: TreeSpot, said: str, limit: int) -> Listing:
        base = _base(spot, said)
        listing = await ask_real(lambda path: self._known.real.list(path, limit), base, said)
        return _move_listing(listing, base, spot.path)

    async def _level(self, spot: TreeSpot, node: FileNode, said: str) -> tuple[list[FolderEntry], int]:
        """Return the entries of a folder that steps touched, and how many are left out."""
        real = Listing((), 0) if node.base is None else await self._known.listing(node.base, said)
        entries = {entry.name: entry for entry in _move_listing(real, node.base or "", spot.path).entries}
        omitted = real.omitted
        for name, child in node.children.items():
            if entries.pop(show_name(name), None) is None and await self._was_there(node, name):
                omitted -= 1
            if isinstance(child, Removed):
                continue
            entry = await self._entry(posixpath.join(spot.path, name), name)
            if entry is None:
                omitted += 1
            else:
                entries[entry.name] = entry
        return list(entries.values()), omitted

    async def _was_there(self, node: FileNode, name: str) -> bool:
        return node.base is not None and await self._known.real.exists(f"{node.base.rstrip('/')}/{name}")

    async def _entry(self, path: str, name: str) -> FolderEntry | None:
        spot = find(self._tree, path)
        if spot.base is not None:
            entry = await self._known.entry(spot.base)
            where = posixpath.join(posixpath.dirname(path), show_name(name))
            return (
                None
                if entry is None
                else replace(entry, path=where, name=show_name(name), flagged=show_name(name) != name)
            )
        item = await self._describer.item(spot, path)
        size = item.size if item.kind == "file" else 0
        return FolderEntry(path, name, item.kind, size, item.mtime_ns)


def _base(spot: TreeSpot, said: str) -> str:
    if spot.unseen:
        raise errors.not_yet(said)
    if spot.base is None:
        raise _no_folder(spot, said)
    return spot.base


def _no_folder(spot: TreeSpot, said: str) -> ProviderError:
    return errors.missing(said) if spot.node is None else errors.not_a_folder(said)


def _move_listing(listing: Listing, base: str, path: str) -> Listing:
    """Return a listing of `base` as if it were a listing of `path`."""
    if base == path:
        return listing
    entries = tuple(replace(entry, path=path + entry.path.removeprefix(base)) for entry in listing.entries)
    return Listing(entries, listing.omitted)
