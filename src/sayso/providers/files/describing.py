"""Say what stands at a place of an imagined tree, and which facts may be expected of it."""

import posixpath
from dataclasses import replace

from sayso.core.plan import AsLeft, Fact
from sayso.providers.files import trouble
from sayso.providers.files.facts import Free, Unchanged
from sayso.providers.files.imagined import DEEPEST, Gone, Imagined, Node, Spot, find
from sayso.providers.files.known import Known, Weight, asked
from sayso.providers.files.store import Content, Item, Place

MADE_FILE = 0o644
MADE_FOLDER = 0o755
MOST_DENIED = 10


class Describer:
    """Describes places of an imagined tree over the real world."""

    def __init__(self, known: Known, tree: Imagined) -> None:
        self._known = known
        self._tree = tree

    async def exists(self, spot: Spot) -> bool:
        """Say whether something would be there."""
        if spot.node is not None or spot.unseen:
            return True
        return spot.base is not None and await self._known.real.exists(spot.base)

    async def item(self, spot: Spot, said: str) -> Item:
        """Describe what would be there."""
        if spot.unseen:
            raise trouble.not_yet(said)
        if spot.base is not None:
            return await self._based(spot, spot.base, said)
        if spot.node is None:
            raise trouble.missing(said)
        return await self._made(spot, spot.node, said)

    async def open(self, spot: Spot, said: str) -> Item:
        """Describe what would be there as what it is opened for: a folder's tree is not counted."""
        node = spot.node
        if spot.unseen or (node is not None and node.text is not None):
            return await self.item(spot, said)
        if spot.base is None:
            if node is None:
                raise trouble.missing(said)
            device = await self.device(posixpath.dirname(spot.path))
            return Item(spot.path, "folder", device, 0, 0, 0, MADE_FOLDER, 1, await self.same_folder(spot))
        if await self._known.folder(spot.base) is None:
            return await self.item(spot, said)
        real = await asked(self._known.real.opened, spot.base, said)
        device = await self.device(spot.path)
        return replace(real, path=spot.path, device=device, fact=await self.same_folder(spot))

    async def _based(self, spot: Spot, base: str, said: str) -> Item:
        real = await self._known.item(base, said)
        weight = Weight(real.entries, real.size, real.denied)
        if spot.node is not None and real.kind == "folder":
            weight = await self._changed(spot, spot.node, weight)
        item = replace(real, path=spot.path, entries=weight.entries, size=weight.size, denied=weight.denied)
        if spot.copied:
            item = replace(item, links=1, device=await self.device(posixpath.dirname(spot.path)))
        return replace(item, fact=_expected(spot, item))

    async def _made(self, spot: Spot, node: Node, said: str) -> Item:
        if node.text is not None and node.text.over is not None:
            old = await self.item(_spot_of(spot, node.text.bottom or node.text.over), said)
            size = node.text.size + (0 if node.text.whole else old.size)
            return replace(old, size=size, links=1, fact=_expected(spot, None))
        device = await self.device(posixpath.dirname(spot.path))
        fact = _expected(spot, None)
        if node.text is not None:
            size = len(node.text.text)
            return Item(spot.path, "file", device, size, 0, 0, MADE_FILE, 1, fact)
        weight = await self._changed(spot, node, Weight())
        return Item(
            spot.path, "folder", device, weight.size, weight.entries, 0, MADE_FOLDER, 1, fact, denied=weight.denied
        )

    async def _changed(self, spot: Spot, node: Node, weight: Weight) -> Weight:
        """Return a folder's weight with what steps took from it and put into it."""
        if node.depth > DEEPEST:
            raise trouble.too_deep(spot.path)
        same = node.like or node
        kept = self._known.weights.get(id(same))
        if kept is not None:
            return kept[1]
        for name, child in node.children.items():
            was = None if node.base is None else await self._known.item_or_none(f"{node.base.rstrip('/')}/{name}")
            if was is not None:
                weight = _without(weight, name, was)
            if not isinstance(child, Gone):
                path = posixpath.join(spot.path, name)
                weight = _with(weight, name, await self.item(find(self._tree, path), path))
        # The node is remembered with it, so that no other one can get its number.
        self._known.weights[id(same)] = (same, weight)
        return weight

    async def device(self, folder: str) -> int:
        """Return the device on which a folder lies."""
        while True:
            spot = find(self._tree, folder)
            if spot.base is not None and not spot.copied:
                place = await self._known.folder(spot.base)
                if place is not None:
                    return place.device
            if folder == "/":
                raise trouble.missing(folder)
            folder = posixpath.dirname(folder)

    async def place(self, spot: Spot) -> Place:
        """Return the free place at a spot; its folder is there."""
        folder = find(self._tree, posixpath.dirname(spot.path))
        return Place(
            spot.path, await self.device(folder.path), await self.same_folder(folder), spot.free or Free(spot.path)
        )

    async def same_folder(self, folder: Spot) -> Fact:
        """Return the fact that a folder is still that folder."""
        if folder.node is not None and folder.node.folder is not None and folder.node.folder.about == folder.path:
            return folder.node.folder
        if folder.base is not None and not folder.copied:
            place = await self._known.folder(folder.base)
            if place is not None:
                return replace(place.parent, about=folder.path)
        return folder.around[-1]

    async def content(self, spot: Spot, said: str, limit: int) -> Content:
        """Return the start of what a file would hold."""
        if spot.unseen:
            raise trouble.not_yet(said)
        if spot.node is not None and spot.node.text is not None:
            return await self._written(spot, spot.node, said, limit)
        if spot.base is None:
            raise trouble.missing(said) if spot.node is None else trouble.not_a_file(said)
        return await asked(lambda path: self._known.real.read(path, limit), spot.base, said)

    async def _written(self, spot: Spot, node: Node, said: str, limit: int) -> Content:
        pieces: list[bytes] = []
        bottom: Node | None = node
        while bottom is not None and bottom.text is not None:
            pieces.append(bottom.text.text)
            bottom = bottom.text.over if bottom.text.after else None
        added = b"".join(reversed(pieces))
        if bottom is None:
            return cut(added, limit)
        old = await self.content(_spot_of(spot, bottom), said, limit)
        if not old.exact:
            more = added[: max(0, limit - old.total)].decode("utf-8", "ignore")
            return Content(old.text + more, old.total + len(added), exact=False)
        return cut(old.text.encode() + added, limit)


