"""The apps back end of a Mac: opens, activates and quits applications, and places their windows."""

import os
from collections.abc import Awaitable, Callable

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.plan import Applied, ChangeRef, Fact, Facts, Settlement, unchecked
from sayso.core.ports import BackendContext, KillPoint
from sayso.core.provider import Capability
from sayso.core.quotes import quoted
from sayso.providers.apps import backend, store
from sayso.providers.apps.backend import poll
from sayso.providers.apps.geometry import Bounds, Monitor, WindowLayout, fit_within, parse_layouts
from sayso.providers.apps.macos.screen import MacScreen, MacWindows, installed_fact, silence
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
    WindowState,
    app_windows,
    describe_change,
    imagine_steps,
    running_apps,
)
from sayso.providers.macos.applications import InstalledApps, MacApp
from sayso.providers.macos.engine import ScriptEngine, build_engine
from sayso.providers.programs.run import ProgramCall, ProgramRunner

OPEN = "open"
LAUNCH_SECONDS, FRONT_SECONDS = 20.0, 3.0


class MacApps(Struct, frozen=True):
    """Implements `Apps` on this Mac."""

    look: Callable[[], Awaitable[MacScreen]]
    apps: InstalledApps
    own_layouts: tuple[WindowLayout, ...] = ()
    earlier: tuple[tuple[Steps, ChangeRef], ...] = ()
    exact: bool = False

    def exactly(self) -> "MacApps":
        """Return a copy that requires names to match letter for letter."""
        return replace(self, exact=True)

    def after(self, step: Steps, ref: ChangeRef) -> "MacApps":
        """Return a copy that also shows the effect of one more step."""
        return replace(self, earlier=(*self.earlier, (step, ref)))

    async def running(self) -> tuple[store.RunningApp, ...]:
        """Return the running applications that are in the Dock, the front one first."""
        screen = await self.look()
        ids = {app.name: app.id or app.path for app in screen.apps}
        return running_apps(imagine_steps(screen.state, self.earlier), lambda name: ids.get(name, ""))

    async def installed(self) -> tuple[store.InstalledApp, ...]:
        """Return the applications in the folders for applications."""
        return tuple(
            store.InstalledApp(app.name, app.id or app.path, installed_fact(app)) for app in await self.apps.look()
        )

    async def windows(self, app: str) -> tuple[store.AppWindow, ...]:
        """Return the windows of an application: front first, minimised ones last."""
        seen = imagine_steps((await self.look()).state, self.earlier)
        return app_windows(seen, app)

    async def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors."""
        return (await self.look()).state.monitors

    async def layouts(self) -> tuple[WindowLayout, ...]:
        """Return the layouts in the person's settings."""
        return self.own_layouts

    async def idle(self) -> float | None:
        """Return the seconds since the last input."""
        return (await self.look()).idle

    def token(self) -> str:
        """Return an empty string: an application on macOS cannot carry a token."""
        return ""


def build(context: BackendContext) -> "MacAppsBackend":
    """Return the back end for this Mac."""
    return MacAppsBackend(context, build_engine(context))


