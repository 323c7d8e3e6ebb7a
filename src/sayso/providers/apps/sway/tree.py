"""The tree of containers that sway reports, and a window's place in it."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Protocol

import msgspec

from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.linux.screen import Look, Shown
from sayso.providers.apps.sway.ipc import OUTPUTS

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


MOST_MOVES = 16

_BACK = {"left": "right", "right": "left", "up": "down", "down": "up"}


class Talks(Protocol):
    """A way to speak with sway."""

    async def ask(self, kind: int, text: str = "") -> bytes:
        """Return the answer to a question."""
        ...

    async def tell(self, window: str, command: str) -> bool:
        """Give a command about one window; say whether sway took it."""
        ...


class Tiling:
    """What is asked of sway about one window at a time."""

    def __init__(self, ipc: Talks, one: Callable[[str], Awaitable[Shown]]) -> None:
        self._ipc = ipc
        self._one = one

    async def to_workspace(self, window: str, workspace: str, near: Bounds) -> None:
        """Move a window to a workspace; one that is made for it goes to the monitor where `near` lies."""
        quoted = workspace.replace("\\", "\\\\").replace('"', '\\"')
        await self._ipc.tell(window, f'move --no-auto-back-and-forth container to workspace "{quoted}"')
        outputs = monitors(await self._ipc.ask(OUTPUTS))
        wanted = next((monitor for monitor in outputs if monitor.bounds.holds_centre_of(near)), None)
        now = await self._one(window)
        if wanted is not None and not wanted.bounds.holds_centre_of(now.bounds) and now.state != "normal":
            await self._ipc.tell(window, f'move workspace to output "{wanted.name}"')

    async def tile(self, window: str, to: Bounds) -> None:
        """Let sway arrange a window, and move it among its neighbours until it is where it was."""
        await self._ipc.tell(window, "floating disable")
        for _ in range(MOST_MOVES):
            before = await self._one(window)
            way = _way(before.bounds, to)
            if way is None:
                break
            await self._ipc.tell(window, f"move {way}")
            after = await self._one(window)
            if after.desktop != before.desktop:
                await self._ipc.tell(window, f"move {_BACK[way]}")
                break
            if after.bounds == before.bounds:
                break
        if (await self._one(window)).bounds != to:
            await self._ipc.tell(window, f"resize set width {to.width} px height {to.height} px")


def _way(now: Bounds, to: Bounds) -> str | None:
    """Return in which direction a window must go; None where it is there, or differs in its size alone."""
    across = (to.left + to.right) - (now.left + now.right)
    down = (to.top + to.bottom) - (now.top + now.bottom)
    if max(abs(across), abs(down)) <= max(abs(to.width - now.width), abs(to.height - now.height)):
        return None
    if abs(across) >= abs(down):
        return "right" if across > 0 else "left"
    return "down" if down > 0 else "up"
