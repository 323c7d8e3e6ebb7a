"""Rectangles of windows and monitors, and the person's window layouts."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.quotes import quoted

Side = Literal["main", "left", "right"]


class Bounds(Struct, frozen=True):
    """A rectangle; `right` and `bottom` are just outside of it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Return the width."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Return the height."""
        return self.bottom - self.top

    @property
    def edges(self) -> tuple[int, int, int, int]:
        """Return left, top, right and bottom."""
        return self.left, self.top, self.right, self.bottom

    @property
    def is_valid(self) -> bool:
        """Return whether the rectangle has a positive width and height."""
        return self.right > self.left and self.bottom > self.top

    def holds_centre_of(self, other: "Bounds") -> bool:
        """Return whether the centre of `other` is inside this rectangle."""
        across, down = other.left + other.right, other.top + other.bottom
        return 2 * self.left <= across < 2 * self.right and 2 * self.top <= down < 2 * self.bottom


class Monitor(Struct, frozen=True):
    """One monitor: its name as the system shows it, its bounds, and whether it is the main monitor."""

    name: str
    bounds: Bounds
    main: bool = False


def find_monitor(side: Side, monitors: Sequence[Monitor]) -> Monitor | None:
    """Return the main, leftmost or rightmost monitor; None if there is none.

    If there is only one monitor, it is neither the left nor the right one (T-104).
    """
    if side == "main":
        return next((monitor for monitor in monitors if monitor.main), monitors[0] if monitors else None)
    ordered = sorted(monitors, key=lambda monitor: (monitor.bounds.left, monitor.bounds.top))
    if len(ordered) <= 1:
        return None
    return ordered[0] if side == "left" else ordered[-1]


def fit_within(window: Bounds, into: Bounds) -> Bounds:
    """Return `window` moved by the smallest distance so that it is inside `into`; shrink it only if it is too large."""
    width, height = min(window.width, into.width), min(window.height, into.height)
    left = min(max(window.left, into.left), into.right - width)
    top = min(max(window.top, into.top), into.bottom - height)
    return Bounds(left, top, left + width, top + height)


def move_to_monitor(window: Bounds, monitors: Sequence[Monitor], to: Monitor) -> Bounds:
    """Return the bounds of `window` on monitor `to`, fitted inside it.

    If there is room, the window is as far from the top left corner of `to` as it now is from that of its own monitor.
    """
    at = next((monitor for monitor in monitors if monitor.bounds.holds_centre_of(window)), None)
    if at is None or at == to:
        return fit_within(window, to.bounds)
    right, down = to.bounds.left - at.bounds.left, to.bounds.top - at.bounds.top
    moved = Bounds(window.left + right, window.top + down, window.right + right, window.bottom + down)
    return fit_within(moved, to.bounds)


Name = Annotated[str, msgspec.Meta(min_length=1)]
Four = Annotated[tuple[int, ...], msgspec.Meta(min_length=4, max_length=4)]


class WindowPlacement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the window of one application is placed in a layout.

    If `launch` is true, the application is opened if it is not running. If nothing else is given, no window is placed.
    """

    app_name: Name
    monitor: Side | None = None
    bounds: Four | None = None
    launch: bool | None = None


class WindowLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named layout; if an application is listed twice, its second window is placed too."""

    name: Name
    placements: tuple[WindowPlacement, ...] = ()


def parse_layouts(settings: Mapping[str, Json]) -> tuple[WindowLayout, ...]:
    """Return the layouts listed as `preset` in the settings (T-101).

    Raises `SetupError` that names the invalid part.
    """
    try:
        presets = msgspec.convert(settings.get("preset", ()), tuple[WindowLayout, ...], from_attributes=True)
    except msgspec.ValidationError as error:
        raise SetupError(f"a [[preset]] in the settings is wrong: {error}", "config.preset") from error
    names = [preset.name for preset in presets]
    for preset in presets:
        if names.count(preset.name) > 1:
            raise SetupError(f"two presets are called {quoted(preset.name)}; rename one", "config.preset")
        for placement in preset.placements:
            _check(preset.name, placement)
    return presets


def _check(name: str, placement: WindowPlacement) -> None:
    where = f"preset {quoted(name)}, {placement.app_name}"
    if placement.monitor is None and placement.bounds is None and not placement.launch:
        raise SetupError(f"{where}: give a monitor or bounds", "config.preset")
    if placement.bounds is not None and not Bounds(*placement.bounds).is_valid:
        raise SetupError(
            f"{where}: bounds are left, top, right, bottom, with right beyond left and bottom below top",
            "config.preset",
        )
