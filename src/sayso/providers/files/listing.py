"""List and search folders of an imagined tree."""

import fnmatch
import posixpath
from dataclasses import replace

from sayso.core.errors import ProviderError
from sayso.providers.files import trouble
from sayso.providers.files.describing import Describer
from sayso.providers.files.imagined import Gone, Imagined, Node, Spot, find
from sayso.providers.files.known import WHOLE, Known, asked, shown
from sayso.providers.files.store import Entry, Listing


def is_like(name: str, pattern: str) -> bool:
    """Say whether a name is like a glob, case folded."""
    return fnmatch.fnmatchcase(name.casefold(), pattern.casefold())


def by_path(entry: Entry) -> list[str]:
    """Return what entries are ordered by: folder by folder, name by name."""
    return entry.path.split("/")


def bounded(entries: list[Entry], omitted: int, limit: int) -> Listing:
    """Return entries in order, at most `limit` of them, and count what is left out."""
    ordered = sorted(entries, key=by_path)
    return Listing(tuple(ordered[:limit]), omitted + max(0, len(ordered) - limit))


class Lister:
    """Lists folders of an imagined tree over the real world."""

    def __init__(self, known: Known, tree: Imagined, describer: Describer) -> None:
        self._known = known
        self._tree = tree
        self._describer = describer

    async def level(self, spot: Spot, said: str, limit: int) -> Listing:
        """Return what a folder would hold, one level."""
        if spot.unseen:
            raise trouble.not_yet(said)
        if spot.node is None or spot.node.text is not None:
            return await self._real(spot, said, limit)
        entries, omitted = await self._level(spot, spot.node, said)
        return bounded(entries, omitted, limit)

    async def find(self, spot: Spot, said: str, pattern: str, limit: int) -> Listing:
        """Return what would have a name like `pattern` in a folder's tree."""
        if spot.node is None or spot.node.text is not None or spot.unseen:
            base = _base(spot, said)
            listing = await asked(lambda path: self._known.real.find(path, pattern, limit), base, said)
            return _moved(listing, base, spot.path)
        level, omitted = await self._level(spot, spot.node, said)
        entries = [entry for entry in level if is_like(entry.name, pattern)]
        for entry in level:
            if entry.kind == "folder" and not entry.flagged:
                inner = await self.find(find(self._tree, entry.path), entry.path, pattern, WHOLE)
                entries += inner.entries
                omitted += inner.omitted
        return bounded(entries, omitted, limit)

    async def _real(self, spot: Spot, said: str, limit: int) -> Listing:
        base = _base(spot, said)
        listing = await asked(lambda path: self._known.real.list(path, limit), base, said)
        return _moved(listing, base, spot.path)

    async def _level(self, spot: Spot, node: Node, said: str) -> tuple[list[Entry], int]:
        """Return the entries of a touched folder, and how many are left out."""
        real = Listing((), 0) if node.base is None else await self._known.listing(node.base, said)
        entries = {entry.name: entry for entry in _moved(real, node.base or "", spot.path).entries}
        omitted = real.omitted
        for name, child in node.children.items():
            if entries.pop(shown(name), None) is None and await self._was_there(node, name):
                omitted -= 1
            if isinstance(child, Gone):
                continue
            entry = await self._entry(posixpath.join(spot.path, name), name)
            if entry is None:
                omitted += 1
            else:
                entries[entry.name] = entry
        return list(entries.values()), omitted

    async def _was_there(self, node: Node, name: str) -> bool:
        return node.base is not None and await self._known.real.exists(f"{node.base.rstrip('/')}/{name}")

    async def _entry(self, path: str, name: str) -> Entry | None:
        spot = find(self._tree, path)
        if spot.base is not None:
            entry = await self._known.entry(spot.base)
            where = posixpath.join(posixpath.dirname(path), shown(name))
            return None if entry is None else replace(entry, path=where, name=shown(name), flagged=shown(name) != name)
        item = await self._describer.item(spot, path)
        size = item.size if item.kind == "file" else 0
        return Entry(path, name, item.kind, size, item.mtime_ns)


def _base(spot: Spot, said: str) -> str:
    if spot.unseen:
        raise trouble.not_yet(said)
    if spot.base is None:
        raise _no_folder(spot, said)
    return spot.base


def _no_folder(spot: Spot, said: str) -> ProviderError:
    return trouble.missing(said) if spot.node is None else trouble.not_a_folder(said)


def _moved(listing: Listing, base: str, path: str) -> Listing:
    """Return a listing of `base` as one of `path`."""
    if base == path:
        return listing
    entries = tuple(replace(entry, path=path + entry.path.removeprefix(base)) for entry in listing.entries)
    return Listing(entries, listing.omitted)
