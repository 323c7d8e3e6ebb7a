"""The apps back end of a Linux desktop, over any kind of screen: X11, sway or KWin."""

from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, Settlement, unchecked
from sayso.core.ports import BackendContext, KillPoint, no_kill_point
from sayso.core.provider import Capability
from sayso.providers.apps import geometry
from sayso.providers.apps.geometry import WindowLayout, fit_within
from sayso.providers.apps.linux.actions import USUAL_DEADLINES, AppActions, Deadlines
from sayso.providers.apps.linux.applications import AppLauncher, instances_of_token, is_alive
from sayso.providers.apps.linux.reads import AppsSnapshot, LinuxApps, combine_snapshot, installed_fact
from sayso.providers.apps.linux.screen import SILENT, Display, ReportsIdle, Screen
from sayso.providers.apps.model import (
    ActivateApp,
    AppInstalled,
    AppRunning,
    BoundsBeneath,
    OpenApp,
    OpenAppPlaced,
    PlaceNewWindow,
    PlaceWindow,
    QuitApp,
    Steps,
    WindowAt,
    describe_change,
)


class LinuxAppsBackend:
    """The apps backend of a Linux desktop."""

    imagines = True
    note = ""

    def __init__(
        self,
        display: Display,
        launcher: AppLauncher,
        layouts: tuple[WindowLayout, ...] = (),
        kill: KillPoint = no_kill_point,
        deadlines: Deadlines = USUAL_DEADLINES,
    ) -> None:
        self._display = display
        self._launcher = launcher
        self._kill = kill
        self._deadlines = deadlines
        self.name = display.name
        self.reads = LinuxApps(self._look, self._idle, launcher.entries, layouts, new_token=launcher.token)
        self.asked = False
        """Whether the settings name this display; if so, `sayso doctor` reports an error when it does not work."""

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do a step if all expected facts still hold. Raises `ProviderError` or `Uncertain`."""
        try:
            async with self._display.open() as screen:
                return await self._execute_step(screen, step, expects)
        except SetupError as error:
            raise ProviderError(f"{error}; nothing was changed", error.code) from error

    async def _execute_step(self, screen: Screen, step: Steps, expects: Facts) -> Applied:
        snapshot = await self._take_snapshot(screen)
        for fact in expects:
            if not _holds(snapshot, fact):
                raise ProviderError(f"{describe_change(fact)}; nothing was changed", "world.changed")
        self._kill(f"{step.step}.before")
        actions = AppActions(screen, self._launcher, lambda: self._take_snapshot(screen), self._deadlines)
        try:
            facts = await actions.execute(step, expects)
        except SetupError as error:
            raise Uncertain(str(error), error.code) from error
        except ProviderError as error:
            if error.code != SILENT:
                raise
            raise Uncertain(f"{error}, in the middle of it", SILENT) from error
        self._kill(f"{step.step}.after")
        return Applied(facts)

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        """Return whether a step was completed, by looking at the present windows."""
        return settle_step(step, expects, await self._look())

    def imagine(self, seen: LinuxApps, step: Steps, ref: ChangeRef) -> LinuxApps:
        """Return a `LinuxApps` that shows the windows as they would be after the step."""
        return seen.after(step, ref)

    def tells(self, step: Steps, left: Applied) -> str:
        """Return where a window is, if the step was to place it elsewhere; empty if it is at the requested place."""
        return describe_difference(step, left.facts)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return whether windows can be read, and how many applications are in the person's menus."""
        fix = self._display.fix
        try:
            snapshot = await self._look()
        except SaysoError as error:
            windows = Capability("windows", "", str(error).removesuffix(f"; {fix}"), fix, asked=self.asked)
        else:
            monitors = ", ".join(monitor.name for monitor in snapshot.state.monitors)
            windows = Capability("windows", self.name, f"{self._display.why}; monitors: {monitors or 'none'}")
        entries = self._launcher.entries().menu_entries()
        menus = Capability("applications", f"{len(entries)} in your menus", "from the desktop entries of this session")
        none = Capability("applications", "", "no desktop entry was found", "install one, or set XDG_DATA_DIRS")
        return windows, menus if entries else none

    async def _look(self) -> AppsSnapshot:
        async with self._display.open() as screen:
            return await self._take_snapshot(screen)

    async def _idle(self) -> float | None:
        async with self._display.open() as screen:
            return await screen.idle() if isinstance(screen, ReportsIdle) else None

    async def _take_snapshot(self, screen: Screen) -> AppsSnapshot:
        return combine_snapshot(await screen.look(), self._launcher.entries())


