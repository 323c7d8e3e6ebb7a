"""The interface of the apps store: it reads applications, windows, monitors and layouts."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Protocol

from msgspec import Struct

from sayso.core.plan import Fact
from sayso.core.quotes import quoted
from sayso.providers.apps.geometry import Bounds, Monitor, WindowLayout

MOST_SUGGESTIONS = 3
SHORTEST_PART = 3
"""A known name that is a part of the given name is suggested only if it has at least this many characters."""


def match_name(name: str, known: Iterable[str], *, exact: bool = False) -> str | None:
    """Return the known name that equals `name`, else the only one that differs just in upper and lower case.

    Returns None if there is neither. With `exact`, the name must be equal.
    """
    names = list(dict.fromkeys(known))
    if name in names:
        return name
    folded = [item for item in names if item.casefold() == name.casefold()]
    return folded[0] if len(folded) == 1 and not exact else None


def suggest_names(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return up to three known names that are similar to `name`, the most likely first."""
    names = list(dict.fromkeys(known))
    wanted = name.casefold()
    same = [item for item in names if item.casefold() == wanted]
    parts = {item for item in names if len(item) >= SHORTEST_PART and item.casefold() in wanted}
    containing = [item for item in names if item in parts or wanted in item.casefold()]
    by_folded = {item.casefold(): item for item in names}
    close = [by_folded[item] for item in get_close_matches(wanted, by_folded, n=MOST_SUGGESTIONS, cutoff=0.6)]
    return tuple(dict.fromkeys((*same, *containing, *close)))[:MOST_SUGGESTIONS]


def did_you_mean(names: Iterable[str]) -> str:
    """Return “did you mean …” for an error message; empty if there are no names."""
    listed = [quoted(item) for item in names]
    if not listed:
        return ""
    *most, last = listed
    return f"; did you mean {', '.join(most) + ' or ' if most else ''}{last}?"


class AppWindow(Struct, frozen=True):
    """A window that can be placed; `fact` identifies it for a step (`WindowAt`, or a `ResultRef` in a batch)."""

    id: str
    app: str
    bounds: Bounds
    state: str
    """`normal`, `maximised`, `minimised` or `fullscreen`; on a tiling desktop also `tiled`."""
    fact: Fact
    desktop: str = ""
    """The desktop on which the window is; empty if there is only one."""
    title: str = ""
    """The window's title, which may contain text by strangers, such as the title of a web page."""


class RunningApp(Struct, frozen=True):
    """A running application; two processes with the same name are one application with two instances."""

    name: str
    """The name as the desktop shows it."""
    id: str
    """The id that launches the application; empty if it cannot be launched."""
    fact: Fact
    """`AppRunning`, or a `ResultRef` if an earlier step of the batch opens the application."""
    windows: tuple[AppWindow, ...] = ()
    """The application's windows, front first."""
    new: bool = False
    """Whether an earlier step of the batch opens the application, so that its windows are not known yet."""


class InstalledApp(Struct, frozen=True):
    """An installed application; `fact` (`AppInstalled`) identifies it."""

    name: str
    id: str
    fact: Fact


class Apps(Protocol):
    """The read methods of the apps store. In a batch they show the state as it would be after the earlier plans.

    If windows or monitors cannot be read on this desktop, a method that needs them raises `SetupError` with the remedy.
    """

    @property
    def exact(self) -> bool:
        """Return whether names must match letter for letter; otherwise a difference in case is accepted (T-98)."""
        ...

    def exactly(self) -> "Apps":
        """Return a copy that requires names to match letter for letter."""
        ...

    async def running(self) -> tuple[RunningApp, ...]:
        """Return the running applications that have a name on the desktop, each name once."""
        ...

    async def installed(self) -> tuple[InstalledApp, ...]:
        """Return the applications that can be launched, by name, from all application folders (T-28)."""
        ...

    async def windows(self, app: str) -> tuple[AppWindow, ...]:
        """Return the windows of a running application, front first."""
        ...

    async def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors; there is at least one."""
        ...

    async def layouts(self) -> tuple[WindowLayout, ...]:
        """Return the layouts in the person's settings."""
        ...

    async def idle(self) -> float | None:
        """Return the seconds since the last input from keyboard or mouse; None if unknown."""
        ...

    def token(self) -> str:
        """Return a new unguessable token that a launched application carries; empty if it cannot carry one."""
        ...
