"""The steps and facts of the apps store, and the state of applications, windows and monitors that steps change.

The memory back end, and the preview of a batch, do a step by calling `execute` on a state in memory. A real back end
asks the desktop to do the step.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.memory_backend import View
from sayso.core.plan import NOTHING, CannotUndo, ChangeRef, Fact, Facts, Reach, ResultRef, Step
from sayso.core.quotes import quoted
from sayso.providers.apps.geometry import Bounds, Monitor, WindowLayout, fit_within
from sayso.providers.apps.store import AppWindow, RunningApp

NO_WAY_BACK_TO_FRONT = CannotUndo("which application was in front before is not kept; nothing else was changed")
FIRST_WINDOW = Bounds(80, 60, 1080, 760)
"""The bounds of the first window of an application that is launched in memory."""


class HasEdges:
    """A fact or a step with the four edges of a window as fields."""

    __slots__ = ()
    left: int
    top: int
    right: int
    bottom: int

    @property
    def bounds(self) -> Bounds:
        """Return these edges as bounds."""
        return Bounds(self.left, self.top, self.right, self.bottom)


class AppRunning(Fact, frozen=True):
    """The running instances of the application with this name are exactly these; none means that it does not run.

    An instance is an identifier of a running program that the system does not soon use again: a process id with its
    start time, or an id from the desktop.
    """

    fact: ClassVar[str] = "app_running"
    owner: ClassVar[str] = "apps"
    instances: tuple[str, ...]


class AppInstalled(Fact, frozen=True):
    """The application with this name is the one with this `id`, not another one with the same name.

    The id is a bundle or a desktop entry.
    """

    fact: ClassVar[str] = "app_installed"
    owner: ClassVar[str] = "apps"
    id: str


class WindowAt(HasEdges, Fact, frozen=True):
    """The window with this id belongs to this application and has these bounds and this state, on this desktop."""

    fact: ClassVar[str] = "window"
    owner: ClassVar[str] = "apps"
    app: str
    left: int
    top: int
    right: int
    bottom: int
    state: str = "normal"
    desktop: str = ""


class BoundsBeneath(HasEdges, Fact, frozen=True):
    """The window with this id had these normal bounds while it was maximised or fullscreen.

    The bounds became known when a step ended that state. Undo restores the state and these bounds. They cannot be read
    again later, so this fact counts as always true.
    """

    fact: ClassVar[str] = "window_beneath"
    owner: ClassVar[str] = "apps"
    left: int
    top: int
    right: int
    bottom: int


def describe_change(fact: Fact) -> str:
    """Return the part of a message that says that a fact no longer holds."""
    match fact:
        case AppRunning(name):
            return f"{name} was started or ended since this was planned"
        case AppInstalled(name):
            return f"{name} is no longer the application it was when this was planned"
        case WindowAt(_, app):
            return f"the window of {app} was moved or closed since this was planned"
        case _:
            return f"{quoted(fact.about)} is no longer as it was when this was planned"


class WindowState(Struct, frozen=True):
    """One window of a running instance."""

    id: str
    app: str
    instance: str
    bounds: Bounds
    state: str = "normal"
    desktop: str = ""
    title: str = ""

    @property
    def fact(self) -> WindowAt:
        """Return the fact with the window's present bounds, state and desktop."""
        return WindowAt(self.id, self.app, *self.bounds.edges, self.state, self.desktop)


