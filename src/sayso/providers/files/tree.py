"""The tree of files as the earlier steps of a batch would leave it, as a value."""

import posixpath
from collections.abc import Awaitable, Callable, Iterator
from typing import Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused, SaysoError
from sayso.core.plan import ChangeRef, Fact, ResultRef
from sayso.providers.files import errors
from sayso.providers.files.model import (
    KEPT,
    Carrying,
    Copy,
    Exchange,
    Free,
    MakeFolders,
    RemoveFolders,
    Replace,
    Steps,
    Unchanged,
    Write,
    about,
    way,
)
from sayso.providers.files.store import Content, Entry, Files, Item, Listing, Place

V = TypeVar("V")
_PARTS = 64


class Shards(Struct, Generic[V], frozen=True):
    """Texts to values, in parts, so that a folder with thousands of changes is cheap to change once more."""

    parts: tuple[dict[str, V], ...] = field(default=())

    def get(self, name: str) -> V | None:
        """Return what stands under `name`, or None."""
        return self.parts[hash(name) % _PARTS].get(name) if self.parts else None

    def set(self, name: str, value: V) -> "Shards[V]":
        """Return a map in which `value` stands under `name`."""
        place = hash(name) % _PARTS
        # No part is ever changed, so that all may begin as one.
        parts: list[dict[str, V]] = list(self.parts) or [{}] * _PARTS
        parts[place] = {**parts[place], name: value}
        return Shards(tuple(parts))

    def map(self, change: Callable[[V], V]) -> "Shards[V]":
        """Return a map with every value changed."""
        return Shards(
            tuple({name: change(value) for name, value in part.items()} if part else part for part in self.parts)
        )

    def items(self) -> Iterator[tuple[str, V]]:
        """Yield names and values, in no particular order."""
        for part in self.parts:
            yield from part.items()


MOST = 100_000
"""Nodes that a batch may come to. A folder that is copied into itself again and again doubles each time."""
DEEPEST = 200
"""Nodes one in the other that are looked through."""


class Gone(Struct, frozen=True):
    """Nothing is there any more; `free` says by which step."""

    free: ResultRef


class NewText(Struct, frozen=True):
    """The content that a step gives a file: `text`, after what was there when `after` is set.

    Steps may put text over text many times. `size` counts the bytes of the last ones together, `whole` says
    whether that is all of the file, and `bottom` is what stood there before the first of them.
    """

    text: bytes
    over: "Node | None" = None
    after: bool = False
    size: int = 0
    whole: bool = True
    bottom: "Node | None" = None


class Node(Struct, frozen=True):
    """A place that steps have touched.

    `base` is where the thing is in the real world; None for what a step makes. `unchanged` and `folder`
    say as which step left it the thing is expected: itself, and as a folder whatever it holds.
    """

    base: str | None = None
    children: "Shards[Node | Gone]" = field(default_factory=Shards)
    text: NewText | None = None
    unchanged: ResultRef | None = None
    folder: ResultRef | None = None
    copied: bool = False
    """A copy of `base`: the same content, but another thing."""
    unseen: bool = False
    """It comes back from a place that cannot be looked into."""
    count: int = 1
    """How many nodes there are in its tree, this one among them."""
    depth: int = 1
    """How many of them lie one in the other, at most."""
    like: "Node | None" = None
    """The node whose tree holds just as much, of which this is a copy."""


class Spot(Struct, frozen=True):
    """What is known of a path: its node, or where in the real world it is; neither when nothing is there."""

    path: str
    node: Node | None
    base: str | None
    copied: bool = False
    unseen: bool = False
    free: ResultRef | None = None
    """By which step the place became free."""
    around: tuple[ResultRef, ...] = ()
    """What stands for a thing that has no fact of its own: the folder it came in, as left."""


class Imagined(Struct, frozen=True):
    """The whole tree, and what steps have put away."""

    root: Node = field(default_factory=lambda: Node(base="/"))
    away: "Shards[Node]" = field(default_factory=Shards)
    """What lies in the Trash or is kept, by place."""
    aside: int = 0
    """How many nodes have been put away in all."""

    @property
    def count(self) -> int:
        """Return how many nodes there are, which says how much work it is to look at them."""
        return self.root.count + self.aside


def find(tree: Imagined, path: str) -> Spot:
    """Return what is known of a resolved path."""
    node, at, around = tree.root, "", ()
    names = _names(path)
    for depth, name in enumerate(names):
        child = node.children.get(name)
        at = f"{at}/{name}"
        if isinstance(child, Gone):
            last = depth == len(names) - 1
            return Spot(path, None, None, free=child.free if last and child.free.about == path else None)
        if child is None:
            base = None if node.base is None else "/".join([node.base.rstrip("/"), *names[depth:]])
            return Spot(path, None, base, node.copied, node.unseen, around=around)
        node = child
        if depth < len(names) - 1:
            around = _around(node, at) or around
    return Spot(path, node, node.base, node.copied, node.unseen, around=around)


def _around(node: Node, at: str) -> tuple[ResultRef, ...]:
    return tuple(left for left in (node.unchanged, node.folder) if left is not None and left.about == at)


