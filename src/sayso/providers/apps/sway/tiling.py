"""Put a window back among those that sway arranges, as near to where it was as sway lets it."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.screen import Shown
from sayso.providers.apps.sway.ipc import OUTPUTS
from sayso.providers.apps.sway.tree import monitors

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
