"""Where windows and monitors are, and what fits where: plain arithmetic in absolute screen coordinates."""

from collections.abc import Sequence
from typing import Literal

from sayso.core.values import dataclass

Side = Literal["main", "left", "right"]


@dataclass(frozen=True, slots=True)
class Bounds:
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
    def sound(self) -> bool:
        """Say whether it has an inside."""
        return self.right > self.left and self.bottom > self.top

    def holds_centre_of(self, other: "Bounds") -> bool:
        """Say whether the centre of `other` lies within."""
        across, down = other.left + other.right, other.top + other.bottom
        return 2 * self.left <= across < 2 * self.right and 2 * self.top <= down < 2 * self.bottom


@dataclass(frozen=True, slots=True)
class Monitor:
    """One monitor: its name as the system shows it, where it is, and whether it is the main one."""

    name: str
    bounds: Bounds
    main: bool = False


def monitor_called(side: Side, monitors: Sequence[Monitor]) -> Monitor | None:
    """Return the monitor meant: `main`, or the leftmost or rightmost by position.

    None where there is none: with one monitor nothing is left or right of anything (T-104).
    """
    if side == "main":
        return next((monitor for monitor in monitors if monitor.main), monitors[0] if monitors else None)
    ordered = sorted(monitors, key=lambda monitor: (monitor.bounds.left, monitor.bounds.top))
    if len(ordered) <= 1:
        return None
    return ordered[0] if side == "left" else ordered[-1]


def fitted(window: Bounds, into: Bounds) -> Bounds:
    """Return `window` with its size kept as far as `into` allows, moved the least way until it lies within."""
    width, height = min(window.width, into.width), min(window.height, into.height)
    left = min(max(window.left, into.left), into.right - width)
    top = min(max(window.top, into.top), into.bottom - height)
    return Bounds(left, top, left + width, top + height)


def carried(window: Bounds, monitors: Sequence[Monitor], to: Monitor) -> Bounds:
    """Return where `window` goes on monitor `to`: as far from its corner as it was on its own one, fitted in."""
    at = next((monitor for monitor in monitors if monitor.bounds.holds_centre_of(window)), None)
    if at is None or at == to:
        return fitted(window, to.bounds)
    right, down = to.bounds.left - at.bounds.left, to.bounds.top - at.bounds.top
    moved = Bounds(window.left + right, window.top + down, window.right + right, window.bottom + down)
    return fitted(moved, to.bounds)
