"""Geometry of windows and monitors, and the person's own layouts."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import SetupError

Side = Literal["main", "left", "right"]


class Bounds(Struct, frozen=True):
    """A rectangle; the right and bottom edges lie just outside it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Return how wide it is."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Return how high it is."""
        return self.bottom - self.top

    @property
    def edges(self) -> tuple[int, int, int, int]:
        """Return left, top, right and bottom."""
        return self.left, self.top, self.right, self.bottom

    @property
    def is_valid(self) -> bool:
        """Say whether it has an inside."""
        return self.right > self.left and self.bottom > self.top

    def holds_centre_of(self, other: "Bounds") -> bool:
        """Say whether the centre of `other` lies within."""
        across, down = other.left + other.right, other.top + other.bottom
        return 2 * self.left <= across < 2 * self.right and 2 * self.top <= down < 2 * self.bottom


class Monitor(Struct, frozen=True):
    """One monitor: its name as the system shows it, where it is, and whether it is the main one."""

    name: str
    bounds: Bounds
    main: bool = False


def find_monitor(side: Side, monitors: Sequence[Monitor]) -> Monitor | None:
    """Return the main monitor, or the leftmost or rightmost one; None where there is none.

    With a single monitor none is left or right of another (T-104).
    """
    if side == "main":
        return next((monitor for monitor in monitors if monitor.main), monitors[0] if monitors else None)
    ordered = sorted(monitors, key=lambda monitor: (monitor.bounds.left, monitor.bounds.top))
    if len(ordered) <= 1:
        return None
    return ordered[0] if side == "left" else ordered[-1]


def fit_within(window: Bounds, into: Bounds) -> Bounds:
    """Return `window` moved as little as possible until it lies within `into`, and made smaller only if it must be."""
    width, height = min(window.width, into.width), min(window.height, into.height)
    left = min(max(window.left, into.left), into.right - width)
    top = min(max(window.top, into.top), into.bottom - height)
    return Bounds(left, top, left + width, top + height)


def move_to_monitor(window: Bounds, monitors: Sequence[Monitor], to: Monitor) -> Bounds:
    """Return where `window` goes on monitor `to`: as far from the corner as on its own monitor, and fitted in."""
    at = next((monitor for monitor in monitors if monitor.bounds.holds_centre_of(window)), None)
    if at is None or at == to:
        return fit_within(window, to.bounds)
    right, down = to.bounds.left - at.bounds.left, to.bounds.top - at.bounds.top
    moved = Bounds(window.left + right, window.top + down, window.right + right, window.bottom + down)
    return fit_within(moved, to.bounds)


Name = Annotated[str, msgspec.Meta(min_length=1)]
Four = Annotated[tuple[int, ...], msgspec.Meta(min_length=4, max_length=4)]


class WindowPlacement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where one application's window goes; with `launch` the application is opened when it does not run.

    With `launch` alone it is only opened.
    """

    app_name: Name
    monitor: Side | None = None
    bounds: Four | None = None
    launch: bool | None = None


class WindowLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named layout; an application listed twice means its second window as well."""

    name: Name
    placements: tuple[WindowPlacement, ...] = ()


def parse_layouts(settings: Mapping[str, Json]) -> tuple[WindowLayout, ...]:
    """Return the layouts that the settings list as `preset` (T-101). Raises `SetupError` that names what is wrong."""
    try:
        presets = msgspec.convert(settings.get("preset", ()), tuple[WindowLayout, ...], from_attributes=True)
    except msgspec.ValidationError as error:
        raise SetupError(f"a [[preset]] in the settings is wrong: {error}", "config.preset") from error
    names = [preset.name for preset in presets]
    for preset in presets:
        if names.count(preset.name) > 1:
            raise SetupError(f"two presets are called “{preset.name}”; rename one", "config.preset")
        for placement in preset.placements:
            _check(preset.name, placement)
    return presets


def _check(name: str, placement: WindowPlacement) -> None:
    where = f"preset “{name}”, {placement.app_name}"
    if placement.monitor is None and placement.bounds is None and not placement.launch:
        raise SetupError(f"{where}: give a monitor or bounds", "config.preset")
    if placement.bounds is not None and not Bounds(*placement.bounds).is_valid:
        raise SetupError(
            f"{where}: bounds are left, top, right, bottom, with right beyond left and bottom below top",
            "config.preset",
        )
