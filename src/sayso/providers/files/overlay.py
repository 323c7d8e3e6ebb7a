"""The files store as it would be after the earlier steps of a batch."""

import posixpath
from contextlib import suppress
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import ChangeRef
from sayso.providers.files import errors
from sayso.providers.files.imagined import CachedFiles, Describer, Lister, ask_real
from sayso.providers.files.model import TRASHED, FileStep
from sayso.providers.files.paths import MOST_LINKS
from sayso.providers.files.store import Content, Files, FreePlace, Gap, Item, Listing, Reach
from sayso.providers.files.tree import MOST, FileTree, TreeSpot, after, find


class FollowedPath(Struct, frozen=True):
    """Where a path leads: `path` is the resolved part; `rest` are the names after it if `path` is not a folder."""

    path: str
    rest: tuple[str, ...] = ()
    linked: bool = False
    """Whether a link was followed."""
    last_linked: bool = False
    """Whether the last name was a link that was followed."""

    @property
    def whole(self) -> str:
        """Return the resolved path joined with the remaining names."""
        return posixpath.join(self.path, *self.rest)


LinkOnPath = tuple[str, str, list[str]]
"""The folder that holds a link, the link's target, and the names after the link."""


class Walker:
    """Resolves paths in a tree on top of the real files."""

    def __init__(self, known: CachedFiles, tree: FileTree) -> None:
        self._known = known
        self._tree = tree

    async def follow(self, said: str, *, follow: bool) -> FollowedPath | None:
        """Return where a path leads; with `follow`, its last name is followed if it is a link.

        The result is None when no part of the path may be reached. No step has touched such a path, so the real files
        store can answer for it.
        """
        if self._tree.count > MOST:
            raise errors.too_large(MOST)
        start = await self._start(_names(said), absolute=said.startswith("/"))
        links, last_linked = 0, False
        while start is not None:
            path, rest = start
            found = await self._go_to_link(path, rest, follow=follow)
            if isinstance(found, FollowedPath):
                return replace(found, linked=links > 0, last_linked=last_linked)
            links += 1
            if links > MOST_LINKS:
                raise errors.link_circle(said)
            folder, target, rest = found
            last_linked = last_linked or not rest
            names = [*target.split("/"), *rest]
            start = await self._start(_names("/".join(names)), absolute=True) if target[:1] == "/" else (folder, names)
        return None

    async def _start(self, names: list[str], *, absolute: bool) -> tuple[str, list[str]] | None:
        """Return the first folder on the path that may be reached, resolved, and the names after it."""
        for count in range(1, len(names) + 1):
            first = ("/" if absolute else "") + "/".join(names[:count])
            try:
                place = await self._known.folder(first)
            except Refused:
                continue
            if place is None:
                return None
            return posixpath.dirname(place.path), names[count:]
        return None

    async def _go_to_link(self, path: str, names: list[str], *, follow: bool) -> FollowedPath | LinkOnPath:
        """Go on to the end of the path or to the first link on it."""
        for number, name in enumerate(names):
            if name in {"", "."}:
                continue
            if name == "..":
                path = posixpath.dirname(path)
                continue
            rest = names[number + 1 :]
            here = posixpath.join(path, name)
            if not rest and not follow:
                return FollowedPath(here)
            spot = find(self._tree, here)
            target = await self._target(spot)
            if target is not None:
                return path, target, rest
            if rest and not await self.is_folder(spot, here):
                return FollowedPath(here, tuple(rest))
            path = here
        return FollowedPath(path)

    async def _target(self, spot: TreeSpot) -> str | None:
        """Return the target of a link; None for anything else."""
        if spot.base is None or await self.is_folder(spot, spot.path):
            return None
        item = await self._known.item_or_none(spot.base)
        return item.target if item is not None and item.kind == "link" else None

    async def is_folder(self, spot: TreeSpot, said: str) -> bool:
        """Return whether a folder is at the spot; a link to a folder does not count."""
        if spot.unseen:
            raise errors.not_yet(said)
        if spot.base is not None:
            place = await self._known.folder(spot.base)
            return place is not None and posixpath.dirname(place.path) == spot.base
        return spot.node is not None and spot.node.text is None


def _names(said: str) -> list[str]:
    kept: list[str] = []
    for name in said.split("/"):
        if name == "..":
            del kept[-1:]
        elif name not in {"", "."}:
            kept.append(name)
    return kept


def imagine(seen: Files, step: FileStep, ref: ChangeRef) -> Files:
    """Return a view of the files as they would be after `step`; facts about what the step changes refer to `ref`."""
    if isinstance(seen, Overlay):
        return Overlay(seen.known, after(seen.tree, step, ref))
    return Overlay(CachedFiles(seen), after(FileTree(), step, ref))