class AppsState(Struct, frozen=True):
    """The applications, windows and monitors at one moment."""

    installed: tuple[str, ...] = ()
    running: tuple[tuple[str, str], ...] = ()
    """Instance and name of each running application."""
    windows: tuple[WindowState, ...] = ()
    """The windows, front first."""
    monitors: tuple[Monitor, ...] = (Monitor("Main", Bounds(0, 0, 1920, 1080), main=True),)
    layouts: tuple[WindowLayout, ...] = ()
    idle: float | None = None
    """Seconds since the last input from keyboard or mouse; None if unknown."""
    stubborn: tuple[str, ...] = ()
    """Names of applications that do not quit when asked."""
    opened: int = 0
    """Number of instances launched so far; the next instance is named after it."""
    new: frozenset[str] = frozenset()
    """Names of applications that a planned step opens; empty outside of a planned batch."""

    def instances(self, name: str) -> tuple[str, ...]:
        """Return the instances of an application, sorted."""
        return tuple(sorted(instance for instance, app in self.running if app == name))

    def running_fact(self, name: str) -> AppRunning:
        """Return the fact that an application runs as its present instances."""
        return AppRunning(name, self.instances(name))

    def window(self, wanted: str) -> WindowState | None:
        """Return the window with this id, or None."""
        return next((window for window in self.windows if window.id == wanted), None)

    def front_window(self, name: str) -> WindowState | None:
        """Return the front window of an application, or None."""
        return next((window for window in self.windows if window.app == name), None)

    def bring_to_front(self, name: str) -> "AppsState":
        """Return the state with an application's windows in front of all others."""
        return replace(self, windows=tuple(sorted(self.windows, key=lambda window: window.app != name)))

    def launch(self, name: str) -> "AppsState":
        """Return the state with a new instance of an application, whose first window is in front."""
        number = self.opened + 1
        instance = f"launched-{number}"
        window = WindowState(f"window-of-{instance}", name, instance, FIRST_WINDOW)
        return replace(
            self,
            running=(*self.running, (instance, name)),
            windows=(window, *self.windows),
            opened=number,
            new=self.new | {name},
        )

    def end(self, name: str) -> "AppsState":
        """Return the state after all instances of an application have ended."""
        return replace(
            self,
            running=tuple(entry for entry in self.running if entry[1] != name),
            windows=tuple(window for window in self.windows if window.app != name),
            new=self.new - {name},
        )

    def place(self, wanted: str, to: Bounds, state: str = "normal", desktop: str = "") -> tuple["AppsState", Facts]:
        """Return the state with a window at other bounds, and the fact about the window.

        An empty `desktop` leaves the window on its desktop.
        """
        window = self.window(wanted)
        if window is None:
            return self, ()
        placed = replace(window, bounds=to, state=state, desktop=desktop or window.desktop)
        windows = tuple(placed if window.id == wanted else window for window in self.windows)
        return replace(self, windows=windows), (placed.fact,)

    def place_front_window(self, name: str, to: Bounds, *, fit: bool) -> tuple["AppsState", Facts]:
        """Return the state with an application's front window at other bounds, and the fact about the window."""
        window = self.front_window(name)
        return self.place(window.id, fit_within(window.bounds, to) if fit else to) if window else (self, ())


class AppStep(Step, frozen=True):
    """A step of the apps store."""

    store: ClassVar[str] = "apps"

    def execute(self, state: AppsState) -> tuple[AppsState, Facts]:
        """Return the state after this step, and the facts that result from the step."""
        raise NotImplementedError

    def refusal(self, state: AppsState) -> str | None:
        """Return why an application would not do the step; None if it would."""
        return None


class OpenApp(AppStep, frozen=True):
    """Bring the application to the front; if it does not run, launch it by `id`.

    A launched process carries `token` in its environment if the system supports this.
    """

    step: ClassVar[str] = "app.open"
    reach: ClassVar[Reach] = NOTHING
    apps: ClassVar[tuple[str, ...]] = ("name",)
    name: str
    id: str
    token: str = ""

    def execute(self, state: AppsState) -> tuple[AppsState, Facts]:
        after = state.bring_to_front(self.name) if state.instances(self.name) else state.launch(self.name)
        return after, (after.running_fact(self.name),)

    def way_back(self) -> CannotUndo:
        """Return why launching cannot be undone."""
        return CannotUndo("an application that was opened stays open; quit it when you no longer need it")


class ActivateApp(AppStep, frozen=True):
    """Bring the running application to the front; never launch it."""

    step: ClassVar[str] = "app.activate"
    reach: ClassVar[Reach] = NOTHING
    name: str

    def execute(self, state: AppsState) -> tuple[AppsState, Facts]:
        return state.bring_to_front(self.name), (state.running_fact(self.name),)


class QuitApp(AppStep, frozen=True):
    """Ask all expected instances to quit, and wait up to `seconds` for them; never kill one."""

    step: ClassVar[str] = "app.quit"
    reach: ClassVar[Reach] = NOTHING
    apps: ClassVar[tuple[str, ...]] = ("name",)
    name: str
    seconds: int = 10

    def execute(self, state: AppsState) -> tuple[AppsState, Facts]:
        return state.end(self.name), (AppRunning(self.name, ()),)

    def refusal(self, state: AppsState) -> str | None:
        if self.name not in state.stubborn:
            return None
        return (
            f"{self.name} is still running {self.seconds} s after it was asked to quit; it may be asking you something"
        )

    def way_back(self) -> CannotUndo:
        return CannotUndo("the application can be opened again, but what it was showing is not kept")


