"""A tree of files as an immutable value, and what a step makes of it.

A batch is planned on a tree that holds only what its steps touch, over the real files. The memory backend keeps a tree
that holds everything.
"""

from collections.abc import Callable, Iterator
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.plan import ChangeRef, ResultRef
from sayso.providers.files.model import CopyOf, FileStep, NewFolders, NewText, StepEffect, subject_of

V = TypeVar("V")
_PARTS = 64


class Shards(Struct, Generic[V], frozen=True):
    """An immutable map from text to values; a large one is kept in parts, so that one more change to it is cheap."""

    parts: tuple[dict[str, V], ...] = field(default_factory=lambda: ({},))

    def get(self, name: str) -> V | None:
        """Return what stands under `name`, or None."""
        parts = self.parts
        return (parts[0] if len(parts) == 1 else parts[hash(name) % _PARTS]).get(name)

    def set(self, name: str, value: V) -> "Shards[V]":
        """Return a map in which `value` stands under `name`."""
        if len(self.parts) == 1:
            return _split({**self.parts[0], name: value})
        place = hash(name) % _PARTS
        return self._with(place, {**self.parts[place], name: value})

    def without(self, name: str) -> "Shards[V]":
        """Return a map in which nothing stands under `name`."""
        if self.get(name) is None:
            return self
        place = hash(name) % len(self.parts)
        return self._with(place, {kept: value for kept, value in self.parts[place].items() if kept != name})

    def _with(self, place: int, part: dict[str, V]) -> "Shards[V]":
        return Shards((*self.parts[:place], part, *self.parts[place + 1 :]))

    def map(self, change: Callable[[V], V]) -> "Shards[V]":
        """Return a map with every value changed."""
        return Shards(
            tuple({name: change(value) for name, value in part.items()} if part else part for part in self.parts)
        )

    def items(self) -> Iterator[tuple[str, V]]:
        """Yield names and values, in no particular order."""
        for part in self.parts:
            yield from part.items()


def _split(whole: dict[str, V]) -> Shards[V]:
    """Return a map of these, in parts once there are more than one part may hold."""
    if len(whole) <= _PARTS:
        return Shards((whole,))
    parts: tuple[dict[str, V], ...] = tuple({} for _ in range(_PARTS))
    for name, value in whole.items():
        parts[hash(name) % _PARTS][name] = value
    return Shards(parts)


_NO_NAMES = frozenset({"", ".", ".."})
NO_SHARDS: Shards[Any] = Shards()
MOST = 100_000
"""How many nodes a batch may create. A folder that is copied into itself again and again doubles each time."""
DEEPEST = 200
"""How many levels of touched folders are counted."""


class Removed(Struct, frozen=True):
    """Marks a name under which nothing stands any more; `free` refers to the step that removed it."""

    free: ResultRef


class TextLayer(Struct, frozen=True):
    """The content that a step gave a file: `text`, appended to what `over` holds when `after` is set.

    Layers can lie on layers. `size` counts the bytes of this layer and of those that it is appended to, `whole` says
    whether that is all of the file, and `bottom` is the file before the first layer.
    """

    text: bytes
    over: "FileNode | None" = None
    after: bool = False
    size: int = 0
    whole: bool = True
    bottom: "FileNode | None" = None


class Identity(Struct, frozen=True):
    """What a file system knows of a thing besides its content."""

    device: int
    inode: int
    mtime_ns: int
    mode: int
    names: int = 1
    """How many names the thing has: hard links."""
    token: str = ""
    """The name under which a step built it."""


class FileNode(Struct, frozen=True):
    """One file, folder or link that steps have touched, or that stands in a world in memory.

    `base` is where the thing is in the real world; None for what a step makes and for everything in memory, where a
    thing has an `identity` instead. `unchanged` and `folder` say as which step left it the thing is expected: itself,
    and as a folder whatever it holds.
    """

    base: str | None = None
    identity: Identity | None = None
    link: str | None = None
    """Where a link in memory points."""
    children: "Shards[FileNode | Removed]" = NO_SHARDS
    text: TextLayer | None = None
    unchanged: ResultRef | None = None
    folder: ResultRef | None = None
    copied: bool = False
    """A copy of `base`: the same content, but not the same thing."""
    unseen: bool = False
    """A step brings it back from a place that cannot be looked into."""
    count: int = 1
    """How many nodes its tree has, itself included."""
    depth: int = 1
    """How many levels of nodes its tree has."""
    like: "FileNode | None" = None
    """The node that this is a copy of, whose tree holds as much."""

    @property
    def kind(self) -> Literal["file", "folder", "link"]:
        """Return what a thing is that does not stand for one in the real world."""
        if self.link is not None:
            return "link"
        return "folder" if self.text is None else "file"

    def nodes(self, above: str = "") -> "Iterator[tuple[str, FileNode]]":
        """Yield every node below this one, with its path relative to it."""
        for name, child in self.children.items():
            if isinstance(child, FileNode):
                yield above + name, child
                yield from child.nodes(f"{above}{name}/")


