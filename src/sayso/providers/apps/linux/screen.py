"""The interfaces of a screen: a display to connect to, its windows and monitors, and requests to change windows."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol, runtime_checkable

from msgspec import Struct

from sayso.providers.apps.geometry import Bounds, Monitor

SECONDS = 5.0
"""Seconds to wait for one answer of a screen."""
SILENT = "screen.silent"
"""The code of the error that is raised if a screen does not answer in time, or has ended."""


class ScreenWindow(Struct, frozen=True):
    """A window as the screen reports it."""

    id: str
    classes: tuple[str, ...]
    """Names from which the window's application is found, the most specific one last."""
    pid: int | None
    """The id of the window's process; None if it is not known or runs on another machine."""
    bounds: Bounds
    """The bounds of the window with its frame."""
    state: str = "normal"
    desktop: str = ""
    """The desktop on which the window is; empty if there is only one."""
    closable: bool = True
    """Whether the window can be asked to close."""
    belongs: bool = False
    """Whether the window belongs to another window of its application, as a dialog does."""
    title: str = ""
    """The window's title, which a stranger may have written."""


class ScreenSnapshot(Struct, frozen=True):
    """The windows on a screen, front first, and its monitors."""

    windows: tuple[ScreenWindow, ...]
    monitors: tuple[Monitor, ...]

    def window(self, id_: str) -> ScreenWindow | None:
        """Return the window with this id, or None."""
        return next((window for window in self.windows if window.id == id_), None)


@runtime_checkable
class ReportsIdle(Protocol):
    """A screen that can report for how long keyboard and mouse have been idle."""

    async def idle(self) -> float | None:
        """Return the seconds since the last input; None if unknown."""
        ...


class Screen(Protocol):
    """An open connection to a display. Every call raises `ProviderError` if no answer arrives in time."""

    async def look(self) -> ScreenSnapshot:
        """Return the windows and monitors as they are now."""
        ...

    async def active(self, window: str) -> bool:
        """Return whether a window has the keyboard focus; for a window that takes no focus, whether it is in front."""
        ...

    async def front(self, window: str) -> None:
        """Request that a window comes to the front, whichever desktop it is on."""
        ...

    async def close(self, window: str) -> None:
        """Ask a window to close, like its close button."""
        ...

    async def place(self, window: str, to: Bounds, state: str, desktop: str, former: Bounds | None) -> Bounds | None:
        """Give a window bounds, a state and a desktop (empty: keep its desktop), and wait until it no longer changes.

        If `state` is not `normal`, `former` contains the normal bounds that the window gets when that state ends.
        Returns the normal bounds that the window had during its earlier state; None if it was normal or these bounds
        are not known.
        """
        ...


class Display(Protocol):
    """A display to connect to."""

    name: str
    """The back end's name in the journal."""
    why: str
    """The part of a message that says how the display was found."""
    fix: str
    """What the person can do if the display does not answer."""

    def open(self) -> AbstractAsyncContextManager[Screen]:
        """Connect to the display. Raises `SetupError` if it does not answer."""
        ...
