"""The context about applications, windows, monitors and layouts that a model is shown."""

from typing import get_args

from sayso.core.conversation import ContextLimits, ContextPiece
from sayso.core.encoding import Json
from sayso.providers.apps.geometry import Monitor, Side, find_monitor
from sayso.providers.apps.store import Apps, AppWindow

MOST_WINDOWS = 100
"""The most windows that are listed, those of the front applications first."""
LONGEST_TITLE = 200
"""The most characters of a window's title that are shown."""
UNKNOWN = "unknown"
WINDOWS = "The windows, those of each application front first; “bounds” are left, top, right and bottom."
IDLE = "For how long nobody has touched keyboard or mouse."


async def running(apps: Apps, limits: ContextLimits) -> tuple[ContextPiece, ...]:
    """Return the names of the running applications, and for how long keyboard and mouse have been idle."""
    names: list[Json] = [app.name for app in await apps.running()]
    seconds = await apps.idle()
    idle = UNKNOWN if seconds is None else f"{int(seconds)} seconds"
    return (
        ContextPiece("running_apps", "The applications that run now.", names, ours=True),
        ContextPiece("idle", IDLE, [idle], ours=True),
    )


async def windows(apps: Apps, limits: ContextLimits) -> tuple[ContextPiece, ...]:
    """Return the bounds and the title of each window; strangers may have written the title."""
    found = [window for app in await apps.running() for window in app.windows]
    rows: list[Json] = [_window(window) for window in found[:MOST_WINDOWS]]
    more = len(found) - len(rows)
    return (ContextPiece("windows", WINDOWS, rows, left_out=f"{more} more windows are not shown" if more else ""),)


async def installed_names(apps: Apps, limits: ContextLimits) -> tuple[ContextPiece, ...]:
    """Return the names of the applications that can be opened, each once."""
    names = sorted({program.name for program in await apps.installed()}, key=lambda name: (name.casefold(), name))
    return (ContextPiece("installed_apps", "The applications that can be opened.", [*names], ours=True),)


async def monitors(apps: Apps, limits: ContextLimits) -> tuple[ContextPiece, ...]:
    """Return the bounds of each monitor, and the words by which a proposal can name it."""
    known = await apps.monitors()
    rows: list[Json] = [_monitor(monitor, known) for monitor in known]
    return (ContextPiece("monitors", "The monitors, in absolute screen coordinates.", rows, ours=True),)


async def presets(apps: Apps, limits: ContextLimits) -> tuple[ContextPiece, ...]:
    """Return the names of the person's layouts."""
    names: list[Json] = [preset.name for preset in await apps.layouts()]
    return (ContextPiece("presets", "The window layouts that can be activated.", names, ours=True),)


def _window(window: AppWindow) -> dict[str, Json]:
    bounds = window.bounds
    edges: list[Json] = [bounds.left, bounds.top, bounds.right, bounds.bottom]
    row: dict[str, Json] = {"app": window.app, "id": window.id, "title": window.title[:LONGEST_TITLE], "bounds": edges}
    return row if window.state == "normal" else {**row, "state": window.state}


def _monitor(monitor: Monitor, known: tuple[Monitor, ...]) -> dict[str, Json]:
    called: list[Json] = [side for side in get_args(Side) if find_monitor(side, known) == monitor]
    bounds = monitor.bounds
    return {
        "name": monitor.name,
        "called": called,
        "x": bounds.left,
        "y": bounds.top,
        "width": bounds.width,
        "height": bounds.height,
    }
