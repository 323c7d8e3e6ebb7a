"""An immutable tree of files, and the effect of steps on it.

While a batch is planned, a tree over the real files holds only what the batch's steps touch. The memory backend keeps a
tree that holds everything.
"""

from collections.abc import Callable, Iterator
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.plan import ChangeRef, ResultRef
from sayso.providers.files.model import CopyOf, FileStep, NewFolders, NewText, StepEffect, access_in_text, subject_of

V = TypeVar("V")
_PARTS = 64


class Shards(Struct, Generic[V], frozen=True):
    """An immutable map from text to values; a large one is split into parts, of which a change copies only one."""

    parts: tuple[dict[str, V], ...] = field(default_factory=lambda: ({},))

    def get(self, name: str) -> V | None:
        """Return the value for `name`, or None."""
        parts = self.parts
        return (parts[0] if len(parts) == 1 else parts[hash(name) % _PARTS]).get(name)

    def set(self, name: str, value: V) -> "Shards[V]":
        """Return a map in which `name` has the value `value`."""
        if len(self.parts) == 1:
            return _split({**self.parts[0], name: value})
        place = hash(name) % _PARTS
        return self._with(place, {**self.parts[place], name: value})

    def without(self, name: str) -> "Shards[V]":
        """Return a map without `name`."""
        if self.get(name) is None:
            return self
        place = hash(name) % len(self.parts)
        return self._with(place, {kept: value for kept, value in self.parts[place].items() if kept != name})

    def _with(self, place: int, part: dict[str, V]) -> "Shards[V]":
        return Shards((*self.parts[:place], part, *self.parts[place + 1 :]))

    def map(self, change: Callable[[V], V]) -> "Shards[V]":
        """Return a map with `change` applied to every value."""
        return Shards(
            tuple({name: change(value) for name, value in part.items()} if part else part for part in self.parts)
        )

    def items(self) -> Iterator[tuple[str, V]]:
        """Yield names and values, in no particular order."""
        for part in self.parts:
            yield from part.items()


def _split(whole: dict[str, V]) -> Shards[V]:
    """Return a map of these entries, split into parts if there are too many for one part."""
    if len(whole) <= _PARTS:
        return Shards((whole,))
    parts: tuple[dict[str, V], ...] = tuple({} for _ in range(_PARTS))
    for name, value in whole.items():
        parts[hash(name) % _PARTS][name] = value
    return Shards(parts)


_NO_NAMES = frozenset({"", ".", ".."})
NO_SHARDS: Shards[Any] = Shards()
MOST = 100_000
"""Maximum number of nodes that a batch may create; copying folders into one another can double their number each time.
"""
DEEPEST = 200
"""Maximum nesting of touched folders whose content can be counted."""


class Removed(Struct, frozen=True):
    """Marks a name whose file or folder was removed; `free` refers to the step that removed it."""

    free: ResultRef


class TextLayer(Struct, frozen=True):
    """The content that a step wrote to a file: `text`, appended to the content of `over` when `after` is True.

    The file `over` may have a layer too. `size` counts the bytes of this layer and of the layers that it is appended
    to, and `whole` says whether these bytes are the whole file. `bottom` is the file as it was before the first layer.
    """

    text: bytes
    over: "FileNode | None" = None
    after: bool = False
    size: int = 0
    whole: bool = True
    bottom: "FileNode | None" = None


class Identity(Struct, frozen=True):
    """What a file system records about a file, folder or link besides its content."""

    device: int
    inode: int
    mtime_ns: int
    mode: int
    names: int = 1
    """Number of names (hard links)."""
    token: str = ""
    """The name under which a step built the thing."""
    owner: tuple[int, int] = (0, 0)
    """The numbers of its user and group."""

    @property
    def access(self) -> str:
        """Return the permissions and the owner as facts hold them."""
        return access_in_text(self.mode, *self.owner)


