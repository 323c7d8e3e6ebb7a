"""The screen of a sway session: its socket protocol, its tree of containers, and tiling."""

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Protocol

import anyio
import msgspec
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from sayso.core.errors import ProviderError, SetupError
from sayso.core.ports import BackendContext
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.linux.actions import REST_SECONDS, WindowWatch
from sayso.providers.apps.linux.backend import LinuxAppsBackend, linux_backend
from sayso.providers.apps.linux.screen import SECONDS, SILENT, ScreenSnapshot, ScreenWindow
from sayso.providers.dbus.session import open_socket

_MAGIC = b"i3-ipc"
_WORD = 4
_MOST = 64 * 2**20
COMMAND, OUTPUTS, TREE = 0, 3, 4


class CommandResult(msgspec.Struct, frozen=True):
    """Whether sway executed a command."""

    success: bool = False


class SwayConnection:
    """A connection to sway's socket."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._received = BufferedByteReceiveStream(stream)

    async def ask(self, kind: int, text: str = "") -> bytes:
        """Send a message and return the reply, as JSON. Raises `ProviderError` if none arrives in time."""
        payload = text.encode()
        try:
            # Even if the caller is cancelled, the reply is awaited, because the next message would otherwise receive
            # it.
            with anyio.fail_after(SECONDS, shield=True):
                await self._stream.send(_MAGIC + _word(len(payload)) + _word(kind) + payload)
                return await self._answer()
        except TimeoutError:
            raise _silent() from None
        except (anyio.BrokenResourceError, anyio.EndOfStream, anyio.IncompleteRead, ValueError) as error:
            raise ProviderError("sway has ended the connection", SILENT) from error

    async def _answer(self) -> bytes:
        head = await self._received.receive_exactly(len(_MAGIC) + 2 * _WORD)
        length = int.from_bytes(head[len(_MAGIC) : len(_MAGIC) + _WORD], sys.byteorder)
        if not head.startswith(_MAGIC) or length > _MOST:
            raise ValueError("not an answer of sway")
        return await self._received.receive_exactly(length)

    async def command(self, window: str, command: str) -> bool:
        answer = await self.ask(COMMAND, f"[con_id={int(window)}] {command}")
        return all(result.success for result in msgspec.json.decode(answer, type=tuple[CommandResult, ...]))


@asynccontextmanager
async def connect(path: str) -> AsyncGenerator[SwayConnection]:
    """Connect to sway. Raises `SetupError` if nothing listens, and `ProviderError` if sway does not accept in time."""
    try:
        with anyio.fail_after(SECONDS):
            stream = await open_socket(path)
    except TimeoutError:
        raise _silent() from None
    except OSError as error:
        raise SetupError(
            f"sway does not answer on {path} (SWAYSOCK); start sayso from within sway", "screen.missing"
        ) from error
    async with stream:
        yield SwayConnection(stream)


def _silent() -> ProviderError:
    return ProviderError(f"sway did not answer within {SECONDS:g} seconds", SILENT)


def _word(number: int) -> bytes:
    return number.to_bytes(_WORD, sys.byteorder)


SCRATCHPAD = "__i3_scratch"
"""The workspace to which sway moves hidden windows."""
TILED = "tiled"
FULLSCREEN = "fullscreen"


class SwayRect(msgspec.Struct, frozen=True):
    """A rectangle as sway writes it."""

    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0

    @property
    def bounds(self) -> Bounds:
        """Return the rectangle as bounds."""
        return Bounds(self.x, self.y, self.x + self.width, self.y + self.height)


class X11Marks(msgspec.Struct, frozen=True):
    """X11 properties of a window of an X11 program."""

    instance: str | None = None
    class_: str | None = msgspec.field(default=None, name="class")
    transient_for: int | None = None


class SwayNode(msgspec.Struct, frozen=True):
    """A container of sway's tree: an output, a workspace, a window, or a group of containers."""

    id: int
    type: str
    rect: SwayRect
    name: str | None = None
    nodes: tuple["SwayNode", ...] = ()
    floating_nodes: tuple["SwayNode", ...] = ()
    focus: tuple[int, ...] = ()
    """Ids of the child containers, the most recently used one first."""
    focused: bool = False
    visible: bool = False
    pid: int | None = None
    app_id: str | None = None
    window_properties: X11Marks | None = None
    fullscreen_mode: int = 0
    border: str = "none"
    deco_rect: SwayRect = SwayRect()


class SwayOutput(msgspec.Struct, frozen=True):
    """A monitor as sway reports it."""

    name: str
    rect: SwayRect
    active: bool = False


