"""What a model is told of applications, monitors and layouts before it answers (S4-25, S4-38, S4-39, S4-43)."""

from typing import get_args

from sayso.core.canonical import Json
from sayso.core.context import Around, Piece
from sayso.providers.apps.geometry import Monitor, Side, monitor_called
from sayso.providers.apps.store import Apps


async def running(apps: Apps, around: Around) -> tuple[Piece, ...]:
    """Return the names of the running applications."""
    names: list[Json] = [app.name for app in await apps.running()]
    return (Piece("running_apps", "The applications that run now.", names),)


async def installed(apps: Apps, around: Around) -> tuple[Piece, ...]:
    """Return the names of what can be opened, each once."""
    names = sorted({program.name for program in await apps.installed()}, key=lambda name: (name.casefold(), name))
    return (Piece("installed_apps", "The applications that can be opened.", [*names]),)


async def monitors(apps: Apps, around: Around) -> tuple[Piece, ...]:
    """Return where each monitor is, and which words mean it."""
    known = await apps.monitors()
    rows: list[Json] = [_monitor(monitor, known) for monitor in known]
    return (Piece("monitors", "The monitors, in absolute screen coordinates.", rows),)


async def presets(apps: Apps, around: Around) -> tuple[Piece, ...]:
    """Return the names of the person's layouts."""
    names: list[Json] = [preset.name for preset in await apps.presets()]
    return (Piece("presets", "The window layouts that can be activated.", names),)


def _monitor(monitor: Monitor, known: tuple[Monitor, ...]) -> dict[str, Json]:
    called: list[Json] = [side for side in get_args(Side) if monitor_called(side, known) == monitor]
    bounds = monitor.bounds
    return {
        "name": monitor.name,
        "called": called,
        "x": bounds.left,
        "y": bounds.top,
        "width": bounds.width,
        "height": bounds.height,
    }