class FileNode(Struct, frozen=True):
    """A file, folder or link that steps have touched, or that exists in the memory backend.

    `base` is its path among the real files. It is None for what a step makes and for everything in the memory backend,
    which sets `identity` instead. `unchanged` and `folder` refer to the facts `Unchanged` and `SameFolder` that the
    last step on the thing left about it.
    """

    base: str | None = None
    identity: Identity | None = None
    link: str | None = None
    """The target of a link in memory."""
    children: "Shards[FileNode | Removed]" = NO_SHARDS
    text: TextLayer | None = None
    unchanged: ResultRef | None = None
    folder: ResultRef | None = None
    copied: bool = False
    """Whether it is a copy of `base`: the same content in another file, folder or link."""
    unseen: bool = False
    """Whether a step brings the thing back from the Trash or the undo store, which cannot be looked into."""
    count: int = 1
    """Number of nodes in its tree, itself included."""
    depth: int = 1
    """Number of levels in its tree."""
    like: "FileNode | None" = None
    """The node that this one is a copy of; both trees have the same size."""

    @property
    def kind(self) -> Literal["file", "folder", "link"]:
        """Return the kind of a node that has no `base`."""
        if self.link is not None:
            return "link"
        return "folder" if self.text is None else "file"

    def nodes(self, above: str = "") -> "Iterator[tuple[str, FileNode]]":
        """Yield every node below this one, with its path relative to this one."""
        for name, child in self.children.items():
            if isinstance(child, FileNode):
                yield above + name, child
                yield from child.nodes(f"{above}{name}/")


class TreeSpot(Struct, frozen=True):
    """What the tree knows about a path: the `node` if steps touched it, and its path among the real files as `base`.

    Both are None when the path is free, or when it is `unseen`.
    """

    path: str
    node: FileNode | None
    base: str | None
    copied: bool = False
    unseen: bool = False
    free: ResultRef | None = None
    """Refers to the step that made the place free."""
    around: tuple[ResultRef, ...] = ()
    """The facts that a step left about the nearest folder above; used for a thing that has no fact of its own."""


class FileTree(Struct, frozen=True):
    """All folders and files, and what steps have moved to the Trash or the undo store."""

    root: FileNode = field(default_factory=lambda: FileNode(base="/"))
    away: "Shards[FileNode]" = NO_SHARDS
    """What is in the Trash or the undo store, by place."""
    aside: int = 0
    """Number of nodes that were ever moved to the Trash or the undo store."""

    @property
    def count(self) -> int:
        """Return the number of nodes, which says how much work it is to look at all of them."""
        return self.root.count + self.aside


def find(tree: FileTree, path: str) -> TreeSpot:
    """Return what the tree knows about a resolved path."""
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
    """Return the node at a resolved path in a tree that holds everything, or None; no link is followed."""
    node = tree.root
    for name in path.split("/"):
        if name:
            child = node.children.get(name)
            if not isinstance(child, FileNode):
                return None
            node = child
    return node


def leads_straight(tree: FileTree, path: str) -> bool:
    """Return whether an absolute path has no empty name, no `.` and no `..` in it, and no link on its way."""
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
    """Return the tree after `step`; facts about what the step changed refer to the change `ref`."""
    effect = step.effect
    thing = node_at(tree, effect.takes) if effect.builds is None else _build(tree, effect, ref)
    if effect.displaces:
        tree = _put(tree, effect.displaces, node_at(tree, effect.puts), ref)
    else:
        tree = _clear(tree, effect.takes, ref)
    return _put(tree, effect.puts, thing, ref)


def node_at(tree: FileTree, place: str) -> FileNode:
    """Return the node for what is at a place, a new one if no step has touched it."""
    if not place.startswith("/"):
        return tree.away.get(place) or FileNode(unseen=True)
    found = find(tree, place)
    if found.node is not None:
        return found.node
    return FileNode(base=found.base, copied=found.copied, unseen=found.unseen or found.base is None)


def plant(tree: FileTree, path: str, node: FileNode | None) -> FileTree:
    """Return the tree with this node at a path, or with nothing there if `node` is None."""
    return replace(tree, root=_set(tree.root, _names(path), node))


def written_bytes(node: FileNode) -> tuple[bytes, FileNode | None]:
    """Return the bytes that steps wrote to a file, and the file whose content comes before them, if any."""
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
    """Put `new` below a node; the folders above it lose their fact `unchanged`, because they have changed."""
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