def read_snapshot(tree: bytes, outputs: bytes) -> ScreenSnapshot:
    """Return windows and monitors: visible windows first, and within each group the most recently used first."""
    leaves = _leaves(msgspec.json.decode(tree, type=SwayNode), "", "")
    found = sorted(leaves, key=lambda leaf: not leaf[0].visible)
    return ScreenSnapshot(tuple(_read_window(*leaf) for leaf in found), read_monitors(outputs))


def read_monitors(outputs: bytes) -> tuple[Monitor, ...]:
    """Return the monitors that are switched on."""
    found = msgspec.json.decode(outputs, type=tuple[SwayOutput, ...])
    return tuple(Monitor(output.name, output.rect.bounds) for output in found if output.active)


def focused_window(tree: bytes) -> str:
    """Return the id of the window with the keyboard focus; empty if none has it."""
    leaves = _leaves(msgspec.json.decode(tree, type=SwayNode), "", "")
    return next((str(node.id) for node, _, _ in leaves if node.focused), "")


def _leaves(node: SwayNode, workspace: str, kind: str) -> Iterator[tuple[SwayNode, str, str]]:
    """Yield each window, the most recently used first, with its workspace and the type of its outermost container."""
    if node.type == "workspace":
        workspace, kind = node.name or "", ""
    elif workspace:
        kind = kind or node.type
    if node.pid and not node.nodes:
        yield node, workspace, kind
    order = {id_: number for number, id_ in enumerate(node.focus)}
    for child in sorted((*node.nodes, *node.floating_nodes), key=lambda child: order.get(child.id, len(order))):
        yield from _leaves(child, workspace, kind)


def _read_window(node: SwayNode, workspace: str, kind: str) -> ScreenWindow:
    # Windows of X11 programs have two names, windows of Wayland programs have one.
    marks = node.window_properties or X11Marks()
    hidden = workspace == SCRATCHPAD
    return ScreenWindow(
        str(node.id),
        tuple(name for name in (marks.instance, marks.class_, node.app_id) if name),
        node.pid,
        _bounds(node),
        "minimised" if hidden else _state(node, kind),
        "" if hidden else workspace,
        belongs=marks.transient_for is not None,
        title=node.name or "",
    )


def _state(node: SwayNode, kind: str) -> str:
    words = [TILED] if kind != "floating_con" else []
    words += [FULLSCREEN] if node.fullscreen_mode else []
    return " ".join(words) or "normal"


def _bounds(node: SwayNode) -> Bounds:
    """Return the bounds of a window with its title bar, which sway's `rect` does not include."""
    box = node.rect.bounds
    title = node.deco_rect.height if node.border == "normal" and not node.fullscreen_mode else 0
    return Bounds(box.left, box.top - title, box.right, box.bottom)


MOST_MOVES = 16
_BACK = {"left": "right", "right": "left", "up": "down", "down": "up"}


class SwayRequests(Protocol):
    """The part of a connection to sway that `TilingRequests` uses."""

    async def ask(self, kind: int, text: str = "") -> bytes:
        """Send a message and return the reply."""
        ...

    async def command(self, window: str, command: str) -> bool:
        """Run a command on one window; return whether sway executed it."""
        ...


class TilingRequests:
    """Moves a window to another workspace or to another tile."""

    def __init__(self, sway: SwayRequests, find: Callable[[str], Awaitable[ScreenWindow]]) -> None:
        self._sway = sway
        self._find = find

    async def to_workspace(self, window: str, workspace: str, near: Bounds) -> None:
        """Move a window to a workspace. If that workspace is new, move it to the monitor that contains `near`."""
        quoted = workspace.replace("\\", "\\\\").replace('"', '\\"')
        await self._sway.command(window, f'move --no-auto-back-and-forth container to workspace "{quoted}"')
        outputs = read_monitors(await self._sway.ask(OUTPUTS))
        wanted = next((monitor for monitor in outputs if monitor.bounds.holds_centre_of(near)), None)
        now = await self._find(window)
        if wanted is not None and not wanted.bounds.holds_centre_of(now.bounds) and now.state != "normal":
            await self._sway.command(window, f'move workspace to output "{wanted.name}"')

    async def tile(self, window: str, to: Bounds) -> None:
        """Make a window tiled, and move it among its neighbours until it has these bounds, as far as sway allows."""
        await self._sway.command(window, "floating disable")
        for _ in range(MOST_MOVES):
            before = await self._find(window)
            direction = _direction(before.bounds, to)
            if direction is None:
                break
            await self._sway.command(window, f"move {direction}")
            after = await self._find(window)
            if after.desktop != before.desktop:
                await self._sway.command(window, f"move {_BACK[direction]}")
                break
            if after.bounds == before.bounds:
                break
        if (await self._find(window)).bounds != to:
            await self._sway.command(window, f"resize set width {to.width} px height {to.height} px")


