"""The tree of what the earlier steps of a batch would leave, as a value: each step gives a new tree.

A node stands for a place that steps have touched. What lies below a node and was not touched itself is
still found in the real world, under the node's `base`. So a folder with a million files is moved by
moving one node, and `base` says where its files are now.
"""

from dataclasses import field, replace

from sayso.core.plan import AsLeft, Ref
from sayso.core.values import dataclass
from sayso.providers.files.carrying import KEPT, Carrying, about, way
from sayso.providers.files.shards import Shards
from sayso.providers.files.steps import Copy, Exchange, MakeFolders, RemoveFolders, Replace, Steps, Write

MOST = 100_000
"""Nodes that a batch may come to. A folder that is copied into itself again and again doubles each time."""
DEEPEST = 200
"""Nodes one in the other that are looked through."""


@dataclass(frozen=True, slots=True)
class Gone:
    """Nothing is there any more; `free` says by which step."""

    free: AsLeft


@dataclass(frozen=True, slots=True)
class NewText:
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


@dataclass(frozen=True, slots=True)
class Node:
    """A place that steps have touched.

    `base` is where the thing is in the real world; None for what a step makes. `unchanged` and `folder`
    say as which step left it the thing is expected: itself, and as a folder whatever it holds.
    """

    base: str | None = None
    children: "Shards[Node | Gone]" = field(default_factory=Shards)
    text: NewText | None = None
    unchanged: AsLeft | None = None
    folder: AsLeft | None = None
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


@dataclass(frozen=True, slots=True)
class Spot:
    """What is known of a path: its node, or where in the real world it is; neither when nothing is there."""

    path: str
    node: Node | None
    base: str | None
    copied: bool = False
    unseen: bool = False
    free: AsLeft | None = None
    """By which step the place became free."""
    around: tuple[AsLeft, ...] = ()
    """What stands for a thing that has no fact of its own: the folder it came in, as left."""


@dataclass(frozen=True, slots=True)
class Imagined:
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


def _around(node: Node, at: str) -> tuple[AsLeft, ...]:
    return tuple(left for left in (node.unchanged, node.folder) if left is not None and left.about == at)


def after(tree: Imagined, step: Steps, ref: Ref) -> Imagined:
    """Return the tree as `step` would leave it."""
    match step:
        case Copy(source, destination):
            return _put(tree, destination, _copied(_node(find(tree, source))), ref)
        case MakeFolders(path, below):
            return _put(tree, path, _folders(path, below, ref), ref)
        case RemoveFolders(path):
            return replace(tree, root=_set(tree.root, _names(path), Gone(_left("free", path, ref))))
        case Write(path, content):
            text = content.encode("utf-8", "surrogatepass")
            return _put(tree, path, Node(text=NewText(text, size=len(text))), ref)
        case Replace():
            return _replaced(tree, step, ref)
        case Exchange(path, kept):
            there = tree.away.get(KEPT + kept) or Node(unseen=True)
            return _put(_put(tree, KEPT + kept, _node(find(tree, path)), ref), path, there, ref)
        case _:
            return _carried(tree, step, ref)


def _carried(tree: Imagined, step: Carrying, ref: Ref) -> Imagined:
    source, destination = way(step)
    tree, node = _taken(tree, source, ref)
    return _put(tree, destination, node, ref)


def _taken(tree: Imagined, place: str, ref: Ref) -> tuple[Imagined, Node]:
    if not place.startswith("/"):
        return tree, tree.away.get(place) or Node(unseen=True)
    node = _node(find(tree, place))
    return replace(tree, root=_set(tree.root, _names(place), Gone(_left("free", place, ref)))), node


def _put(tree: Imagined, place: str, node: Node, ref: Ref) -> Imagined:
    node = _marked(node, about(place), ref)
    if not place.startswith("/"):
        return replace(tree, away=tree.away.set(place, node), aside=tree.aside + node.count)
    return replace(tree, root=_set(tree.root, _names(place), node))


def _replaced(tree: Imagined, step: Replace, ref: Ref) -> Imagined:
    old = _node(find(tree, step.path))
    text = _over(old, step.content.encode("utf-8", "surrogatepass"), after=step.append)
    return _put(_put(tree, KEPT + step.kept, old, ref), step.path, Node(text=text), ref)


def _over(old: Node, text: bytes, *, after: bool) -> NewText:
    before = old.text
    bottom = old if before is None or before.bottom is None else before.bottom
    if not after or before is None:
        return NewText(text, old, after, len(text), not after, bottom)
    return NewText(text, old, after, before.size + len(text), before.whole, bottom)


def _marked(node: Node, thing: str, ref: Ref) -> Node:
    return replace(node, unchanged=_left("unchanged", thing, ref), folder=_left("same_folder", thing, ref))


def _left(of: str, thing: str, ref: Ref) -> AsLeft:
    return AsLeft(thing, of, ref.change, ref.action)


def _node(spot: Spot) -> Node:
    if spot.node is not None:
        return spot.node
    return Node(base=spot.base, copied=spot.copied, unseen=spot.unseen or spot.base is None)


def _copied(node: Node) -> Node:
    if node.count > MOST:
        return Node(unseen=True, count=node.count)
    children = node.children.map(lambda child: child if isinstance(child, Gone) else _copied(child))
    like = node.like or node
    return replace(node, children=children, copied=True, unchanged=None, folder=None, like=like)


def _folders(path: str, below: tuple[str, ...], ref: Ref) -> Node:
    inner: Node | None = None
    for depth in range(len(below), 0, -1):
        made = Node(folder=_left("same_folder", "/".join([path, *below[:depth]]), ref))
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