class PlaceWindow(HasEdges, AppStep, frozen=True):
    """Give a window these bounds (absolute screen coordinates), this state and this desktop.

    `state` is `normal`, `maximised`, `minimised` or `fullscreen`. A tiling desktop also has `tiled` and `tiled
    fullscreen`. In all states but `normal`, the bounds are those that the window has in that state. An empty `desktop`
    leaves the window on its desktop.
    """

    step: ClassVar[str] = "window.place"
    reach: ClassVar[Reach] = NOTHING
    name: str
    window: str
    left: int
    top: int
    right: int
    bottom: int
    state: str = "normal"
    desktop: str = ""

    def execute(self, state: AppsState) -> tuple[AppsState, Facts]:
        return state.place(self.window, self.bounds, self.state, self.desktop)

    def way_back(self, before: AppWindow) -> "PlaceWindow":
        """Return the step that restores the window's bounds, state and desktop."""
        return PlaceWindow(self.name, self.window, *before.bounds.edges, state=before.state, desktop=before.desktop)


class PlaceNewWindow(HasEdges, AppStep, frozen=True):
    """Place the front window of an application that an earlier step opens; the window's id is not known in advance.

    With `fit`, the window keeps its size, unless it is larger than the bounds, and is moved into them.
    """

    step: ClassVar[str] = "window.place_new"
    reach: ClassVar[Reach] = NOTHING
    name: str
    left: int
    top: int
    right: int
    bottom: int
    fit: bool = False

    def execute(self, state: AppsState) -> tuple[AppsState, Facts]:
        return state.place_front_window(self.name, self.bounds, fit=self.fit)

    def refusal(self, state: AppsState) -> str | None:
        return None if state.front_window(self.name) else f"{self.name} has no window to place"

    def way_back(self) -> CannotUndo:
        return CannotUndo("a window that was only just opened has no former place; move it by hand")


class OpenAppPlaced(HasEdges, AppStep, frozen=True):
    """Launch an application of one of the person's layouts and place its first window, as `PlaceNewWindow` does.

    The person wrote the layout, so the list of allowed applications is not checked. `token` is as in `OpenApp`.
    """

    step: ClassVar[str] = "app.open_placed"
    reach: ClassVar[Reach] = NOTHING
    name: str
    id: str
    left: int
    top: int
    right: int
    bottom: int
    fit: bool = False
    token: str = ""

    def execute(self, state: AppsState) -> tuple[AppsState, Facts]:
        after, facts = state.launch(self.name).place_front_window(self.name, self.bounds, fit=self.fit)
        return after, (after.running_fact(self.name), *facts)

    def way_back(self) -> CannotUndo:
        return CannotUndo(f"{self.name} stays open; quit it when you no longer need it")


Steps = OpenApp | ActivateApp | QuitApp | PlaceWindow | PlaceNewWindow | OpenAppPlaced


def imagine_steps(state: AppsState, earlier: Sequence[tuple[AppStep, ChangeRef]]) -> View[AppsState]:
    """Return a view of the state as it would be after these steps."""
    left: dict[tuple[str, str], ResultRef] = {}
    for step, ref in earlier:
        state, facts = step.execute(state)
        left |= {fact.key: ResultRef(fact.about, fact.fact, ref.change, ref.action) for fact in facts}
    return View(lambda: state, left)


def running_apps(seen: View[AppsState], find_id: Callable[[str], str]) -> tuple[RunningApp, ...]:
    """Return the running applications, each name once; `find_id` returns the id that launches an application."""
    return tuple(_app(seen, name, find_id(name)) for name in dict.fromkeys(name for _, name in seen.look().running))


def _app(seen: View[AppsState], name: str, id_: str) -> RunningApp:
    state = seen.look()
    new = name in state.new
    return RunningApp(name, id_, seen.fact(state.running_fact(name)), () if new else app_windows(seen, name), new)


def app_windows(seen: View[AppsState], app: str) -> tuple[AppWindow, ...]:
    """Return the windows of an application, front first."""
    return tuple(
        AppWindow(window.id, app, window.bounds, window.state, seen.fact(window.fact), window.desktop, window.title)
        for window in seen.look().windows
        if window.app == app
    )
