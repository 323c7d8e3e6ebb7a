"""Applications and windows kept in memory: the world as a value, and the backend over it."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View
from sayso.core.plan import ChangeRef, Fact, Facts, ResultRef
from sayso.core.ports import BackendContext, KillPoint, no_kill_point
from sayso.providers.apps import geometry, store
from sayso.providers.apps.geometry import Bounds, Four, Monitor, WindowLayout, fit_within
from sayso.providers.apps.model import (
    ActivateApp,
    AppInstalled,
    AppRunning,
    OpenApp,
    OpenAppPlaced,
    PlaceNewWindow,
    PlaceWindow,
    QuitApp,
    Steps,
    WindowAt,
    describe_change,
)

USUAL = (
    "Calculator", "Calendar", "Finder", "Google Chrome", "Mail", "Music", "Notes", "Preview", "Reminders", "Safari",
    "Terminal", "TextEdit",
)  # fmt: skip
FIRST_WINDOW = Bounds(80, 60, 1080, 760)


class WindowState(Struct, frozen=True):
    """A window of one running instance."""

    id: str
    app: str
    instance: str
    bounds: Bounds
    state: str = "normal"
    desktop: str = ""
    title: str = ""


class AppsState(Struct, frozen=True):
    """What there is; `running` holds instance and name, `windows` stand front first."""

    installed: tuple[str, ...] = USUAL
    running: tuple[tuple[str, str], ...] = ()
    windows: tuple[WindowState, ...] = ()
    monitors: tuple[Monitor, ...] = (Monitor("Main", Bounds(0, 0, 1920, 1080), main=True),)
    presets: tuple[WindowLayout, ...] = ()
    idle: float | None = None
    """For how many seconds nobody has touched keyboard or mouse, where that is known."""
    stubborn: tuple[str, ...] = ()
    """Applications that do not quit when asked."""
    opened: int = 0
    """How many instances were ever launched; names the next."""
    new: frozenset[str] = frozenset()
    """Applications that an imagined step opens; empty in a world that is real."""

    def instances(self, name: str) -> tuple[str, ...]:
        """Return the instances of an application, sorted."""
        return tuple(sorted(instance for instance, app in self.running if app == name))

    def window(self, wanted: str) -> WindowState | None:
        """Return one window."""
        return next((window for window in self.windows if window.id == wanted), None)


def at(window: WindowState) -> WindowAt:
    """Return the fact that a window is where it is."""
    bounds = window.bounds
    edges = (bounds.left, bounds.top, bounds.right, bounds.bottom)
    return WindowAt(window.id, window.app, *edges, window.state, window.desktop)


def imagine_steps(world: AppsState, earlier: Sequence[tuple[Steps, ChangeRef]]) -> View[AppsState]:
    """Return a look at the world as these steps would leave it."""
    left: dict[tuple[str, str], ResultRef] = {}
    for step, ref in earlier:
        world, facts = does(world, step, ())
        left |= {fact.key: ResultRef(fact.about, fact.fact, ref.change, ref.action) for fact in facts}
    return View(lambda: world, left)


def does(world: AppsState, step: Steps, expects: Facts) -> tuple[AppsState, Facts]:
    """Return the world after a step, and what it left."""
    match step:
        case OpenApp(name):
            world = bring_to_front(world, name) if world.instances(name) else launch(world, name)
            return world, (AppRunning(name, world.instances(name)),)
        case ActivateApp(name):
            return bring_to_front(world, name), (AppRunning(name, world.instances(name)),)
        case QuitApp(name):
            return end_application(world, name), (AppRunning(name, ()),)
        case PlaceWindow(_, window, left, top, right, bottom, state, desktop):
            return place_window(world, window, Bounds(left, top, right, bottom), state, desktop)
        case PlaceNewWindow(name, left, top, right, bottom, fit):
            return place_front_window(world, name, Bounds(left, top, right, bottom), fit=fit)
        case OpenAppPlaced(name, _, left, top, right, bottom, fit):
            world, facts = place_front_window(launch(world, name), name, Bounds(left, top, right, bottom), fit=fit)
            return world, (AppRunning(name, world.instances(name)), *facts)


def bring_to_front(world: AppsState, name: str) -> AppsState:
    """Return the world with an application's windows before all others."""
    mine = tuple(window for window in world.windows if window.app == name)
    return replace(world, windows=(*mine, *(window for window in world.windows if window.app != name)))


def launch(world: AppsState, name: str) -> AppsState:
    """Return the world with a new instance of an application and its first window in front."""
    number = world.opened + 1
    instance = f"launched-{number}"
    window = WindowState(f"window-of-{instance}", name, instance, FIRST_WINDOW)
    return replace(
        world,
        running=(*world.running, (instance, name)),
        windows=(window, *world.windows),
        opened=number,
        new=world.new | {name},
    )


def end_application(world: AppsState, name: str) -> AppsState:
    """Return the world in which an application does not run."""
    return replace(
        world,
        running=tuple(entry for entry in world.running if entry[1] != name),
        windows=tuple(window for window in world.windows if window.app != name),
        new=world.new - {name},
    )


def place_window(world: AppsState, id_: str, to: Bounds, state: str, desktop: str) -> tuple[AppsState, Facts]:
    """Return the world with one window elsewhere; without a desktop it stays on its own."""
    windows = tuple(
        replace(window, bounds=to, state=state, desktop=desktop or window.desktop) if window.id == id_ else window
        for window in world.windows
    )
    return replace(world, windows=windows), tuple(at(window) for window in windows if window.id == id_)


