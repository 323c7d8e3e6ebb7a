"""A world of applications and windows as a value, and what each step makes of it."""

from collections.abc import Sequence
from dataclasses import replace

from sayso.core.plan import AsLeft, Facts, Ref
from sayso.core.pretend import Seen
from sayso.core.values import dataclass
from sayso.providers.apps.facts import Running, WindowAt
from sayso.providers.apps.geometry import Bounds, Monitor, fitted
from sayso.providers.apps.presets import Preset
from sayso.providers.apps.steps import Activate, Open, OpenPlaced, Place, PlaceNew, Quit, Steps

USUAL = (
    "Calculator", "Calendar", "Finder", "Google Chrome", "Mail", "Music", "Notes", "Preview", "Reminders", "Safari",
    "Terminal", "TextEdit",
)  # fmt: skip
FIRST_WINDOW = Bounds(80, 60, 1080, 760)


@dataclass(frozen=True, slots=True)
class Window:
    """A window of one running instance."""

    id: str
    app: str
    instance: str
    bounds: Bounds
    state: str = "normal"
    desktop: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class World:
    """What there is; `running` holds instance and name, `windows` stand front first."""

    installed: tuple[str, ...] = USUAL
    running: tuple[tuple[str, str], ...] = ()
    windows: tuple[Window, ...] = ()
    monitors: tuple[Monitor, ...] = (Monitor("Main", Bounds(0, 0, 1920, 1080), main=True),)
    presets: tuple[Preset, ...] = ()
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

    def window(self, wanted: str) -> Window | None:
        """Return one window."""
        return next((window for window in self.windows if window.id == wanted), None)


def at(window: Window) -> WindowAt:
    """Return the fact that a window is where it is."""
    bounds = window.bounds
    edges = (bounds.left, bounds.top, bounds.right, bounds.bottom)
    return WindowAt(window.id, window.app, *edges, window.state, window.desktop)


def imagined(world: World, earlier: Sequence[tuple[Steps, Ref]]) -> Seen[World]:
    """Return a look at the world as these steps would leave it."""
    left: dict[tuple[str, str], AsLeft] = {}
    for step, ref in earlier:
        world, facts = does(world, step, ())
        left |= {fact.key: AsLeft(fact.about, fact.fact, ref.change, ref.action) for fact in facts}
    return Seen(lambda: world, left)


def does(world: World, step: Steps, expects: Facts) -> tuple[World, Facts]:
    """Return the world after a step, and what it left."""
    match step:
        case Open(name):
            world = fronted(world, name) if world.instances(name) else launched(world, name)
            return world, (Running(name, world.instances(name)),)
        case Activate(name):
            return fronted(world, name), (Running(name, world.instances(name)),)
        case Quit(name):
            return ended(world, name), (Running(name, ()),)
        case Place(_, window, left, top, right, bottom, state, desktop):
            return placed(world, window, Bounds(left, top, right, bottom), state, desktop)
        case PlaceNew(name, left, top, right, bottom, fit):
            return placed_front(world, name, Bounds(left, top, right, bottom), fit=fit)
        case OpenPlaced(name, _, left, top, right, bottom, fit):
            world, facts = placed_front(launched(world, name), name, Bounds(left, top, right, bottom), fit=fit)
            return world, (Running(name, world.instances(name)), *facts)


def fronted(world: World, name: str) -> World:
    """Return the world with an application's windows before all others."""
    mine = tuple(window for window in world.windows if window.app == name)
    return replace(world, windows=(*mine, *(window for window in world.windows if window.app != name)))


def launched(world: World, name: str) -> World:
    """Return the world with a new instance of an application and its first window in front."""
    number = world.opened + 1
    instance = f"launched-{number}"
    window = Window(f"window-of-{instance}", name, instance, FIRST_WINDOW)
    return replace(
        world,
        running=(*world.running, (instance, name)),
        windows=(window, *world.windows),
        opened=number,
        new=world.new | {name},
    )


def ended(world: World, name: str) -> World:
    """Return the world in which an application does not run."""
    return replace(
        world,
        running=tuple(entry for entry in world.running if entry[1] != name),
        windows=tuple(window for window in world.windows if window.app != name),
        new=world.new - {name},
    )


def placed(world: World, id_: str, to: Bounds, state: str, desktop: str) -> tuple[World, Facts]:
    """Return the world with one window elsewhere; without a desktop it stays on its own."""
    windows = tuple(
        replace(window, bounds=to, state=state, desktop=desktop or window.desktop) if window.id == id_ else window
        for window in world.windows
    )
    return replace(world, windows=windows), tuple(at(window) for window in windows if window.id == id_)


def placed_front(world: World, name: str, to: Bounds, *, fit: bool) -> tuple[World, Facts]:
    """Return the world with an application's front window elsewhere."""
    front = next((window for window in world.windows if window.app == name), None)
    if front is None:
        return world, ()
    return placed(world, front.id, fitted(front.bounds, to) if fit else to, "normal", "")
