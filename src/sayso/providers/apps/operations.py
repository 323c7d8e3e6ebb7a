"""The operations on applications and windows: list, open, activate, quit, place, and layouts."""

from typing import Annotated

from msgspec import Meta

from sayso.core.errors import Candidate, ProviderError
from sayso.core.operation import operation
from sayso.core.plan import Answer, Change, Plan
from sayso.core.schema import Line
from sayso.providers.apps.geometry import Side
from sayso.providers.apps.layout import (
    describe_target,
    place_new,
    place_window,
    placement_warnings,
    plan_layout,
    target,
)
from sayso.providers.apps.model import NO_WAY_BACK_TO_FRONT, ActivateApp, OpenApp, QuitApp
from sayso.providers.apps.store import Apps, InstalledApp, RunningApp, did_you_mean, match_name, suggest_names

AppName = Annotated[Line, Meta(description="The name of a running or installed application, as the system shows it.")]
Edge = Annotated[int, Meta(ge=-32768, le=32767)]
Edges = Annotated[
    list[Edge],
    Meta(min_length=4, max_length=4, description="[left, top, right, bottom] in absolute screen coordinates."),
]


@operation("app.list", kind="read", asks="none")
async def list_apps(apps: Apps) -> Answer:
    """List the running applications and where their windows are."""
    running = await apps.running()
    names = [app.name for app in running]
    windows = [
        {
            "app": window.app,
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
        return _opening(apps, await _launchable(apps, name, program), "Opened")
    change = Change(OpenApp(app.name, app.id), undo=NO_WAY_BACK_TO_FRONT, expects=(app.fact,))
    return Plan(f"Bring “{app.name}” to the front", (change,), said_when_done=f"Opened {app.name}")


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
        return Plan(f"Bring “{app.name}” to the front", (change,), said_when_done=f"Activated {app.name}")
    if launch_if_needed:
        return _opening(apps, await _launchable(apps, name, program), "Activated")
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
    return Plan(f"Quit “{app.name}”", (change,), said_when_done=f"Quit {app.name}")


@operation("app.place", kind="write", asks="none")
async def place(
    apps: Apps,
    name: AppName,
    monitor: Annotated[Side | None, Meta(description="The monitor to move the window to.")] = None,
    bounds: Edges | None = None,
) -> Plan:
    """Move an application's front window to a monitor, or to exact bounds."""
    monitors = await apps.monitors()
    to = target(bounds, monitor, monitors)
    warns = placement_warnings(to, monitor, monitors)
    app, program = await _find_application(apps, name)
    if app is None:
        if program is None:
            raise await _unknown(apps, name)
        raise ProviderError(f"{program.name} is not running, so it has no window to place", "app.not_running")
    summary, said = f"Place “{app.name}” {describe_target(to)}", f"Placed {app.name}"
    if app.new:
        return Plan(summary, (place_new(app, to),), said_when_done=said, warns=warns)
    windows = await apps.windows(app.name)
    if not windows:
        raise ProviderError(f"{app.name} has no window to place", "window.missing")
    change = place_window(windows[0], to, monitors)
    if change is None:
        return Plan(f"The window of “{app.name}” is there already", warns=warns)
    return Plan(summary, (change,), said_when_done=said, warns=warns)


@operation("layout.activate", kind="write", asks="none")
async def activate_layout(
    apps: Apps, preset: Annotated[Line, Meta(description="The exact name of a layout in the settings.")]
) -> Plan:
    """Place the windows of several applications as a named layout says."""
    layouts = {layout.name: layout for layout in await apps.layouts()}
    if preset not in layouts:
        listed = ", ".join(f"“{name}”" for name in layouts)
        there = f"there are {listed}" if listed else "the settings hold none; add a [[preset]] to config.toml"
        known = tuple(Candidate(name) for name in dict.fromkeys((*suggest_names(preset, layouts), *layouts)))
        raise ProviderError(f"no layout is called “{preset}”; {there}", "preset.unknown", known)
    layout = await plan_layout(apps, layouts[preset])
    reasons = tuple(f"{app}: {why}" for app, why in layout.not_placed)
    data = {
        "placed": list(layout.placed),
        "already": list(layout.already),
        "not_placed": [{"app": app, "why": why} for app, why in layout.not_placed],
    }
    if not layout.changes:
        if reasons and not layout.already:
            raise ProviderError(f"nothing of the layout “{preset}” could be placed: {'; '.join(reasons)}", "preset")
        rest = f" as far as it can be ({'; '.join(reasons)})" if reasons else ""
        return Plan(f"The layout “{preset}” is in place already{rest}", data=data)
    said = f"Activated layout “{preset}”: placed {', '.join(layout.placed)}"
    said += f"; not placed: {'; '.join(reasons)}" if reasons else ""
    summary = f"Activate layout “{preset}”: place {', '.join(layout.placed)}"
    return Plan(summary, layout.changes, said_when_done=said, on_failure="go on", warns=reasons, data=data)


def _opening(apps: Apps, program: InstalledApp, verb: str) -> Plan:
    step = OpenApp(program.name, program.id, apps.token())
    change = Change(step, undo=step.way_back(), expects=(program.fact,))
    return Plan(f"Launch “{program.name}”", (change,), said_when_done=f"{verb} {program.name}")


async def _find_application(apps: Apps, name: str) -> tuple[RunningApp | None, InstalledApp | None]:
    """Return the running application that `name` means, else the installed one; both None when nothing fits.

    An exact name wins over one that is equal but for case, wherever it stands; the latter is only taken
    where names need not be exact (T-98).
    """
    running = {app.name: app for app in await apps.running()}
    installed = {program.name: program for program in await apps.installed()}
    real = match_name(name, (*running, *installed), exact=apps.exact)
    return running.get(real or ""), installed.get(real or "")


async def _launchable(apps: Apps, name: str, program: InstalledApp | None) -> InstalledApp:
    if program is None:
        raise await _unknown(apps, name)
    same = [other for other in await apps.installed() if other.name == program.name]
    if len(same) > 1:
        ids = ", ".join(other.id for other in same)
        raise ProviderError(
            f"{len(same)} applications are called “{program.name}” ({ids}); open it by hand",
            "app.ambiguous",
            tuple(Candidate(other.name, where=other.id) for other in same),
        )
    return program


async def _known_names(apps: Apps) -> tuple[str, ...]:
    return (*[app.name for app in await apps.running()], *[program.name for program in await apps.installed()])


async def _unknown(apps: Apps, name: str) -> ProviderError:
    close = suggest_names(name, await _known_names(apps))
    return ProviderError(
        f"no application is called “{name}”{did_you_mean(close)}", "app.unknown", tuple(Candidate(one) for one in close)
    )


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" + ("" if number == 1 else "s")
