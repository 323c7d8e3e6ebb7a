"""The ports of a screen, whatever draws it: a display to connect to, its windows and monitors, and four requests."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol, runtime_checkable

from msgspec import Struct

from sayso.providers.apps.geometry import Bounds, Monitor

SECONDS = 5.0
"""How long a screen may take for one answer."""
SILENT = "screen.silent"
"""The code of what is raised when a screen does not answer in time, or has ended."""


class ScreenWindow(Struct, frozen=True):
    """A window as its screen describes it."""

    id: str
    classes: tuple[str, ...]
    """The names that say which application it belongs to, the most exact one last."""
    pid: int | None
    """Its process, where that is known and runs on this machine."""
    bounds: Bounds
    """With its frame."""
    state: str = "normal"
    desktop: str = ""
    """On which of several desktops it is; empty where there is only one."""
    closable: bool = True
    """It can be asked to close."""
    belongs: bool = False
    """It belongs to another window of its application, as a dialog does."""
    title: str = ""
    """Its title, which a stranger may have written."""


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
    """An open connection to a display. Every call raises `ProviderError` when there is no answer in time."""

    async def look(self) -> ScreenSnapshot:
        """Return what is there."""
        ...

    async def active(self, window: str) -> bool:
        """Say whether a window has the keyboard, or is in front of all others where it takes no keyboard."""
        ...

    async def front(self, window: str) -> None:
        """Ask for a window to come to the front, on whatever desktop it is."""
        ...

    async def close(self, window: str) -> None:
        """Ask a window to close, as its own close button does."""
        ...

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Give a window bounds, a state and a desktop (empty: the one it is on), and wait until it has come to rest.

        In any state but `normal`, `former` are the bounds that it is to have beneath that state. Returns the bounds
        that the window had beneath the state it was in, where there are such bounds.
        """
        ...


class Display(Protocol):
    """A display that can be connected to."""

    name: str
    """Its name in the journal."""
    why: str
    """By what it was found, in one clause."""
    fix: str
    """What a person can do when it does not answer."""

    def open(self) -> AbstractAsyncContextManager[Screen]:
        """Connect. Raises `SetupError` when nobody answers there."""
        ...
