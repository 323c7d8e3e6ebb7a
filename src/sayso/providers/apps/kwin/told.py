"""Read what the script in KWin tells into windows and monitors."""

from collections.abc import Collection

import msgspec

from sayso.core.errors import ProviderError
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.linux.screen import Look, Shown

FILLING = "filling"


class Box(msgspec.Struct, frozen=True):
    """A rectangle; where a monitor is scaled, its edges may lie between dots."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def bounds(self) -> Bounds:
        """Return it as bounds."""
        return Bounds(round(self.left), round(self.top), round(self.right), round(self.bottom))


class Told(msgspec.Struct, frozen=True):
    """A window."""

    id: str
    classes: tuple[str, ...]
    pid: int
    bounds: Box
    state: str
    """`filling`: all that windows may fill, as a maximised one does, or one that was only made so large."""
    desktop: str
    closable: bool
    belongs: bool
    here: bool
    """It stands on the desktop that is shown."""
    height: int
    """How many windows it stands above."""
    title: str = ""


class Screen(msgspec.Struct, frozen=True):
    """A monitor."""

    name: str
    bounds: Box
    main: bool


class Answer(msgspec.Struct, frozen=True):
    """What the script said: of a look all but the last two, of a deed nothing or one of these."""

    windows: tuple[Told, ...] = ()
    monitors: tuple[Screen, ...] = ()
    active: str = ""
    gone: bool = False
    """There is no such window."""
    odd: str = ""
    """What went wrong in the script."""


def read(said: str) -> Answer:
    """Return what was said. Raises `ProviderError` for what no script of ours says, and for what went wrong there."""
    try:
        answer = msgspec.json.decode(said, type=Answer)
    except (msgspec.DecodeError, UnicodeEncodeError) as odd:
        raise ProviderError(f"KWin told something that cannot be read: {odd}", "screen.unreadable") from odd
    if answer.odd:
        raise ProviderError(f"KWin could not do it: {answer.odd}", "screen.refused")
    if answer.gone:
        raise ProviderError("the window was closed meanwhile", "window.missing")
    return answer


def look(answer: Answer, maximised: Collection[str]) -> Look:
    """Return windows, those of the desktop that is shown before all others and the front one first, and monitors.

    `maximised` are those that fill all because they are.
    """
    ordered = sorted(answer.windows, key=lambda window: (not window.here, -window.height))
    monitors = tuple(Monitor(screen.name, screen.bounds.bounds, screen.main) for screen in answer.monitors)
    return Look(tuple(_shown(window, maximised) for window in ordered), monitors)


def _shown(window: Told, maximised: Collection[str]) -> Shown:
    filling = "maximised" if window.id in maximised else "normal"
    return Shown(
        window.id,
        tuple(dict.fromkeys(name for name in window.classes if name)),
        window.pid if window.pid > 0 else None,
        window.bounds.bounds,
        filling if window.state == FILLING else window.state,
        window.desktop,
        closable=window.closable,
        belongs=window.belongs,
        title=window.title,
    )