def after(tree: Imagined, step: Steps, ref: ChangeRef) -> Imagined:
    """Return the tree as `step` would leave it."""
    match step:
        case Copy(source, destination):
            return _put(tree, destination, _copy_node(_node(find(tree, source))), ref)
        case MakeFolders(path, below):
            return _put(tree, path, _folders(path, below, ref), ref)
        case RemoveFolders(path):
            return replace(tree, root=_set(tree.root, _names(path), Gone(_left_fact("free", path, ref))))
        case Write(path, content):
            text = content.encode("utf-8", "surrogatepass")
            return _put(tree, path, Node(text=NewText(text, size=len(text))), ref)
        case Replace():
            return _imagine_replace(tree, step, ref)
        case Exchange(path, kept):
            there = tree.away.get(KEPT + kept) or Node(unseen=True)
            return _put(_put(tree, KEPT + kept, _node(find(tree, path)), ref), path, there, ref)
        case _:
            return _imagine_carry(tree, step, ref)


def _imagine_carry(tree: Imagined, step: Carrying, ref: ChangeRef) -> Imagined:
    source, destination = way(step)
    tree, node = _take_node(tree, source, ref)
    return _put(tree, destination, node, ref)


def _take_node(tree: Imagined, place: str, ref: ChangeRef) -> tuple[Imagined, Node]:
    if not place.startswith("/"):
        return tree, tree.away.get(place) or Node(unseen=True)
    node = _node(find(tree, place))
    return replace(tree, root=_set(tree.root, _names(place), Gone(_left_fact("free", place, ref)))), node


def _put(tree: Imagined, place: str, node: Node, ref: ChangeRef) -> Imagined:
    node = _mark_node(node, about(place), ref)
    if not place.startswith("/"):
        return replace(tree, away=tree.away.set(place, node), aside=tree.aside + node.count)
    return replace(tree, root=_set(tree.root, _names(place), node))


def _imagine_replace(tree: Imagined, step: Replace, ref: ChangeRef) -> Imagined:
    old = _node(find(tree, step.path))
    text = _over(old, step.content.encode("utf-8", "surrogatepass"), after=step.append)
    return _put(_put(tree, KEPT + step.kept, old, ref), step.path, Node(text=text), ref)


def _over(old: Node, text: bytes, *, after: bool) -> NewText:
    before = old.text
    bottom = old if before is None or before.bottom is None else before.bottom
    if not after or before is None:
        return NewText(text, old, after, len(text), not after, bottom)
    return NewText(text, old, after, before.size + len(text), before.whole, bottom)


def _mark_node(node: Node, thing: str, ref: ChangeRef) -> Node:
    return replace(node, unchanged=_left_fact("unchanged", thing, ref), folder=_left_fact("same_folder", thing, ref))


def _left_fact(of: str, thing: str, ref: ChangeRef) -> ResultRef:
    return ResultRef(thing, of, ref.change, ref.action)


def _node(spot: Spot) -> Node:
    if spot.node is not None:
        return spot.node
    return Node(base=spot.base, copied=spot.copied, unseen=spot.unseen or spot.base is None)


def _copy_node(node: Node) -> Node:
    if node.count > MOST:
        return Node(unseen=True, count=node.count)
    children = node.children.map(lambda child: child if isinstance(child, Gone) else _copy_node(child))
    like = node.like or node
    return replace(node, children=children, copied=True, unchanged=None, folder=None, like=like)


def _folders(path: str, below: tuple[str, ...], ref: ChangeRef) -> Node:
    inner: Node | None = None
    for depth in range(len(below), 0, -1):
        made = Node(folder=_left_fact("same_folder", "/".join([path, *below[:depth]]), ref))
        inner = made if inner is None else _holding(made, below[depth], inner)
    return Node() if inner is None else _holding(Node(), below[0], inner)


def _holding(node: Node, name: str, child: Node) -> Node:
    return replace(node, children=node.children.set(name, child), count=node.count + child.count, depth=child.depth + 1)


def _set(node: Node, names: list[str], new: Node | Gone) -> Node:
    """Put `new` under a node; all folders above it are touched: they are no more as a step left them."""
    above = [node]
    for name in names[:-1]:
        above.append(_below(above[-1], name))
    for folder, name in zip(reversed(above), reversed(names), strict=True):
        count = folder.count + _count(new) - _count(folder.children.get(name))
        depth = max(folder.depth, (new.depth if isinstance(new, Node) else 0) + 1)
        children = folder.children.set(name, new)
        new = replace(folder, children=children, unchanged=None, count=count, depth=depth, like=None)
    return above[0] if isinstance(new, Gone) else new


def _below(node: Node, name: str) -> Node:
    child = node.children.get(name)
    if child is None:
        base = None if node.base is None else f"{node.base.rstrip('/')}/{name}"
        return Node(base=base, copied=node.copied, unseen=node.unseen)
    return Node(unseen=True) if isinstance(child, Gone) else child


def _count(node: Node | Gone | None) -> int:
    return node.count if isinstance(node, Node) else 0


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name]


T = TypeVar("T")

