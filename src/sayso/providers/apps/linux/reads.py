"""The reads of the apps store on a Linux desktop: each window on the screen together with its application."""

from collections.abc import Awaitable, Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.memory_backend import View
from sayso.core.plan import ChangeRef
from sayso.providers.apps import store
from sayso.providers.apps.geometry import Monitor, WindowLayout
from sayso.providers.apps.linux.applications import AppNames, process_instance
from sayso.providers.apps.linux.screen import ScreenSnapshot, ScreenWindow
from sayso.providers.apps.model import (
    AppInstalled,
    AppsState,
    Steps,
    WindowState,
    app_windows,
    imagine_steps,
    running_apps,
)
from sayso.providers.desktop_entries import DesktopEntry, InstalledEntries


class AppsSnapshot(Struct, frozen=True):
    """What the screen showed, and what was installed, at one moment."""

    state: AppsState
    """The windows that can be placed, front first and minimised ones last, and the instances behind all windows."""
    ids: tuple[tuple[str, str], ...]
    """Name and desktop entry of each application that has a window."""
    entries: InstalledEntries
    named_windows: tuple[tuple[str, ScreenWindow], ...]
    """Every window with the name of its application, the questions that one asks included."""

    def windows_of(self, name: str) -> tuple[ScreenWindow, ...]:
        """Return every window of an application, the questions it asks included."""
        return tuple(window for app, window in self.named_windows if app == name)


def combine_snapshot(screen: ScreenSnapshot, entries: InstalledEntries) -> AppsSnapshot:
    """Put together what a screen shows and what is installed."""
    names = AppNames(entries.entries)
    named = tuple((names.name(window), window) for window in screen.windows)
    windows = tuple(
        WindowState(window.id, name, window_instance(window), window.bounds, window.state, window.desktop, window.title)
        for name, window in _placeable(named)
    )
    instances = dict.fromkeys((window_instance(window), name) for name, window in named)
    ids = {name: entry.id for name, window in named if (entry := names.entry(window))}
    state = AppsState(running=tuple(instances), windows=windows, monitors=screen.monitors)
    return AppsSnapshot(state, tuple(ids.items()), entries, named)


def _placeable(named: tuple[tuple[str, ScreenWindow], ...]) -> Iterator[tuple[str, ScreenWindow]]:
    """Yield the windows that a person would call windows of an application; the minimised ones last."""
    with_a_window = {name for name, window in named if not window.belongs}
    found = [(name, window) for name, window in named if not window.belongs or name not in with_a_window]
    yield from sorted(found, key=lambda pair: pair[1].state == "minimised")


def window_instance(window: ScreenWindow) -> str:
    """Return the instance behind a window: its process, or the window itself where its process is not known."""
    return (process_instance(window.pid) if window.pid else None) or f"window-{window.id}"


def installed_fact(entry: DesktopEntry) -> AppInstalled:
    """Return the fact that an application is this very one: the file and what it holds."""
    return AppInstalled(entry.name, f"{entry.path} {entry.mark}")


class LinuxApps(Struct, frozen=True):
    """The reads of the apps store over a screen and the desktop entries of a machine."""

    look: Callable[[], Awaitable[AppsSnapshot]]
    idle_seconds: Callable[[], Awaitable[float | None]]
    entries: Callable[[], InstalledEntries]
    own_layouts: tuple[WindowLayout, ...] = ()
    earlier: tuple[tuple[Steps, ChangeRef], ...] = ()
    """What earlier actions of the batch will have done."""
    exact: bool = False
    new_token: Callable[[], str] = str

    def exactly(self) -> "LinuxApps":
        return replace(self, exact=True)

    def after(self, step: Steps, ref: ChangeRef) -> "LinuxApps":
        """Return these reads with one more step that will have been done."""
        return replace(self, earlier=(*self.earlier, (step, ref)))

    async def running(self) -> tuple[store.RunningApp, ...]:
        """Return what runs and has a window, the front one first."""
        seen, ids = await self._look_at_screen()
        return running_apps(seen, lambda name: ids.get(name, ""))

    async def installed(self) -> tuple[store.InstalledApp, ...]:
        """Return what stands in the person's menus."""
        entries = self.entries().menu_entries()
        return tuple(store.InstalledApp(entry.name, entry.id, installed_fact(entry)) for entry in entries)

    async def windows(self, app: str) -> tuple[store.AppWindow, ...]:
        """Return the windows of an application, front first, minimised ones last."""
        seen, _ = await self._look_at_screen()
        return app_windows(seen, app)

    async def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors."""
        return (await self.look()).state.monitors

    async def layouts(self) -> tuple[WindowLayout, ...]:
        return self.own_layouts

    async def idle(self) -> float | None:
        return await self.idle_seconds()

    def token(self) -> str:
        """Return a new name, which a launched application will carry in its environment."""
        return self.new_token()

    async def _look_at_screen(self) -> tuple[View[AppsState], dict[str, str]]:
        snapshot = await self.look()
        installed_ids = {entry.name: entry.id for entry in snapshot.entries.menu_entries()}
        return imagine_steps(snapshot.state, self.earlier), {**installed_ids, **dict(snapshot.ids)}
