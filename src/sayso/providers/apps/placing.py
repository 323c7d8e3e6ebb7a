"""Plan where windows go: one window for `app.place`, several for a layout."""

from collections.abc import Sequence

from sayso.core.errors import ProposalError, ProviderError
from sayso.core.plan import CannotUndo, Change
from sayso.providers.apps.geometry import Bounds, Monitor, Side, carried, monitor_called
from sayso.providers.apps.steps import OpenPlaced, Place, PlaceNew
from sayso.providers.apps.store import App, Program, Window

NO_FORMER_PLACE = "a window that was only just opened has no former place; move it by hand"


Target = Bounds | Monitor
"""Where a window is to go: to exact bounds, or onto a monitor with the size it has."""


def target(bounds: Sequence[int] | None, side: Side | None, monitors: Sequence[Monitor]) -> Target:
    """Return where a window is to go; bounds decide (T-96).

    Raises `ProposalError` when neither is given or the bounds have no inside, `ProviderError` when there
    is no such monitor.
    """
    if bounds is not None:
        asked = Bounds(*bounds)
        if not asked.sound:
            raise ProposalError(
                "“bounds” are left, top, right, bottom: right must be greater than left, and bottom greater than top",
                "arguments.bounds",
            )
        return asked
    if side is None:
        raise ProposalError("app.place needs “monitor” or “bounds”", "arguments.missing")
    found = monitor_called(side, monitors)
    if found is None:
        raise ProviderError(
            f"there is only one monitor, so none is “{side}”; use “main”, or give bounds", "monitor.missing"
        )
    return found


def warnings(to: Target, side: Side | None, monitors: Sequence[Monitor]) -> tuple[str, ...]:
    """Return what a person should know when both bounds and monitor were given."""
    if side is None or isinstance(to, Monitor):
        return ()
    found = monitor_called(side, monitors)
    if found is None:
        return (f"there is only one monitor, so none is “{side}”; the bounds decide",)
    if found.bounds.holds_centre_of(to):
        return ()
    return (f"the window's centre will not be on the monitor “{side}”; the bounds decide",)


def place(window: Window, where: Target, monitors: Sequence[Monitor]) -> Change | None:
    """Return the change that puts a window there and knows its way back; None when it is there already."""
    to = carried(window.bounds, monitors, where) if isinstance(where, Monitor) else where
    if window.bounds == to and window.state in {"normal", "tiled"}:
        return None
    return Change(
        Place(window.app, window.id, *_edges(to)),
        undo=Place(window.app, window.id, *_edges(window.bounds), state=window.state, desktop=window.desktop),
        expects=(window.fact,),
    )


def place_new(app: App, to: Target) -> Change:
    """Return the change that places the front window of an application which an earlier step opens."""
    return Change(
        PlaceNew(app.name, *_edges(_area(to)), fit=isinstance(to, Monitor)),
        undo=CannotUndo(NO_FORMER_PLACE),
        expects=(app.fact,),
    )


def open_placed(program: Program, to: Target, token: str) -> Change:
    """Return the change that launches an application of a layout and places its first window."""
    return Change(
        OpenPlaced(program.name, program.id, *_edges(_area(to)), fit=isinstance(to, Monitor), token=token),
        undo=CannotUndo(f"{program.name} stays open; quit it when you no longer need it"),
        expects=(program.fact,),
    )


def words(to: Target) -> str:
    """Return where a window goes as a person reads it."""
    if isinstance(to, Monitor):
        return f"on the monitor “{to.name}”"
    return f"at {to.left}, {to.top}, {to.width} wide and {to.height} high"


def _area(to: Target) -> Bounds:
    return to.bounds if isinstance(to, Monitor) else to


def _edges(bounds: Bounds) -> tuple[int, int, int, int]:
    return bounds.left, bounds.top, bounds.right, bounds.bottom
