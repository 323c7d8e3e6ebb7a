"""What a backend needs of a screen, whatever draws it: the windows, the monitors, and four deeds."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol, runtime_checkable

from msgspec import Struct

from sayso.providers.apps.geometry import Bounds, Monitor

SECONDS = 5.0
"""How long a screen may take for one answer."""
SILENT = "screen.silent"
"""The code of what is raised when a screen does not answer in time, or has ended."""


class ScreenWindow(Struct, frozen=True):
    """A window as its screen tells of it."""

    id: str
    classes: tuple[str, ...]
    """What it is marked with to tell whose it is, the most exact last."""
    pid: int | None
    """Its process, where that is known and runs on this machine."""
    bounds: Bounds
    """With its frame."""
    state: str = "normal"
    desktop: str = ""
    """On which of several desktops it stands; empty where there is only one."""
    closable: bool = True
    """It can be asked to close."""
    belongs: bool = False
    """It stands before another window of its application, as a question does."""
    title: str = ""
    """What its program calls it, often the name of what is shown in it."""


class ScreenSnapshot(Struct, frozen=True):
    """What a screen shows: windows, front first, and monitors."""

    windows: tuple[ScreenWindow, ...]
    monitors: tuple[Monitor, ...]

    def window(self, id_: str) -> ScreenWindow | None:
        """Return one window."""
        return next((window for window in self.windows if window.id == id_), None)


@runtime_checkable
class ReportsIdle(Protocol):
    """A screen that knows how long nobody has touched keyboard or mouse."""

    async def idle(self) -> float | None:
        """Return for how many seconds; None where it cannot be told."""
        ...


class Screen(Protocol):
    """An open connection. Every call raises `ProviderError` when there is no answer in time."""

    async def look(self) -> ScreenSnapshot:
        """Return what is there."""
        ...

    async def active(self, window: str) -> bool:
        """Say whether a window has the keyboard, or stands before all others where it takes none."""
        ...

    async def front(self, window: str) -> None:
        """Ask for a window to come to the front, on whatever desktop it is."""
        ...

    async def close(self, window: str) -> None:
        """Ask a window to close, as its own close button does."""
        ...

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Give a window bounds, a state and a desktop (empty: the one it is on), and wait until it has come to rest.

        With another state than `normal`, `former` are the bounds it has beneath it. Returns the bounds that the
        window had beneath its own state, where it had one that could tell.
        """
        ...


class Display(Protocol):
    """The way to a screen."""

    name: str
    """What the journal names."""
    why: str
    """Why it was found, in one clause."""
    fix: str
    """What a person can do when it does not answer."""

    def open(self) -> AbstractAsyncContextManager[Screen]:
        """Connect. Raises `SetupError` when nobody answers there."""
        ...