class Overlay:
    """An immutable view of the files: the real ones, and a tree of what steps would change."""

    def __init__(self, known: CachedFiles, tree: FileTree) -> None:
        self.known = known
        self.tree = tree
        self._walker = Walker(known, tree)
        self._describer = Describer(known, tree)
        self._lister = Lister(known, tree, self._describer)

    def literal_path(self, path: str) -> str:
        """Return `path` as absolute, with no link followed."""
        return self.known.real.literal_path(path)

    async def look(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what would be at `path`; for a link, the link itself."""
        followed = await self._walker.follow(path, follow=False)
        if followed is None:
            return await self.known.real.look(path, reach=reach)
        return await self._describer.item(await self._spot(followed, path), path)

    async def opened(self, path: str, *, reach: Reach = "roots") -> Item:
        """Return what would be at `path` with links followed."""
        followed = await self._walker.follow(path, follow=True)
        if followed is None:
            return await self.known.real.opened(path, reach=reach)
        return await self._describer.open(await self._end(followed, path), path)

    async def _end(self, followed: FollowedPath, said: str) -> TreeSpot:
        """Return the spot that a path leads to. Raises `Refused` for a link to nothing (FS-03)."""
        if followed.last_linked and (followed.rest or not await self._describer.exists(find(self.tree, followed.path))):
            raise errors.dangling(said)
        return await self._spot(followed, said)

    async def _spot(self, followed: FollowedPath, said: str) -> TreeSpot:
        """Return the spot at the end of a path. Raises `Refused` if its resolved path may not be reached."""
        spot = find(self.tree, followed.path)
        if followed.rest or not _is_untouched(spot):
            await self._admit_path(followed.whole, said)
        if followed.rest:
            raise errors.missing(said)
        return spot

    async def exists(self, path: str) -> bool:
        """Return whether something would be at `path`."""
        followed = await self._walker.follow(path, follow=False)
        if followed is None:
            return await self.known.real.exists(path)
        spot = find(self.tree, followed.path)
        if followed.rest or not _is_untouched(spot):
            await self._admit_path(followed.whole, path)
        return not followed.rest and await self._describer.exists(spot)

    async def free(self, path: str) -> FreePlace:
        """Return the free place `path`."""
        followed = await self._walker.follow(path, follow=False)
        if followed is None:
            return await self.known.real.free(path)
        spot = find(self.tree, followed.path)
        if followed.rest:
            await self._admit_path(followed.whole, path)
            raise errors.no_folder(path, posixpath.dirname(path.rstrip("/")))
        if await self._describer.exists(spot):
            await self._must_not_dangle(path)
            raise errors.path_taken_error(path)
        if not await self._is_folder(posixpath.dirname(followed.path)):
            raise errors.no_folder(path, posixpath.dirname(path.rstrip("/")))
        return await self._place(spot, path)

    async def gap(self, path: str) -> Gap | Item:
        followed = await self._walker.follow(path, follow=True)
        if followed is None:
            return await self.known.real.gap(path)
        spot = find(self.tree, followed.path)
        if await self._describer.exists(spot):
            if followed.rest or not await self._is_folder(followed.path):
                raise errors.not_a_folder(path)
            return await self._describer.open(spot, path)
        if followed.linked:
            await self._must_not_dangle(path)
        await self._admit_path(followed.whole, path)
        return Gap(await self._place(spot, path), followed.rest)

    async def _must_not_dangle(self, path: str) -> None:
        """Raise `Refused` if a link on the path leads to nothing."""
        names = path.rstrip("/").split("/")
        for count in range(1, len(names) + 1):
            followed = await self._walker.follow("/".join(names[:count]) or "/", follow=True)
            if followed is not None and followed.last_linked:
                await self._end(followed, path)

    async def _place(self, spot: TreeSpot, said: str) -> FreePlace:
        folder = find(self.tree, posixpath.dirname(spot.path))
        if _is_untouched(spot) and (folder.node is None or folder.node.folder is None):
            return await ask_real(self.known.real.free, spot.path, said)
        await self._admit_path(spot.path, said)
        return await self._describer.place(spot)

    async def _admit_path(self, path: str, said: str) -> None:
        """Raise `Refused` if the path itself may not be reached, whatever exists there."""
        with suppress(ProviderError):
            await ask_real(self.known.real.exists, path, said)

    async def _is_folder(self, path: str) -> bool:
        return await self._walker.is_folder(find(self.tree, path), path)

    async def read(self, path: str, limit: int) -> Content:
        """Return the first `limit` bytes of what a file would hold, as text."""
        followed = await self._walker.follow(path, follow=True)
        if followed is None:
            return await self.known.real.read(path, limit)
        return await self._describer.content(await self._end(followed, path), path, limit)

    async def list(self, path: str, limit: int) -> Listing:
        spot = await self._folder(path)
        return await self.known.real.list(path, limit) if spot is None else await self._lister.level(spot, path, limit)

    async def find(self, path: str, pattern: str, limit: int) -> Listing:
        """Return what in a folder's tree would have a name that matches the glob `pattern`."""
        spot = await self._folder(path)
        if spot is None:
            return await self.known.real.find(path, pattern, limit)
        return await self._lister.find(spot, path, pattern, limit)

    async def _folder(self, path: str) -> TreeSpot | None:
        followed = await self._walker.follow(path, follow=True)
        if followed is None:
            return None
        return await self._end(followed, path)

    async def trash_entry(self, item: Item) -> str | None:
        """Return a Trash entry that neither the real Trash nor an earlier step uses."""
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
        """Return the nearest real folder at or above `folder`; the real Trash can only be asked about a real folder."""
        while folder != "/":
            spot = find(self.tree, folder)
            if spot.base is not None and await self.known.folder(spot.base) is not None:
                return spot.base
            folder = posixpath.dirname(folder)
        return folder

    def token(self) -> str:
        return self.known.real.token()

    async def append_missing(self) -> Literal["create", "error"]:
        """Return the setting for appending to a missing file (T-19)."""
        return await self.known.real.append_missing()


def _is_untouched(spot: TreeSpot) -> bool:
    return spot.node is None and spot.base == spot.path and not spot.copied
