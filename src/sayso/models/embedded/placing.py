"""Work out the bounds of a window from the monitors of the context (S4-26)."""

from collections.abc import Mapping, Sequence
from typing import cast

from sayso.core.canonical import Json
from sayso.models.embedded.world import Monitor, Scene, World

_CORNERS = 4


def half(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return the half of a monitor that was said; None where no monitor is known."""
    monitor = _monitor(said, scene.world)
    if monitor is None:
        return None
    left, top, right, bottom = _whole(monitor)
    across, down = left + monitor.width // 2, top + monitor.height // 2
    match said.get("side"):
        case "left":
            return [left, top, across, bottom]
        case "right":
            return [across, top, right, bottom]
        case "top":
            return [left, top, right, down]
        case _:
            return [left, down, right, bottom]


def whole(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return all of a monitor."""
    monitor = _monitor(said, scene.world)
    return None if monitor is None else _whole(monitor)


def middle(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return the middle of a monitor, of the size that was said."""
    monitor = _monitor(said, scene.world)
    if monitor is None:
        return None
    width, height = cast("Sequence[int]", said["size"])
    left, top = monitor.x + (monitor.width - width) // 2, monitor.y + (monitor.height - height) // 2
    return [left, top, left + width, top + height]


def _whole(monitor: Monitor) -> list[int]:
    return [monitor.x, monitor.y, monitor.x + monitor.width, monitor.y + monitor.height]


def _monitor(said: Mapping[str, Json], world: World) -> Monitor | None:
    """Return the monitor that was said, else the one the window is on, else the main one."""
    if "monitor" in said:
        return next((one for one in world.monitors if said["monitor"] in one.called), None)
    under = _under(str(said.get("app", "")), world)
    return under or next((one for one in world.monitors if "main" in one.called), None)


def _under(app: str, world: World) -> Monitor | None:
    bounds = next((one.bounds for one in world.windows if one.app == app and len(one.bounds) == _CORNERS), None)
    if bounds is None:
        return None
    across, down = (bounds[0] + bounds[2]) // 2, (bounds[1] + bounds[3]) // 2
    return next((one for one in world.monitors if _holds(one, across, down)), None)


def _holds(monitor: Monitor, across: int, down: int) -> bool:
    return 0 <= across - monitor.x < monitor.width and 0 <= down - monitor.y < monitor.height
