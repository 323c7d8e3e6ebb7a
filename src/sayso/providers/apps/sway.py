"""The screen of a sway session: its socket, its tree of containers, and tiling."""

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
    """Whether sway took a command."""

    success: bool = False


class SwayConnection:
    """One connection."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._received = BufferedByteReceiveStream(stream)

    async def ask(self, kind: int, text: str = "") -> bytes:
        """Return the answer to a question, as JSON. Raises `ProviderError` when none comes in time."""
        payload = text.encode()
        try:
            # Whoever waits may give up; the answer is fetched all the same, or the next question would get it.
            with anyio.fail_after(SECONDS, shield=True):
                await self._stream.send(_MAGIC + _word(len(payload)) + _word(kind) + payload)
                return await self._answer()
        except TimeoutError:
            raise _silent() from None
        except (anyio.BrokenResourceError, anyio.EndOfStream, anyio.IncompleteRead, ValueError) as odd:
            raise ProviderError("sway has ended the connection", SILENT) from odd

    async def _answer(self) -> bytes:
        head = await self._received.receive_exactly(len(_MAGIC) + 2 * _WORD)
        length = int.from_bytes(head[len(_MAGIC) : len(_MAGIC) + _WORD], sys.byteorder)
        if not head.startswith(_MAGIC) or length > _MOST:
            raise ValueError("not an answer of sway")
        return await self._received.receive_exactly(length)

    async def tell(self, window: str, command: str) -> bool:
        """Give a command about one window; say whether sway took it."""
        answer = await self.ask(COMMAND, f"[con_id={int(window)}] {command}")
        return all(took.success for took in msgspec.json.decode(answer, type=tuple[CommandResult, ...]))


@asynccontextmanager
async def connect(path: str) -> AsyncGenerator[SwayConnection]:
    """Connect to sway. Raises `SetupError` where nobody listens, and `ProviderError` where it takes nobody in."""
    try:
        with anyio.fail_after(SECONDS):
            stream = await open_socket(path)
    except TimeoutError:
        raise _silent() from None
    except OSError as odd:
        raise SetupError(
            f"sway does not answer on {path} (SWAYSOCK); start sayso from within sway", "screen.missing"
        ) from odd
    async with stream:
        yield SwayConnection(stream)


def _silent() -> ProviderError:
    return ProviderError(f"sway did not answer within {SECONDS:g} seconds", SILENT)


def _word(number: int) -> bytes:
    return number.to_bytes(_WORD, sys.byteorder)


SCRATCHPAD = "__i3_scratch"
"""Where sway keeps windows that are put away."""
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
        """Return it as bounds."""
        return Bounds(self.x, self.y, self.x + self.width, self.y + self.height)


class X11Marks(msgspec.Struct, frozen=True):
    """What a window of an X11 program is marked with."""

    instance: str | None = None
    class_: str | None = msgspec.field(default=None, name="class")
    transient_for: int | None = None


class SwayNode(msgspec.Struct, frozen=True):
    """A container: an output, a workspace, a window, or what holds some of these together."""

    id: int
    type: str
    rect: SwayRect
    name: str | None = None
    nodes: tuple["SwayNode", ...] = ()
    floating_nodes: tuple["SwayNode", ...] = ()
    focus: tuple[int, ...] = ()
    """Ids of what it holds, the one used last first."""
    focused: bool = False
    visible: bool = False
    pid: int | None = None
    app_id: str | None = None
    window_properties: X11Marks | None = None
    fullscreen_mode: int = 0
    border: str = "none"
    deco_rect: SwayRect = SwayRect()


class SwayOutput(msgspec.Struct, frozen=True):
    """A monitor."""

    name: str
    rect: SwayRect
    active: bool = False


def read_snapshot(tree: bytes, outputs: bytes) -> ScreenSnapshot:
    """Return windows, the one used last first and those that can be seen before all others, and monitors."""
    found = sorted(_leaves(msgspec.json.decode(tree, type=SwayNode), "", ""), key=lambda one: not one[0].visible)
    return ScreenSnapshot(tuple(_read_window(*one) for one in found), read_monitors(outputs))


def read_monitors(outputs: bytes) -> tuple[Monitor, ...]:
    """Return the outputs that are on."""
    told = msgspec.json.decode(outputs, type=tuple[SwayOutput, ...])
    return tuple(Monitor(output.name, output.rect.bounds) for output in told if output.active)


def focused_window(tree: bytes) -> str:
    """Return the window that has the keyboard, empty when none has it."""
    leaves = _leaves(msgspec.json.decode(tree, type=SwayNode), "", "")
    return next((str(node.id) for node, _, _ in leaves if node.focused), "")


def _leaves(node: SwayNode, workspace: str, kind: str) -> Iterator[tuple[SwayNode, str, str]]:
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


def _read_window(node: SwayNode, workspace: str, kind: str) -> ScreenWindow:
    # Programs of X11 are marked with two names, those of Wayland with one.
    marks = node.window_properties or X11Marks()
    away = workspace == SCRATCHPAD
    return ScreenWindow(
        str(node.id),
        tuple(name for name in (marks.instance, marks.class_, node.app_id) if name),
        node.pid,
        _bounds(node),
        "minimised" if away else _state(node, kind),
        "" if away else workspace,
        belongs=marks.transient_for is not None,
        title=node.name or "",
    )


def _state(node: SwayNode, kind: str) -> str:
    words = [TILED] if kind != "floating_con" else []
    words += [FULLSCREEN] if node.fullscreen_mode else []
    return " ".join(words) or "normal"


def _bounds(node: SwayNode) -> Bounds:
    """Return where a window is with its title, which sway does not count in."""
    box = node.rect.bounds
    title = node.deco_rect.height if node.border == "normal" and not node.fullscreen_mode else 0
    return Bounds(box.left, box.top - title, box.right, box.bottom)


MOST_MOVES = 16
_BACK = {"left": "right", "right": "left", "up": "down", "down": "up"}


class SwayRequests(Protocol):
    """A way to speak with sway."""

    async def ask(self, kind: int, text: str = "") -> bytes:
        """Return the answer to a question."""
        ...

    async def tell(self, window: str, command: str) -> bool:
        """Give a command about one window; say whether sway took it."""
        ...


class TilingRequests:
    """What is asked of sway about one window at a time."""

    def __init__(self, ipc: SwayRequests, one: Callable[[str], Awaitable[ScreenWindow]]) -> None:
        self._ipc = ipc
        self._one = one

    async def to_workspace(self, window: str, workspace: str, near: Bounds) -> None:
        """Move a window to a workspace; one that is made for it goes to the monitor where `near` lies."""
        quoted = workspace.replace("\\", "\\\\").replace('"', '\\"')
        await self._ipc.tell(window, f'move --no-auto-back-and-forth container to workspace "{quoted}"')
        outputs = read_monitors(await self._ipc.ask(OUTPUTS))
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


QUIET_SECONDS = 0.5
"""A window that has not changed for this long, although it was asked again and again, will not."""
AGAIN_SECONDS = 0.1
"""How long sway may take before it is asked again."""


class SwayDisplay:
    """The way to the sway of a socket."""

    name = "sway"
    why = "SWAYSOCK leads to sway"
    fix = "start sayso from within sway"

    def __init__(self, path: str) -> None:
        self._path = path

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["SwayScreen"]:
        """Connect. Raises `SetupError` when no sway answers there."""
        async with connect(self._path) as ipc:
            yield SwayScreen(ipc)


class SwayScreen:
    """An open connection."""

    def __init__(self, ipc: SwayConnection) -> None:
        self._ipc = ipc
        self._watch = WindowWatch(self._find, QUIET_SECONDS)

    async def look(self) -> ScreenSnapshot:
        """Return what is there."""
        return read_snapshot(await self._ipc.ask(TREE), await self._ipc.ask(OUTPUTS))

    async def active(self, window: str) -> bool:
        """Say whether a window has the keyboard."""
        return focused_window(await self._ipc.ask(TREE)) == window

    async def front(self, window: str) -> None:
        """Give a window the keyboard; one that was put away is shown."""
        away = (await self._watch.one(window)).state == "minimised"
        await self._ipc.tell(window, "scratchpad show" if away else "focus")

    async def close(self, window: str) -> None:
        """Ask a window to close."""
        # By this word sway means what the close button does.
        await self._ipc.tell(window, "kill")

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Give a window bounds, a state and a workspace, and wait until it has come to rest."""
        beneath = await self._leave_state(window)
        if desktop and desktop != (await self._watch.one(window)).desktop:
            await TilingRequests(self._ipc, self._watch.one).to_workspace(window, desktop, to)
        if state.startswith(TILED):
            await TilingRequests(self._ipc, self._watch.one).tile(window, former or to)
        else:
            await self._float_window(window, (former or to) if state != "normal" else to)
        if state.endswith("fullscreen"):
            await self._ipc.tell(window, "fullscreen enable")
        elif state == "minimised":
            await self._ipc.tell(window, "move scratchpad")
        await self._watch.rest(window, lambda now: now.state == state and now.bounds == to)
        return beneath

    async def _leave_state(self, window: str) -> Bounds | None:
        """Take a window out of fullscreen, or from where it was put away; return what came to light beneath."""
        now = await self._watch.one(window)
        if now.state.endswith("fullscreen"):
            await self._ipc.tell(window, "fullscreen disable")
            await self._watch.rest(window, lambda then: not then.state.endswith("fullscreen"))
            return (await self._watch.one(window)).bounds
        if now.state == "minimised":
            await self._ipc.tell(window, "scratchpad show")
        return None

    async def _float_window(self, window: str, to: Bounds) -> None:
        await self._ipc.tell(window, "floating enable")
        size = f"resize set width {to.width} px height {to.height} px"
        place = f"move absolute position {to.left} px {to.top} px"
        last: Bounds | None = None
        since = anyio.current_time()
        with anyio.move_on_after(REST_SECONDS):
            while anyio.current_time() - since < QUIET_SECONDS:
                # A size that is asked for while the window is only just let go, or while its program still draws
                # its first one, is lost or taken back: it is asked for again. Moving comes after sizing, which
                # counts from the middle.
                await self._ipc.tell(window, size)
                await self._ipc.tell(window, place)
                there = await self._watch.rest(window, lambda now: now.bounds == to, AGAIN_SECONDS)
                if there and not await self._watch.rest(window, lambda now: now.bounds != to, AGAIN_SECONDS):
                    return
                now = (await self._watch.one(window)).bounds
                if now != last:
                    last, since = now, anyio.current_time()

    async def _find(self, window: str) -> ScreenWindow | None:
        return (await self.look()).window(window)


def build(ground: BackendContext) -> LinuxAppsBackend:
    """Return the backend of the sway that the environment leads to. Raises `SetupError` where it leads to none."""
    path = ground.environ.get("SWAYSOCK")
    if not path:
        raise SetupError("there is no sway here: SWAYSOCK is not set; start sayso from within sway", "screen.missing")
    return linux_backend(ground, SwayDisplay(path))
