"""Plan where windows go: one window, or all the windows of a layout."""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from sayso.core.errors import ProposalError, ProviderError
from sayso.core.plan import Change
from sayso.providers.apps.geometry import (
    Bounds,
    Monitor,
    Side,
    WindowLayout,
    WindowPlacement,
    find_monitor,
    move_to_monitor,
)
from sayso.providers.apps.model import OpenAppPlaced, PlaceNewWindow, PlaceWindow
from sayso.providers.apps.store import Apps, AppWindow, InstalledApp, RunningApp, did_you_mean, suggest_names

Target = Bounds | Monitor
"""Where a window is to go: to exact bounds, or onto a monitor with the size it has."""


def target(bounds: Sequence[int] | None, side: Side | None, monitors: Sequence[Monitor]) -> Target:
    """Return where a window is to go; bounds come before a monitor (T-96).

    Raises `ProposalError` when neither is given or the bounds have no inside, `ProviderError` when there
    is no such monitor.
    """
    if bounds is not None:
        asked = Bounds(*bounds)
        if not asked.is_valid:
            raise ProposalError(
                "“bounds” are left, top, right, bottom: right must be greater than left, and bottom greater than top",
                "arguments.bounds",
            )
        return asked
    if side is None:
        raise ProposalError("app.place needs “monitor” or “bounds”", "arguments.missing")
    found = find_monitor(side, monitors)
    if found is None:
        raise ProviderError(
            f"there is only one monitor, so none is “{side}”; use “main”, or give bounds", "monitor.missing"
        )
    return found


def placement_warnings(to: Target, side: Side | None, monitors: Sequence[Monitor]) -> tuple[str, ...]:
    """Return what to tell the person when bounds and monitor were both given and do not agree."""
    if side is None or isinstance(to, Monitor):
        return ()
    found = find_monitor(side, monitors)
    if found is None:
        return (f"there is only one monitor, so none is “{side}”; the bounds decide",)
    if found.bounds.holds_centre_of(to):
        return ()
    return (f"the window's centre will not be on the monitor “{side}”; the bounds decide",)


def place_window(window: AppWindow, where: Target, monitors: Sequence[Monitor]) -> Change | None:
    """Return the change that puts a window there; None when it is there already."""
    to = move_to_monitor(window.bounds, monitors, where) if isinstance(where, Monitor) else where
    if window.bounds == to and window.state in {"normal", "tiled"}:
        return None
    step = PlaceWindow(window.app, window.id, *to.edges)
    return Change(step, undo=step.way_back(window), expects=(window.fact,))


def place_new(app: RunningApp, to: Target) -> Change:
    """Return the change that places the front window of an application which an earlier step opens."""
    step = PlaceNewWindow(app.name, *_area(to).edges, fit=isinstance(to, Monitor))
    return Change(step, undo=step.way_back(), expects=(app.fact,))


def open_placed(program: InstalledApp, to: Target, token: str) -> Change:
    """Return the change that launches an application of a layout and places its first window."""
    step = OpenAppPlaced(program.name, program.id, *_area(to).edges, fit=isinstance(to, Monitor), token=token)
    return Change(step, undo=step.way_back(), expects=(program.fact,))


def describe_target(to: Target) -> str:
    """Return in words where a window goes."""
    if isinstance(to, Monitor):
        return f"on the monitor “{to.name}”"
    return f"at {to.left}, {to.top}, {to.width} wide and {to.height} high"


def _area(to: Target) -> Bounds:
    return to.bounds if isinstance(to, Monitor) else to


class LayoutPlan(Struct, frozen=True):
    """The changes of a layout, and which applications they place, need not place and cannot place."""

    changes: tuple[Change, ...]
    placed: tuple[str, ...]
    already: tuple[str, ...]
    not_placed: tuple[tuple[str, str], ...]
    """Application and reason."""


class _Situation(Struct, frozen=True):
    running: dict[str, RunningApp]
    installed: dict[str, list[InstalledApp]]
    monitors: tuple[Monitor, ...]


async def plan_layout(apps: Apps, layout: WindowLayout) -> LayoutPlan:
    """Plan each placement of a layout; one that is impossible does not stop the others."""
    by_name: dict[str, list[InstalledApp]] = {}
    for program in await apps.installed():
        by_name.setdefault(program.name, []).append(program)
    world = _Situation(
        {app.name: app for app in await apps.running()},
        by_name,
        await apps.monitors(),
    )
    changes: list[Change] = []
    placed: list[str] = []
    already: list[str] = []
    not_placed: list[tuple[str, str]] = []
    turns: Counter[str] = Counter()
    for placement in layout.placements:
        turn = turns[placement.app_name]
        turns[placement.app_name] += 1
        try:
            change = await _placement(apps, world, placement, turn)
        except ProviderError as impossible:
            not_placed.append((placement.app_name, str(impossible)))
            continue
        (placed if change else already).append(placement.app_name)
        changes += [change] if change else []
    return LayoutPlan(tuple(changes), tuple(placed), tuple(already), tuple(not_placed))


async def _placement(apps: Apps, world: _Situation, placement: WindowPlacement, turn: int) -> Change | None:
    name = placement.app_name
    only_opened = placement.bounds is None and placement.monitor is None
    to = target(placement.bounds, placement.monitor or "main", world.monitors)
    app = world.running.get(name)
    if app is None:
        return open_placed(_launchable(world, placement, turn), to, apps.token())
    if only_opened:
        return None
    if app.new:
        return place_new(app, to)
    windows = await apps.windows(app.name)
    if turn >= len(windows):
        raise ProviderError(_too_few(name, len(windows)), "window.missing")
    return place_window(windows[turn], to, world.monitors)


def _launchable(world: _Situation, placement: WindowPlacement, turn: int) -> InstalledApp:
    name = placement.app_name
    programs = world.installed.get(name)
    if not programs:
        hint = did_you_mean(suggest_names(name, (*world.running, *world.installed)))
        raise ProviderError(f"no application is called “{name}”{hint}", "app.unknown")
    if not placement.launch:
        raise ProviderError(f"{name} is not running", "app.not_running")
    if turn:
        raise ProviderError(f"{name} is only being opened; it has one window", "window.missing")
    if len(programs) > 1:
        ids = ", ".join(program.id for program in programs)
        raise ProviderError(
            f"{len(programs)} applications are called “{name}” ({ids}); open it by hand", "app.ambiguous"
        )
    return programs[0]


def _too_few(name: str, count: int) -> str:
    if count == 0:
        return f"{name} has no window"
    return f"{name} has only {count} window" + ("s" if count > 1 else "")