def linux_backend(context: BackendContext, display: Display) -> LinuxAppsBackend:
    """Return the back end over a display, with the person's menus and layouts."""
    launcher = AppLauncher(context.environ, context.home, context.roots, context.ids)
    backend = LinuxAppsBackend(display, launcher, geometry.parse_layouts(context.settings), context.kill)
    backend.asked = context.settings.get("kind") not in {None, "", "auto"}
    return backend


def _holds(snapshot: AppsSnapshot, fact: Fact) -> bool:
    match fact:
        case AppRunning(name, instances):
            return snapshot.state.instances(name) == tuple(sorted(instances))
        case AppInstalled(name):
            return any(installed_fact(entry) == fact for entry in snapshot.entries.menu_entries() if entry.name == name)
        case WindowAt(id_):
            window = snapshot.state.window(id_)
            return window is not None and window.fact == fact
        case BoundsBeneath():
            return True  # where a window would go back to when it is no longer maximised; no display reports it
        case _:
            raise unchecked(fact)


def describe_difference(step: Steps, left: Facts) -> str:
    """Return the part of a message that says where a window is after a step, if that is not the requested place.

    For a window that was fitted into an area, any place is accepted.
    """
    match step:
        case PlaceWindow():
            wanted = step.state
        case PlaceNewWindow() | OpenAppPlaced() if not step.fit:
            wanted = "normal"
        case _:
            return ""
    now = next((fact for fact in left if isinstance(fact, WindowAt)), None)
    if now is None or (now.bounds == step.bounds and now.state == wanted):
        return ""
    size = f"{now.bounds.width} wide and {now.bounds.height} high"
    other = f", {now.state}" if now.state not in {"normal", wanted} else ""
    return f"the window of {step.name} is now at {now.left}, {now.top}, {size}{other}"


def settle_step(step: Steps, expects: Facts, snapshot: AppsSnapshot) -> Settlement:
    """Return whether a step was completed, by comparing its expected facts with the present windows.

    Changes nothing.
    """
    match step:
        case QuitApp(name):
            return _settle_quit(name, expects, snapshot)
        case OpenApp(name, _, token):
            return _settle_open(name, token, snapshot)
        case OpenAppPlaced():
            return _settle_open_placed(step, snapshot)
        case ActivateApp(name):
            return CannotTell(f"the desktop does not tell who brought {name} to the front")
        case PlaceWindow():
            return _settle_place(step, expects, snapshot)
        case PlaceNewWindow(name):
            return CannotTell(f"it is not known where the window of {name} was before")


def _settle_quit(name: str, expects: Facts, snapshot: AppsSnapshot) -> Settlement:
    meant = {instance for fact in expects if isinstance(fact, AppRunning) for instance in fact.instances}
    if not meant:
        return CannotTell(f"it is not known which {name} was meant")
    shown = {instance for instance, _ in snapshot.state.running}
    left = {instance for instance in meant if is_alive(instance) or instance in shown}
    if not left:
        return Applied((AppRunning(name, ()),))
    return NotDone(f"{name} still runs") if left == meant else CannotTell(f"a part of {name} has ended")


def _settle_open(name: str, token: str, snapshot: AppsSnapshot) -> Settlement:
    running, ours = snapshot.state.running_fact(name), instances_of_token(token)
    if ours & set(running.instances):
        return Applied((running,))
    if running.instances:
        return CannotTell(f"{name} runs, and may have been opened by somebody else")
    return CannotTell(f"{name} was started, and shows no window") if ours else NotDone(f"{name} does not run")


def _settle_open_placed(step: OpenAppPlaced, snapshot: AppsSnapshot) -> Settlement:
    opened = _settle_open(step.name, step.token, snapshot)
    if not isinstance(opened, Applied):
        return opened
    window = snapshot.state.front_window(step.name)
    if window is None or window.bounds != (fit_within(window.bounds, step.bounds) if step.fit else step.bounds):
        return CannotTell(f"{step.name} was opened, but its window is not where it was meant to go")
    return Applied((*opened.facts, window.fact))


def _settle_place(step: PlaceWindow, expects: Facts, snapshot: AppsSnapshot) -> Settlement:
    window = snapshot.state.window(step.window)
    if window is None:
        return CannotTell(f"the window of {step.name} is not there any more")
    now = window.fact
    if now in expects:
        return NotDone(f"the window of {step.name} is where it was")
    wanted = WindowAt(step.window, step.name, *step.bounds.edges, step.state, step.desktop or now.desktop)
    return (
        Applied((now,))
        if now == wanted
        else CannotTell(f"the window of {step.name} is neither where it was nor where it was meant to go")
    )
