"""What a script says of the applications, windows and monitors of a Mac, and the requests to change them."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from sayso.core.plan import Fact
from sayso.core.quotes import quoted
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.model import AppInstalled, AppsState, WindowState
from sayso.providers.macos.applications import MacApp
from sayso.providers.macos.engine import ScriptEngine

SCRIPT = "windows"
SYSTEM_EVENTS = "System Events"
DIALOGS = frozenset({"AXDialog", "AXSystemDialog", "AXSheet", "AXFloatingWindow"})


class MacProcess(Struct, frozen=True):
    """A running application; its launch time distinguishes it from a later one with the same process id."""

    pid: int
    name: str
    id: str
    path: str
    started: int
    front: bool

    @property
    def instance(self) -> str:
        """Return the id of this instance."""
        return f"{self.pid}-{self.started}"


class MacWindow(Struct, frozen=True):
    """A window: its number, the process that it belongs to, and left, top, width and height."""

    id: str
    pid: int
    title: str
    edges: tuple[float, float, float, float]
    state: str
    role: str = ""


class MacMonitor(Struct, frozen=True):
    """A monitor, with left, top, width and height."""

    name: str
    edges: tuple[float, float, float, float]
    main: bool


class MacScreen(Struct, frozen=True):
    """The applications, windows (front first) and monitors at one moment."""

    apps: tuple[MacProcess, ...]
    windows: tuple[MacWindow, ...]
    monitors: tuple[MacMonitor, ...]
    idle: float
    silent: tuple[str, ...] = ()
    """Applications that did not answer, so that their windows are not known."""

    @property
    def state(self) -> AppsState:
        """Return the state that steps are planned on: windows that can be placed, minimised ones last.

        A dialog can be placed only if its application has no other window.
        """
        by_pid = {app.pid: app for app in self.apps}
        with_a_window = {window.pid for window in self.windows if window.role not in DIALOGS}
        placeable = [window for window in self.windows if window.role not in DIALOGS or window.pid not in with_a_window]
        windows = [
            WindowState(
                window.id,
                by_pid[window.pid].name,
                by_pid[window.pid].instance,
                bounds(window.edges),
                window.state,
                title=window.title,
            )
            for window in sorted(placeable, key=lambda window: window.state == "minimised")
        ]
        apps = sorted(self.apps, key=lambda app: not app.front)
        monitors = tuple(Monitor(monitor.name, bounds(monitor.edges), monitor.main) for monitor in self.monitors)
        return AppsState(
            running=tuple((app.instance, app.name) for app in apps if app.name),
            windows=tuple(windows),
            monitors=monitors,
        )

    def processes(self, name: str) -> tuple[MacProcess, ...]:
        """Return the processes of an application."""
        return tuple(app for app in self.apps if app.name == name)

    def process_of(self, window: str) -> MacProcess | None:
        """Return the process of a window; None if the window is gone."""
        pid = next((one.pid for one in self.windows if one.id == window), None)
        return next((app for app in self.apps if app.pid == pid), None)


def bounds(edges: Sequence[float]) -> Bounds:
    """Return left, top, width and height as bounds in whole points."""
    left, top, width, height = map(round, edges)
    return Bounds(left, top, left + width, top + height)


def installed_fact(app: MacApp) -> Fact:
    """Return the fact that an application is the one at this path with this bundle id."""
    return AppInstalled(app.name, f"{app.path} {app.id}")


class MacWindows:
    """Looks at the screen, and sends requests to it."""

    def __init__(self, engine: ScriptEngine) -> None:
        self._engine = engine

    async def look(self) -> MacScreen:
        """Return what is on the screen. Raises `SetupError` if a permission is missing."""
        return msgspec.convert(await self._run({"do": "look"}, changes=False), MacScreen, strict=False)

    async def front(self, process: MacProcess) -> None:
        """Request that an application comes to the front."""
        await self._run({"do": "front", "pid": process.pid}, changes=True)

    async def quit(self, processes: Sequence[MacProcess]) -> None:
        """Ask applications to quit, as their menu does."""
        await self._run({"do": "quit", "pids": [process.pid for process in processes]}, changes=True)

    async def place(self, process: MacProcess, window: str, to: Bounds, state: str) -> Bounds | None:
        """Give a window bounds and a state; return the bounds that it had beneath fullscreen, if it was that."""
        data = {"left": to.left, "top": to.top, "width": to.width, "height": to.height}
        request = {"do": "place", "pid": process.pid, "id": window, "state": state, **data}
        beneath = await self._run(request, changes=True)
        return bounds(msgspec.convert(beneath, tuple[float, float, float, float])) if beneath is not None else None

    async def _run(self, data: Mapping[str, object], *, changes: bool) -> object:
        return await self._engine.run_script(SCRIPT, data, app=SYSTEM_EVENTS, changes=changes)


def silence(screen: MacScreen, name: str) -> str:
    """Return the part of a message that says that an application did not answer; empty if it did."""
    return f"; {quoted(name)} does not answer macOS" if name in screen.silent else ""