def cut(data: bytes, limit: int) -> Content:
    """Return the start of these bytes as text, cut between characters."""
    part = data[:limit]
    try:
        text, exact = part.decode(), len(data) <= limit
    except UnicodeDecodeError as wrong:
        cut_short = len(data) > limit and wrong.end == len(part) and wrong.reason == "unexpected end of data"
        text, exact = (part[: wrong.start].decode() if cut_short else part.decode(errors="replace")), False
    return Content(text, len(data), exact)


def _spot_of(spot: Spot, node: Node) -> Spot:
    """Return the same place with the thing that stood there before its content was replaced."""
    # What is expected of it does not matter any more, and may be gone with the place it was about.
    node = replace(node, unchanged=AsLeft(spot.path, "unchanged", 0))
    return replace(spot, node=node, base=node.base, copied=node.copied, unseen=node.unseen)


def _expected(spot: Spot, real: Item | None) -> Fact:
    """Return the one fact about a thing: as a step left it, as it is, or the folder it came in as left."""
    node = spot.node
    if node is not None and node.unchanged is not None and node.unchanged.about == spot.path:
        return node.unchanged
    if real is not None and not spot.copied:
        if isinstance(real.fact, Unchanged):
            return replace(real.fact, about=spot.path, size=real.size, entries=real.entries)
        return real.fact
    if node is not None and node.text is None and node.folder is not None and node.folder.about == spot.path:
        return node.folder
    return spot.around[0]


def _without(weight: Weight, name: str, item: Item) -> Weight:
    denied = tuple(inner for inner in weight.denied if inner != name and not inner.startswith(name + "/"))
    return Weight(weight.entries - 1 - item.entries, weight.size - _counted(item), denied)


def _with(weight: Weight, name: str, item: Item) -> Weight:
    denied = (*weight.denied, *[f"{name}/{inner}" for inner in item.denied])
    return Weight(weight.entries + 1 + item.entries, weight.size + _counted(item), denied[:MOST_DENIED])


def _counted(item: Item) -> int:
    # A tree's size is that of the files in it; links do not count.
    return 0 if item.kind == "link" else item.size
