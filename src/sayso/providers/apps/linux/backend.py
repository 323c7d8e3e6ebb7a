"""The apps back end of a Linux desktop, over any kind of screen: X11, sway or KWin."""

from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.plan import Applied, ChangeRef, Fact, Facts, Settlement, unchecked
from sayso.core.ports import BackendContext, KillPoint, no_kill_point
from sayso.core.provider import Capability
from sayso.providers.apps import backend, geometry
from sayso.providers.apps.backend import describe_difference
from sayso.providers.apps.geometry import WindowLayout
from sayso.providers.apps.linux.actions import USUAL_DEADLINES, AppActions, Deadlines
from sayso.providers.apps.linux.applications import AppLauncher, instances_of_token, is_alive
from sayso.providers.apps.linux.reads import AppsSnapshot, LinuxApps, combine_snapshot, installed_fact
from sayso.providers.apps.linux.screen import SILENT, Display, ReportsIdle, Screen
from sayso.providers.apps.model import (
    AppInstalled,
    AppRunning,
    BoundsBeneath,
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


def settle_step(step: Steps, expects: Facts, snapshot: AppsSnapshot) -> Settlement:
    """Return whether a step was completed, by looking at the windows and processes of this session."""
    return backend.settle_step(step, expects, backend.Look(snapshot.state, is_alive, instances_of_token))
