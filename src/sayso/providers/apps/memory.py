"""Applications and windows kept in memory: for trying things out, and for tests on any machine."""

from dataclasses import replace

import msgspec

from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.plan import Fact, Facts
from sayso.core.ports import Ground, KillPoint, no_kill_point
from sayso.core.pretend import Laws, Pretended, Seen
from sayso.core.values import dataclass
from sayso.providers.apps import presets, store
from sayso.providers.apps.facts import Installed, Running, WindowAt, moved_on
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.presets import Four, Preset
from sayso.providers.apps.steps import PlaceNew, Quit, Steps
from sayso.providers.apps.world import USUAL, Window, World, at, does


class PlantedWindow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


class Planted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A world as the settings write it, under `world`; a name listed twice in `running` has two instances."""

    installed: tuple[str, ...] = USUAL
    running: tuple[str, ...] = ("Finder", "Google Chrome")
    windows: tuple[PlantedWindow, ...] = (
        PlantedWindow("Google Chrome", (100, 100, 1300, 900)),
        PlantedWindow("Finder", (200, 150, 1000, 750)),
    )
    monitors: tuple[PlantedMonitor, ...] = (
        PlantedMonitor("Main", (0, 0, 1920, 1080), main=True),
        PlantedMonitor("Right", (1920, 0, 3840, 1080)),
    )
    stubborn: tuple[str, ...] = ()
    idle_seconds: float | None = None


@dataclass(frozen=True)
class Reads:
    """The reads of the apps store over a world in memory."""

    seen: Seen[World]
    exact: bool = False

    def exactly(self) -> "Reads":
        """Return these reads for names that are meant letter for letter."""
        return Reads(self.seen, exact=True)

    async def running(self) -> tuple[store.App, ...]:
        """Return the running applications, in the order they were started."""
        world = self.seen.look()
        return tuple(self._app(world, name) for name in dict.fromkeys(name for _, name in world.running))

    def _app(self, world: World, name: str) -> store.App:
        new = name in world.new
        windows = () if new else self._windows(world, name)
        id_ = name if name in world.installed else ""
        return store.App(name, id_, self.seen.fact(Running(name, world.instances(name))), windows, new)

    async def installed(self) -> tuple[store.Program, ...]:
        """Return what can be launched; an application's id is its name here."""
        names = self.seen.look().installed
        return tuple(store.Program(name, name, self.seen.fact(Installed(name, name))) for name in names)

    async def windows(self, app: str) -> tuple[store.Window, ...]:
        """Return the windows of an application, front first."""
        return self._windows(self.seen.look(), app)

    def _windows(self, world: World, app: str) -> tuple[store.Window, ...]:
        return tuple(
            store.Window(
                window.id, app, window.bounds, window.state, self.seen.fact(at(window)), window.desktop, window.title
            )
            for window in world.windows
            if window.app == app
        )

    async def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors."""
        return self.seen.look().monitors

    async def presets(self) -> tuple[Preset, ...]:
        """Return the layouts."""
        return self.seen.look().presets

    async def idle(self) -> float | None:
        """Return for how long nobody has touched anything."""
        return self.seen.look().idle

    def token(self) -> str:
        """Return none: nothing is launched here that could carry one."""
        return ""


def holds(world: World, fact: Fact) -> bool:
    """Say whether a fact is so."""
    match fact:
        case Running(name, instances):
            return world.instances(name) == tuple(instances)
        case Installed(name, id_):
            return name in world.installed and name == id_
        case WindowAt(id_):
            found = world.window(id_)
            return found is not None and at(found) == fact
        case _:
            return False


def resists(world: World, step: Steps, expects: Facts) -> str | None:
    """Say why the world would not do a step."""
    match step:
        case Quit(name, seconds) if name in world.stubborn:
            return f"{name} is still running {seconds} s after it was asked to quit; it may be asking you something"
        case PlaceNew(name) if not any(window.app == name for window in world.windows):
            return f"{name} has no window to place"
        case _:
            return None


LAWS = Laws(does, holds, Reads, resists, moved_on, settles=lambda world: replace(world, new=frozenset()))


def build(ground: Ground) -> Pretended[World]:
    """Return a backend over the world that the settings describe, or over a small one of two monitors."""
    world = planted(ground.settings.get("world", {}))
    return backend(replace(world, presets=presets.read(ground.settings)), kill=ground.kill)


def backend(world: World, *, lasting: bool = False, kill: KillPoint = no_kill_point) -> Pretended[World]:
    """Return a backend over a world at hand."""
    return Pretended(world, LAWS, lasting=lasting, kill=kill)


def planted(document: Json) -> World:
    """Read a world from plain data. Raises `SetupError` that names what is wrong."""
    try:
        told = msgspec.convert(document, Planted)
    except msgspec.ValidationError as wrong:
        raise SetupError(f"the memory world of [apps] in the settings is wrong: {wrong}", "config.world") from wrong
    running = tuple((f"planted-{number}", name) for number, name in enumerate(told.running, 1))
    instances = {name: instance for instance, name in running}
    windows = tuple(
        Window(
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
    return World(told.installed, running, windows, monitors, idle=told.idle_seconds, stubborn=told.stubborn)