WHOLE = 100_000
"""Entries of a folder that are looked at to say what it would hold."""


class Weight(Struct, frozen=True):
    """How much a folder's tree holds."""

    entries: int = 0
    size: int = 0
    denied: tuple[str, ...] = ()


class Known:
    """The real reads, with answers remembered by real path.

    A plan stands on one view of the world; that the world is still so is found out by what the plan
    expects, when it is done.
    """

    def __init__(self, real: Files) -> None:
        self.real = real
        self.tried: dict[str, int] = {}
        """How many names for a Trash entry were tried already, by the first one."""
        self.weights: dict[int, tuple[object, Weight]] = {}
        """How much touched folders hold, by the number of the value that stands for them."""
        self._name = "." + real.token()
        self._folders: dict[str, Place | SaysoError] = {}
        self._items: dict[str, Item | ProviderError] = {}
        self._listings: dict[str, Listing] = {}

    async def folder(self, path: str) -> Place | None:
        """Return a place in the folder `path`, links followed; None when there is no folder. Refusals are raised."""
        found = self._folders.get(path)
        if found is None:
            try:
                # A name that nothing has: asking for its place is the cheap way to ask about its folder.
                found = await self.real.free(posixpath.join(path, self._name))
            except (ProviderError, Refused) as problem:
                found = problem
            self._folders[path] = found
        if isinstance(found, Refused):
            raise Refused(str(found), found.code, found.rule)
        return found if isinstance(found, Place) else None

    async def item(self, path: str, said: str) -> Item:
        """Return what stands at `path`; problems name it as it was said."""
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
        """Return what stands at `path`, or None when nothing does."""
        try:
            return await self.item(path, path)
        except ProviderError:
            return None

    async def listing(self, folder: str, said: str) -> Listing:
        """Return what the folder holds."""
        if folder not in self._listings:
            self._listings[folder] = await ask_real(lambda path: self.real.list(path, WHOLE), folder, said)
        return self._listings[folder]

    async def entry(self, path: str) -> Entry | None:
        """Return how a listing shows what stands at `path`; None when it leaves it out."""
        listing = await self.listing(posixpath.dirname(path), path)
        name = show_name(posixpath.basename(path))
        return next((entry for entry in listing.entries if entry.name == name), None)


async def ask_real(read: Callable[[str], Awaitable[T]], path: str, said: str) -> T:
    """Ask the real world about `path`; a problem names it as it was said."""
    try:
        return await read(path)
    except SaysoError as problem:
        problem.args = (str(problem).replace(f"“{path}”", f"“{said}”"),)
        raise


def show_name(name: str) -> str:
    r"""Return a name with bytes that are no UTF-8 written as `\xNN`."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


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
            raise errors.not_yet(said)
        if spot.base is not None:
            return await self._describe_based(spot, spot.base, said)
        if spot.node is None:
            raise errors.missing(said)
        return await self._describe_made(spot, spot.node, said)

    async def open(self, spot: Spot, said: str) -> Item:
        """Describe what would be there as what it is opened for: a folder's tree is not counted."""
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

    async def _describe_based(self, spot: Spot, base: str, said: str) -> Item:
        real = await self._known.item(base, said)
        weight = Weight(real.entries, real.size, real.denied)
        if spot.node is not None and real.kind == "folder":
            weight = await self._changed_weight(spot, spot.node, weight)
        item = replace(real, path=spot.path, entries=weight.entries, size=weight.size, denied=weight.denied)
        if spot.copied:
            item = replace(item, links=1, device=await self.device(posixpath.dirname(spot.path)))
        return replace(item, fact=_expected_fact(spot, item))

    async def _describe_made(self, spot: Spot, node: Node, said: str) -> Item:
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

    async def _changed_weight(self, spot: Spot, node: Node, weight: Weight) -> Weight:
        """Return a folder's weight with what steps took from it and put into it."""
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
                raise errors.missing(folder)
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
            raise errors.not_yet(said)
        if spot.node is not None and spot.node.text is not None:
            return await self._written_content(spot, spot.node, said, limit)
        if spot.base is None:
            raise errors.missing(said) if spot.node is None else errors.not_a_file(said)
        return await ask_real(lambda path: self._known.real.read(path, limit), spot.base, said)

    async def _written_content(self, spot: Spot, node: Node, said: str, limit: int) -> Content:
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
    node = replace(node, unchanged=ResultRef(spot.path, "unchanged", 0))
    return replace(spot, node=node, base=node.base, copied=node.copied, unseen=node.unseen)


def _expected_fact(spot: Spot, real: Item | None) -> Fact:
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
    return Weight(weight.entries - 1 - item.entries, weight.size - _count_of(item), denied)


def _with(weight: Weight, name: str, item: Item) -> Weight:
    denied = (*weight.denied, *[f"{name}/{inner}" for inner in item.denied])
    return Weight(weight.entries + 1 + item.entries, weight.size + _count_of(item), denied[:MOST_DENIED])


def _count_of(item: Item) -> int:
    # A tree's size is that of the files in it; links do not count.
    return 0 if item.kind == "link" else item.size
