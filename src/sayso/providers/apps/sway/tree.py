"""Read the tree of containers that sway tells of into windows and monitors."""

from collections.abc import Iterator

import msgspec

from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.linux.screen import Look, Shown

SCRATCHPAD = "__i3_scratch"
"""Where sway keeps windows that are put away."""
TILED = "tiled"
FULLSCREEN = "fullscreen"


class Rect(msgspec.Struct, frozen=True):
    """A rectangle as sway writes it."""

    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0

    @property
    def bounds(self) -> Bounds:
        """Return it as bounds."""
        return Bounds(self.x, self.y, self.x + self.width, self.y + self.height)


class Marks(msgspec.Struct, frozen=True):
    """What a window of an X11 program is marked with."""

    instance: str | None = None
    class_: str | None = msgspec.field(default=None, name="class")
    transient_for: int | None = None


class Node(msgspec.Struct, frozen=True):
    """A container: an output, a workspace, a window, or what holds some of these together."""

    id: int
    type: str
    rect: Rect
    name: str | None = None
    nodes: tuple["Node", ...] = ()
    floating_nodes: tuple["Node", ...] = ()
    focus: tuple[int, ...] = ()
    """Ids of what it holds, the one used last first."""
    focused: bool = False
    visible: bool = False
    pid: int | None = None
    app_id: str | None = None
    window_properties: Marks | None = None
    fullscreen_mode: int = 0
    border: str = "none"
    deco_rect: Rect = Rect()


class Output(msgspec.Struct, frozen=True):
    """A monitor."""

    name: str
    rect: Rect
    active: bool = False


def look(tree: bytes, outputs: bytes) -> Look:
    """Return windows, the one used last first and those that can be seen before all others, and monitors."""
    found = sorted(_leaves(msgspec.json.decode(tree, type=Node), "", ""), key=lambda one: not one[0].visible)
    return Look(tuple(_shown(*one) for one in found), monitors(outputs))


def monitors(outputs: bytes) -> tuple[Monitor, ...]:
    """Return the outputs that are on."""
    told = msgspec.json.decode(outputs, type=tuple[Output, ...])
    return tuple(Monitor(output.name, output.rect.bounds) for output in told if output.active)


def focused(tree: bytes) -> str:
    """Return the window that has the keyboard, empty when none has it."""
    leaves = _leaves(msgspec.json.decode(tree, type=Node), "", "")
    return next((str(node.id) for node, _, _ in leaves if node.focused), "")


def _leaves(node: Node, workspace: str, kind: str) -> Iterator[tuple[Node, str, str]]:
    """Yield windows with their workspace and the kind of the outermost container in it, the one used last first."""
    if node.type == "workspace":
        workspace, kind = node.name or "", ""
    elif workspace:
        kind = kind or node.type
    if node.pid and not node.nodes:
        yield node, workspace, kind
    order = {id_: number for number, id_ in enumerate(node.focus)}
    for child in sorted((*node.nodes, *node.floating_nodes), key=lambda child: order.get(child.id, len(order))):
        yield from _leaves(child, workspace, kind)


def _shown(node: Node, workspace: str, kind: str) -> Shown:
    # Programs of X11 are marked with two names, those of Wayland with one.
    marks = node.window_properties or Marks()
    away = workspace == SCRATCHPAD
    return Shown(
        str(node.id),
        tuple(name for name in (marks.instance, marks.class_, node.app_id) if name),
        node.pid,
        _bounds(node),
        "minimised" if away else _state(node, kind),
        "" if away else workspace,
        belongs=marks.transient_for is not None,
        title=node.name or "",
    )


def _state(node: Node, kind: str) -> str:
    words = [TILED] if kind != "floating_con" else []
    words += [FULLSCREEN] if node.fullscreen_mode else []
    return " ".join(words) or "normal"


def _bounds(node: Node) -> Bounds:
    """Return where a window is with its title, which sway does not count in."""
    box = node.rect.bounds
    title = node.deco_rect.height if node.border == "normal" and not node.fullscreen_mode else 0
    return Bounds(box.left, box.top - title, box.right, box.bottom)