class TreeSpot(Struct, frozen=True):
    """What the tree knows of a path: its node, or where the thing really is; neither when nothing is there."""

    path: str
    node: FileNode | None
    base: str | None
    copied: bool = False
    unseen: bool = False
    free: ResultRef | None = None
    """Refers to the step by which the place became free."""
    around: tuple[ResultRef, ...] = ()
    """For a thing without a fact of its own: the facts of the folder it came in, as a step left that."""


class FileTree(Struct, frozen=True):
    """All folders and files, and what steps have put into the Trash or the undo store."""

    root: FileNode = field(default_factory=lambda: FileNode(base="/"))
    away: "Shards[FileNode]" = NO_SHARDS
    """What lies in the Trash or is kept, by place."""
    aside: int = 0
    """How many nodes have been put there in all."""

    @property
    def count(self) -> int:
        """Return how many nodes there are: how much work it is to look at them all."""
        return self.root.count + self.aside


def find(tree: FileTree, path: str) -> TreeSpot:
    """Return what is known of a resolved path."""
    node, at, around = tree.root, "", ()
    names = _names(path)
    for depth, name in enumerate(names):
        child = node.children.get(name)
        at = f"{at}/{name}"
        if isinstance(child, Removed):
            last = depth == len(names) - 1
            return TreeSpot(path, None, None, free=child.free if last and child.free.about == path else None)
        if child is None:
            base = None if node.base is None else "/".join([node.base.rstrip("/"), *names[depth:]])
            return TreeSpot(path, None, base, node.copied, node.unseen, around=around)
        node = child
        if depth < len(names) - 1 and (node.unchanged is not None or node.folder is not None):
            around = _around(node, at) or around
    return TreeSpot(path, node, node.base, node.copied, node.unseen, around=around)


def standing_at(tree: FileTree, path: str) -> FileNode | None:
    """Return the node that a tree which holds everything has at a resolved path; no link is followed."""
    node = tree.root
    for name in path.split("/"):
        if name:
            child = node.children.get(name)
            if not isinstance(child, FileNode):
                return None
            node = child
    return node


def leads_straight(tree: FileTree, path: str) -> bool:
    """Say whether an absolute path is written as short as it can be, and no link stands on its way."""
    inside: Shards[FileNode | Removed] | None = tree.root.children
    for name in path[1:].split("/"):
        if name in _NO_NAMES:
            return path == "/"
        child = None if inside is None else inside.get(name)
        inside = child.children if isinstance(child, FileNode) else None
        if isinstance(child, FileNode) and child.link is not None:
            return False
    return True


def _around(node: FileNode, at: str) -> tuple[ResultRef, ...]:
    return tuple(left for left in (node.unchanged, node.folder) if left is not None and left.about == at)


def after(tree: FileTree, step: FileStep, ref: ChangeRef | None) -> FileTree:
    """Return the tree as `step` would leave it; what it leaves is expected as change `ref` left it."""
    effect = step.effect
    thing = node_at(tree, effect.takes) if effect.builds is None else _build(tree, effect, ref)
    if effect.displaces:
        tree = _put(tree, effect.displaces, node_at(tree, effect.puts), ref)
    else:
        tree = _clear(tree, effect.takes, ref)
    return _put(tree, effect.puts, thing, ref)


def node_at(tree: FileTree, place: str) -> FileNode:
    """Return the node of what is at a place."""
    if not place.startswith("/"):
        return tree.away.get(place) or FileNode(unseen=True)
    found = find(tree, place)
    if found.node is not None:
        return found.node
    return FileNode(base=found.base, copied=found.copied, unseen=found.unseen or found.base is None)


def plant(tree: FileTree, path: str, node: FileNode | None) -> FileTree:
    """Return the tree with this node at a path, or nothing."""
    return replace(tree, root=_set(tree.root, _names(path), node))


