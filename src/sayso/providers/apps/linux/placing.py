"""Place one window on a screen that is asked and obeys when it likes: out of its state, to its bounds, into a state."""

from typing import Protocol

from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.resting import Resting


class Asking(Protocol):
    """What such a screen may be asked about one window; nothing waits until it has come about."""

    async def to_desktop(self, window: str, desktop: str) -> None:
        """Ask for a window to stand on a desktop."""
        ...

    async def plain(self, window: str, state: str) -> None:
        """Ask for a window to leave a state."""
        ...

    async def move(self, window: str, to: Bounds) -> None:
        """Ask for bounds."""
        ...

    async def into(self, window: str, state: str) -> None:
        """Ask for a window to get into a state."""
        ...


class Placing:
    """Asks for one thing after the other, each once the window has come to rest."""

    def __init__(self, asking: Asking, windows: Resting) -> None:
        self._asking = asking
        self._windows = windows

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Place a window as `Screen.place` says; return the bounds that it had beneath its state."""
        if desktop:
            await self._asking.to_desktop(window, desktop)
        beneath = await self._plain(window)
        await self._moved(window, (former or to) if state != "normal" else to)
        if state != "normal":
            await self._asking.into(window, state)
            hidden = state == "minimised"
            await self._windows.rest(window, lambda now: now.state == state and (hidden or now.bounds == to))
        return beneath

    async def _plain(self, window: str) -> Bounds | None:
        """Take a window out of its state; return the bounds that came to light."""
        now = await self._windows.one(window)
        await self._asking.plain(window, now.state)
        if now.state == "normal":
            return None
        await self._windows.rest(window, lambda then: then.state == "normal" and then.bounds != now.bounds)
        # Frame and bounds come back one after the other: what was beneath is known once nothing moves any more.
        await self._windows.rest(window, lambda _: False)
        then = await self._windows.one(window)
        return then.bounds if now.state != "minimised" else None

    async def _moved(self, window: str, to: Bounds) -> None:
        before = (await self._windows.one(window)).bounds
        await self._asking.move(window, to)
        await self._windows.rest(window, lambda now: now.bounds == to)
        now = await self._windows.one(window)
        right, down = to.left - now.bounds.left, to.top - now.bounds.top
        if now.bounds != before and (right or down):
            # Some window managers count from elsewhere than they should; they are told where that went.
            again = Bounds(to.left + right, to.top + down, to.right + right, to.bottom + down)
            await self._asking.move(window, again)
            await self._windows.rest(window, lambda now: now.bounds == to)
