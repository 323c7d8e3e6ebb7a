"""The operations on applications and windows: list, open, activate, quit, place, and layouts."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from sayso.core.errors import Candidate, ProposalError, ProviderError
from sayso.core.operation import operation
from sayso.core.plan import Answer, Change, Plan
from sayso.core.quotes import quoted
from sayso.core.schema import Line
from sayso.providers.apps.geometry import (
    Bounds,
    Monitor,
    Side,
    WindowLayout,
    WindowPlacement,
    find_monitor,
    move_to_monitor,
)
from sayso.providers.apps.model import (
    NO_WAY_BACK_TO_FRONT,
    ActivateApp,
    OpenApp,
    OpenAppPlaced,
    PlaceNewWindow,
    PlaceWindow,
    QuitApp,
)
from sayso.providers.apps.store import (
    Apps,
    AppWindow,
    InstalledApp,
    RunningApp,
    did_you_mean,
    match_name,
    suggest_names,
)

Target = Bounds | Monitor
"""The target of a window: exact bounds, or a monitor on which the window keeps its size if that fits."""


def _check_bounds(name: str, bounds: Sequence[int]) -> None:
    if not Bounds(*bounds).is_valid:
        raise ProposalError(
            (
                f"{quoted(name)} are left, top, right, bottom: right must be "
                "greater than left, and bottom greater than top"
            ),
            "arguments.bounds",
        )


def target(bounds: Sequence[int] | None, side: Side | None, monitors: Sequence[Monitor]) -> Target:
    """Return the target of a window; bounds have precedence over a monitor (T-96).

    Raises `ProposalError` if neither is given or the bounds are empty, and `ProviderError` if there is no such monitor.
    """
    if bounds is not None:
        _check_bounds("bounds", bounds)
        return Bounds(*bounds)
    if side is None:
        raise ProposalError("app.place needs “monitor” or “bounds”", "arguments.missing")
    found = find_monitor(side, monitors)
    if found is None:
        raise ProviderError(
            f"there is only one monitor, so none is {quoted(side)}; use “main”, or give bounds", "monitor.missing"
        )
    return found


def placement_warnings(to: Target, side: Side | None, monitors: Sequence[Monitor]) -> tuple[str, ...]:
    """Return a warning for the person if both bounds and a monitor were given and they disagree."""
    if side is None or isinstance(to, Monitor):
        return ()
    found = find_monitor(side, monitors)
    if found is None:
        return (f"there is only one monitor, so none is {quoted(side)}; the bounds decide",)
    if found.bounds.holds_centre_of(to):
        return ()
    return (f"the window's centre will not be on the monitor {quoted(side)}; the bounds decide",)


def place_window(window: AppWindow, where: Target, monitors: Sequence[Monitor]) -> Change | None:
    """Return the change that moves a window to the target; None if it is already there."""
    to = move_to_monitor(window.bounds, monitors, where) if isinstance(where, Monitor) else where
    if window.bounds == to and window.state in {"normal", "tiled"}:
        return None
    step = PlaceWindow(window.app, window.id, *to.edges)
    return Change(step, undo=step.way_back(window), expects=(window.fact,))


def place_new(app: RunningApp, to: Target) -> Change:
    """Return the change that places the front window of an application that an earlier step opens."""
    step = PlaceNewWindow(app.name, *_area(to).edges, fit=isinstance(to, Monitor))
    return Change(step, undo=step.way_back(), expects=(app.fact,))


def open_placed(program: InstalledApp, to: Target, token: str) -> Change:
    """Return the change that launches an application of a layout and places its first window."""
    step = OpenAppPlaced(program.name, program.id, *_area(to).edges, fit=isinstance(to, Monitor), token=token)
    return Change(step, undo=step.way_back(), expects=(program.fact,))


def describe_target(to: Target) -> str:
    """Return the target of a window in words."""
    if isinstance(to, Monitor):
        return f"on the monitor {quoted(to.name)}"
    return f"at {to.left}, {to.top}, {to.width} wide and {to.height} high"


def _area(to: Target) -> Bounds:
    return to.bounds if isinstance(to, Monitor) else to


class LayoutPlan(Struct, frozen=True):
    """The changes of a layout, and the applications that are placed, are in place already, or cannot be placed."""

    changes: tuple[Change, ...]
    placed: tuple[str, ...]
    already: tuple[str, ...]
    not_placed: tuple[tuple[str, str], ...]
    """Each application that cannot be placed, with the reason."""


class _Situation(Struct, frozen=True):
    running: dict[str, RunningApp]
    installed: dict[str, list[InstalledApp]]
    monitors: tuple[Monitor, ...]


async def plan_layout(apps: Apps, layout: WindowLayout) -> LayoutPlan:
    """Return the planned placements of a layout; an impossible placement does not prevent the others."""
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
        return open_placed(_find_program(world, placement, turn), to, apps.token())
    if only_opened:
        return None
    if app.new:
        return place_new(app, to)
    windows = await apps.windows(app.name)
    if turn >= len(windows):
        raise ProviderError(_too_few(name, len(windows)), "window.missing")
    return place_window(windows[turn], to, world.monitors)


def _find_program(world: _Situation, placement: WindowPlacement, turn: int) -> InstalledApp:
    name = placement.app_name
    programs = world.installed.get(name)
    if not programs:
        hint = did_you_mean(suggest_names(name, (*world.running, *world.installed)))
        raise ProviderError(f"no application is called {quoted(name)}{hint}", "app.unknown")
    if not placement.launch:
        raise ProviderError(f"{name} is not running", "app.not_running")
    if turn:
        raise ProviderError(f"{name} is only being opened; it has one window", "window.missing")
    if len(programs) > 1:
        ids = ", ".join(program.id for program in programs)
        raise ProviderError(
            f"{len(programs)} applications are called {quoted(name)} ({ids}); open it by hand", "app.ambiguous"
        )
    return programs[0]


def _too_few(name: str, count: int) -> str:
    if count == 0:
        return f"{name} has no window"
    return f"{name} has only {count} window" + ("s" if count > 1 else "")


AppName = Annotated[Line, Meta(description="The name of a running or installed application, as the system shows it.")]
Edge = Annotated[int, Meta(ge=-32768, le=32767)]
Edges = Annotated[
    list[Edge],
    Meta(
        min_length=4,
        max_length=4,
        description="[left, top, right, bottom] in absolute screen coordinates.",
        extra={"check": _check_bounds},
    ),
]


@operation("app.list", kind="read", asks="none")
async def list_apps(apps: Apps) -> Answer:
    """List the running applications and where their windows are."""
    running = await apps.running()
    names = [app.name for app in running]
    windows = [
        {
            "app": window.app,
            "id": window.id,
            "bounds": [window.bounds.left, window.bounds.top, window.bounds.right, window.bounds.bottom],
            "state": window.state,
        }
        for app in running
        for window in app.windows
    ]
    text = "\n".join(names) or "no application is running"
    return Answer(f"Listed {_count(len(names), 'running application')}", {"apps": names, "windows": windows}, text)


@operation("app.open", kind="write", asks="none")
async def open_app(apps: Apps, name: AppName) -> Plan:
    """Launch an application, or bring it to the front when it runs."""
    app, program = await _find_application(apps, name)
    if app is None:
        return _opening(apps, await _require_launchable(apps, name, program), "Opened")
    change = Change(OpenApp(app.name, app.id), undo=NO_WAY_BACK_TO_FRONT, expects=(app.fact,))
    return Plan(f"Bring {quoted(app.name)} to the front", (change,), said_when_done=f"Opened {app.name}")


@operation("app.activate", kind="write", asks="none")
async def activate(
    apps: Apps,
    name: AppName,
    *,
    launch_if_needed: Annotated[bool, Meta(description="Launch it when it does not run.")] = False,
) -> Plan:
    """Bring a running application to the front."""
    app, program = await _find_application(apps, name)
    if app is not None:
        change = Change(ActivateApp(app.name), undo=NO_WAY_BACK_TO_FRONT, expects=(app.fact,))
        return Plan(f"Bring {quoted(app.name)} to the front", (change,), said_when_done=f"Activated {app.name}")
    if launch_if_needed:
        return _opening(apps, await _require_launchable(apps, name, program), "Activated")
    if program is None:
        raise await _unknown(apps, name)
    raise ProviderError(f"{program.name} is not running", "app.not_running")


@operation("app.quit", kind="write", asks="none")
async def quit_app(apps: Apps, name: AppName) -> Plan:
    """Ask an application to quit; it may ask about unsaved work."""
    app, program = await _find_application(apps, name)
    if app is None:
        names = await _known_names(apps)
        if program is None and (apps.exact or suggest_names(name, names)):
            raise await _unknown(apps, name)
        return Plan(f"{program.name if program else name} was not running")
    step = QuitApp(app.name)
    change = Change(step, undo=step.way_back(), expects=(app.fact,))
    return Plan(f"Quit {quoted(app.name)}", (change,), said_when_done=f"Quit {app.name}")


@operation("app.place", kind="write", asks="none", version=2)
async def place(
    apps: Apps,
    name: AppName,
    monitor: Annotated[Side | None, Meta(description="The monitor to move the window to.")] = None,
    bounds: Edges | None = None,
    window: Annotated[
        Line | None, Meta(description="Which window: its id as app.list tells it, or part of its title.")
    ] = None,
) -> Plan:
    """Move a window of an application, the front one if none is named, to a monitor or to exact bounds."""
    monitors = await apps.monitors()
    to = target(bounds, monitor, monitors)
    warns = placement_warnings(to, monitor, monitors)
    app, program = await _find_application(apps, name)
    if app is None:
        if program is None:
            raise await _unknown(apps, name)
        raise ProviderError(f"{program.name} is not running, so it has no window to place", "app.not_running")
    summary, said = f"Place {quoted(app.name)} {describe_target(to)}", f"Placed {app.name}"
    if app.new:
        if window is not None:
            raise ProviderError(
                f"{app.name} is opened by an earlier action, so none of its windows is known yet", "window.missing"
            )
        return Plan(summary, (place_new(app, to),), said_when_done=said, warns=warns)
    windows = await apps.windows(app.name)
    if not windows:
        raise ProviderError(f"{app.name} has no window to place", "window.missing")
    chosen = windows[0] if window is None else choose_window(window, windows)
    change = place_window(chosen, to, monitors)
    if change is None:
        return Plan(f"The window of {quoted(app.name)} is there already", warns=warns)
    # Strangers may have written the title; only the person sees a preview.
    titled = f"The window {quoted(' '.join(chosen.title.split())[:MOST_TITLE])}" if len(windows) > 1 else ""
    return Plan(summary, (change,), said_when_done=said, warns=warns, preview=titled)


MOST_TITLE = 200


def choose_window(named: str, windows: Sequence[AppWindow]) -> AppWindow:
    """Return the window with this id, or the only one whose title has this text in it, in any case.

    Raises `ProviderError`, which tells the windows by place and size: strangers may have written their titles.
    """
    found = [one for one in windows if one.id == named]
    found = found or [one for one in windows if named.casefold() == one.title.casefold()]
    found = found or [one for one in windows if named.casefold() in one.title.casefold()]
    if len(found) == 1:
        return found[0]
    app, several = windows[0].app, found or windows
    known = tuple(Candidate(one.app, one.id, _describe_place(one)) for one in several)
    listed = "; ".join(f"{one.id} is {_describe_place(one)}" for one in several)
    if found:
        raise ProviderError(
            f"{len(found)} windows of {app} have {quoted(named)} in their titles: {listed}", "window.many", known
        )
    raise ProviderError(f"no window of {app} has {quoted(named)} in its title: {listed}", "window.unknown", known)


def _describe_place(window: AppWindow) -> str:
    edges = window.bounds
    size = f"{edges.right - edges.left}×{edges.bottom - edges.top} at {edges.left}, {edges.top}"
    return size if window.state == "normal" else f"{size}, {window.state}"


@operation("layout.activate", kind="write", asks="none")
async def activate_layout(
    apps: Apps, preset: Annotated[Line, Meta(description="The exact name of a layout in the settings.")]
) -> Plan:
    """Place the windows of several applications as a named layout says."""
    layouts = {layout.name: layout for layout in await apps.layouts()}
    if preset not in layouts:
        listed = ", ".join(quoted(name) for name in layouts)
        there = f"there are {listed}" if listed else "the settings hold none; add a [[preset]] to config.toml"
        known = tuple(Candidate(name) for name in dict.fromkeys((*suggest_names(preset, layouts), *layouts)))
        raise ProviderError(f"no layout is called {quoted(preset)}; {there}", "preset.unknown", known)
    layout = await plan_layout(apps, layouts[preset])
    reasons = tuple(f"{app}: {why}" for app, why in layout.not_placed)
    data = {
        "placed": list(layout.placed),
        "already": list(layout.already),
        "not_placed": [{"app": app, "why": why} for app, why in layout.not_placed],
    }
    if not layout.changes:
        if reasons and not layout.already:
            raise ProviderError(
                f"nothing of the layout {quoted(preset)} could be placed: {'; '.join(reasons)}", "preset"
            )
        rest = f" as far as it can be ({'; '.join(reasons)})" if reasons else ""
        return Plan(f"The layout {quoted(preset)} is in place already{rest}", data=data)
    said = f"Activated layout {quoted(preset)}: placed {', '.join(layout.placed)}"
    said += f"; not placed: {'; '.join(reasons)}" if reasons else ""
    summary = f"Activate layout {quoted(preset)}: place {', '.join(layout.placed)}"
    return Plan(summary, layout.changes, said_when_done=said, on_failure="go on", warns=reasons, data=data)


def _opening(apps: Apps, program: InstalledApp, verb: str) -> Plan:
    step = OpenApp(program.name, program.id, apps.token())
    change = Change(step, undo=step.way_back(), expects=(program.fact,))
    return Plan(f"Launch {quoted(program.name)}", (change,), said_when_done=f"{verb} {program.name}")


async def _find_application(apps: Apps, name: str) -> tuple[RunningApp | None, InstalledApp | None]:
    """Return the running application with this name, else the installed one; (None, None) if there is neither.

    An exact name, running or installed, has precedence over a name that differs only in case. A name that differs in
    case is accepted only if names need not be exact (T-98).
    """
    running = {app.name: app for app in await apps.running()}
    installed = {program.name: program for program in await apps.installed()}
    real = match_name(name, (*running, *installed), exact=apps.exact)
    return running.get(real or ""), installed.get(real or "")


async def _require_launchable(apps: Apps, name: str, program: InstalledApp | None) -> InstalledApp:
    if program is None:
        raise await _unknown(apps, name)
    same = [other for other in await apps.installed() if other.name == program.name]
    if len(same) > 1:
        ids = ", ".join(other.id for other in same)
        raise ProviderError(
            f"{len(same)} applications are called {quoted(program.name)} ({ids}); open it by hand",
            "app.ambiguous",
            tuple(Candidate(other.name, where=other.id) for other in same),
        )
    return program


async def _known_names(apps: Apps) -> tuple[str, ...]:
    return (*[app.name for app in await apps.running()], *[program.name for program in await apps.installed()])


async def _unknown(apps: Apps, name: str) -> ProviderError:
    close = suggest_names(name, await _known_names(apps))
    return ProviderError(
        f"no application is called {quoted(name)}{did_you_mean(close)}",
        "app.unknown",
        tuple(Candidate(one) for one in close),
    )


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" + ("" if number == 1 else "s")