def written_bytes(node: FileNode) -> tuple[bytes, FileNode | None]:
    """Return what steps wrote to a file, and the file whose content comes before it, if there is one."""
    pieces: list[bytes] = []
    below: FileNode | None = node
    while below is not None and below.text is not None:
        pieces.append(below.text.text)
        below = below.text.over if below.text.after else None
    return b"".join(reversed(pieces)), below


def _build(tree: FileTree, effect: StepEffect, ref: ChangeRef | None) -> FileNode:
    match effect.builds:
        case CopyOf(source):
            return _copy_node(node_at(tree, source))
        case NewFolders(below):
            return _folders(effect.puts, below, ref)
        case NewText(content, append):
            text = content.encode("utf-8", "surrogatepass")
            if not effect.displaces:
                return FileNode(text=TextLayer(text, size=len(text)))
            return FileNode(text=_over(node_at(tree, effect.puts), text, after=append))
        case None:
            raise TypeError("nothing is built")


def _put(tree: FileTree, place: str, node: FileNode, ref: ChangeRef | None) -> FileTree:
    subject = subject_of(place)
    unchanged, folder = _left_fact("unchanged", subject, ref), _left_fact("same_folder", subject, ref)
    node = replace(node, unchanged=unchanged, folder=folder)
    if not place.startswith("/"):
        return replace(tree, away=tree.away.set(place, node), aside=tree.aside + node.count)
    return plant(tree, place, node)


def _clear(tree: FileTree, place: str, ref: ChangeRef | None) -> FileTree:
    if not place.startswith("/"):
        return replace(tree, away=tree.away.without(place))
    free = _left_fact("free", place, ref)
    return replace(tree, root=_set(tree.root, _names(place), None if free is None else Removed(free)))


def _over(old: FileNode, text: bytes, *, after: bool) -> TextLayer:
    before = old.text
    bottom = old if before is None or before.bottom is None else before.bottom
    if not after or before is None:
        return TextLayer(text, old, after, len(text), not after, bottom)
    return TextLayer(text, old, after, before.size + len(text), before.whole, bottom)


def _left_fact(of: str, subject: str, ref: ChangeRef | None) -> ResultRef | None:
    return None if ref is None else ResultRef(subject, of, ref.change, ref.action)


def _copy_node(node: FileNode) -> FileNode:
    if node.count > MOST:
        return FileNode(unseen=True, count=node.count)
    children = node.children.map(lambda child: child if isinstance(child, Removed) else _copy_node(child))
    like = node.like or node
    return replace(node, children=children, copied=True, unchanged=None, folder=None, like=like)


def _folders(path: str, below: tuple[str, ...], ref: ChangeRef | None) -> FileNode:
    inner: FileNode | None = None
    for depth in range(len(below), 0, -1):
        made = FileNode(folder=_left_fact("same_folder", "/".join([path, *below[:depth]]), ref))
        inner = made if inner is None else _holding(made, below[depth], inner)
    return FileNode() if inner is None else _holding(FileNode(), below[0], inner)


def _holding(node: FileNode, name: str, child: FileNode) -> FileNode:
    return replace(node, children=node.children.set(name, child), count=node.count + child.count, depth=child.depth + 1)


def _set(node: FileNode, names: list[str], new: FileNode | Removed | None) -> FileNode:
    """Put `new` below a node; no folder above it is as a step left it any more."""
    above = [node]
    for name in names[:-1]:
        above.append(_below(above[-1], name))
    for folder, name in zip(reversed(above), reversed(names), strict=True):
        count = folder.count + _count(new) - _count(folder.children.get(name))
        depth = max(folder.depth, (new.depth if isinstance(new, FileNode) else 0) + 1)
        children = folder.children.without(name) if new is None else folder.children.set(name, new)
        new = replace(folder, children=children, unchanged=None, count=count, depth=depth, like=None)
    return new if isinstance(new, FileNode) else above[0]


def _below(node: FileNode, name: str) -> FileNode:
    child = node.children.get(name)
    if child is None:
        base = None if node.base is None else f"{node.base.rstrip('/')}/{name}"
        return FileNode(base=base, copied=node.copied, unseen=node.unseen)
    return FileNode(unseen=True) if isinstance(child, Removed) else child


def _count(node: FileNode | Removed | None) -> int:
    return node.count if isinstance(node, FileNode) else 0


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name]
