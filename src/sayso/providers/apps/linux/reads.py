"""The reads of the apps store on a Linux desktop: what runs on a screen, each window with its application."""

from collections.abc import Awaitable, Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.memory_backend import View
from sayso.core.plan import ChangeRef, Fact
from sayso.providers.apps import store
from sayso.providers.apps.geometry import Monitor, WindowLayout
from sayso.providers.apps.linux.applications import AppNames, instance
from sayso.providers.apps.linux.screen import ScreenSnapshot, ScreenWindow
from sayso.providers.apps.memory import AppsState, WindowState, at, imagine_steps
from sayso.providers.apps.model import AppInstalled as InstalledFact
from sayso.providers.apps.model import AppRunning, Steps
from sayso.providers.desktop_entries import DesktopEntry, InstalledEntries
from sayso.providers.desktop_entries import InstalledEntries as Entries


class AppsSnapshot(Struct, frozen=True):
    """What was seen at one moment."""

    windows: tuple[WindowState, ...]
    """Front first, without those that stand before another window of their application."""
    instances: tuple[tuple[str, str], ...]
    """Instance and name of each running application, windows front first."""
    ids: tuple[tuple[str, str], ...]
    """Name and desktop entry of each."""
    monitors: tuple[Monitor, ...]
    installed: InstalledEntries
    shown: tuple[tuple[str, ScreenWindow], ...]
    """Every window with the name of its application."""

    def of(self, name: str) -> tuple[str, ...]:
        """Return the instances of an application."""
        return tuple(sorted(instance for instance, app in self.instances if app == name))

    def all_of(self, name: str) -> tuple[ScreenWindow, ...]:
        """Return every window of an application, questions it asks included."""
        return tuple(window for app, window in self.shown if app == name)

    def window(self, id_: str) -> WindowState | None:
        """Return one window."""
        return next((window for window in self.windows if window.id == id_), None)


def combine_sight(look: ScreenSnapshot, installed: InstalledEntries) -> AppsSnapshot:
    """Put together what a screen shows and what is installed."""
    names = AppNames(installed.entries)
    shown = tuple((names.name(window), window) for window in look.windows)
    windows = tuple(
        WindowState(window.id, name, of_window(window), window.bounds, window.state, window.desktop, window.title)
        for name, window in _placeable(shown)
    )
    instances = dict.fromkeys((of_window(window), name) for name, window in shown)
    ids = {name: entry.id for name, window in shown if (entry := names.entry(window))}
    return AppsSnapshot(windows, tuple(instances), tuple(ids.items()), look.monitors, installed, shown)


def _placeable(shown: tuple[tuple[str, ScreenWindow], ...]) -> Iterator[tuple[str, ScreenWindow]]:
    """Yield the windows that a person would call windows of an application; the minimised ones last."""
    with_a_window = {name for name, window in shown if not window.belongs}
    ones = [(name, window) for name, window in shown if not window.belongs or name not in with_a_window]
    yield from sorted(ones, key=lambda one: one[1].state == "minimised")


def of_window(window: ScreenWindow) -> str:
    """Return the instance behind a window: its process, or the window itself where nobody knows that."""
    return (instance(window.pid) if window.pid else None) or f"window-{window.id}"


class LinuxApps(Struct, frozen=True):
    """What operations look at."""

    look: Callable[[], Awaitable[AppsSnapshot]]
    untouched: Callable[[], Awaitable[float | None]]
    entries: Callable[[], Entries]
    layouts: tuple[WindowLayout, ...] = ()
    earlier: tuple[tuple[Steps, ChangeRef], ...] = ()
    """What earlier actions of the batch will have done."""
    exact: bool = False
    names: Callable[[], str] = str
    """Where new names come from."""

    def exactly(self) -> "LinuxApps":
        """Return these reads for names that are meant letter for letter."""
        return replace(self, exact=True)

    def after(self, step: Steps, ref: ChangeRef) -> "LinuxApps":
        """Return these reads with one more step that will have been done."""
        return replace(self, earlier=(*self.earlier, (step, ref)))

    async def running(self) -> tuple[store.RunningApp, ...]:
        """Return what runs and has a window, the front one first."""
        seen, ids = await self._look_at_screen()
        world = seen.look()
        names = dict.fromkeys(name for _, name in world.running)
        return tuple(_app(seen, name, ids.get(name, "")) for name in names)

    async def installed(self) -> tuple[store.InstalledApp, ...]:
        """Return what stands in the person's menus."""
        return tuple(
            store.InstalledApp(entry.name, entry.id, installed_fact(entry)) for entry in self.entries().menu_entries()
        )

    async def windows(self, app: str) -> tuple[store.AppWindow, ...]:
        """Return the windows of an application, front first, minimised ones last."""
        seen, _ = await self._look_at_screen()
        return _windows(seen, app)

    async def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors."""
        return (await self.look()).monitors

    async def presets(self) -> tuple[WindowLayout, ...]:
        """Return the layouts that the person wrote."""
        return self.layouts

    async def idle(self) -> float | None:
        """Return for how many seconds nobody has touched keyboard or mouse; None where nobody can tell."""
        return await self.untouched()

    def token(self) -> str:
        """Return a new name, for what is launched to carry in its environment."""
        return self.names()

    async def _look_at_screen(self) -> tuple[View[AppsState], dict[str, str]]:
        sight = await self.look()
        world = AppsState(running=sight.instances, windows=sight.windows, monitors=sight.monitors)
        installed_ids = {entry.name: entry.id for entry in sight.installed.menu_entries()}
        return imagine_steps(world, self.earlier), {**installed_ids, **dict(sight.ids)}


def installed_fact(entry: DesktopEntry) -> InstalledFact:
    """Return the fact that an application is this very one: the file and what it holds."""
    return InstalledFact(entry.name, f"{entry.path} {entry.mark}")


def _app(seen: View[AppsState], name: str, id_: str) -> store.RunningApp:
    world = seen.look()
    new = name in world.new
    running: Fact = seen.fact(AppRunning(name, world.instances(name)))
    return store.RunningApp(name, id_, running, () if new else _windows(seen, name), new)


def _windows(seen: View[AppsState], app: str) -> tuple[store.AppWindow, ...]:
    return tuple(
        store.AppWindow(
            window.id, app, window.bounds, window.state, seen.fact(at(window)), window.desktop, window.title
        )
        for window in seen.look().windows
        if window.app == app
    )
