"""The reads of the file store as they would be once the earlier steps of a batch were done."""

import posixpath
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from sayso.core.errors import ProviderError
from sayso.core.plan import Ref
from sayso.providers.files import trouble
from sayso.providers.files.carrying import TRASHED
from sayso.providers.files.describing import Describer
from sayso.providers.files.imagined import Imagined, Spot, after, find
from sayso.providers.files.known import Known, asked
from sayso.providers.files.listing import Lister
from sayso.providers.files.steps import Steps
from sayso.providers.files.store import Content, Files, Gap, Item, Listing, Place, Reach
from sayso.providers.files.walking import Walker, Way


def imagine(seen: Files, step: Steps, ref: Ref) -> Files:
    """Return reads in which `step` has been done; what it makes or changes is expected as `ref` left it."""
    if isinstance(seen, Overlay):
        return Overlay(seen.known, after(seen.tree, step, ref))
    return Overlay(Known(seen), after(Imagined(), step, ref))


class Overlay:
    """A view of the files that never changes: the real world, and a tree of what steps would leave on it."""

    def __init__(self, known: Known, tree: Imagined) -> None:
        self.known = known
        self.tree = tree
        self._walker = Walker(known, tree)
        self._describer = Describer(known, tree)
        self._lister = Lister(known, tree, self._describer)

    async def look(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what would stand at `path`; a link itself is described."""
        way = await self._walker.way(path, follow=False)
        if way is None:
            return await self.known.real.look(path, reach=reach)
        return await self._describer.item(await self._spot(way, path), path)

    async def opened(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what would stand at `path` with links followed."""
        way = await self._walker.way(path, follow=True)
        if way is None:
            return await self.known.real.opened(path, reach=reach)
        return await self._describer.open(await self._end(way, path), path)

    async def _end(self, way: Way, said: str) -> Spot:
        """Return the spot a followed path leads to; a link to nothing is refused (FS-03)."""
        if way.last_linked and (way.rest or not await self._describer.exists(find(self.tree, way.path))):
            raise trouble.dangling(said)
        return await self._spot(way, said)

    async def _spot(self, way: Way, said: str) -> Spot:
        """Return the spot at the end of a way, if it may be reached under the path it has by now."""
        spot = find(self.tree, way.path)
        if way.rest or not _untouched(spot):
            await self._admitted(way.whole, said)
        if way.rest:
            raise trouble.missing(said)
        return spot

    async def exists(self, path: str) -> bool:
        """Say whether something would stand at `path`."""
        way = await self._walker.way(path, follow=False)
        if way is None:
            return await self.known.real.exists(path)
        spot = find(self.tree, way.path)
        if way.rest or not _untouched(spot):
            await self._admitted(way.whole, path)
        return not way.rest and await self._describer.exists(spot)

    async def free(self, path: str) -> Place:
        """Return the free place `path`."""
        way = await self._walker.way(path, follow=False)
        if way is None:
            return await self.known.real.free(path)
        spot = find(self.tree, way.path)
        if way.rest:
            await self._admitted(way.whole, path)
            raise trouble.no_folder(path, posixpath.dirname(path.rstrip("/")))
        if await self._describer.exists(spot):
            await self._must_not_dangle(path)
            raise trouble.taken(path)
        if not await self._is_folder(posixpath.dirname(way.path)):
            raise trouble.no_folder(path, posixpath.dirname(path.rstrip("/")))
        return await self._place(spot, path)

    async def gap(self, path: str) -> Gap | Item:
        """Return what would be missing on the way to the folder `path`, or the folder."""
        way = await self._walker.way(path, follow=True)
        if way is None:
            return await self.known.real.gap(path)
        spot = find(self.tree, way.path)
        if await self._describer.exists(spot):
            if way.rest or not await self._is_folder(way.path):
                raise trouble.not_a_folder(path)
            return await self._describer.open(spot, path)
        if way.linked:
            await self._must_not_dangle(path)
        await self._admitted(way.whole, path)
        return Gap(await self._place(spot, path), way.rest)

    async def _must_not_dangle(self, path: str) -> None:
        """Refuse a path on whose way a link leads to nothing."""
        names = path.rstrip("/").split("/")
        for count in range(1, len(names) + 1):
            way = await self._walker.way("/".join(names[:count]) or "/", follow=True)
            if way is not None and way.last_linked:
                await self._end(way, path)

    async def _place(self, spot: Spot, said: str) -> Place:
        folder = find(self.tree, posixpath.dirname(spot.path))
        if _untouched(spot) and (folder.node is None or folder.node.folder is None):
            return await asked(self.known.real.free, spot.path, said)
        await self._admitted(spot.path, said)
        return await self._describer.place(spot)

    async def _admitted(self, path: str, said: str) -> None:
        """Let the real world refuse a path, by its name alone: whether something stands there does not matter."""
        with suppress(ProviderError):
            await asked(self.known.real.exists, path, said)

    async def _is_folder(self, path: str) -> bool:
        return await self._walker.is_folder(find(self.tree, path), path)

    async def read(self, path: str, limit: int) -> Content:
        """Return the start of what a file would hold."""
        way = await self._walker.way(path, follow=True)
        if way is None:
            return await self.known.real.read(path, limit)
        return await self._describer.content(await self._end(way, path), path, limit)

    async def list(self, path: str, limit: int) -> Listing:
        """Return what a folder would hold, one level."""
        spot = await self._folder(path)
        return await self.known.real.list(path, limit) if spot is None else await self._lister.level(spot, path, limit)

    async def find(self, path: str, pattern: str, limit: int) -> Listing:
        """Return what would have a name like `pattern` in a folder's tree."""
        spot = await self._folder(path)
        if spot is None:
            return await self.known.real.find(path, pattern, limit)
        return await self._lister.find(spot, path, pattern, limit)

    async def _folder(self, path: str) -> Spot | None:
        way = await self._walker.way(path, follow=True)
        if way is None:
            return None
        return await self._end(way, path)

    async def trash_entry(self, item: Item) -> str | None:
        """Return a name in the Trash that neither the real Trash nor an earlier step has taken."""
        stem, ending = posixpath.splitext(posixpath.basename(item.path))
        folder = await self._real_folder(posixpath.dirname(item.path))
        first = entry = await self._entry(item, folder, stem + ending)
        while entry is not None and first is not None and self.tree.away.get(TRASHED + entry) is not None:
            number = self.known.tried.get(first, 1) + 1
            self.known.tried[first] = number
            entry = await self._entry(item, folder, f"{stem}.{number}{ending}")
        return entry

    async def _entry(self, item: Item, folder: str, name: str) -> str | None:
        return await self.known.real.trash_entry(replace(item, path=posixpath.join(folder, name)))

    async def _real_folder(self, folder: str) -> str:
        """Return a folder that is really there, on the same file system: which Trash serves it can be asked."""
        while folder != "/":
            spot = find(self.tree, folder)
            if spot.base is not None and await self.known.folder(spot.base) is not None:
                return spot.base
            folder = posixpath.dirname(folder)
        return folder

    def token(self) -> str:
        """Return a new name for a kept place."""
        return self.known.real.token()

    async def append_missing(self) -> Literal["create", "error"]:
        """Return the setting of T-19."""
        return await self.known.real.append_missing()


def _untouched(spot: Spot) -> bool:
    return spot.node is None and spot.base == spot.path and not spot.copied
