"""Follow a path, link by link, through the world as the earlier steps of a batch would leave it."""

import posixpath
from dataclasses import replace

from sayso.core.errors import Refused
from sayso.core.values import dataclass
from sayso.providers.files import trouble
from sayso.providers.files.imagined import MOST, Imagined, Spot, find
from sayso.providers.files.known import Known

MOST_LINKS = 40


@dataclass(frozen=True, slots=True)
class Way:
    """How far a path leads: to `path`, which is resolved; `rest` are the names after it when it is no folder."""

    path: str
    rest: tuple[str, ...] = ()
    linked: bool = False
    """A link was followed."""
    last_linked: bool = False
    """The last name itself was a link that was followed."""

    @property
    def whole(self) -> str:
        """Return the path with what follows."""
        return posixpath.join(self.path, *self.rest)


class Walker:
    """Resolves paths in an imagined tree over the real world."""

    def __init__(self, known: Known, tree: Imagined) -> None:
        self._known = known
        self._tree = tree

    async def way(self, said: str, *, follow: bool) -> Way | None:
        """Return where a path leads, the last name itself followed or not.

        None when no part of it can be reached: then no step has touched it, and the real world answers.
        """
        if self._tree.count > MOST:
            raise trouble.too_large(MOST)
        start = await self._start(_names(said), absolute=said.startswith("/"))
        links, last_linked = 0, False
        while start is not None:
            path, rest = start
            found = await self._as_far_as_plain(path, rest, follow=follow)
            if isinstance(found, Way):
                return replace(found, linked=links > 0, last_linked=last_linked)
            links += 1
            if links > MOST_LINKS:
                raise trouble.link_circle(said)
            folder, target, rest = found
            last_linked = last_linked or not rest
            names = [*target.split("/"), *rest]
            start = await self._start(_names("/".join(names)), absolute=True) if target[:1] == "/" else (folder, names)
        return None

    async def _start(self, names: list[str], *, absolute: bool) -> tuple[str, list[str]] | None:
        """Return the shortest part that leads to a folder that may be reached, resolved, and the names after it."""
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

    async def _as_far_as_plain(self, path: str, names: list[str], *, follow: bool) -> Way | tuple[str, str, list[str]]:
        """Go on until the end, or until a link: then return its folder, its target and the names after it."""
        for number, name in enumerate(names):
            if name in {"", "."}:
                continue
            if name == "..":
                path = posixpath.dirname(path)
                continue
            rest = names[number + 1 :]
            here = posixpath.join(path, name)
            if not rest and not follow:
                return Way(here)
            spot = find(self._tree, here)
            target = await self._target(spot)
            if target is not None:
                return path, target, rest
            if rest and not await self.is_folder(spot, here):
                return Way(here, tuple(rest))
            path = here
        return Way(path)

    async def _target(self, spot: Spot) -> str | None:
        """Return where the thing points when it is a link."""
        if spot.base is None or await self.is_folder(spot, spot.path):
            return None
        item = await self._known.item_or_none(spot.base)
        return item.target if item is not None and item.kind == "link" else None

    async def is_folder(self, spot: Spot, said: str) -> bool:
        """Say whether a folder is there, not counting links to one."""
        if spot.unseen:
            raise trouble.not_yet(said)
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