def place_front_window(world: AppsState, name: str, to: Bounds, *, fit: bool) -> tuple[AppsState, Facts]:
    """Return the world with an application's front window elsewhere."""
    front = next((window for window in world.windows if window.app == name), None)
    if front is None:
        return world, ()
    return place_window(world, front.id, fit_within(front.bounds, to) if fit else to, "normal", "")


class PlantedAppWindow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A window as the settings write it."""

    app: str
    bounds: Four
    state: str = "normal"
    title: str = ""


class PlantedMonitor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A monitor as the settings write it."""

    name: str
    bounds: Four
    main: bool = False


class PlantedApps(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A world as the settings write it, under `world`; a name listed twice in `running` has two instances."""

    installed: tuple[str, ...] = USUAL
    running: tuple[str, ...] = ("Finder", "Google Chrome")
    windows: tuple[PlantedAppWindow, ...] = (
        PlantedAppWindow("Google Chrome", (100, 100, 1300, 900)),
        PlantedAppWindow("Finder", (200, 150, 1000, 750)),
    )
    monitors: tuple[PlantedMonitor, ...] = (
        PlantedMonitor("Main", (0, 0, 1920, 1080), main=True),
        PlantedMonitor("Right", (1920, 0, 3840, 1080)),
    )
    stubborn: tuple[str, ...] = ()
    idle_seconds: float | None = None


class MemoryApps(Struct, frozen=True):
    """The reads of the apps store over a world in memory."""

    seen: View[AppsState]
    exact: bool = False

    def exactly(self) -> "MemoryApps":
        """Return these reads for names that are meant letter for letter."""
        return MemoryApps(self.seen, exact=True)

    async def running(self) -> tuple[store.RunningApp, ...]:
        """Return the running applications, in the order they were started."""
        world = self.seen.look()
        return tuple(self._app(world, name) for name in dict.fromkeys(name for _, name in world.running))

    def _app(self, world: AppsState, name: str) -> store.RunningApp:
        new = name in world.new
        windows = () if new else self._windows(world, name)
        id_ = name if name in world.installed else ""
        return store.RunningApp(name, id_, self.seen.fact(AppRunning(name, world.instances(name))), windows, new)

    async def installed(self) -> tuple[store.InstalledApp, ...]:
        """Return what can be launched; an application's id is its name here."""
        names = self.seen.look().installed
        return tuple(store.InstalledApp(name, name, self.seen.fact(AppInstalled(name, name))) for name in names)

    async def windows(self, app: str) -> tuple[store.AppWindow, ...]:
        """Return the windows of an application, front first."""
        return self._windows(self.seen.look(), app)

    def _windows(self, world: AppsState, app: str) -> tuple[store.AppWindow, ...]:
        return tuple(
            store.AppWindow(
                window.id, app, window.bounds, window.state, self.seen.fact(at(window)), window.desktop, window.title
            )
            for window in world.windows
            if window.app == app
        )

    async def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors."""
        return self.seen.look().monitors

    async def presets(self) -> tuple[WindowLayout, ...]:
        """Return the layouts."""
        return self.seen.look().presets

    async def idle(self) -> float | None:
        """Return for how long nobody has touched anything."""
        return self.seen.look().idle

    def token(self) -> str:
        """Return none: nothing is launched here that could carry one."""
        return ""


def holds(world: AppsState, fact: Fact) -> bool:
    """Say whether a fact is so."""
    match fact:
        case AppRunning(name, instances):
            return world.instances(name) == tuple(instances)
        case AppInstalled(name, id_):
            return name in world.installed and name == id_
        case WindowAt(id_):
            found = world.window(id_)
            return found is not None and at(found) == fact
        case _:
            return False


def resists(world: AppsState, step: Steps, expects: Facts) -> str | None:
    """Say why the world would not do a step."""
    match step:
        case QuitApp(name, seconds) if name in world.stubborn:
            return f"{name} is still running {seconds} s after it was asked to quit; it may be asking you something"
        case PlaceNewWindow(name) if not any(window.app == name for window in world.windows):
            return f"{name} has no window to place"
        case _:
            return None


LAWS = MemoryRules(
    does, holds, MemoryApps, resists, describe_change, settles=lambda world: replace(world, new=frozenset())
)


def build(ground: BackendContext) -> MemoryBackend[AppsState]:
    """Return a backend over the world that the settings describe, or over a small one of two monitors."""
    world = parse_world(ground.settings.get("world", {}))
    return backend(replace(world, presets=geometry.read(ground.settings)), kill=ground.kill)


def backend(world: AppsState, *, lasting: bool = False, kill: KillPoint = no_kill_point) -> MemoryBackend[AppsState]:
    """Return a backend over a world at hand."""
    return MemoryBackend(world, LAWS, lasting=lasting, kill=kill)


def parse_world(document: Json) -> AppsState:
    """Read a world from plain data. Raises `SetupError` that names what is wrong."""
    try:
        told = msgspec.convert(document, PlantedApps)
    except msgspec.ValidationError as wrong:
        raise SetupError(f"the memory world of [apps] in the settings is wrong: {wrong}", "config.world") from wrong
    running = tuple((f"planted-{number}", name) for number, name in enumerate(told.running, 1))
    instances = {name: instance for instance, name in running}
    windows = tuple(
        WindowState(
            f"window-{number}",
            window.app,
            instances[window.app],
            Bounds(*window.bounds),
            window.state,
            title=window.title,
        )
        for number, window in enumerate(told.windows, 1)
        if window.app in instances
    )
    monitors = tuple(Monitor(monitor.name, Bounds(*monitor.bounds), monitor.main) for monitor in told.monitors)
    return AppsState(told.installed, running, windows, monitors, idle=told.idle_seconds, stubborn=told.stubborn)
