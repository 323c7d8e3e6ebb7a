"""Read the windows of a Linux desktop, each with its application."""

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
    """The windows on the screen and the installed applications, at one moment."""

    state: AppsState
    """The running instances that own the windows, dialogs included, and the windows that can be placed.

    The windows are ordered from front to back, with minimised ones last.
    """
    ids: tuple[tuple[str, str], ...]
    """Name and desktop entry id of each application that has a window."""
    entries: InstalledEntries
    named_windows: tuple[tuple[str, ScreenWindow], ...]
    """Every window, dialogs included, with the name of its application."""

    def windows_of(self, name: str) -> tuple[ScreenWindow, ...]:
        """Return all windows of an application, dialogs included."""
        return tuple(window for app, window in self.named_windows if app == name)


def combine_snapshot(screen: ScreenSnapshot, entries: InstalledEntries) -> AppsSnapshot:
    """Return the windows on a screen, each with its application, and the installed applications."""
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
    """Yield the windows that can be placed, minimised ones last.

    A dialog can be placed only if its application has no other window.
    """
    with_a_window = {name for name, window in named if not window.belongs}
    found = [(name, window) for name, window in named if not window.belongs or name not in with_a_window]
    yield from sorted(found, key=lambda pair: pair[1].state == "minimised")


def window_instance(window: ScreenWindow) -> str:
    """Return the instance that owns a window: its process, or the window itself if its process is not known."""
    return (process_instance(window.pid) if window.pid else None) or f"window-{window.id}"


def installed_fact(entry: DesktopEntry) -> AppInstalled:
    """Return the fact that an application has this desktop entry, identified by its path and content."""
    return AppInstalled(entry.name, f"{entry.path} {entry.mark}")


class LinuxApps(Struct, frozen=True):
    """Implements `Apps` with a screen and the desktop entries of this machine."""

    look: Callable[[], Awaitable[AppsSnapshot]]
    idle_seconds: Callable[[], Awaitable[float | None]]
    entries: Callable[[], InstalledEntries]
    own_layouts: tuple[WindowLayout, ...] = ()
    earlier: tuple[tuple[Steps, ChangeRef], ...] = ()
    """The steps of earlier actions in the batch; windows are shown as they would be after these steps."""
    exact: bool = False
    new_token: Callable[[], str] = str

    def exactly(self) -> "LinuxApps":
        return replace(self, exact=True)

    def after(self, step: Steps, ref: ChangeRef) -> "LinuxApps":
        """Return a copy that also shows the effect of one more step."""
        return replace(self, earlier=(*self.earlier, (step, ref)))

    async def running(self) -> tuple[store.RunningApp, ...]:
        """Return the running applications that have a window, the front one first."""
        seen, ids = await self._look_at_screen()
        return running_apps(seen, lambda name: ids.get(name, ""))

    async def installed(self) -> tuple[store.InstalledApp, ...]:
        """Return the applications in the person's menus."""
        entries = self.entries().menu_entries()
        return tuple(store.InstalledApp(entry.name, entry.id, installed_fact(entry)) for entry in entries)

    async def windows(self, app: str) -> tuple[store.AppWindow, ...]:
        """Return the windows of an application: front first, minimised ones last."""
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
        """Return a new token, which a launched application carries in its environment."""
        return self.new_token()

    async def _look_at_screen(self) -> tuple[View[AppsState], dict[str, str]]:
        snapshot = await self.look()
        installed_ids = {entry.name: entry.id for entry in snapshot.entries.menu_entries()}
        return imagine_steps(snapshot.state, self.earlier), {**installed_ids, **dict(snapshot.ids)}
