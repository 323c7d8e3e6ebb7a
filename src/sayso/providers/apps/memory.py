"""Applications and windows kept in memory, instead of on a real desktop."""

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.memory_backend import MemoryBackend, MemoryRules, View, explain_odd_world
from sayso.core.plan import Fact
from sayso.core.ports import BackendContext, KillPoint, no_kill_point
from sayso.providers.apps import geometry, store
from sayso.providers.apps.geometry import Bounds, Four, Monitor, WindowLayout
from sayso.providers.apps.model import (
    AppInstalled,
    AppRunning,
    AppsState,
    WindowAt,
    WindowState,
    app_windows,
    describe_change,
    running_apps,
)

USUAL_APPS = (
    "Calculator", "Calendar", "Finder", "Google Chrome", "Mail", "Music", "Notes", "Preview", "Reminders", "Safari",
    "Terminal", "TextEdit",
)  # fmt: skip


class PlantedAppWindow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A window of the desktop in memory, as the settings describe it."""

    app: str
    bounds: Four
    state: str = "normal"
    title: str = ""


class PlantedMonitor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A monitor of the desktop in memory, as the settings describe it."""

    name: str
    bounds: Four
    main: bool = False


class PlantedApps(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The desktop in memory, as the settings describe it under `world`.

    A name that appears twice in `running` has two instances.
    """

    installed: tuple[str, ...] = USUAL_APPS
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
    """Implements `Apps` over a state in memory; an application's id is its name."""

    seen: View[AppsState]
    exact: bool = False

    def exactly(self) -> "MemoryApps":
        return MemoryApps(self.seen, exact=True)

    async def running(self) -> tuple[store.RunningApp, ...]:
        """Return the running applications, in the order in which they were started."""
        installed = self.seen.look().installed
        return running_apps(self.seen, lambda name: name if name in installed else "")

    async def installed(self) -> tuple[store.InstalledApp, ...]:
        """Return the applications that can be launched."""
        names = self.seen.look().installed
        return tuple(store.InstalledApp(name, name, self.seen.fact(AppInstalled(name, name))) for name in names)

    async def windows(self, app: str) -> tuple[store.AppWindow, ...]:
        return app_windows(self.seen, app)

    async def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors."""
        return self.seen.look().monitors

    async def layouts(self) -> tuple[WindowLayout, ...]:
        """Return the layouts in the person's settings."""
        return self.seen.look().layouts

    async def idle(self) -> float | None:
        return self.seen.look().idle

    def token(self) -> str:
        """Return an empty token, because no real process is launched that could carry one."""
        return ""


def holds(state: AppsState, fact: Fact) -> bool:
    """Return whether a fact holds."""
    match fact:
        case AppRunning(name, instances):
            return state.instances(name) == tuple(instances)
        case AppInstalled(name, id_):
            return name in state.installed and name == id_
        case WindowAt(id_):
            window = state.window(id_)
            return window is not None and window.fact == fact
        case _:
            return False


RULES = MemoryRules(
    does=lambda state, step, expects: step.execute(state),
    holds=holds,
    reads=MemoryApps,
    resists=lambda state, step, expects: step.refusal(state),
    moved_on=describe_change,
    settles=lambda state: replace(state, new=frozenset()),
)


def build(context: BackendContext) -> MemoryBackend[AppsState]:
    """Return a back end over the state that the settings describe, or over a small default one with two monitors."""
    state = parse_world(context.settings.get("world", {}))
    return backend(replace(state, layouts=geometry.parse_layouts(context.settings)), kill=context.kill)


def backend(state: AppsState, *, lasting: bool = False, kill: KillPoint = no_kill_point) -> MemoryBackend[AppsState]:
    """Return a back end over this state. `lasting` means that the state outlives a crash, as in a test."""
    return MemoryBackend(state, RULES, lasting=lasting, kill=kill)


def parse_world(document: Json) -> AppsState:
    """Return the state that plain data describes. Raises `SetupError` that names the invalid part."""
    with explain_odd_world("the memory world of [apps] in the settings is wrong", "config.world"):
        planted = msgspec.convert(document, PlantedApps)
    running = tuple((f"planted-{number}", name) for number, name in enumerate(planted.running, 1))
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
        for number, window in enumerate(planted.windows, 1)
        if window.app in instances
    )
    monitors = tuple(Monitor(monitor.name, Bounds(*monitor.bounds), monitor.main) for monitor in planted.monitors)
    return AppsState(
        planted.installed, running, windows, monitors, idle=planted.idle_seconds, stubborn=planted.stubborn
    )