class MacAppsBackend:
    """The apps back end of a Mac."""

    name = "macos"
    imagines = True
    note = ""

    def __init__(self, context: BackendContext, engine: ScriptEngine) -> None:
        self._kill: KillPoint = context.kill
        self._runner = ProgramRunner(context.environ, context.ids)
        self._windows = MacWindows(engine)
        self._apps = InstalledApps(engine, context.home, context.roots)
        self.reads = MacApps(self._windows.look, self._apps, parse_layouts(context.settings))

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do a step if all expected facts still hold. Raises `ProviderError` or `Uncertain`."""
        try:
            await self.check(expects)
            self._kill(f"{step.step}.before")
            facts = await self._execute(step, expects)
        except SetupError as error:
            # macOS refuses the first request of a script that lacks a permission.
            raise ProviderError(f"{error}; nothing was changed", error.code) from error
        self._kill(f"{step.step}.after")
        return Applied(facts)

    async def check(self, expects: Facts) -> None:
        """Raise `ProviderError` for the first of these facts that is no longer true."""
        screen = await self._windows.look() if expects else None
        for fact in expects:
            if screen is None or not await self._holds(screen, fact):
                raise ProviderError(f"{describe_change(fact)}; nothing was changed", "world.changed")

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        """Return whether a step was completed, by looking at the present windows."""
        state = (await self._windows.look()).state
        seen = backend.Look(state, lambda _: False, lambda _: frozenset())
        return backend.settle_step(step, expects, seen)

    def imagine(self, seen: MacApps, step: Steps, ref: ChangeRef) -> MacApps:
        """Return a `MacApps` that shows the windows as they would be after the step."""
        return seen.after(step, ref)

    def tells(self, step: Steps, left: Applied) -> str:
        """Return where a window is, if the step was to place it elsewhere; empty if it is at the requested place."""
        return backend.describe_difference(step, left.facts)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Return whether windows can be read, and how many applications are installed."""
        try:
            screen = await self._windows.look()
            installed = await self._apps.look()
        except SaysoError as error:
            return (Capability("windows", "", str(error), "allow it in System Settings"),)
        monitors = ", ".join(monitor.name for monitor in screen.monitors)
        windows = Capability("windows", "System Events", f"monitors: {monitors or 'none'}")
        return windows, Capability("applications", f"{len(installed)} installed", "from the folders for applications")

    async def _holds(self, screen: MacScreen, fact: Fact) -> bool:
        match fact:
            case AppRunning(name, instances):
                return screen.state.instances(name) == tuple(sorted(instances))
            case AppInstalled(name):
                return any(installed_fact(app) == fact for app in await self._apps.look() if app.name == name)
            case WindowAt(id_):
                window = screen.state.window(id_)
                return window is not None and window.fact == fact
            case BoundsBeneath():
                return True  # where a window goes back to when it is no longer fullscreen; nothing reports it
            case _:
                raise unchecked(fact)

    async def _execute(self, step: Steps, expects: Facts) -> Facts:
        match step:
            case OpenApp(name):
                return await self._open(name, expects)
            case ActivateApp(name):
                return await self._bring_to_front(name)
            case QuitApp(name, seconds):
                return await self._quit(name, seconds)
            case PlaceWindow():
                beneath = next((fact.bounds for fact in expects if isinstance(fact, BoundsBeneath)), None)
                return await self._place(step, beneath)
            case PlaceNewWindow(name):
                return await self._place_front_window(name, step.bounds, fit=step.fit)
            case OpenAppPlaced(name):
                opened = await self._open(name, expects)
                try:
                    placed = await self._place_front_window(name, step.bounds, fit=step.fit)
                except (ProviderError, SetupError) as error:
                    raise Uncertain(f"{name} was opened, but not placed: {error}", "window.not_placed") from error
                return (*opened, *placed)

    async def _open(self, name: str, expects: Facts) -> Facts:
        if (await self._windows.look()).processes(name):
            return await self._bring_to_front(name)
        wanted = [fact for fact in expects if isinstance(fact, AppInstalled)]
        app = next((one for one in await self._apps.look() if installed_fact(one) in wanted), None)
        if app is None:
            raise ProviderError(f"{name} is no longer running and was not launched", "app.not_running")
        self._apps.require_out_of_reach(app)
        await self._start(app)
        running = await poll(lambda: self._find_running(name), LAUNCH_SECONDS)
        if running is None:
            raise Uncertain(f"{name} was started, but does not run {LAUNCH_SECONDS:g} seconds later", "app.no_window")
        return (running,)

    async def _start(self, app: MacApp) -> None:
        """Start exactly the application at this path; it gets no arguments (AP-02)."""
        done = await self._runner.run(ProgramCall(OPEN, ("-a", app.path)))
        if done.code:
            raise ProviderError(f"{app.name} could not be started: {quoted(done.complaint)}", "app.start")

    async def _look_after(self, name: str) -> MacScreen:
        """Return the windows after a change. Raises `Uncertain` if they cannot be seen, since something was done."""
        try:
            return await self._windows.look()
        except (ProviderError, SetupError) as error:
            raise Uncertain(f"{error}; so it cannot be seen what became of {name}", error.code) from error

    async def _find_running(self, name: str) -> AppRunning | None:
        running = (await self._look_after(name)).state.running_fact(name)
        return running if running.instances else None

    async def _bring_to_front(self, name: str) -> Facts:
        processes = (await self._windows.look()).processes(name)
        if not processes:
            raise ProviderError(f"{name} is not running", "app.not_running")
        await self._windows.front(processes[0])
        if not await poll(lambda: self._is_in_front(name), FRONT_SECONDS):
            raise ProviderError(f"{name} did not come to the front; macOS held it back", "app.held_back")
        return ((await self._look_after(name)).state.running_fact(name),)

    async def _is_in_front(self, name: str) -> bool:
        return any(app.front for app in (await self._look_after(name)).processes(name))

    async def _quit(self, name: str, seconds: int) -> Facts:
        processes = (await self._windows.look()).processes(name)
        if {process.pid for process in processes} & await self._own_processes():
            raise ProviderError(
                f"sayso itself was started in {name}, and would end with it; quit it by hand", "app.own"
            )
        await self._windows.quit(processes)
        instances = {process.instance for process in processes}

        async def has_ended() -> bool:
            return not instances & {instance for instance, _ in (await self._look_after(name)).state.running}

        if not await poll(has_ended, seconds):
            raise ProviderError(
                f"{name} is still running {seconds} s after it was asked to quit; it may be asking you something",
                "app.still_running",
            )
        return (AppRunning(name, ()),)

    async def _own_processes(self) -> set[int]:
        """Return the ids of this process and of its ancestors, such as the shell and the terminal."""
        listed = await self._runner.run_for_text(ProgramCall("ps", ("-axo", "pid=,ppid=")))
        parents = {int(pid): int(parent) for pid, parent in (line.split() for line in listed.splitlines())}
        found, pid = set[int](), os.getpid()
        while pid > 1 and pid not in found:
            found.add(pid)
            pid = parents.get(pid, 0)
        return found

    async def _place(self, step: PlaceWindow, former: Bounds | None = None) -> Facts:
        screen = await self._windows.look()
        before, process = screen.state.window(step.window), screen.process_of(step.window)
        if before is None or process is None:
            gone = f"the window of {step.name} was closed meanwhile{silence(screen, step.name)}"
            raise ProviderError(gone, "window.missing")
        normal = step.state == "normal"
        beneath = await self._windows.place(
            process, step.window, step.bounds if normal else former or step.bounds, step.state
        )
        after = (await self._look_after(step.name)).state.window(step.window)
        if after is None:
            raise Uncertain(f"the window of {step.name} was closed meanwhile", "window.missing")
        if after == before and (after.bounds, after.state) != (step.bounds, step.state):
            raise ProviderError(
                f"the window of {step.name} stays where it is; {step.name} does not let it be moved", "window.stuck"
            )
        return (after.fact, *([BoundsBeneath(step.window, *beneath.edges)] if beneath else []))

    async def _place_front_window(self, name: str, to: Bounds, *, fit: bool) -> Facts:
        window = await poll(lambda: self._front_window(name), LAUNCH_SECONDS)
        if window is None:
            raise ProviderError(f"{name} has no window", "window.missing")
        bounds = fit_within(window.bounds, to) if fit else to
        return await self._place(PlaceWindow(name, window.id, *bounds.edges))

    async def _front_window(self, name: str) -> WindowState | None:
        return (await self._windows.look()).state.front_window(name)