def _direction(now: Bounds, to: Bounds) -> str | None:
    """Return the direction in which a window must move; None if its size differs at least as much as its position."""
    across = (to.left + to.right) - (now.left + now.right)
    down = (to.top + to.bottom) - (now.top + now.bottom)
    if max(abs(across), abs(down)) <= max(abs(to.width - now.width), abs(to.height - now.height)):
        return None
    if abs(across) >= abs(down):
        return "right" if across > 0 else "left"
    return "down" if down > 0 else "up"


QUIET_SECONDS = 0.5
"""Seconds without a change, despite repeated requests, after which a window is considered at rest."""
AGAIN_SECONDS = 0.1
"""Seconds to wait before a request to sway is repeated."""


class SwayDisplay:
    """The display of the sway that listens at a socket."""

    name = "sway"
    why = "SWAYSOCK leads to sway"
    fix = "start sayso from within sway"

    def __init__(self, path: str) -> None:
        self._path = path

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["SwayScreen"]:
        async with connect(self._path) as sway:
            yield SwayScreen(sway)


class SwayScreen:
    """The screen of a sway, over an open connection."""

    def __init__(self, sway: SwayConnection) -> None:
        self._sway = sway
        self._watch = WindowWatch(self._find_window, QUIET_SECONDS)

    async def look(self) -> ScreenSnapshot:
        return read_snapshot(await self._sway.ask(TREE), await self._sway.ask(OUTPUTS))

    async def active(self, window: str) -> bool:
        """Return whether a window has the keyboard focus."""
        return focused_window(await self._sway.ask(TREE)) == window

    async def front(self, window: str) -> None:
        """Give a window the keyboard focus; show it first if it is hidden."""
        hidden = (await self._watch.one(window)).state == "minimised"
        await self._sway.command(window, "scratchpad show" if hidden else "focus")

    async def close(self, window: str) -> None:
        """Ask a window to close."""
        # In sway, `kill` does the same as a close button; it does not kill the program.
        await self._sway.command(window, "kill")

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Give a window bounds, a state and a workspace, and wait until it no longer changes."""
        beneath = await self._leave_state(window)
        if desktop and desktop != (await self._watch.one(window)).desktop:
            await TilingRequests(self._sway, self._watch.one).to_workspace(window, desktop, to)
        if state.startswith(TILED):
            await TilingRequests(self._sway, self._watch.one).tile(window, former or to)
        else:
            await self._float_window(window, (former or to) if state != "normal" else to)
        if state.endswith("fullscreen"):
            await self._sway.command(window, "fullscreen enable")
        elif state == "minimised":
            await self._sway.command(window, "move scratchpad")
        await self._watch.rest(window, lambda now: now.state == state and now.bounds == to)
        return beneath

    async def _leave_state(self, window: str) -> Bounds | None:
        """End a window's fullscreen state, or show a hidden window; return the bounds after fullscreen, else None."""
        now = await self._watch.one(window)
        if now.state.endswith("fullscreen"):
            await self._sway.command(window, "fullscreen disable")
            await self._watch.rest(window, lambda later: not later.state.endswith("fullscreen"))
            return (await self._watch.one(window)).bounds
        if now.state == "minimised":
            await self._sway.command(window, "scratchpad show")
        return None

    async def _float_window(self, window: str, to: Bounds) -> None:
        await self._sway.command(window, "floating enable")
        size = f"resize set width {to.width} px height {to.height} px"
        place = f"move absolute position {to.left} px {to.top} px"
        last: Bounds | None = None
        since = anyio.current_time()
        with anyio.move_on_after(REST_SECONDS):
            while anyio.current_time() - since < QUIET_SECONDS:
                # sway ignores or reverts a new size while the window is leaving its tile, or while its program is
                # drawing for the first time, so the request is repeated. The window is moved after it is resized,
                # because sway resizes around the window's centre.
                await self._sway.command(window, size)
                await self._sway.command(window, place)
                arrived = await self._watch.rest(window, lambda now: now.bounds == to, AGAIN_SECONDS)
                if arrived and not await self._watch.rest(window, lambda now: now.bounds != to, AGAIN_SECONDS):
                    return
                now = (await self._watch.one(window)).bounds
                if now != last:
                    last, since = now, anyio.current_time()

    async def _find_window(self, window: str) -> ScreenWindow | None:
        return (await self.look()).window(window)


def build(context: BackendContext) -> LinuxAppsBackend:
    """Return the back end for the sway that SWAYSOCK names. Raises `SetupError` if the variable is not set."""
    path = context.environ.get("SWAYSOCK")
    if not path:
        raise SetupError("there is no sway here: SWAYSOCK is not set; start sayso from within sway", "screen.missing")
    return linux_backend(context, SwayDisplay(path))
