"""The screen of a sway session."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.actions import REST_SECONDS, Resting
from sayso.providers.apps.linux.backend import Desktop, desktop
from sayso.providers.apps.linux.screen import Look, Shown
from sayso.providers.apps.sway.ipc import OUTPUTS, TREE, Ipc, connected
from sayso.providers.apps.sway.tree import TILED, Tiling, focused, look

QUIET_SECONDS = 0.5

"""A window that has not changed for this long, although it was asked again and again, will not."""

AGAIN_SECONDS = 0.1

"""How long sway may take before it is asked again."""


class SwayScreens:
    """The way to the sway of a socket."""

    name = "sway"
    why = "SWAYSOCK leads to sway"
    fix = "start sayso from within sway"

    def __init__(self, path: str) -> None:
        self._path = path

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["SwayScreen"]:
        """Connect. Raises `SetupError` when no sway answers there."""
        async with connected(self._path) as ipc:
            yield SwayScreen(ipc)


class SwayScreen:
    """An open connection."""

    def __init__(self, ipc: Ipc) -> None:
        self._ipc = ipc
        self._windows = Resting(self._find, QUIET_SECONDS)

    async def look(self) -> Look:
        """Return what is there."""
        return look(await self._ipc.ask(TREE), await self._ipc.ask(OUTPUTS))

    async def active(self, window: str) -> bool:
        """Say whether a window has the keyboard."""
        return focused(await self._ipc.ask(TREE)) == window

    async def front(self, window: str) -> None:
        """Give a window the keyboard; one that was put away is shown."""
        away = (await self._windows.one(window)).state == "minimised"
        await self._ipc.tell(window, "scratchpad show" if away else "focus")

    async def close(self, window: str) -> None:
        """Ask a window to close."""
        # By this word sway means what the close button does.
        await self._ipc.tell(window, "kill")

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Give a window bounds, a state and a workspace, and wait until it has come to rest."""
        beneath = await self._plain(window)
        if desktop and desktop != (await self._windows.one(window)).desktop:
            await Tiling(self._ipc, self._windows.one).to_workspace(window, desktop, to)
        if state.startswith(TILED):
            await Tiling(self._ipc, self._windows.one).tile(window, former or to)
        else:
            await self._floated(window, (former or to) if state != "normal" else to)
        if state.endswith("fullscreen"):
            await self._ipc.tell(window, "fullscreen enable")
        elif state == "minimised":
            await self._ipc.tell(window, "move scratchpad")
        await self._windows.rest(window, lambda now: now.state == state and now.bounds == to)
        return beneath

    async def _plain(self, window: str) -> Bounds | None:
        """Take a window out of fullscreen, or from where it was put away; return what came to light beneath."""
        now = await self._windows.one(window)
        if now.state.endswith("fullscreen"):
            await self._ipc.tell(window, "fullscreen disable")
            await self._windows.rest(window, lambda then: not then.state.endswith("fullscreen"))
            return (await self._windows.one(window)).bounds
        if now.state == "minimised":
            await self._ipc.tell(window, "scratchpad show")
        return None

    async def _floated(self, window: str, to: Bounds) -> None:
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
                there = await self._windows.rest(window, lambda now: now.bounds == to, AGAIN_SECONDS)
                if there and not await self._windows.rest(window, lambda now: now.bounds != to, AGAIN_SECONDS):
                    return
                now = (await self._windows.one(window)).bounds
                if now != last:
                    last, since = now, anyio.current_time()

    async def _find(self, window: str) -> Shown | None:
        return (await self.look()).window(window)


def build(ground: Ground) -> Desktop:
    """Return the backend of the sway that the environment leads to. Raises `SetupError` where it leads to none."""
    path = ground.environ.get("SWAYSOCK")
    if not path:
        raise SetupError("there is no sway here: SWAYSOCK is not set; start sayso from within sway", "screen.missing")
    return desktop(ground, SwayScreens(path))
