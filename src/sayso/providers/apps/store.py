"""The reads of the apps store: applications, windows, monitors and layouts."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Protocol

from msgspec import Struct

from sayso.core.plan import Fact
from sayso.providers.apps.geometry import Bounds, Monitor, WindowLayout

MOST_SUGGESTIONS = 3
SHORTEST_PART = 3
"""A name must have at least this many characters to count when it is found inside the name that was given."""


def match_name(name: str, known: Iterable[str], *, exact: bool = False) -> str | None:
    """Return the known name that is equal, else the only one equal but for case (unless `exact`); else None."""
    names = list(dict.fromkeys(known))
    if name in names:
        return name
    folded = [item for item in names if item.casefold() == name.casefold()]
    return folded[0] if len(folded) == 1 and not exact else None


def suggest_names(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return up to three known names that were perhaps meant, the likeliest first."""
    names = list(dict.fromkeys(known))
    wanted = name.casefold()
    same = [item for item in names if item.casefold() == wanted]
    parts = {item for item in names if len(item) >= SHORTEST_PART and item.casefold() in wanted}
    containing = [item for item in names if item in parts or wanted in item.casefold()]
    by_folded = {item.casefold(): item for item in names}
    close = [by_folded[item] for item in get_close_matches(wanted, by_folded, n=MOST_SUGGESTIONS, cutoff=0.6)]
    return tuple(dict.fromkeys((*same, *containing, *close)))[:MOST_SUGGESTIONS]


def did_you_mean(names: Iterable[str]) -> str:
    """Return “did you mean …” for an error sentence, empty without names."""
    listed = [f"“{item}”" for item in names]
    if not listed:
        return ""
    *most, last = listed
    return f"; did you mean {', '.join(most) + ' or ' if most else ''}{last}?"


class AppWindow(Struct, frozen=True):
    """A window that can be placed; `fact` says where it was seen (`WindowAt`, or a `ResultRef` in a batch)."""

    id: str
    app: str
    bounds: Bounds
    state: str
    """`normal`, `maximised`, `minimised`, `fullscreen`; where the system arranges windows also `tiled`."""
    fact: Fact
    desktop: str = ""
    """Which of several desktops it stands on; empty where there is only one."""
    title: str = ""
    """What its program calls it: words that a stranger may have written, such as the title of a page."""


class RunningApp(Struct, frozen=True):
    """A running application; two processes with one name are one application with two instances."""

    name: str
    """As the system shows it."""
    id: str
    """As the system launches it, empty when it cannot."""
    fact: Fact
    """`AppRunning`, or a `ResultRef` when an earlier step of the batch opens it."""
    windows: tuple[AppWindow, ...] = ()
    """Front first."""
    new: bool = False
    """An earlier step of the batch opens it: its windows are not there yet."""


class InstalledApp(Struct, frozen=True):
    """An installed application; `fact` (`AppInstalled`) says it is this very one."""

    name: str
    id: str
    fact: Fact


class Apps(Protocol):
    """The reads. In a batch they show everything as the earlier plans would leave it.

    Where windows or monitors cannot be seen, the read that needs them raises `SetupError` with what to do.
    """

    @property
    def exact(self) -> bool:
        """Say whether a name is meant letter for letter; else one that differs in case alone will do (T-98)."""
        ...

    def exactly(self) -> "Apps":
        """Return these reads for names that are meant letter for letter."""
        ...

    async def running(self) -> tuple[RunningApp, ...]:
        """Return the running applications that have a name on the desktop, each name once."""
        ...

    async def installed(self) -> tuple[InstalledApp, ...]:
        """Return what can be launched, by name, from all application folders (T-28)."""
        ...

    async def windows(self, app: str) -> tuple[AppWindow, ...]:
        """Return the windows of a running application, front first."""
        ...

    async def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors; at least one."""
        ...

    async def layouts(self) -> tuple[WindowLayout, ...]:
        """Return the layouts that the person wrote."""
        ...

    async def idle(self) -> float | None:
        """Return for how many seconds nobody has touched keyboard or mouse; None where nobody can tell."""
        ...

    def token(self) -> str:
        """Return a new name that nobody can guess, for what is launched to carry; empty where it cannot."""
        ...
